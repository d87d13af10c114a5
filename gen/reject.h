// SPDX-License-Identifier: Apache-2.0
// Errors of choice. Operators that are refused alike are collected, so that one cause is one
// diagnostic that names all its layers, each failing rule as wanted / has, and the backends that
// would accept. In: refusals, while choices are made. Out: diagnostics, at the end.
#ifndef GEN_REJECT_H
#define GEN_REJECT_H

#include "gen/preference.h"

struct refused_op {
    uint32_t op;
    enum phase phase;
};

struct rejection {
    const struct mapping *map; // the line that counts; NULL for automatic choice without one
    bool automatic;
    bool applies; // automatic: some priority applies
    const struct kind *kind;
    struct deployed_model *m;
    const char *signature;
    VEC(struct refused_op) ops;
};

struct rejections {
    struct decider *c;
    VEC(struct rejection *) list;
    struct intern table;
};

void reject_explicit(struct rejections *all, uint32_t op, enum phase phase);
void reject_automatic(struct rejections *all, uint32_t op, enum phase phase);
// "`head_dim`: wanted 88, has {64, 128}", or the rule that fails with the values in it.
const char *reason_text(struct arena *a, const struct reason *reason);
// Reports all; `unchecked` deployments get warnings for explicit ones.
void rejections_report(struct rejections *all);

#endif
