// SPDX-License-Identifier: Apache-2.0
// cpu_kv: rows appended in steps give, byte for byte, the pages that world.c writes by its own
// reading of the layouts, for every cache type and format, and nothing else in the pool changes.
#include "attn/kernels/cpu.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const dtype_name[] = {"f32", "bf16", "f16", "fp8_e4m3", "int8"};

static attn_params params_of(uint32_t dtype, uint32_t kv_dtype, uint32_t layout) {
    attn_params p = {.size = sizeof p,
                     .kind = ATTN_FULL_ATTENTION,
                     .dtype = (uint8_t)dtype,
                     .kv_dtype = (uint8_t)kv_dtype,
                     .layout = (uint8_t)layout,
                     .heads = 4,
                     .kv_heads = 2,
                     .head_dim = 12,
                     .v_head_dim = 10,
                     .k_width = 12,
                     .v_width = 10,
                     .block_size = 6,
                     .scale = 1,
                     .window_left = ATTN_UNBOUNDED,
                     .decode_q = 1};
    p.page_bytes = world_page_bytes(&p);
    return p;
}

// A tensor of the rows [from[s], to[s]) of each sequence, and the batch that appends them.
struct step {
    attn_io io;
    attn_batch batch;
    int32_t q_start[4], seq_len[3];
    void *k, *v;
};

static void *gather(const struct world *w, const float *values, uint32_t dim, const int *from,
                    const int *to) {
    size_t n = 0, key = 0, heads = w->p->kv_heads;
    void *memory = calloc(64 * heads * dim, 4);
    for (uint32_t s = 0; s < w->n; s++) {
        for (int j = from[s]; j < to[s]; j++, n++) {
            for (size_t i = 0; i < heads * dim; i++) {
                world_put(memory, n * heads * dim + i, w->p->dtype,
                          values[(key + (size_t)j) * heads * dim + i]);
            }
        }
        key += (size_t)w->k_len[s];
    }
    return memory;
}

static struct step make_step(const struct world *w, const float *k, const float *v, const int *from,
                             const int *to) {
    const attn_params *p = w->p;
    struct step t = {.io = w->io, .batch = w->batch};
    for (uint32_t s = 0; s < w->n; s++) {
        t.q_start[s + 1] = t.q_start[s] + to[s] - from[s];
        t.seq_len[s] = to[s];
    }
    t.io.k = t.k = gather(w, k, p->head_dim, from, to);
    t.io.v = t.v = gather(w, v, p->v_head_dim, from, to);
    t.io.k_head_stride = p->head_dim;
    t.io.k_token_stride = (int64_t)p->kv_heads * p->head_dim;
    t.io.v_head_stride = p->v_head_dim;
    t.io.v_token_stride = (int64_t)p->kv_heads * p->v_head_dim;
    return t;
}

static attn_status append(const struct world *w, struct step *t, char *pool) {
    attn_exec x = ATTN_INIT(attn_exec);
    t->batch.q_start = t->q_start;
    t->batch.seq_len = t->seq_len;
    t->io.cache.base = pool;
    attn_status status = attn_cpu_kv(&x, w->p, &t->batch, &t->io);
    free(t->k);
    free(t->v);
    return status;
}

// A page format that keeps slots in pairs zeroes the one beside a last even slot.
static void zero_partners(const struct world *w, char *pool) {
    const attn_params *p = w->p;
    for (uint32_t s = 0; p->layout == ATTN_LAYOUT_HND_PAIR && s < w->n; s++) {
        uint32_t slot = (uint32_t)w->k_len[s] % p->block_size;
        if (slot % 2 == 0) {
            continue; // the last slot is odd, or there is none
        }
        int64_t page = w->table[s * w->io.cache.table_stride + w->k_len[s] / (int)p->block_size];
        for (uint32_t i = 0; i < p->kv_heads * p->v_head_dim; i++) {
            size_t at = world_offset(p, true, i / p->v_head_dim, slot, i % p->v_head_dim);
            world_put(pool + page * w->io.cache.page_stride + at, 0, p->kv_dtype, 0);
        }
    }
}

