// SPDX-License-Identifier: Apache-2.0
// The portable attention kernel: scalar f32, every dimension, every CPU page format, all constants
// read from attn_params. One task computes one row of one head with an online softmax, so results
// do not depend on batch, chunking or workers. In: a phase's sequences; out: rows of io.out,
// io.lse. Keys outside a row's span are never read; no library function is called.
#include "attn/kernels/cpu.h"
#include "attn/kernels/exec.h"
#include "attn/kernels/limits.h"
#include "attn/kernels/math.h"
#include "attn/kernels/page.h"
#include "attn/kernels/sizes.h"

typedef struct ref_job {
    const attn_params *p;
    const attn_batch *batch;
    const attn_io *io;
    char *workspace;
    int32_t first_token;
} ref_job;

/* One key's K and V: element d is attn_load(k, k_index + d * k_step) times the scale, except that
   pair formats keep K elements two by two. */
typedef struct ref_key {
    const void *k, *v;
    int64_t k_index, v_index;
    uint32_t dtype;
    int64_t v_step;
    uint32_t paired;   /* K elements d and d + 1 are neighbours, pairs are k_pair_step apart */
    int64_t pair_step; /* elements */
    float k_scale, v_scale;
} ref_key;

/* Online softmax over the keys seen so far: weights are relative to exp(max). */
typedef struct ref_row {
    float max, sum;
    float *out; /* [v_head_dim] */
} ref_row;

static float ref_scale_at(const attn_params *p, const char *page, uint32_t is_v, uint32_t head,
                          uint32_t slot) {
    float scale;
    __builtin_memcpy(&scale, page + attn_page_scale(p, is_v, head, slot), sizeof scale);
    return scale;
}

static float ref_or_one(float scale) {
    return scale == 0.0f ? 1.0f : scale;
}

static ref_key ref_cached_key(const attn_params *p, const attn_io *io, uint32_t sequence,
                              uint32_t head, uint32_t position) {
    const char *page = attn_page(&io->cache, sequence, position / p->block_size);
    uint32_t slot = position % p->block_size;
    uint32_t paired = p->layout == ATTN_LAYOUT_HND_PAIR;
    ref_key key = {.k = page,
                   .v = page,
                   .k_index = attn_page_k(p, head, slot, 0),
                   .v_index = attn_page_v(p, head, slot, 0),
                   .dtype = p->kv_dtype,
                   .v_step = paired ? 2 : 1,
                   .paired = paired,
                   .pair_step = 2 * (int64_t)p->block_size,
                   .k_scale = 1.0f,
                   .v_scale = 1.0f};
    if (p->kv_dtype == ATTN_INT8) {
        key.k_scale = ref_scale_at(p, page, 0, head, slot);
        key.v_scale = ref_scale_at(p, page, 1, head, slot);
    } else if (p->kv_dtype == ATTN_FP8_E4M3) {
        key.k_scale = ref_or_one(io->k_scale);
        key.v_scale = ref_or_one(io->v_scale);
    }
    return key;
}

/* A key of a dense tensor in the operator's own type. */
static ref_key ref_dense_key(const attn_params *p, const void *k, int64_t k_index, const void *v,
                             int64_t v_index) {
    return (ref_key){.k = k,
                     .v = v,
                     .k_index = k_index,
                     .v_index = v_index,
                     .dtype = p->dtype,
                     .v_step = 1,
                     .k_scale = 1.0f,
                     .v_scale = 1.0f};
}

static float ref_dot(const attn_params *p, const attn_io *io, int64_t q_index, const ref_key *key) {
    float sum = 0.0f;
    for (uint32_t d = 0; d < p->head_dim; d++) {
        int64_t at = key->paired ? (int64_t)(d / 2) * key->pair_step + d % 2 : (int64_t)d;
        sum += attn_load(io->q, q_index + d, p->dtype) *
               attn_load(key->k, key->k_index + at, key->dtype);
    }
    return sum * key->k_scale;
}

/* Adds one visible key; `bias` is added after the soft cap. */
static void ref_add_key(const attn_params *p, const attn_io *io, int64_t q_index, float bias,
                        const ref_key *key, ref_row *row) {
    float s = ref_dot(p, io, q_index, key) * p->scale;
    if (p->softcap > 0.0f) {
        s = p->softcap * attn_tanh(s / p->softcap);
    }
    s += bias;
    if (s == -ATTN_INFINITY) {
        return; /* weight 0; the difference below could be inf - inf */
    }
    if (s > row->max) {
        float shrink = attn_exp(row->max - s);
        row->sum *= shrink;
        for (uint32_t d = 0; d < p->v_head_dim; d++) {
            row->out[d] *= shrink;
        }
        row->max = s;
    }
    float weight = attn_exp(s - row->max);
    row->sum += weight;
    weight *= key->v_scale;
    for (uint32_t d = 0; d < p->v_head_dim; d++) {
        row->out[d] += weight * attn_load(key->v, key->v_index + d * key->v_step, key->dtype);
    }
}

