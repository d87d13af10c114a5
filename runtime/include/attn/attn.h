/* SPDX-License-Identifier: Apache-2.0
 * The calls of the runtime. See docs/runtime.md for a worked program. None allocates, none keeps
 * state; every argument that lies on the host is checked first, and a call that does not return
 * ATTN_OK has left its outputs as they were.
 */
#ifndef ATTN_ATTN_H
#define ATTN_ATTN_H

#include "attn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Bytes of workspace that `table` needs for `workers` tasks at once; 0 for a null or foreign table.
 */
size_t attn_workspace_bytes(const attn_table *table, uint32_t workers);

/* The ATTN_CAP_* of this processor, looked up at each call. An object file of its own: a program
   that knows its processor, firmware for one, defines this function itself. */
uint32_t attn_cpu_caps(void);

/* Checks `batch` against the table's limits and lays out the step's schedule in the workspace, once
   for each class. The batch must stay as it is until its last attn_run. */
attn_status attn_step(attn_exec *x, const attn_table *table, const attn_batch *batch);

/* Attention of operator `op` for all rows of the step: out[row][head] = softmax(...) V. */
attn_status attn_run(attn_exec *x, const attn_table *table, uint32_t op, const attn_batch *batch,
                     const attn_io *io);

/* Appends the step's K and V rows (io.k, io.v) to the operator's pages. Decoder operators read this
   step's rows from the cache, so write before you run. */
attn_status attn_kv_write(attn_exec *x, const attn_table *table, uint32_t op,
                          const attn_batch *batch, const attn_io *io);

/* Combines `n` partial results over disjoint keys of the same rows, and applies the sink logits
   once: with M = max lse_i and w_i = exp(lse_i - M), out = sum w_i out_i / (sum w_i + exp(sink -
   M)), lse = M + ln sum w_i. Rows without keys give 0 and -inf; a partial whose lse is -inf is not
   read. out may be f32, bf16 or f16; it may be a partial's own memory where it is f32 and has the
   same strides, and so may lse. */
typedef struct attn_partial {
    const float *out; /* [row][head][dim], strides in elements */
    int64_t token_stride, head_stride;
    const float *lse; /* [row][head] */
    int64_t lse_token_stride;
} attn_partial;

typedef struct attn_merge_args {
    uint32_t size;
    uint32_t rows, heads, dim;
    const attn_partial *partials;
    uint32_t n_partials;
    attn_dtype out_dtype;
    void *out;
    int64_t out_token_stride, out_head_stride;
    float *lse; /* optional */
    int64_t lse_token_stride;
    const float *sink_logits; /* optional, [heads] */
} attn_merge_args;
attn_status attn_merge(const attn_merge_args *args);

#ifdef __cplusplus
}
#endif
#endif
