// SPDX-License-Identifier: Apache-2.0
// Builds and runs the small world of world.h: tensors, pages and block table from true values, a
// call as the runtime makes it, and the comparison with the oracle.
#include "tests/kernels/world.h"
#include "tests/kernels/oracle.h"
#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PAD = 4, OUT_POISON = 0xa5 }; // elements between heads and between tokens

// ---- pages

static size_t scale_offset(const attn_params *p, bool is_v, uint32_t head, uint32_t slot) {
    size_t rows = (size_t)p->kv_heads * p->block_size;
    return rows * (p->head_dim + p->v_head_dim) +
           ((is_v ? rows : 0) + head * p->block_size + slot) * 4;
}

// Stores one K or V row and replaces it by what the page now means.
static void store_row(const struct world *w, char *page, bool is_v, uint32_t head, uint32_t slot,
                      float *row) {
    const attn_params *p = w->p;
    uint32_t dim = is_v ? p->v_head_dim : p->head_dim;
    float scale = 1;
    if (p->kv_dtype == ATTN_FP8_E4M3) {
        scale = is_v ? w->v_scale : w->k_scale;
    } else if (p->kv_dtype == ATTN_INT8) {
        float top = 0;
        for (uint32_t d = 0; d < dim; d++) {
            top = fmaxf(top, fabsf(row[d]));
        }
        scale = top / 127;
        memcpy(page + scale_offset(p, is_v, head, slot), &scale, sizeof scale);
    }
    for (uint32_t d = 0; d < dim; d++) {
        void *to = page + world_offset(p, is_v, head, slot, d);
        world_put(to, 0, p->kv_dtype, scale == 0 ? 0 : (double)row[d] / scale);
        row[d] = (float)(world_get(to, 0, p->kv_dtype) * scale);
    }
}

static void fill(void *array, size_t n, uint32_t dtype, double x) {
    uint32_t size = world_bytes(dtype);
    for (size_t i = 0; i < n; i++) {
        if (i == 0) {
            world_put(array, 0, dtype, x);
        } else {
            memcpy((char *)array + i * size, array, size);
        }
    }
}

static void poison_pool(struct world *w) {
    const attn_params *p = w->p;
    fill(w->pool, w->pool_bytes / world_bytes(p->kv_dtype), p->kv_dtype,
         p->kv_dtype == ATTN_INT8 ? 127 : w->poison);
    for (uint32_t page = 0; p->kv_dtype == ATTN_INT8 && page < w->io.cache.n_pages; page++) {
        char *scales = w->pool + page * w->io.cache.page_stride + scale_offset(p, false, 0, 0);
        for (uint32_t i = 0; i < 2 * p->kv_heads * p->block_size; i++) {
            memcpy(scales + 4 * i, &(float){NAN}, 4);
        }
    }
}

// ---- making a world

static uint32_t next_random(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return *state >> 8;
}

static float *random_values(size_t n, float spread, uint32_t *state) {
    float *x = malloc((n + 1) * sizeof *x);
    for (size_t i = 0; i < n; i++) {
        float sum = 0; // of four uniforms: roughly normal
        for (int j = 0; j < 4; j++) {
            sum += (float)next_random(state) / 0x1p24f - 0.5f;
        }
        x[i] = sum * 1.7f * spread;
    }
    return x;
}

static size_t total(const int *len, uint32_t n) {
    size_t sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (size_t)len[i];
    }
    return sum;
}

int world_first(const struct world *w, uint32_t sequence) {
    return (int)total(w->q_len, sequence);
}

void world_new(struct world *w, const attn_params *p, uint32_t n, const int *q_len,
               const int *k_len, uint32_t seed) {
    assert(n <= WORLD_MAX_SEQS);
    *w = (struct world){
        .p = p, .n = n, .workers = 1, .k_scale = 0.25f, .v_scale = 0.5f, .poison = NAN};
    memcpy(w->q_len, q_len, n * sizeof *q_len);
    memcpy(w->k_len, p->kind == ATTN_ENCODER_ONLY_ATTENTION ? q_len : k_len, n * sizeof *k_len);
    uint32_t state = seed * 2654435761u + 1;
    size_t tokens = total(w->q_len, n), keys = total(w->k_len, n) * p->kv_heads;
    w->q = random_values(tokens * p->heads * p->head_dim, 1, &state);
    w->k = random_values(keys * p->head_dim, 1, &state);
    w->v = random_values(keys * p->v_head_dim, 1, &state);
    w->sink_k = random_values((size_t)p->sink_tokens * p->kv_heads * p->head_dim, 1, &state);
    w->sink_v = random_values((size_t)p->sink_tokens * p->kv_heads * p->v_head_dim, 1, &state);
    w->sink_logits = random_values(p->heads, 2, &state);
    w->alibi_slopes = random_values(p->heads, 0.1f, &state);
}

