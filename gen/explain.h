// SPDX-License-Identifier: Apache-2.0
// A plan for people: what serves each operator, what decided it, what memory it takes, and why
// the other backends were not taken. Equal layers stand together, in the syntax of `layer`.
#ifndef GEN_EXPLAIN_H
#define GEN_EXPLAIN_H

#include "gen/plan.h"
#include "gen/text.h"

struct explain_filter {
    bool has_layer;
    int64_t layer;
    const char *kind; // or NULL
};

bool explain_matches(const struct explain_filter *f, const struct plan_operator *op);
// Needs plan_phase.candidates. With a filter, groups and memory are left out.
void explain_text(struct text *t, const struct plan *plan, const struct explain_filter *f);

// "0..4, 6..10, 12..24 step 3" of ascending layers.
const char *explain_layers(struct arena *a, const int64_t *layers, size_t n);
// "268435456 (256 MiB)"; "unknown" when absent.
const char *explain_bytes(struct arena *a, struct plan_int bytes);

#endif
