// SPDX-License-Identifier: Apache-2.0
// Backends to propose for a refused choice. In: a rejection, with everything decided that could be.
// Out: backends, preferred ones first. Always: each was asked about every operator that the changed
// line would move to it, and agrees with what would stay in their groups.
#ifndef GEN_REMEDY_H
#define GEN_REMEDY_H

#include "gen/reject.h"

struct remedies {
    VEC(const struct decl *) backends;
};

struct remedies remedies_find(struct decider *c, const struct rejection *r);

#endif
