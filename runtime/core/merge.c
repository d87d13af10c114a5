// SPDX-License-Identifier: Apache-2.0
// attn_merge: partial results over disjoint keys into one. In: outputs and natural-log LSEs of each
// part, f32. Out: their softmax-weighted mean and LSE, the sink logit applied once. A row is read
// from all parts before any of it is written, so out may lie on a part; parts without keys (LSE of
// minus infinity) have weight 0 and are not read. Source: facts of the field on LSE and merge.
#include "attn/attn.h"
#include "attn/kernels/math.h"

#include <limits.h>
#include <stdbool.h>

// Elements of a row that are summed before they are written.
#define MERGE_TILE 64u

static bool is_aligned(const void *p, size_t bytes) {
    return (uintptr_t)p % bytes == 0;
}

// Whether [rows][heads][dim] with these strides stays within what a pointer counts; as an output
// its rows must not meet either.
static attn_status check_strides(const attn_merge_args *a, int64_t token, int64_t head, bool out) {
    int64_t tokens = 0, heads = 0, all = 0;
    if (token < 0 || head < 0 || __builtin_mul_overflow((int64_t)a->rows - 1, token, &tokens) ||
        __builtin_mul_overflow((int64_t)a->heads - 1, head, &heads) ||
        __builtin_add_overflow(tokens, heads, &all) ||
        __builtin_add_overflow(all, (int64_t)a->dim, &all) ||
        all > PTRDIFF_MAX / (int64_t)sizeof(float)) {
        return ATTN_E_STRIDE;
    }
    bool token_major =
        (a->heads == 1 || head >= a->dim) && (a->rows == 1 || token >= heads + a->dim);
    bool head_major =
        (a->rows == 1 || token >= a->dim) && (a->heads == 1 || head >= tokens + a->dim);
    return out && !token_major && !head_major ? ATTN_E_STRIDE : ATTN_OK;
}

static attn_status check_lse(const attn_merge_args *a, const float *lse, int64_t stride, bool out) {
    if (!is_aligned(lse, sizeof *lse)) {
        return ATTN_E_ALIGN;
    }
    bool apart = a->rows == 1 || stride >= (out ? (int64_t)a->heads : 0);
    return apart ? check_strides(a, a->rows > 1 ? stride : 0, 1, false) : ATTN_E_STRIDE;
}

static attn_status check_partial(const attn_merge_args *a, const attn_partial *p) {
    if (!p->out || !p->lse) {
        return ATTN_E_NULL;
    }
    if (!is_aligned(p->out, sizeof *p->out)) {
        return ATTN_E_ALIGN;
    }
    attn_status status = check_strides(a, p->token_stride, p->head_stride, false);
    return status == ATTN_OK ? check_lse(a, p->lse, p->lse_token_stride, false) : status;
}

static attn_status check_args(const attn_merge_args *a) {
    if (!a->out || (a->n_partials > 0 && !a->partials)) {
        return ATTN_E_NULL;
    }
    if (a->out_dtype != ATTN_F32 && a->out_dtype != ATTN_BF16 && a->out_dtype != ATTN_F16) {
        return ATTN_E_KIND;
    }
    if (!is_aligned(a->out, attn_dtype_bytes(a->out_dtype)) ||
        (a->sink_logits && !is_aligned(a->sink_logits, sizeof(float)))) {
        return ATTN_E_ALIGN;
    }
    attn_status status = check_strides(a, a->out_token_stride, a->out_head_stride, true);
    if (status == ATTN_OK && a->lse) {
        status = check_lse(a, a->lse, a->lse_token_stride, true);
    }
    for (uint32_t i = 0; i < a->n_partials && status == ATTN_OK; i++) {
        status = check_partial(a, &a->partials[i]);
    }
    return status;
}

static float lse_at(const attn_partial *p, uint32_t row, uint32_t head) {
    return p->lse[(int64_t)row * p->lse_token_stride + head];
}

typedef struct row_weights {
    float top;   // the greatest LSE; minus infinity without keys
    float sum;   // of exp(lse - top)
    float scale; // 1 / (sum + exp(sink - top)); 0 without keys
} row_weights;

static row_weights weigh(const attn_merge_args *a, uint32_t row, uint32_t head) {
    row_weights w = {-ATTN_INFINITY, 0.0f, 0.0f};
    for (uint32_t i = 0; i < a->n_partials; i++) {
        float lse = lse_at(&a->partials[i], row, head);
        w.top = lse > w.top || lse != lse ? lse : w.top;
    }
    if (w.top == -ATTN_INFINITY) {
        return w;
    }
    for (uint32_t i = 0; i < a->n_partials; i++) {
        w.sum += attn_exp(lse_at(&a->partials[i], row, head) - w.top);
    }
    float sink = a->sink_logits ? attn_exp(a->sink_logits[head] - w.top) : 0.0f;
    w.scale = 1.0f / (w.sum + sink);
    return w;
}

// Elements [begin, end) of one row of one head.
static void merge_tile(const attn_merge_args *a, const row_weights *w, uint32_t row, uint32_t head,
                       uint32_t begin, uint32_t end) {
    float sum[MERGE_TILE] = {0};
    for (uint32_t i = 0; i < a->n_partials; i++) {
        const attn_partial *p = &a->partials[i];
        float lse = lse_at(p, row, head);
        if (lse == -ATTN_INFINITY) {
            continue;
        }
        float weight = attn_exp(lse - w->top) * w->scale;
        const float *from =
            p->out + (int64_t)row * p->token_stride + (int64_t)head * p->head_stride;
        for (uint32_t d = begin; d < end; d++) {
            sum[d - begin] += weight * from[d];
        }
    }
    int64_t at = (int64_t)row * a->out_token_stride + (int64_t)head * a->out_head_stride;
    for (uint32_t d = begin; d < end; d++) {
        attn_store(a->out, at + d, (uint32_t)a->out_dtype, sum[d - begin]);
    }
}

attn_status attn_merge(const attn_merge_args *args) {
    if (!args) {
        return ATTN_E_NULL;
    }
    if (args->size != sizeof *args) {
        return ATTN_E_SIZE;
    }
    if (args->rows == 0 || args->heads == 0 || args->dim == 0) {
        return ATTN_OK;
    }
    attn_status status = check_args(args);
    if (status != ATTN_OK) {
        return status;
    }
    for (uint32_t row = 0; row < args->rows; row++) {
        for (uint32_t head = 0; head < args->heads; head++) {
            row_weights w = weigh(args, row, head);
            for (uint32_t d = 0; d < args->dim; d += MERGE_TILE) {
                uint32_t left = args->dim - d;
                merge_tile(args, &w, row, head, d, d + (left < MERGE_TILE ? left : MERGE_TILE));
            }
            if (args->lse) {
                args->lse[(int64_t)row * args->lse_token_stride + head] =
                    w.top == -ATTN_INFINITY ? w.top : w.top + attn_log(w.sum);
            }
        }
    }
    return ATTN_OK;
}
