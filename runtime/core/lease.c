// SPDX-License-Identifier: Apache-2.0
// The execution context that a kernel gets. In: the caller's, the kernel's workspace for a worker.
// Out: a copy whose workspace starts behind the step's part and whose workers each have a slice.
// Where the workspace holds fewer slices than the caller has workers, items are dealt out to as
// many tasks as there are slices, whatever thread runs them.
#include "runtime/core/call.h"

#include <limits.h>

typedef struct dealing { // n items to fewer tasks
    attn_task *task;
    void *arg;
    uint32_t n, hands;
} dealing;

// Hand `hand` takes items hand, hand + hands, ...; no other task has its number, so it is a worker.
static void deal_task(void *arg, uint32_t hand, uint32_t worker) {
    const dealing *d = arg;
    (void)worker;
    for (uint64_t item = hand; item < d->n; item += d->hands) {
        d->task(d->arg, (uint32_t)item, hand);
    }
}

static void deal_for(void *ctx, uint32_t n, attn_task *task, void *arg) {
    const attn_lease *lease = ctx;
    uint32_t hands = n < lease->x.workers ? n : lease->x.workers;
    dealing d = {task, arg, n, hands};
    lease->caller->parallel_for(lease->caller->parallel_ctx, hands, deal_task, &d);
}

attn_status attn_lease_of(attn_lease *lease, const attn_exec *x, const attn_header *h,
                          const attn_kernel *kernel) {
    uint32_t workers = x->workers > 0 && x->parallel_for ? x->workers : 1;
    size_t left = x->workspace_bytes - (size_t)h->step_bytes;
    uint64_t slices = UINT32_MAX;
    if (kernel->workspace > 0) {
        slices = kernel->workspace > left
                     ? 0
                     : left / ATTN_ROUND_UP(kernel->workspace, (uint64_t)ATTN_WORKSPACE_ALIGN);
    }
    if (slices == 0) {
        return ATTN_E_WORKSPACE;
    }
    lease->caller = x;
    lease->x = *x;
    lease->x.workspace = (char *)x->workspace + h->step_bytes;
    lease->x.workspace_bytes = left;
    lease->x.workers = workers;
    if (slices < workers) {
        lease->x.workers = (uint32_t)slices;
        lease->x.parallel_for = slices > 1 ? deal_for : NULL;
        lease->x.parallel_ctx = lease;
    }
    return ATTN_OK;
}
