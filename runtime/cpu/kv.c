// SPDX-License-Identifier: Apache-2.0
// The cache writer: appends the step's K and V rows to an operator's pages in any CPU page format.
// In: io.k and io.v of type dtype; out: the slots of the new tokens, narrowed to kv_dtype with
// rounding to nearest even and saturation. Nothing else is written, except that a pair format
// zeroes the slot beside a last even one. One task writes one token of one KV head; the partner
// slot of a task is written by that task alone.
#include "attn/kernels/cpu.h"
#include "attn/kernels/exec.h"
#include "attn/kernels/limits.h"
#include "attn/kernels/math.h"
#include "attn/kernels/page.h"

typedef struct kv_job {
    const attn_params *p;
    const attn_batch *batch; /* of a cross operator: q_start and seq_len are the source's */
    const attn_io *io;
} kv_job;

/* A row of K or V on its way into a page. */
typedef struct kv_row {
    const void *from;
    int64_t from_index;
    uint32_t width;
    float scale; /* stored value times scale is the true one */
} kv_row;

static uint32_t kv_magnitude_bits(float f) {
    return attn_to_bits(f) & 0x7fffffffu;
}

/* Largest magnitude of the row, as bits: NaN and infinity come out on top. */
static uint32_t kv_top(const attn_params *p, const kv_row *row) {
    uint32_t top = 0;
    for (uint32_t d = 0; d < row->width; d++) {
        uint32_t bits = kv_magnitude_bits(attn_load(row->from, row->from_index + d, p->dtype));
        top = bits > top ? bits : top;
    }
    return top;
}

/* Nearest integer, ties to even, of a number whose magnitude is at most 127. */
static int8_t kv_round_int8(float f) {
    const float shift = 0x1.8p23f; /* one unit in its last place is 1 */
    volatile float shifted = f + shift;
    return (int8_t)(int32_t)(shifted - shift);
}

static void kv_store(const attn_params *p, char *page, int64_t index, float f) {
    if (p->kv_dtype == ATTN_INT8) {
        ((int8_t *)page)[index] = kv_round_int8(f);
        return;
    }
    if (p->kv_dtype == ATTN_F16 && kv_magnitude_bits(f) < 0x7f800000u) {
        f = f > ATTN_F16_MAX ? ATTN_F16_MAX : f < -ATTN_F16_MAX ? -ATTN_F16_MAX : f;
    }
    attn_store(page, index, p->kv_dtype, f);
}

/* Chooses the row's scale and stores what the format keeps of it. */
static void kv_scale(const attn_params *p, const attn_io *io, char *page, uint32_t is_v,
                     uint32_t head, uint32_t slot, kv_row *row) {
    row->scale = 1.0f;
    if (p->kv_dtype == ATTN_FP8_E4M3) {
        float scale = is_v ? io->v_scale : io->k_scale;
        row->scale = scale == 0.0f ? 1.0f : scale;
    } else if (p->kv_dtype == ATTN_INT8) {
        uint32_t top = kv_top(p, row);
        /* a row with NaN or infinity has no int8 form: NaN as its scale keeps that visible */
        row->scale = attn_from_bits(top < 0x7f800000u ? top : 0x7fc00000u) / 127.0f;
        __builtin_memcpy(page + attn_page_scale(p, is_v, head, slot), &row->scale,
                         sizeof row->scale);
    }
}

static float kv_element(const attn_params *p, const kv_row *row, uint32_t d) {
    float f = attn_load(row->from, row->from_index + d, p->dtype);
    if (p->kv_dtype != ATTN_INT8) {
        return f / row->scale;
    }
    if (!(row->scale > 0.0f)) {
        return 0.0f;
    }
    f /= row->scale; /* beyond 127 when the scale is subnormal */
    return f > 127.0f ? 127.0f : f < -127.0f ? -127.0f : f;
}

static void kv_task(void *arg, uint32_t item, uint32_t worker) {
    (void)worker;
    const kv_job *job = arg;
    const attn_params *p = job->p;
    const attn_io *io = job->io;
    uint32_t head = item % p->kv_heads;
    int32_t token = job->batch->q_start[0] + (int32_t)(item / p->kv_heads);
    uint32_t sequence = attn_batch_find(job->batch, token);
    int32_t end = job->batch->q_start[sequence + 1];
    uint32_t position = (uint32_t)(job->batch->seq_len[sequence] - (end - token));
    uint32_t slot = position % p->block_size;
    char *page = attn_page(&io->cache, sequence, position / p->block_size);

    kv_row k = {io->k, token * io->k_token_stride + head * io->k_head_stride, p->k_width, 0};
    kv_scale(p, io, page, 0, head, slot, &k);
    for (uint32_t d = 0; d < k.width; d++) {
        kv_store(p, page, attn_page_k(p, head, slot, d), kv_element(p, &k, d));
    }
    kv_row v = {io->v, token * io->v_token_stride + head * io->v_head_stride, p->v_width, 0};
    kv_scale(p, io, page, 1, head, slot, &v);
    int zero_partner = p->layout == ATTN_LAYOUT_HND_PAIR && slot % 2 == 0 && token + 1 == end;
    for (uint32_t d = 0; d < v.width; d++) {
        kv_store(p, page, attn_page_v(p, head, slot, d), kv_element(p, &v, d));
        if (zero_partner) {
            kv_store(p, page, attn_page_v(p, head, slot + 1, d), 0.0f);
        }
    }
}

attn_status attn_cpu_kv(attn_exec *x, const attn_params *params, const attn_batch *batch,
                        const attn_io *io) {
    if (params->kind == ATTN_ENCODER_ONLY_ATTENTION) {
        return ATTN_E_NO_WRITE;
    }
    if (!attn_cpu_ref_serves(params)) {
        return ATTN_E_KIND;
    }
    kv_job job = {params, batch, io};
    uint32_t rows = (uint32_t)(batch->q_start[attn_batch_sequences(batch)] - batch->q_start[0]);
    attn_exec_for(x, attn_exec_workers(x, 0), rows * params->kv_heads, kv_task, &job);
    return ATTN_OK;
}
