// SPDX-License-Identifier: Apache-2.0
// Layers as a person writes them: "0..4, 6..10", "5..23 step 6".
#ifndef GEN_IMPORT_SPANS_H
#define GEN_IMPORT_SPANS_H

#include "grammar/arena.h"

VEC_TYPE(layer_numbers, int64_t); // rising

const char *spans_text(struct arena *a, const struct layer_numbers *l);
// "5, 11, 17, 23" where the spans have a step and the layers are few; else NULL.
const char *spans_list(struct arena *a, const struct layer_numbers *l);

#endif
