// SPDX-License-Identifier: Apache-2.0
// An operator's pages as a kernel sees them. In: the caller's pools and block tables. Out: the
// cache view, and for checked executions the first block id outside the pool. Only entries of
// visible or written blocks are looked at: all others may be stale. An id is never mended.
#include "attn/kernels/number.h"
#include "runtime/core/call.h"

#include <limits.h>

// What pages and their strides are aligned to; f32 scales inside int8 pages need not be.
static size_t page_align(const attn_class *class) {
    return class->layout == ATTN_LAYOUT_VENDOR ? 1 : attn_dtype_bytes(class->kv_dtype);
}

attn_status attn_cache_view_of(attn_call *call) {
    const attn_exec *x = call->x;
    if (!x->kv || call->op->owner >= x->n_kv) {
        return ATTN_E_NULL;
    }
    const attn_kv *kv = &x->kv[call->op->owner];
    if (!kv->base) {
        return ATTN_E_NULL;
    }
    size_t align = page_align(call->class);
    if ((uintptr_t)kv->base % align != 0) {
        return ATTN_E_ALIGN;
    }
    int64_t span = 0;
    if (kv->page_stride < 0 || (uint64_t)kv->page_stride < call->group->page_bytes ||
        kv->page_stride % (int64_t)align != 0 ||
        __builtin_mul_overflow((int64_t)kv->n_pages, kv->page_stride, &span) ||
        span > PTRDIFF_MAX) {
        return ATTN_E_STRIDE;
    }
    const attn_block_table *table = &call->batch->tables[call->class->group];
    call->io.cache = (attn_cache_view){
        .base = kv->base,
        .page_stride = kv->page_stride,
        .n_pages = kv->n_pages,
        .cols = table->cols,
        .table = table->ids,
        .table_stride = table->stride,
    };
    return ATTN_OK;
}

// Blocks [begin, end) of one sequence.
static attn_status check_range(const attn_call *call, uint32_t sequence, uint32_t begin,
                               uint32_t end) {
    const attn_cache_view *view = &call->io.cache;
    const int32_t *row = view->table + view->table_stride * (int64_t)sequence;
    for (uint32_t block = begin; block < end; block++) {
        uint32_t column = block % view->cols;
        if (row[column] < 0 || (uint32_t)row[column] >= view->n_pages) {
            if (call->batch->fault) {
                *call->batch->fault = (attn_fault){sequence, column, row[column]};
            }
            return ATTN_E_BLOCK;
        }
    }
    return ATTN_OK;
}

attn_status attn_check_blocks(const attn_call *call, bool write) {
    const attn_batch *batch = call->batch;
    const attn_group *group = call->group;
    const int32_t *length = group->source ? batch->src_len : batch->seq_len;
    const int32_t *start = write && group->source ? batch->src_start : batch->q_start;
    attn_status status = ATTN_OK;
    for (uint32_t i = 0; i < batch->n_decode + batch->n_prefill && status == ATTN_OK; i++) {
        uint32_t fresh = (uint32_t)(start[i + 1] - start[i]);
        if (fresh > 0) {
            uint32_t begin =
                write ? ((uint32_t)length[i] - fresh) / group->block_size : call->plan->first[i];
            status = check_range(call, i, begin, attn_group_blocks(group, (uint32_t)length[i]));
        }
    }
    return status;
}
