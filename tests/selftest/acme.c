// SPDX-License-Identifier: Apache-2.0
// The vendor's functions of acme.attn: plain loops over pages [slot][head][K then V]. WRONG picks a
// mistake that the self-test must find: 1 a window of one key too many, 2 no soft cap, 3 a key too
// many, 4 a block table that begins with the batch instead of the phase, 5 an LSE in base 2, 6 the
// last slot of a page not written, 7 a refused decode, 8 the scale forgotten.
#include "attn/abi.h"
#include "attn/kernels/number.h"
#include "attn/span.h"

#include <math.h>

#ifndef WRONG
#define WRONG 0
#endif
enum { WIDEST = 64 };

static int64_t slot_at(const attn_params *p, const attn_io *io, uint32_t sequence, int32_t key,
                       uint32_t head, void **page) {
    const attn_cache_view *c = &io->cache;
    uint32_t block = (uint32_t)key / p->block_size, slot = (uint32_t)key % p->block_size;
    int32_t id = c->table[(int64_t)sequence * c->table_stride + block % c->cols];
    *page = (char *)c->base + id * c->page_stride;
    return ((int64_t)slot * p->kv_heads + head) * (p->head_dim + p->v_head_dim);
}

static void one_row(const attn_params *p, const attn_batch *b, const attn_io *io, uint32_t s,
                    int32_t row, uint32_t head) {
    int32_t k_len = b->seq_len[s], position = k_len - (b->q_start[s + 1] - row);
    int32_t left = p->window_left + (WRONG == 1 && p->window_left >= 0);
    attn_span see = attn_span_of(position, k_len, left, p->window_right, p->chunk);
    see.hi += WRONG == 3;
    double max = -INFINITY, sum = 0, out[WIDEST] = {0};
    int64_t q = row * io->q_token_stride + head * io->q_head_stride;
    for (int32_t key = see.lo; key < see.hi; key++) {
        void *page;
        int64_t at = slot_at(p, io, s, key, head / (p->heads / p->kv_heads), &page);
        double score = 0;
        for (uint32_t d = 0; d < p->head_dim; d++) {
            score +=
                (double)attn_load(io->q, q + d, p->dtype) * attn_load(page, at + d, p->kv_dtype);
        }
        score *= WRONG == 8 ? 1 : p->scale;
        score = p->softcap > 0 && WRONG != 2 ? p->softcap * tanh(score / p->softcap) : score;
        double top = fmax(max, score), shrink = exp(max - top), weight = exp(score - top);
        sum = sum * shrink + weight;
        for (uint32_t d = 0; d < p->v_head_dim; d++) {
            double v = attn_load(page, at + p->head_dim + d, p->kv_dtype);
            out[d] = out[d] * shrink + weight * v;
        }
        max = top;
    }
    for (uint32_t d = 0; d < p->v_head_dim; d++) {
        attn_store(io->out, row * io->out_token_stride + head * io->out_head_stride + d, p->dtype,
                   (float)(sum > 0 ? out[d] / sum : 0));
    }
    if (io->lse) {
        double lse = max + log(sum);
        io->lse[row * io->lse_token_stride + head] = (float)(WRONG == 5 ? lse / log(2) : lse);
    }
}

attn_status acme_attn(attn_exec *x, const attn_params *p, const attn_batch *b, const attn_io *io);
attn_status acme_attn(attn_exec *x, const attn_params *p, const attn_batch *b, const attn_io *io) {
    (void)x;
    attn_io mine = *io;
    if (WRONG == 4) {
        mine.cache.table -= mine.cache.table_stride * (b->q_start[0] > 0);
    }
    for (uint32_t s = 0; s < b->n_decode + b->n_prefill; s++) {
        for (int32_t row = b->q_start[s]; row < b->q_start[s + 1]; row++) {
            for (uint32_t head = 0; head < p->heads; head++) {
                one_row(p, b, &mine, s, row, head);
            }
        }
    }
    return ATTN_OK;
}

attn_status acme_decode(attn_exec *x, const attn_params *p, const attn_batch *b, const attn_io *io);
attn_status acme_decode(attn_exec *x, const attn_params *p, const attn_batch *b,
                        const attn_io *io) {
    return WRONG == 7 ? ATTN_E_KIND : acme_attn(x, p, b, io);
}

attn_status acme_write(attn_exec *x, const attn_params *p, const attn_batch *b, const attn_io *io);
attn_status acme_write(attn_exec *x, const attn_params *p, const attn_batch *b, const attn_io *io) {
    (void)x;
    for (uint32_t s = 0; s < b->n_decode + b->n_prefill; s++) {
        for (int32_t row = b->q_start[s]; row < b->q_start[s + 1]; row++) {
            int32_t key = b->seq_len[s] - (b->q_start[s + 1] - row);
            for (uint32_t h = 0; h < p->kv_heads; h++) {
                void *page;
                int64_t at = slot_at(p, io, s, key, h, &page);
                if (WRONG == 6 && (uint32_t)key % p->block_size == p->block_size - 1) {
                    continue;
                }
                for (uint32_t d = 0; d < p->head_dim; d++) {
                    int64_t from = row * io->k_token_stride + h * io->k_head_stride + d;
                    attn_store(page, at + d, p->kv_dtype, attn_load(io->k, from, p->dtype));
                }
                for (uint32_t d = 0; d < p->v_head_dim; d++) {
                    int64_t from = row * io->v_token_stride + h * io->v_head_stride + d;
                    attn_store(page, at + p->head_dim + d, p->kv_dtype,
                               attn_load(io->v, from, p->dtype));
                }
            }
        }
    }
    return ATTN_OK;
}
