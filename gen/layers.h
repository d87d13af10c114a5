// SPDX-License-Identifier: Apache-2.0
// Layer spans: the checks of `0..9 step 3, 12`, and layers as people write them in messages.
// In: spans as parsed, or layer numbers in rising order. Out: located errors, or text.
#ifndef GEN_LAYERS_H
#define GEN_LAYERS_H

#include "gen/program.h"

VEC_TYPE(layer_list, int64_t);

// Reports spans that are reversed, have step 0, reach beyond the last of `layers` layers (not
// checked when `layers` is 0) or name a layer twice. True when there is nothing to report.
bool layers_check(const struct program *p, const struct ast_ranges *ranges, int64_t layers);

void layers_sort(struct layer_list *layers);

// "layer 3", "layers 0-4, 6-10", at most 8 runs and then "and N more". Rising order, repeats are
// allowed.
const char *layers_text(struct arena *a, const int64_t *layers, size_t n);

#endif
