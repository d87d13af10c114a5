// SPDX-License-Identifier: Apache-2.0
// Checks of a call's operands. In: pointers, strides and the class that says their shapes. Out: a
// status. Rows of an output never share memory, and no address that strides can form leaves what
// a pointer can count; what is read may be broadcast with stride 0.
#include "attn/kernels/number.h"
#include "runtime/core/call.h"

#include <limits.h>

typedef struct tensor { // [rows][heads][dim], the last contiguous
    const void *data;
    uint32_t dtype;
    int64_t rows, heads, dim, token_stride, head_stride;
} tensor;

// Elements from the first to the last; 0 where a stride is negative or they are too many.
static int64_t extent_of(const tensor *t) {
    int64_t token = 0, head = 0, all = 0;
    if ((t->rows > 1 && t->token_stride < 0) || (t->heads > 1 && t->head_stride < 0) ||
        (t->rows > 1 && __builtin_mul_overflow(t->rows - 1, t->token_stride, &token)) ||
        (t->heads > 1 && __builtin_mul_overflow(t->heads - 1, t->head_stride, &head)) ||
        __builtin_add_overflow(token, head, &all) || __builtin_add_overflow(all, t->dim, &all)) {
        return 0;
    }
    return all;
}

static attn_status check_dense(const void *data, uint32_t dtype) {
    if (!data) {
        return ATTN_E_NULL;
    }
    return (uintptr_t)data % attn_dtype_bytes(dtype) != 0 ? ATTN_E_ALIGN : ATTN_OK;
}

static attn_status check_read(const tensor *t) {
    attn_status status = check_dense(t->data, t->dtype);
    if (status != ATTN_OK) {
        return status;
    }
    int64_t extent = extent_of(t);
    bool counts = extent > 0 && extent <= PTRDIFF_MAX / (int64_t)attn_dtype_bytes(t->dtype);
    return counts ? ATTN_OK : ATTN_E_STRIDE;
}

// Token-major or head-major: either way each row ends before the next begins.
static attn_status check_written(const tensor *t) {
    attn_status status = check_read(t);
    if (status != ATTN_OK) {
        return status;
    }
    tensor token = *t, head = *t;
    token.rows = 1;
    head.heads = 1;
    bool token_major = (t->heads == 1 || t->head_stride >= t->dim) &&
                       (t->rows == 1 || t->token_stride >= extent_of(&token));
    bool head_major = (t->rows == 1 || t->token_stride >= t->dim) &&
                      (t->heads == 1 || t->head_stride >= extent_of(&head));
    return token_major || head_major ? ATTN_OK : ATTN_E_STRIDE;
}

static attn_status check_lse(const attn_call *call) {
    const attn_io *io = &call->io;
    if (!io->lse) {
        return io->partial ? ATTN_E_NULL : ATTN_OK;
    }
    const tensor lse = {
        io->lse, ATTN_F32, call->step->rows, call->class->heads, 1, io->lse_token_stride, 1};
    return check_written(&lse);
}

// Rows of bits, one for each token of the step.
static attn_status check_tree_mask(const attn_call *call) {
    const attn_io *io = &call->io;
    if (!call->class->causal) {
        return ATTN_E_KIND;
    }
    if ((uintptr_t)io->tree_mask % _Alignof(uint64_t) != 0) {
        return ATTN_E_ALIGN;
    }
    int64_t words = ((int64_t)call->step->longest_new + 63) / 64;
    const tensor rows = {
        .rows = call->step->rows, .heads = 1, .dim = words, .token_stride = io->tree_mask_stride};
    int64_t extent = extent_of(&rows);
    bool counts = extent > 0 && extent <= PTRDIFF_MAX / (int64_t)sizeof *io->tree_mask;
    return counts && io->tree_mask_stride >= words ? ATTN_OK : ATTN_E_STRIDE;
}

// What the class adds to the scores: without it the result would be plausible and wrong.
static attn_status check_extras(const attn_call *call) {
    const attn_class *class = call->class;
    const attn_io *io = &call->io;
    attn_status status = ATTN_OK;
    if (class->sink_logits && !io->partial) {
        status = check_dense(io->sink_logits, ATTN_F32);
    }
    if (status == ATTN_OK && class->alibi) {
        status = check_dense(io->alibi_slopes, ATTN_F32);
    }
    if (status == ATTN_OK && class->sink_tokens > 0) {
        status = check_dense(io->sink_k, class->dtype);
        if (status == ATTN_OK && class->v_width > 0) {
            status = check_dense(io->sink_v, class->dtype);
        }
    }
    return status == ATTN_OK && io->tree_mask ? check_tree_mask(call) : status;
}

// Rows of K and V with these widths; a latent cache has no V of its own.
static attn_status check_kv(const attn_call *call, uint32_t rows, uint32_t k_dim, uint32_t v_dim) {
    const attn_io *io = &call->io;
    uint32_t dtype = call->class->dtype, heads = call->class->kv_heads;
    const tensor k = {io->k, dtype, rows, heads, k_dim, io->k_token_stride, io->k_head_stride};
    const tensor v = {io->v, dtype, rows, heads, v_dim, io->v_token_stride, io->v_head_stride};
    attn_status status = check_read(&k);
    return status == ATTN_OK && v_dim > 0 ? check_read(&v) : status;
}

attn_status attn_check_run_io(const attn_call *call) {
    const attn_class *class = call->class;
    const attn_io *io = &call->io;
    uint32_t rows = call->step->rows;
    const tensor q = {io->q,
                      class->dtype,
                      rows,
                      class->heads,
                      class->head_dim,
                      io->q_token_stride,
                      io->q_head_stride};
    const tensor out = {io->out,
                        io->partial ? (uint32_t)ATTN_F32 : class->dtype,
                        rows,
                        class->heads,
                        class->v_head_dim,
                        io->out_token_stride,
                        io->out_head_stride};
    attn_status status = check_read(&q);
    if (status == ATTN_OK) {
        status = check_written(&out);
    }
    if (status == ATTN_OK) {
        status = check_lse(call);
    }
    if (status == ATTN_OK) {
        status = check_extras(call);
    }
    return status == ATTN_OK && !call->group
               ? check_kv(call, rows, class->head_dim, class->v_head_dim)
               : status;
}

attn_status attn_check_write_io(const attn_call *call) {
    uint32_t rows = call->group->source ? call->step->source_rows : call->step->rows;
    return check_kv(call, rows, call->class->k_width, call->class->v_width);
}
