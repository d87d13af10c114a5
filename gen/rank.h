// SPDX-License-Identifier: Apache-2.0
// From a model's attributes to one rank's, as the deployment has it: tensor parallelism divides
// heads, the cache dtype is settled. In: a deployed model. Out: its attribute sets, changed in
// place.
#ifndef GEN_RANK_H
#define GEN_RANK_H

#include "gen/settings.h"

bool rank_apply(const struct deployment *d, struct deployed_model *m);

#endif
