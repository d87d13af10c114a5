// SPDX-License-Identifier: Apache-2.0
// A backend's answer to an operator: the verdict of its rules, and what has to agree within a group
// (devices, layouts, block sizes). In: an operator's attribute set, a phase, a backend. Out: a
// ruling, made once for each such triple.
#ifndef GEN_RULING_H
#define GEN_RULING_H

#include "gen/decide.h"

#define BLOCK_CANDIDATES 4096u // block sizes tried for `auto`: 64, 63, ... 1, 65, ... 4096

struct ruling *ruling_of(struct decider *c, const struct op *o, enum phase phase,
                         const struct decl *backend);
// The block size with a number below BLOCK_CANDIDATES, or the deployment's own for number 0.
int64_t block_candidate(const struct deployed_model *m, uint32_t number);
uint32_t block_candidates(const struct deployed_model *m); // how many there are

bool ruling_takes_block(const struct decider *c, struct ruling *r, int64_t block);
// The layouts it accepts at a block size: a word, a list, or any.
struct value ruling_layout(const struct decider *c, struct ruling *r, int64_t block);
// All reasons as one text: equal for operators that are refused alike.
const char *ruling_signature(const struct decider *c, struct ruling *r);

#endif