void world_ramp(struct world *w, float base) {
    const attn_params *p = w->p;
    memset(w->q, 0, total(w->q_len, w->n) * p->heads * p->head_dim * sizeof *w->q);
    size_t row = 0;
    for (uint32_t s = 0; s < w->n; s++) {
        for (int j = 0; j < w->k_len[s]; j++, row++) {
            size_t k_dims = (size_t)p->kv_heads * p->head_dim;
            size_t v_dims = (size_t)p->kv_heads * p->v_head_dim;
            memset(w->k + row * k_dims, 0, k_dims * sizeof *w->k);
            for (size_t d = 0; d < v_dims; d++) {
                w->v[row * v_dims + d] = (float)j + base;
            }
        }
    }
}

static struct oracle oracle_of(const struct world *w, uint32_t s) {
    const attn_params *p = w->p;
    size_t token = total(w->q_len, s), key = total(w->k_len, s) * p->kv_heads;
    int position = w->seq_len[s] - w->q_len[s];
    return (struct oracle){.p = p,
                           .q_len = w->q_len[s],
                           .k_len = w->k_len[s],
                           .position = p->kind == ATTN_ENCODER_ONLY_ATTENTION ? 0 : position,
                           .q = w->q + token * p->heads * p->head_dim,
                           .k = w->k + key * p->head_dim,
                           .v = w->v + key * p->v_head_dim,
                           .sink_k = w->sink_k,
                           .sink_v = w->sink_v,
                           .sink_logits = w->sink_logits,
                           .alibi_slopes = w->alibi_slopes,
                           .tree = w->tree ? w->tree + token : NULL,
                           .partial = w->partial};
}

static bool seen_by_any(const struct oracle *o, int key) {
    for (int row = 0; row < o->q_len; row++) {
        if (oracle_visible(o, row, key)) {
            return true;
        }
    }
    return false;
}

// Copies ragged rows of `heads` x `dim` true values into a padded tensor, rounding them in place.
static void *make_tensor(float *values, size_t rows, uint32_t heads, uint32_t dim, uint32_t dtype) {
    size_t head_stride = dim + PAD, token_stride = heads * head_stride + PAD;
    void *memory = malloc((WORLD_LEAD + rows) * token_stride * world_bytes(dtype) + 1);
    fill(memory, (WORLD_LEAD + rows) * token_stride, dtype, NAN);
    for (size_t i = 0; i < rows * heads * dim; i++) {
        size_t row = i / ((size_t)heads * dim), head = i / dim % heads, d = i % dim;
        size_t at = (WORLD_LEAD + row) * token_stride + head * head_stride + d;
        world_put(memory, at, dtype, values[i]);
        values[i] = (float)world_get(memory, at, dtype);
    }
    return memory;
}

static void *make_sink(float *values, size_t n, uint32_t dtype) {
    void *memory = malloc(n * world_bytes(dtype) + 1);
    for (size_t i = 0; i < n; i++) {
        world_put(memory, i, dtype, values[i]);
        values[i] = (float)world_get(memory, i, dtype);
    }
    return memory;
}

static void seal_lengths(struct world *w) {
    attn_batch *b = &w->batch;
    *b = ATTN_INIT(attn_batch);
    w->q_start[0] = WORLD_LEAD;
    for (uint32_t s = 0; s < w->n; s++) {
        w->q_start[s + 1] = w->q_start[s] + w->q_len[s];
        bool cross = w->p->kind == ATTN_CROSS_ATTENTION;
        w->seq_len[s] = cross ? w->q_len[s] + 2 : w->k_len[s];
        w->src_len[s] = cross ? w->k_len[s] : -1;
    }
    b->n_prefill = w->n;
    b->n_tokens = (uint32_t)w->q_start[w->n];
    b->q_start = w->q_start;
    b->seq_len = w->seq_len;
    b->src_len = w->src_len;
}

// The page of a block, allotted on first use; ids run through the pool in steps that shuffle them.
static char *page_for(struct world *w, uint32_t s, uint32_t block, uint32_t *used) {
    attn_cache_view *c = &w->io.cache;
    int32_t *entry = &w->table[s * c->table_stride + block % c->cols];
    if (*entry == INT32_MAX) {
        assert(*used < c->n_pages);
        *entry = (int32_t)((*used)++ * 7 % c->n_pages);
    }
    return w->pool + *entry * c->page_stride;
}

