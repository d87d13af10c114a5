// SPDX-License-Identifier: Apache-2.0
// The calls a program makes: attn_cache_* to place tokens, attn_step once a step, attn_kv_write and
// attn_run once an operator. Memory is taken at the start and sized by the table.
#include "engine.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "attn/attn.h"
#include "attn/cache.h"
#ifdef _OPENMP
#include <omp.h>
#endif

const struct sequence sequences[SEQUENCES] = {{.prompt = 576, .chunk = 256, .decode = 64},
                                              {.prompt = 173, .chunk = 96, .decode = 64}};

int sequence_length(int s) {
    return sequences[s].prompt + sequences[s].decode;
}

struct engine {
    const attn_table *table;
    attn_exec x;
    attn_cache *cache;
    attn_kv kv[LAYERS];
    void *pool, *workspace, *cache_memory;
    bf16 *q, *k, *v, *out; // rows of one step
    int done[SEQUENCES];   // tokens that are in the cache
};

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void parallel_for(void *ctx, uint32_t n, attn_task *task, void *arg) {
    uint32_t workers = *(uint32_t *)ctx;
#ifdef _OPENMP
#pragma omp parallel for schedule(dynamic) num_threads((int)workers)
    for (uint32_t i = 0; i < n; i++) {
        task(arg, i, (uint32_t)omp_get_thread_num());
    }
#else
    (void)workers;
    for (uint32_t i = 0; i < n; i++) {
        task(arg, i, 0);
    }
#endif
}

static void *take(size_t bytes) {
    void *memory = aligned_alloc(64, ATTN_ROUND_UP(bytes, 64));
    if (!memory) {
        fprintf(stderr, "demo: out of memory (%zu bytes)\n", bytes);
        exit(1);
    }
    memset(memory, 0xff, bytes); // NaN everywhere: what was never written must never be read
    return memory;
}

static attn_status engine_open(struct engine *e, const attn_table *table, uint32_t *workers) {
    memset(e, 0, sizeof *e);
    e->table = table;
    e->x = ATTN_INIT(attn_exec);
    e->x.flags = ATTN_EXEC_CHECKED;
    e->x.workspace_bytes = attn_workspace_bytes(table, *workers);
    e->x.workspace = e->workspace = take(e->x.workspace_bytes);
    e->x.kv = e->kv;
    e->x.n_kv = table->data->n_operators;
    e->x.workers = *workers;
    e->x.parallel_for = parallel_for;
    e->x.parallel_ctx = workers;
    size_t rows = table->data->max_batch_tokens;
    e->q = take(rows * HEADS * DIM * sizeof(bf16));
    e->k = take(rows * KV_HEADS * DIM * sizeof(bf16));
    e->v = take(rows * KV_HEADS * DIM * sizeof(bf16));
    e->out = take(rows * HEADS * DIM * sizeof(bf16));
    size_t bytes = attn_cache_bytes(table);
    e->cache_memory = take(bytes);
    attn_status status = attn_cache_init(&e->cache, e->cache_memory, bytes, table);
    size_t pool_bytes = attn_cache_pool_bytes(table);
    e->pool = take(pool_bytes);
    if (status == ATTN_OK) {
        status = attn_cache_bind(table, e->pool, pool_bytes, e->kv, LAYERS);
    }
    for (uint32_t s = 0; s < SEQUENCES && status == ATTN_OK; s++) {
        status = attn_cache_begin(e->cache, s);
    }
    return status;
}

