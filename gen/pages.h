// SPDX-License-Identifier: Apache-2.0
// The page of each group: its layout, its block size, its bytes, and what is equal in all groups
// when one pool serves them. In: groups with their members. Out: the groups, completed.
#ifndef GEN_PAGES_H
#define GEN_PAGES_H

#include "gen/decide.h"
#include "gen/size.h"

void pages_settle(struct decider *c);

// Bytes of one block of one operator by the formula of the runtime's page formats; of one state
// for a recurrence.
struct size page_formula(const struct operator_attrs *a, int64_t block_size);
struct size state_formula(const struct operator_attrs *a);
// What messages call a group: "`sliding_window` (layers 0-4)".
const char *group_text(const struct decider *c, const struct cache_group *g);

#endif