static void seal_cache(struct world *w) {
    const attn_params *p = w->p;
    attn_cache_view *c = &w->io.cache;
    uint32_t blocks = 0, most = 1;
    for (uint32_t s = 0; s < w->n; s++) {
        uint32_t need = ((uint32_t)w->k_len[s] + p->block_size - 1) / p->block_size;
        blocks += need;
        most = need > most ? need : most;
    }
    c->cols = w->cols ? w->cols : most;
    c->table_stride = c->cols + 1;
    c->n_pages = blocks + 2;
    c->n_pages += c->n_pages % 7 == 0; // so that steps of 7 reach every page
    c->page_stride = (int64_t)(world_page_bytes(p) + 63) / 64 * 64 + 64;
    w->pool_bytes = (size_t)c->page_stride * c->n_pages;
    c->base = w->pool = malloc(w->pool_bytes);
    w->table = malloc((size_t)c->table_stride * w->n * sizeof *w->table + 1);
    c->table = w->table;
    for (size_t i = 0; i < (size_t)c->table_stride * w->n; i++) {
        w->table[i] = INT32_MAX;
    }
    poison_pool(w);
    uint32_t used = 0;
    for (uint32_t s = 0; s < w->n; s++) {
        struct oracle o = oracle_of(w, s);
        for (int j = 0; j < w->k_len[s]; j++) {
            if (!w->all_written && !seen_by_any(&o, j)) {
                continue;
            }
            char *page = page_for(w, s, (uint32_t)j / p->block_size, &used);
            for (uint32_t h = 0; h < p->kv_heads; h++) {
                size_t row = (total(w->k_len, s) + (size_t)j) * p->kv_heads + h;
                uint32_t slot = (uint32_t)j % p->block_size;
                store_row(w, page, false, h, slot, w->k + row * p->head_dim);
                store_row(w, page, true, h, slot, w->v + row * p->v_head_dim);
            }
        }
    }
}

static void seal_outputs(struct world *w) {
    const attn_params *p = w->p;
    attn_io *io = &w->io;
    size_t rows = (size_t)w->q_start[w->n];
    io->out_head_stride = p->v_head_dim + PAD;
    io->out_token_stride = p->heads * io->out_head_stride + PAD;
    w->out_bytes =
        rows * (size_t)io->out_token_stride * world_bytes(w->partial ? ATTN_F32 : p->dtype);
    io->out = w->out_mem = malloc(w->out_bytes + 1);
    io->lse_token_stride = p->heads + 1;
    w->lse = malloc((rows * (size_t)io->lse_token_stride + 1) * sizeof *w->lse);
    io->lse = w->no_lse ? NULL : w->lse;
    w->want = malloc((rows * p->heads * p->v_head_dim + 1) * sizeof *w->want);
    w->want_lse = malloc((rows * p->heads + 1) * sizeof *w->want_lse);
}

void world_seal(struct world *w) {
    const attn_params *p = w->p;
    attn_io *io = &w->io;
    size_t tokens = total(w->q_len, w->n);
    *io = ATTN_INIT(attn_io);
    seal_lengths(w);
    io->partial = w->partial;
    io->q = w->q_mem = make_tensor(w->q, tokens, p->heads, p->head_dim, p->dtype);
    io->q_head_stride = p->head_dim + PAD;
    io->q_token_stride = p->heads * io->q_head_stride + PAD;
    if (p->kind == ATTN_ENCODER_ONLY_ATTENTION) {
        io->k = w->k_mem = make_tensor(w->k, tokens, p->kv_heads, p->head_dim, p->dtype);
        io->v = w->v_mem = make_tensor(w->v, tokens, p->kv_heads, p->v_head_dim, p->dtype);
        io->k_head_stride = p->head_dim + PAD;
        io->k_token_stride = p->kv_heads * io->k_head_stride + PAD;
        io->v_head_stride = p->v_head_dim + PAD;
        io->v_token_stride = p->kv_heads * io->v_head_stride + PAD;
    } else {
        seal_cache(w);
    }
    size_t sinks = (size_t)p->sink_tokens * p->kv_heads;
    io->sink_k = w->sink_k_mem = make_sink(w->sink_k, sinks * p->head_dim, p->dtype);
    io->sink_v = w->sink_v_mem = make_sink(w->sink_v, sinks * p->v_head_dim, p->dtype);
    io->sink_logits = p->sink_logits ? w->sink_logits : NULL;
    io->alibi_slopes = p->alibi ? w->alibi_slopes : NULL;
    io->k_scale = w->k_scale;
    io->v_scale = w->v_scale;
    if (w->tree) {
        w->tree_mem = malloc((WORLD_LEAD + tokens) * sizeof *w->tree_mem);
        memset(w->tree_mem, 0, WORLD_LEAD * sizeof *w->tree_mem);
        memcpy(w->tree_mem + WORLD_LEAD, w->tree, tokens * sizeof *w->tree_mem);
        io->tree_mask = w->tree_mem;
        io->tree_mask_stride = 1;
    }
    seal_outputs(w);
    for (uint32_t s = 0; s < w->n; s++) {
        struct oracle o = oracle_of(w, s);
        size_t row = total(w->q_len, s) * p->heads;
        oracle_run(&o, w->want + row * p->v_head_dim, w->want_lse + row);
    }
}

