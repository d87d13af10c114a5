// SPDX-License-Identifier: Apache-2.0
// Checks of a batch that hold for every class: counts against the deployment's limits, starts that
// never go back, lengths that hold their new tokens. In: the header and a batch on the host. Out: a
// status and the extents of the batch. Nothing beyond the arrays' documented lengths is read.
#include "runtime/core/step.h"

// Starts of `n` ragged sequences: 0 first, never falling.
static attn_status check_starts(const int32_t *start, uint32_t n) {
    if (start[0] != 0) {
        return ATTN_E_BATCH;
    }
    for (uint32_t i = 0; i < n; i++) {
        if (start[i + 1] < start[i]) {
            return ATTN_E_BATCH;
        }
    }
    return ATTN_OK;
}

// Lengths of `n` sequences after their new rows.
static attn_status check_lengths(const int32_t *start, const int32_t *length, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        int32_t fresh = start ? start[i + 1] - start[i] : 0;
        if (length[i] < fresh) { // fresh is not negative
            return ATTN_E_LENGTH;
        }
    }
    return ATTN_OK;
}

static attn_status check_sources(const attn_batch *batch, uint32_t n, attn_step_header *step) {
    if (batch->src_start && !batch->src_len) {
        return ATTN_E_NULL;
    }
    attn_status status = batch->src_start ? check_starts(batch->src_start, n) : ATTN_OK;
    if (status == ATTN_OK && batch->src_len) {
        status = check_lengths(batch->src_start, batch->src_len, n);
    }
    if (status == ATTN_OK && batch->src_start) {
        step->source_rows = (uint32_t)batch->src_start[n];
    }
    return status;
}

attn_status attn_batch_check(const attn_header *h, const attn_batch *batch,
                             attn_step_header *step) {
    uint64_t wide = (uint64_t)batch->n_decode + batch->n_prefill;
    if (wide > h->max_seqs || batch->n_tokens > h->max_batch_tokens) {
        return ATTN_E_LIMIT;
    }
    uint32_t n = (uint32_t)wide;
    if (n == 0) {
        return ATTN_OK;
    }
    if (!batch->q_start || !batch->seq_len) {
        return ATTN_E_NULL;
    }
    if (!attn_aligned(batch->q_start) || !attn_aligned(batch->seq_len) ||
        !attn_aligned(batch->src_start) || !attn_aligned(batch->src_len)) {
        return ATTN_E_ALIGN;
    }
    attn_status status = check_starts(batch->q_start, n);
    if (status == ATTN_OK) {
        status = check_lengths(batch->q_start, batch->seq_len, n);
    }
    if (status == ATTN_OK) {
        status = check_sources(batch, n, step);
    }
    if (status != ATTN_OK) {
        return status;
    }
    if ((uint32_t)batch->q_start[n] > batch->n_tokens) {
        return ATTN_E_BATCH;
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t fresh = (uint32_t)(batch->q_start[i + 1] - batch->q_start[i]);
        uint32_t length = (uint32_t)batch->seq_len[i];
        if (i < batch->n_decode && fresh > h->decode_q) {
            return ATTN_E_BATCH;
        }
        step->longest = length > step->longest ? length : step->longest;
        step->longest_new = fresh > step->longest_new ? fresh : step->longest_new;
    }
    step->rows = (uint32_t)batch->q_start[n];
    return ATTN_OK;
}
