/* SPDX-License-Identifier: Apache-2.0
 * The steps of attn/selftest.h: sequences that grow by chunks, prompts and single tokens, their
 * random tensors, and two sets of pages for them, the table's and the portable kernel's. What no
 * row may read is poisoned: slots without a token and blocks below the window hold NaN, columns of
 * the block table that are not needed lead to a page of NaN.
 */
#ifndef ATTN_SELFTEST_STEP_H
#define ATTN_SELFTEST_STEP_H

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "attn/attn.h"
#include "attn/kernels/number.h"
#include "attn/span.h"

typedef struct attn_selftest_kernel { /* an entry of the table */
    const char *key;
    int lse; /* writes io.lse */
} attn_selftest_kernel;

enum {
    SELFTEST_SEQS = 3,
    SELFTEST_STEPS = 6,
    SELFTEST_BLOCK = 16,   /* of the portable kernel's pages */
    SELFTEST_ROWS = 96,    /* of a step */
    SELFTEST_AHEAD = 4096, /* most tokens that are cached before the first row is asked for */
    SELFTEST_WORKERS = 2,
    SELFTEST_PAD = 8 /* elements behind a token's heads */
};

typedef struct selftest_result { /* of a kernel */
    uint32_t calls, lacks;       /* lacks: the processor, what it needs */
    attn_status status;
    double worst; /* error over its tolerance */
} selftest_result;

typedef struct selftest_pages { /* where one kernel family keeps an operator's tokens */
    char *pool;
    size_t page_bytes;
    int64_t page_stride;
    uint32_t n_pages, block, cols;
    int32_t *ids; /* [sequence of the batch][cols] */
} selftest_pages;

typedef struct selftest {
    const attn_table *table;
    const attn_selftest_kernel *kernels;
    selftest_result *results; /* [entries] */
    const attn_class *c;
    const attn_operator *op;
    uint32_t number;               /* of the operator */
    const attn_params *p;          /* its constants */
    attn_params plain;             /* the same over pages of the portable kernel */
    selftest_pages pages, own;     /* the table's, the portable kernel's */
    int32_t len[SELFTEST_SEQS];    /* tokens cached, this step's included */
    int32_t src[SELFTEST_SEQS];    /* rows of the source, the same */
    uint32_t order[SELFTEST_SEQS]; /* sequences as they stand in the batch */
    int32_t q_start[SELFTEST_SEQS + 1], seq_len[SELFTEST_SEQS];
    int32_t src_start[SELFTEST_SEQS + 1], src_len[SELFTEST_SEQS];
    attn_batch batch;
    attn_io io;
    attn_exec x;
    attn_kv *kv;
    attn_block_table *tables;
    char *q, *k, *v, *out, *want, *again, *sink_k, *sink_v;
    float *lse, *want_lse, *sink_logits, *slopes;
    void *portable; /* workspace of the portable kernel */
    uint32_t random;
} selftest;

static void *selftest_take(size_t bytes) {
    void *memory = aligned_alloc(64, ATTN_ROUND_UP(bytes + 1, 64));
    if (!memory) {
        printf("Bail out! no memory for %zu bytes\n", bytes);
        exit(1);
    }
    memset(memory, 0xff, ATTN_ROUND_UP(bytes + 1, 64)); /* NaN in every type but int8 */
    return memory;
}

/* Uniform in [-1, 1). */
static float selftest_value(selftest *t) {
    t->random = t->random * 1664525u + 1013904223u;
    return (float)(t->random >> 8) / 8388608.0f - 1.0f;
}

static void selftest_fill(selftest *t, void *array, size_t n, uint32_t dtype) {
    for (size_t i = 0; i < n; i++) {
        attn_store(array, (int64_t)i, dtype, selftest_value(t));
    }
}

static int32_t selftest_least(int32_t a, int32_t b) {
    return a < b ? a : b;
}

/* Tasks take turns on the workers, the last item first: nothing can lean on an order. */
static void selftest_turns(void *ctx, uint32_t n, attn_task *task, void *arg) {
    (void)ctx;
    for (uint32_t i = n; i-- > 0;) {
        task(arg, i, i % SELFTEST_WORKERS);
    }
}

/* ---- pages */

static int selftest_dense(const selftest *t) {
    return t->c->kind == ATTN_ENCODER_ONLY_ATTENTION;
}

static int selftest_source(const selftest *t) {
    return t->c->kind == ATTN_CROSS_ATTENTION;
}

static void selftest_pages_open(selftest_pages *pages, uint32_t block, uint64_t bytes,
                                int32_t longest) {
    pages->block = block;
    pages->page_bytes = (size_t)bytes;
    pages->page_stride = (int64_t)ATTN_ROUND_UP(bytes, 64) + 64;
    pages->cols = ((uint32_t)longest + block - 1) / block;
    pages->n_pages = SELFTEST_SEQS * pages->cols + 2;
    pages->n_pages += pages->n_pages % 7 == 0; /* so that steps of 7 reach every page */
    pages->pool = selftest_take((size_t)pages->page_stride * pages->n_pages);
    pages->ids = selftest_take(SELFTEST_SEQS * pages->cols * sizeof *pages->ids);
}