static void engine_close(struct engine *e) {
    void *all[] = {e->pool, e->workspace, e->cache_memory, e->q, e->k, e->v, e->out};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static int min_int(int a, int b) {
    return a < b ? a : b;
}

static int new_tokens(const struct engine *e, int s) {
    int left = sequences[s].prompt - e->done[s];
    if (left > 0) {
        return min_int(left, sequences[s].chunk);
    }
    return e->done[s] < sequence_length(s) ? 1 : 0;
}

// The step's rows of one layer, in the batch's order.
static void fill_rows(struct engine *e, int layer, const uint32_t *order, const attn_batch *batch) {
    for (uint32_t i = 0; i < SEQUENCES; i++) {
        int s = (int)order[i];
        for (int32_t t = batch->q_start[i]; t < batch->q_start[i + 1]; t++) {
            int p = e->done[s] + t - batch->q_start[i];
            tensor_row(TENSOR_Q, layer, s, p, HEADS * DIM, e->q + (size_t)t * HEADS * DIM);
            tensor_row(TENSOR_K, layer, s, p, KV_HEADS * DIM, e->k + (size_t)t * KV_HEADS * DIM);
            tensor_row(TENSOR_V, layer, s, p, KV_HEADS * DIM, e->v + (size_t)t * KV_HEADS * DIM);
        }
    }
}

static void keep_rows(const struct engine *e, int layer, const uint32_t *order,
                      const attn_batch *batch, struct run *run) {
    for (uint32_t i = 0; i < SEQUENCES; i++) {
        int s = (int)order[i];
        size_t rows = (size_t)(batch->q_start[i + 1] - batch->q_start[i]);
        memcpy(run->out[layer][s] + (size_t)e->done[s] * HEADS * DIM,
               e->out + (size_t)batch->q_start[i] * HEADS * DIM, rows * HEADS * DIM * sizeof(bf16));
    }
}

static attn_status run_layer(struct engine *e, uint32_t layer, const attn_batch *batch,
                             struct run *run) {
    attn_io io = ATTN_INIT(attn_io);
    io.q = e->q;
    io.out = e->out;
    io.q_token_stride = io.out_token_stride = HEADS * DIM;
    io.q_head_stride = io.out_head_stride = DIM;
    io.k = e->k;
    io.v = e->v;
    io.k_token_stride = io.v_token_stride = KV_HEADS * DIM;
    io.k_head_stride = io.v_head_stride = DIM;
    double start = now();
    attn_status status = attn_kv_write(&e->x, e->table, layer, batch, &io);
    double written = now();
    if (status == ATTN_OK) {
        status = attn_run(&e->x, e->table, layer, batch, &io);
    }
    run->write_seconds += written - start;
    run->seconds[layer][batch->n_prefill > 0 ? ATTN_PREFILL : ATTN_DECODE] += now() - written;
    return status;
}

static attn_status run_step(struct engine *e, const int *fresh, struct run *run) {
    uint32_t order[SEQUENCES];
    attn_status status = ATTN_OK;
    for (int s = 0; s < SEQUENCES && status == ATTN_OK; s++) {
        order[s] = (uint32_t)s;
        status = attn_cache_append(e->cache, (uint32_t)s, (uint32_t)fresh[s]);
    }
    attn_batch batch = ATTN_INIT(attn_batch);
    if (status == ATTN_OK) {
        status = attn_cache_batch(e->cache, order, SEQUENCES, &batch);
    }
    if (status == ATTN_OK) {
        status = attn_step(&e->x, e->table, &batch);
    }
    for (int layer = 0; layer < LAYERS && status == ATTN_OK; layer++) {
        fill_rows(e, layer, order, &batch);
        status = run_layer(e, (uint32_t)layer, &batch, run);
        keep_rows(e, layer, order, &batch, run);
    }
    if (status != ATTN_OK) {
        return status;
    }
    run->steps[batch.n_prefill > 0 ? ATTN_PREFILL : ATTN_DECODE]++;
    for (int s = 0; s < SEQUENCES; s++) {
        e->done[s] += fresh[s];
    }
    return attn_cache_finish(e->cache);
}

attn_status engine_run(const attn_table *table, uint32_t workers, struct run *run) {
    struct engine e;
    memset(run, 0, sizeof *run);
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int s = 0; s < SEQUENCES; s++) {
            run->out[layer][s] = take((size_t)sequence_length(s) * HEADS * DIM * sizeof(bf16));
        }
    }
    attn_status status = engine_open(&e, table, &workers);
    while (status == ATTN_OK) {
        int fresh[SEQUENCES], tokens = 0;
        for (int s = 0; s < SEQUENCES; s++) {
            fresh[s] = new_tokens(&e, s);
            tokens += fresh[s];
        }
        if (tokens == 0) {
            break;
        }
        status = run_step(&e, fresh, run);
    }
    run->workspace_bytes = e.x.workspace_bytes;
    if (status != ATTN_OK) {
        fprintf(stderr, "demo: %s\n", attn_status_text(status));
    }
    engine_close(&e);
    return status;
}

void engine_free(struct run *run) {
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int s = 0; s < SEQUENCES; s++) {
            free(run->out[layer][s]);
        }
    }
}
