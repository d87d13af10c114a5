// SPDX-License-Identifier: Apache-2.0
// One attribute set of a model: its kind, its defaults, what the kind excludes, and the arithmetic
// of heads and widths. In: the written attributes. Out: the set completed, errors reported with the
// layers that have it.
#ifndef GEN_ATTR_SET_H
#define GEN_ATTR_SET_H

#include "gen/model.h"

struct set_resolver {
    struct program *p;
    const struct kinds *kinds;
    struct model *m;
    bool good;
    bool missing[ATTR_COUNT]; // already reported as not given
};

void set_resolve(struct set_resolver *b, struct attr_set *set);
// Does `attn = none` remove the operator?
bool set_absent(const struct given_set *g);
// Model-level attributes with the defaults that need no kind.
void level_resolve(const struct given_set *given, struct operator_attrs *a);
// An error at an attribute of the set; the message ends with the layers.
struct diag *set_error(struct set_resolver *b, const struct attr_set *set, enum diag_code code,
                       enum operator_attr attr, const char *message);

#endif
