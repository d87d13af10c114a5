// SPDX-License-Identifier: Apache-2.0
// What can be said of a table before anything runs: whether it is one of this ABI, how much
// workspace it wants. In: a generated (or hand-made) table. Out: a status, a size. A table that is
// refused here is never looked into further.
#include "runtime/core/table.h"

#include <limits.h>

const uint32_t attn_abi_1 = ATTN_ABI;

// Whether `count` elements of `bytes` stand at `offset`, aligned, behind the header.
static bool part_fits(uint32_t offset, uint64_t count, size_t bytes) {
    return count == 0 || (offset >= sizeof(attn_header) && offset % sizeof(uint64_t) == 0 &&
                          count * bytes <= (uint64_t)UINT32_MAX - offset);
}

attn_status attn_table_check(const attn_table *table) {
    if (!table || !table->data) {
        return ATTN_E_NULL;
    }
    const attn_header *h = table->data;
    if (h->abi != ATTN_ABI) {
        return ATTN_E_ABI;
    }
    if (h->size < sizeof(attn_header)) {
        return ATTN_E_SIZE;
    }
    bool parts = part_fits(h->classes, h->n_classes, sizeof(attn_class)) &&
                 part_fits(h->operators, h->n_operators, sizeof(attn_operator)) &&
                 part_fits(h->groups, h->n_groups, sizeof(attn_group));
    bool counts = h->n_classes < ATTN_NO_ENTRY && h->n_operators <= ATTN_MAX_OPERATORS &&
                  h->n_groups < ATTN_NO_ENTRY && h->n_entries < ATTN_NO_ENTRY && h->max_seqs > 0 &&
                  h->max_seqs < INT32_MAX && h->max_batch_tokens < INT32_MAX;
    if (!parts || !counts || h->step_bytes % ATTN_WORKSPACE_ALIGN != 0 ||
        h->step_bytes < ATTN_STEP_BYTES(h->n_classes, h->max_seqs)) {
        return ATTN_E_ABI;
    }
    return h->n_entries > 0 && !table->entry ? ATTN_E_NULL : ATTN_OK;
}

size_t attn_workspace_bytes(const attn_table *table, uint32_t workers) {
    if (attn_table_check(table) != ATTN_OK) {
        return 0;
    }
    uint64_t step = table->data->step_bytes, slice = table->data->worker_bytes;
    uint64_t n = workers > 0 ? workers : 1;
    uint64_t limit = SIZE_MAX - ATTN_WORKSPACE_ALIGN;
    if (step > limit || slice > limit || (slice > 0 && n > (limit - step) / (slice + 63))) {
        return 0;
    }
    return (size_t)ATTN_WORKSPACE_BYTES(step, slice, n);
}