/* Writes a finished row: sink logit, division, LSE. Without keys the row is 0 and its LSE -inf. */
static void ref_finish(const attn_params *p, const attn_io *io, int32_t token, uint32_t head,
                       const ref_row *row) {
    float factor = row->sum == 0.0f ? 0.0f : 1.0f / row->sum;
    if (p->sink_logits && !io->partial && row->sum != 0.0f) {
        float sink = io->sink_logits[head];
        float top = sink > row->max ? sink : row->max;
        float shrink = attn_exp(row->max - top);
        factor = shrink / (row->sum * shrink + attn_exp(sink - top));
    }
    int64_t at = token * io->out_token_stride + head * io->out_head_stride;
    for (uint32_t d = 0; d < p->v_head_dim; d++) {
        attn_store(io->out, at + d, io->partial ? ATTN_F32 : p->dtype, row->out[d] * factor);
    }
    if (io->lse) {
        io->lse[token * io->lse_token_stride + head] =
            row->sum == 0.0f ? -ATTN_INFINITY : row->max + attn_log(row->sum);
    }
}

static void ref_task(void *arg, uint32_t item, uint32_t worker) {
    const ref_job *job = arg;
    const attn_params *p = job->p;
    const attn_io *io = job->io;
    int32_t token = job->first_token + (int32_t)(item / p->heads);
    uint32_t head = item % p->heads, kv_head = head / (p->heads / p->kv_heads);
    uint32_t sequence = attn_batch_find(job->batch, token);
    int32_t start = job->batch->q_start[sequence];
    int32_t q_len = attn_batch_q_len(job->batch, sequence);
    int32_t k_len = attn_batch_k_len(p, job->batch, sequence);
    int32_t position = attn_batch_position(p, job->batch, sequence) + token - start;
    attn_span span = attn_row_span(p, position, k_len);
    int64_t q_index = token * io->q_token_stride + head * io->q_head_stride;
    ref_row row = {-ATTN_INFINITY, 0.0f,
                   (float *)(job->workspace + worker * ATTN_CPU_REF_WORKSPACE(0, p->v_head_dim))};
    for (uint32_t d = 0; d < p->v_head_dim; d++) {
        row.out[d] = 0.0f;
    }
    for (uint32_t i = 0; i < p->sink_tokens; i++) {
        int64_t at = (int64_t)i * p->kv_heads + kv_head;
        ref_key key =
            ref_dense_key(p, io->sink_k, at * p->head_dim, io->sink_v, at * p->v_head_dim);
        ref_add_key(p, io, q_index, 0.0f, &key, &row);
    }
    float slope = p->alibi ? io->alibi_slopes[head] : 0.0f;
    for (int32_t j = span.lo; j < span.hi; j++) {
        if (attn_tree_hides(p, io, token, q_len, k_len, j)) {
            continue;
        }
        ref_key key =
            p->kind == ATTN_ENCODER_ONLY_ATTENTION
                ? ref_dense_key(
                      p, io->k, (start + j) * io->k_token_stride + kv_head * io->k_head_stride,
                      io->v, (start + j) * io->v_token_stride + kv_head * io->v_head_stride)
                : ref_cached_key(p, io, sequence, kv_head, (uint32_t)j);
        ref_add_key(p, io, q_index, slope * (float)(j - position), &key, &row);
    }
    ref_finish(p, io, token, head, &row);
}

attn_status attn_cpu_ref(attn_exec *x, const attn_params *params, const attn_batch *batch,
                         const attn_io *io) {
    if (!attn_cpu_ref_serves(params)) {
        return ATTN_E_KIND;
    }
    uint32_t workers = attn_exec_workers(x, ATTN_CPU_REF_WORKSPACE(0, params->v_head_dim));
    if (workers == 0) {
        return ATTN_E_WORKSPACE;
    }
    uint32_t n = attn_batch_sequences(batch);
    ref_job job = {params, batch, io, x->workspace, batch->q_start[0]};
    uint32_t tokens = (uint32_t)(batch->q_start[n] - batch->q_start[0]);
    attn_exec_for(x, workers, tokens * params->heads, ref_task, &job);
    return ATTN_OK;
}
