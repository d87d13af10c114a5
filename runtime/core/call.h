// SPDX-License-Identifier: Apache-2.0
// One call of attn_run or attn_kv_write while it is being checked: who is called, what the step
// found, the caller's structures, and the operands as the kernels will get them. Everything is
// checked before the first kernel runs; a call lives on the caller's stack.
#ifndef ATTN_CORE_CALL_H
#define ATTN_CORE_CALL_H

#include "runtime/core/step.h"

typedef struct attn_call {
    attn_exec *x;
    const attn_table *table;
    const attn_batch *batch;
    const attn_step_header *step;
    const attn_class_plan *plan;
    const attn_operator *op;
    const attn_class *class;
    const attn_group *group; // NULL without a cache
    attn_io io;              // a copy, with the cache view set
} attn_call;

// Operands of attn_run and of attn_kv_write.
attn_status attn_check_run_io(const attn_call *call);
attn_status attn_check_write_io(const attn_call *call);

// Sets io.cache from the caller's pages and the batch's block table.
attn_status attn_cache_view_of(attn_call *call);
// Checked executions: every block id that the call may read (or write, with `write`).
attn_status attn_check_blocks(const attn_call *call, bool write);

// What a kernel gets for an execution context: the caller's, with the workspace behind the step's
// part and no more workers than that holds slices for.
typedef struct attn_lease {
    attn_exec x;
    const attn_exec *caller;
} attn_lease;
attn_status attn_lease_of(attn_lease *lease, const attn_exec *x, const attn_header *h,
                          const attn_kernel *kernel);

#endif
