// SPDX-License-Identifier: Apache-2.0
// From what was decided to the plan: strings and numbers, no syntax. In: a decider (or a model
// alone). Out: the plan's operators and groups; kernels and totals come after.
#ifndef GEN_PLAN_FILL_H
#define GEN_PLAN_FILL_H

#include "gen/decide.h"
#include "gen/plan.h"

struct plan_int plan_int_of_size(struct size s); // absent unless known
void plan_fill(struct decider *c, bool candidates, struct plan *out);
// The operators of a model; without a deployment (NULL) everything that needs one is absent.
void plan_fill_model(struct program *p, const struct model *m, uint32_t index,
                     const struct deploy_attrs *deploy, struct plan *out);

#endif
