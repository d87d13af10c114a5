// SPDX-License-Identifier: Apache-2.0
// The memory plan: blocks and bytes of every group, and the budget. In: groups with block size and
// page. Out: their sizes; over budget, an error with the table of who takes what and the largest
// max_tokens that fits. Sizes that cannot be known stay unknown, with a warning.
#ifndef GEN_MEMORY_H
#define GEN_MEMORY_H

#include "gen/decide.h"

struct memory_total {
    struct size kv, state;
};

// Blocks of a group when no sequence is longer than `max_tokens` (its model's own limit, or less).
struct size memory_blocks(const struct cache_group *g, int64_t max_tokens);
// Fills blocks and bytes of every group.
struct memory_total memory_plan(struct decider *c);
// Compares with the deployment's budgets and the platform's memory.
void memory_check(struct decider *c, struct memory_total total, uint64_t workspace);

#endif