static int32_t selftest_page_of(const selftest_pages *pages, uint32_t sequence, uint32_t block) {
    return (int32_t)((sequence * pages->cols + block) * 7 % pages->n_pages);
}

/* Ids of the blocks that hold keys [lo, hi) of a sequence, a page of NaN in other columns, and NaN
   in the blocks below, which later rows do not see either. */
static void selftest_pages_row(selftest_pages *pages, uint32_t row, uint32_t sequence, int32_t lo,
                               int32_t hi) {
    int32_t *ids = pages->ids + row * pages->cols;
    for (uint32_t b = 0; b < pages->cols; b++) {
        int32_t id = selftest_page_of(pages, sequence, b);
        int32_t first = (int32_t)(b * pages->block), end = first + (int32_t)pages->block;
        ids[b] = first < hi && end > lo ? id : selftest_page_of(pages, SELFTEST_SEQS, 0);
        if (end <= lo) {
            memset(pages->pool + id * pages->page_stride, 0xff, pages->page_bytes);
        }
    }
}

static attn_cache_view selftest_view(const selftest_pages *pages) {
    return (attn_cache_view){pages->pool, pages->page_stride, pages->n_pages,
                             pages->cols, pages->ids,         pages->cols};
}

/* ---- a step */

/* New tokens of a step: chunks of a long prompt, whole prompts, nothing, drafts, single tokens. */
static const int32_t selftest_fresh[SELFTEST_STEPS][SELFTEST_SEQS] = {
    {13, 37, 0}, {29, 1, 5}, {1, 1, 1}, {3, 2, 17}, {1, 0, 1}, {17, 1, 1}};
static const int32_t selftest_rows_of_source[SELFTEST_SEQS] = {19, 33, 1};

static void selftest_sequence(selftest *t, uint32_t row, uint32_t s, int32_t fresh) {
    int32_t sources =
        selftest_least(selftest_rows_of_source[s], (int32_t)t->table->data->max_source_tokens);
    int first_step = t->len[s] == 0;
    t->order[row] = s;
    t->len[s] = (selftest_dense(t) ? 0 : t->len[s]) + fresh;
    t->q_start[row + 1] = t->q_start[row] + fresh;
    t->seq_len[row] = t->len[s];
    if (selftest_source(t)) {
        int32_t added = first_step && t->src[s] == 0 ? sources : 0;
        t->src[s] += added;
        t->src_start[row + 1] = t->src_start[row] + added;
        t->src_len[row] = t->src[s];
    }
    if (selftest_dense(t)) {
        return;
    }
    attn_span seen = {0, t->src[s]};
    if (!selftest_source(t)) {
        seen = attn_span_of(t->len[s] - fresh, t->len[s], t->p->window_left, t->p->window_right,
                            t->p->chunk);
        seen.hi = t->len[s];
    }
    selftest_pages_row(&t->pages, row, s, seen.lo, seen.hi);
    selftest_pages_row(&t->own, row, s, seen.lo, seen.hi);
}

/* Lays the batch out: sequences that decode first. */
static void selftest_begin(selftest *t, const int32_t *wanted) {
    int32_t room = selftest_least(SELFTEST_ROWS, (int32_t)t->op->max_batch_tokens);
    int32_t fresh[SELFTEST_SEQS];
    uint32_t seqs = (uint32_t)selftest_least(SELFTEST_SEQS, (int32_t)t->table->data->max_seqs);
    for (uint32_t s = 0; s < seqs; s++) {
        int32_t before = selftest_dense(t) ? 0 : t->len[s];
        fresh[s] =
            selftest_least(wanted[s], selftest_least(room, (int32_t)t->op->max_tokens - before));
        room -= fresh[s];
    }
    t->batch = ATTN_INIT(attn_batch);
    uint32_t row = 0;
    for (int decode = 1; decode >= 0; decode--) {
        for (uint32_t s = 0; s < seqs; s++) {
            int decodes = !selftest_dense(t) && fresh[s] <= (int32_t)t->table->data->decode_q;
            if (decodes == decode) {
                selftest_sequence(t, row++, s, fresh[s]);
            }
        }
        if (decode) {
            t->batch.n_decode = row;
        }
    }
    t->batch.n_prefill = row - t->batch.n_decode;
    t->batch.n_tokens = (uint32_t)t->q_start[row];
    t->batch.q_start = t->q_start;
    t->batch.seq_len = t->seq_len;
    t->batch.tables = t->tables;
    if (selftest_source(t)) {
        t->batch.src_start = t->src_start;
        t->batch.src_len = t->src_len;
    }
    selftest_fill(t, t->q, (size_t)SELFTEST_ROWS * (size_t)t->io.q_token_stride, t->c->dtype);
    selftest_fill(t, t->k, (size_t)SELFTEST_ROWS * (size_t)t->io.k_token_stride, t->c->dtype);
    selftest_fill(t, t->v, (size_t)SELFTEST_ROWS * (size_t)t->io.v_token_stride, t->c->dtype);
}

#endif
