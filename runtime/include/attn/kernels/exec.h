/* SPDX-License-Identifier: Apache-2.0
 * What every CPU kernel does with its execution context and batch: workers that fit the workspace,
 * items in parallel, and the sequence, keys and visible span that belong to a row. Nothing is kept.
 */
#ifndef ATTN_KERNELS_EXEC_H
#define ATTN_KERNELS_EXEC_H

#include "attn/abi.h"
#include "attn/span.h"

/* Workers that may run at once with `bytes` of workspace each; 0 when not even one fits. */
static inline uint32_t attn_exec_workers(const attn_exec *x, uint64_t bytes) {
    uint32_t workers = x->parallel_for && x->workers > 1 ? x->workers : 1;
    uint64_t fit = bytes == 0 ? workers : x->workspace ? x->workspace_bytes / (size_t)bytes : 0;
    return fit < workers ? (uint32_t)fit : workers;
}

/* Runs task(arg, item, worker) for each item below n, by at most `workers` at once. */
static inline void attn_exec_for(const attn_exec *x, uint32_t workers, uint32_t n, attn_task *task,
                                 void *arg) {
    if (workers > 1 && workers >= x->workers) {
        x->parallel_for(x->parallel_ctx, n, task, arg);
        return;
    }
    for (uint32_t i = 0; i < n; i++) { /* worker ids could pass what the workspace holds */
        task(arg, i, 0);
    }
}

static inline uint32_t attn_batch_sequences(const attn_batch *batch) {
    return batch->n_decode + batch->n_prefill;
}

/* The last sequence that begins at or before token `token`, i.e. the one that owns it. */
static inline uint32_t attn_batch_find(const attn_batch *batch, int32_t token) {
    uint32_t lo = 0, hi = attn_batch_sequences(batch);
    while (hi - lo > 1) {
        uint32_t mid = lo + (hi - lo) / 2;
        if (batch->q_start[mid] <= token) {
            lo = mid;
        } else {
            hi = mid;
        }
    }
    return lo;
}

static inline int32_t attn_batch_q_len(const attn_batch *batch, uint32_t sequence) {
    return batch->q_start[sequence + 1] - batch->q_start[sequence];
}

/* Keys that the sequence has after this step, sink rows not counted. */
static inline int32_t attn_batch_k_len(const attn_params *p, const attn_batch *batch,
                                       uint32_t sequence) {
    if (p->kind == ATTN_CROSS_ATTENTION) {
        return batch->src_len[sequence];
    }
    if (p->kind == ATTN_ENCODER_ONLY_ATTENTION) {
        return attn_batch_q_len(batch, sequence);
    }
    return batch->seq_len[sequence];
}

/* Position of the sequence's first new token: rows are aligned to the bottom right. */
static inline int32_t attn_batch_position(const attn_params *p, const attn_batch *batch,
                                          uint32_t sequence) {
    if (p->kind == ATTN_ENCODER_ONLY_ATTENTION) {
        return 0;
    }
    return batch->seq_len[sequence] - attn_batch_q_len(batch, sequence);
}

/* Keys that the row at position `position` sees. */
static inline attn_span attn_row_span(const attn_params *p, int32_t position, int32_t k_len) {
    return attn_span_of(position, k_len, p->window_left, p->window_right, p->chunk);
}

/* Whether a tree mask applies, and hides key `key` of a sequence of k_len keys from new token
   `token` (counted in the batch). */
static inline int attn_tree_hides(const attn_params *p, const attn_io *io, int32_t token,
                                  int32_t q_len, int32_t k_len, int32_t key) {
    int32_t j = key - (k_len - q_len);
    if (!io->tree_mask || j < 0 || p->kind == ATTN_CROSS_ATTENTION ||
        p->kind == ATTN_ENCODER_ONLY_ATTENTION) {
        return 0;
    }
    const uint64_t *row = io->tree_mask + (int64_t)token * io->tree_mask_stride;
    return !(row[j / 64] >> (j % 64) & 1u);
}

#endif