void world_free(struct world *w) {
    void *all[] = {w->q,           w->k,          w->v,        w->sink_k,       w->sink_v,
                   w->sink_logits, w->q_mem,      w->out_mem,  w->k_mem,        w->v_mem,
                   w->sink_k_mem,  w->sink_v_mem, w->lse,      w->pool,         w->table,
                   w->tree_mem,    w->want,       w->want_lse, w->alibi_slopes, w->tree};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

// ---- running it

// Items take turns on the workers, last item first, so that nothing can lean on an order.
static void take_turns(void *ctx, uint32_t n, attn_task *task, void *arg) {
    uint32_t workers = *(const uint32_t *)ctx;
    for (uint32_t i = n; i-- > 0;) {
        task(arg, i, i % workers);
    }
}

attn_status world_run(struct world *w, attn_kernel_fn *run, uint64_t workspace) {
    attn_exec x = ATTN_INIT(attn_exec);
    x.workspace_bytes = (size_t)workspace * w->workers;
    x.workspace = aligned_alloc(64, x.workspace_bytes + 64);
    memset(x.workspace, 0xff, x.workspace_bytes + 64);
    x.workers = w->workers;
    x.parallel_for = w->workers > 1 ? take_turns : NULL;
    x.parallel_ctx = &w->workers;
    memset(w->out_mem, OUT_POISON, w->out_bytes);
    memset(w->lse, OUT_POISON,
           (size_t)w->q_start[w->n] * (size_t)w->io.lse_token_stride * sizeof *w->lse);
    attn_status status = run(&x, w->p, &w->batch, &w->io);
    free(x.workspace);
    return status;
}

static uint32_t out_dtype(const struct world *w) {
    return w->partial ? ATTN_F32 : w->p->dtype;
}

static size_t out_index(const struct world *w, int token, uint32_t head) {
    return (size_t)((WORLD_LEAD + token) * w->io.out_token_stride + head * w->io.out_head_stride);
}

double world_out(const struct world *w, int token, uint32_t head, uint32_t d) {
    return world_get(w->out_mem, out_index(w, token, head) + d, out_dtype(w));
}

double world_lse(const struct world *w, int token, uint32_t head) {
    return w->lse[(WORLD_LEAD + token) * w->io.lse_token_stride + head];
}

// The rounding of the output type beside the error of f32 arithmetic.
static double tolerance(uint32_t dtype, double want) {
    double relative = dtype == ATTN_BF16 ? 0x1.02p-8 : dtype == ATTN_F16 ? 0x1.02p-11 : 0;
    return 2e-5 + (2e-5 + relative) * fabs(want);
}

static bool touched_outside(const struct world *w) {
    unsigned char *copy = malloc(w->out_bytes + 1);
    memcpy(copy, w->out_mem, w->out_bytes);
    uint32_t size = world_bytes(out_dtype(w));
    for (int t = 0; t < world_first(w, w->n); t++) {
        for (uint32_t h = 0; h < w->p->heads; h++) {
            memset(copy + out_index(w, t, h) * size, OUT_POISON, (size_t)w->p->v_head_dim * size);
        }
    }
    bool touched = false;
    for (size_t i = 0; i < w->out_bytes; i++) {
        touched |= copy[i] != OUT_POISON;
    }
    free(copy);
    return touched;
}

static double lse_error(double got, double want) {
    if (isinf(want)) {
        return got == want ? 0 : 1e30;
    }
    return fabs(got - want) / (2e-5 + 2e-6 * fabs(want));
}

double world_error(struct world *w) {
    const attn_params *p = w->p;
    double worst = touched_outside(w) ? 1e30 : 0;
    for (int t = 0; t < world_first(w, w->n); t++) {
        for (uint32_t h = 0; h < p->heads; h++) {
            size_t row = (size_t)t * p->heads + h;
            for (uint32_t d = 0; d < p->v_head_dim; d++) {
                double want = w->want[row * p->v_head_dim + d], got = world_out(w, t, h, d);
                double error = isnan(want) ? !isnan(got) * 1e30
                                           : fabs(got - want) / tolerance(out_dtype(w), want);
                worst = error <= worst ? worst : isnan(error) ? 1e30 : error;
            }
            double error = w->no_lse ? 0 : lse_error(world_lse(w, t, h), w->want_lse[row]);
            worst = error <= worst ? worst : isnan(error) ? 1e30 : error;
        }
    }
    return worst;
}
