// SPDX-License-Identifier: Apache-2.0
// Fields of plans with their values, for gen/diff.c: a list for each of a deployment, its memory, a
// group, an operator. Lists of a sort have the same fields in the same order.
#ifndef GEN_DIFF_FIELDS_H
#define GEN_DIFF_FIELDS_H

#include "gen/plan.h"

#define DIFF_FIELDS_MAX 48 // of a list

struct diff_value {
    enum { VALUE_TEXT, VALUE_INT, VALUE_NUMBER, VALUE_DEMAND } type;
    bool given;
    const char *text;
    int64_t v;
    struct number number;
    const struct plan_operator *op; // whose `demand` it is
};

struct diff_field {
    const char *name;
    struct diff_value value;
    bool bytes; // a size
};

bool diff_same_value(const struct diff_value *a, const struct diff_value *b);
// NULL: not given.
const char *diff_value_text(struct arena *a, const struct diff_value *v);

// Each fills `out` (DIFF_FIELDS_MAX) and gives the number of fields.
size_t diff_deployment_fields(const struct plan *plan, struct diff_field out[]);
size_t diff_memory_fields(const struct plan *plan, struct diff_field out[]);
size_t diff_group_fields(const struct plan_group *g, struct diff_field out[]);
size_t diff_operator_fields(const struct plan *plan, const struct plan_operator *op,
                            struct diff_field out[]);

#endif