static bool appends_alike(const attn_params *p) {
    static const int k_len[] = {13, 1, 20}, none[3] = {0}, middle[] = {7, 0, 19};
    struct world w;
    world_new(&w, p, 3, k_len, k_len, 11);
    size_t k_n = 34u * p->kv_heads * p->head_dim, v_n = 34u * p->kv_heads * p->v_head_dim;
    float *k = malloc(k_n * sizeof *k), *v = malloc(v_n * sizeof *v);
    for (size_t i = 0; i < k_n; i++) { // rows as the operator has them: of its own type
        w.k[i] = (float)world_round(w.k[i] * (i % 7 == 0 ? 300 : 1), p->dtype);
    }
    for (size_t i = 0; i < v_n; i++) {
        w.v[i] = (float)world_round(w.v[i], p->dtype);
    }
    memcpy(k, w.k, k_n * sizeof *k);
    memcpy(v, w.v, v_n * sizeof *v);
    world_seal(&w);
    char *pool = malloc(w.pool_bytes), *fresh = malloc(w.pool_bytes);
    memcpy(pool, w.pool, w.pool_bytes);
    for (uint32_t s = 0; s < w.n; s++) { // unwrite: a poisoned page in place of each in use
        for (int b = 0; b <= (k_len[s] - 1) / 6; b++) {
            int64_t id = w.table[s * w.io.cache.table_stride + b];
            for (size_t i = 0; i < (size_t)p->page_bytes; i++) {
                pool[id * w.io.cache.page_stride + (int64_t)i] = 0x55;
            }
        }
    }
    memcpy(fresh, pool, w.pool_bytes);
    struct step first = make_step(&w, k, v, none, middle);
    struct step second = make_step(&w, k, v, middle, k_len);
    bool right = append(&w, &first, pool) == ATTN_OK && append(&w, &second, pool) == ATTN_OK;
    // where world.c wrote a key, the same bytes; elsewhere what stood there before
    zero_partners(&w, fresh);
    for (uint32_t s = 0; s < w.n; s++) {
        for (int j = 0; j < k_len[s]; j++) {
            int64_t page = w.table[s * w.io.cache.table_stride + j / 6] * w.io.cache.page_stride;
            for (uint32_t i = 0; i < p->kv_heads * (p->head_dim + p->v_head_dim); i++) {
                uint32_t h = i / (p->head_dim + p->v_head_dim),
                         d = i % (p->head_dim + p->v_head_dim);
                bool is_v = d >= p->head_dim;
                size_t at = world_offset(p, is_v, h, (uint32_t)j % 6, is_v ? d - p->head_dim : d);
                memcpy(fresh + page + at, w.pool + page + at, world_bytes(p->kv_dtype));
            }
            for (uint32_t i = 0; p->kv_dtype == ATTN_INT8 && i < 2 * p->kv_heads; i++) {
                size_t rows = (size_t)p->kv_heads * 6, at = rows * (p->head_dim + p->v_head_dim);
                at += (i % 2 * rows + i / 2 * 6 + (size_t)j % 6) * 4;
                memcpy(fresh + page + at, w.pool + page + at, 4);
            }
        }
    }
    right &= memcmp(fresh, pool, w.pool_bytes) == 0;
    free(k);
    free(v);
    free(pool);
    free(fresh);
    world_free(&w);
    return right;
}

// One row of one head through the writer; returns element d of K as it is stored.
static double stored(uint32_t kv_dtype, float x, float other) {
    attn_params p = params_of(ATTN_F32, kv_dtype, ATTN_LAYOUT_HND);
    p.heads = p.kv_heads = p.block_size = 1;
    p.head_dim = p.v_head_dim = p.k_width = p.v_width = 4;
    p.page_bytes = world_page_bytes(&p);
    struct world w;
    int one = 1;
    world_new(&w, &p, 1, &one, &one, 1);
    world_seal(&w);
    float row[4] = {x, other, 0, 0};
    int none = 0;
    struct step t = make_step(&w, row, row, &none, &one);
    t.io.k_scale = 1;
    t.io.v_scale = 0; // reads as 1
    char *page = w.pool + w.table[0] * w.io.cache.page_stride;
    append(&w, &t, w.pool);
    double got = world_get(page, 0, kv_dtype);
    if (kv_dtype == ATTN_INT8) {
        float scale;
        memcpy(&scale, page + 8, sizeof scale);
        got *= scale;
    }
    world_free(&w);
    return got;
}

static void edges(void) {
    ok(stored(ATTN_FP8_E4M3, 1000, 0) == 448 && stored(ATTN_FP8_E4M3, -INFINITY, 0) == -448 &&
           isnan(stored(ATTN_FP8_E4M3, NAN, 0)),
       "fp8_e4m3 saturates at 448 and keeps NaN");
    ok(stored(ATTN_FP8_E4M3, 17, 0) == 16 && stored(ATTN_FP8_E4M3, 19, 0) == 20 &&
           stored(ATTN_FP8_E4M3, 0x1.8p-9f, 0) == 0x1p-8,
       "fp8_e4m3 rounds to nearest even, subnormals too");
    ok(stored(ATTN_F16, 70000, 0) == 65504 && stored(ATTN_F16, -65519, 0) == -65504 &&
           isinf(stored(ATTN_F16, INFINITY, 0)),
       "f16 saturates finite numbers");
    ok(stored(ATTN_BF16, 0x1.01p0f, 0) == 1 && stored(ATTN_BF16, 0x1.03p0f, 0) == 0x1.04p0 &&
           isnan(stored(ATTN_BF16, NAN, 0)),
       "bf16 rounds to nearest even and keeps NaN");
    ok(stored(ATTN_INT8, 127, 0) == 127 && stored(ATTN_INT8, 2.5f, 127) == 2 &&
           stored(ATTN_INT8, 3.5f, 127) == 4 && stored(ATTN_INT8, 0, 0) == 0,
       "int8 rounds to nearest even on the row's own scale");
    ok(isnan(stored(ATTN_INT8, 1, NAN)) && isnan(stored(ATTN_INT8, 1, INFINITY)),
       "an int8 row with NaN or infinity reads as NaN");
}

int main(void) {
    for (uint32_t kv = 0; kv <= ATTN_INT8; kv++) {
        for (uint32_t pair = 0; pair < 2; pair++) {
            bool right = true;
            for (uint32_t dtype = 0; dtype <= ATTN_F16; dtype++) {
                attn_params p = params_of(dtype, kv, pair ? ATTN_LAYOUT_HND_PAIR : ATTN_LAYOUT_HND);
                right &= appends_alike(&p);
            }
            ok(right, "appending writes the new slots alone: %s, %s", dtype_name[kv],
               pair ? "hnd_pair" : "hnd");
        }
    }
    edges();
    attn_params p = params_of(ATTN_F32, ATTN_F32, ATTN_LAYOUT_HND);
    attn_exec x = ATTN_INIT(attn_exec);
    p.kind = ATTN_ENCODER_ONLY_ATTENTION;
    is_int(attn_cpu_kv(&x, &p, NULL, NULL), ATTN_E_NO_WRITE, "encoder_only has no cache to write");
    p.kind = ATTN_MAMBA;
    is_int(attn_cpu_kv(&x, &p, NULL, NULL), ATTN_E_KIND, "a kind without pages is refused");
    return done_testing();
}
