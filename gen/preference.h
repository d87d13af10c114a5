// SPDX-License-Identifier: Apache-2.0
// Which backends an automatic choice tries, in order: the lists of the priorities that apply to an
// operator and phase, joined, without repeats; those of files outside the library first, then in
// order of import. In: an operator, a phase. Out: the list, made once for each attribute set.
#ifndef GEN_PREFERENCE_H
#define GEN_PREFERENCE_H

#include "gen/decide.h"

struct preferred {
    const struct decl *backend;
    bool independent; // its priority ignores what groups have fixed
};

struct preference {
    bool known;
    bool applies; // some priority does
    VEC(struct preferred) entries;
};

const struct preference *preference_of(struct decider *c, const struct op *o, enum phase phase);

#endif
