// SPDX-License-Identifier: Apache-2.0
// Times cpu_flash on one core beside two probes of the same run: fused multiply-adds in registers
// and a read of memory. Work counts visible pairs and each visible key's bytes once; caches are
// flushed before each call; repetitions of all rows interleave and the median counts. Exit 1 when a
// row claims more than the probes' ceiling, which would mean that the work was counted wrongly.
// Usage: bench_cpu [repetitions]. Build: see bench/README.md.
#define _POSIX_C_SOURCE 200809L // clock_gettime
#include "attn/kernels/exec.h"
#include "attn/kernels/number.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#ifndef BENCH_ISA
#define BENCH_ISA 4
#endif

#define ATTN_ISA BENCH_ISA
#define ATTN_INSTANCE gemma_full_f32
#define ATTN_HEADS 4
#define ATTN_HEAD_DIM 256
#define ATTN_BLOCK_SIZE 64
#include "tests/kernels/instance.inc"

#define ATTN_ISA BENCH_ISA
#define ATTN_INSTANCE gemma_full_bf16
#define ATTN_HEADS 4
#define ATTN_HEAD_DIM 256
#define ATTN_BLOCK_SIZE 64
#define ATTN_DTYPE ATTN_BF16
#define ATTN_KV_DTYPE ATTN_BF16
#include "tests/kernels/instance.inc"

#define ATTN_ISA BENCH_ISA
#define ATTN_INSTANCE gemma_window_bf16
#define ATTN_KIND ATTN_SLIDING_WINDOW
#define ATTN_WINDOW_LEFT 511
#define ATTN_HEADS 4
#define ATTN_HEAD_DIM 256
#define ATTN_BLOCK_SIZE 64
#define ATTN_DTYPE ATTN_BF16
#define ATTN_KV_DTYPE ATTN_BF16
#include "tests/kernels/instance.inc"

#define ATTN_ISA BENCH_ISA
#define ATTN_INSTANCE llama_f32
#define ATTN_HEADS 32
#define ATTN_KV_HEADS 8
#define ATTN_HEAD_DIM 128
#include "tests/kernels/instance.inc"

#define ATTN_ISA BENCH_ISA
#define ATTN_INSTANCE llama_bf16
#define ATTN_HEADS 32
#define ATTN_KV_HEADS 8
#define ATTN_HEAD_DIM 128
#define ATTN_DTYPE ATTN_BF16
#define ATTN_KV_DTYPE ATTN_BF16
#include "tests/kernels/instance.inc"

#define ATTN_ISA BENCH_ISA
#define ATTN_INSTANCE whisper_f32
#define ATTN_KIND ATTN_ENCODER_ONLY_ATTENTION
#define ATTN_WINDOW_RIGHT ATTN_UNBOUNDED
#define ATTN_LAYOUT ATTN_LAYOUT_NONE
#define ATTN_BLOCK_SIZE 0
#define ATTN_HEADS 12
#define ATTN_KV_HEADS 12
#define ATTN_HEAD_DIM 64
#include "tests/kernels/instance.inc"

struct workload {
    const char *name;
    const attn_kernel *kernel;
    int sequences, q_len, k_len;
    double median_ms;
};
static struct workload workloads[] = {
    {"gemma-3-1b decode 4096, f32", &gemma_full_f32, 8, 1, 4096, 0},
    {"gemma-3-1b decode 4096, bf16", &gemma_full_bf16, 8, 1, 4096, 0},
    {"gemma-3-1b decode window 512, bf16", &gemma_window_bf16, 64, 1, 4096, 0},
    {"llama-3-8b decode 4096, f32", &llama_f32, 2, 1, 4096, 0},
    {"llama-3-8b decode 4096, bf16", &llama_bf16, 2, 1, 4096, 0},
    {"gemma-3-1b prefill 1024, f32", &gemma_full_f32, 1, 1024, 1024, 0},
    {"gemma-3-1b prefill 1024, bf16", &gemma_full_bf16, 1, 1024, 1024, 0},
    {"gemma-3-1b prefill 4096 window 512, bf16", &gemma_window_bf16, 1, 4096, 4096, 0},
    {"llama-3-8b prefill 1024, f32", &llama_f32, 1, 1024, 1024, 0},
    {"whisper-small encoder 1500, f32", &whisper_f32, 1, 1500, 1500, 0},
};
enum {
    ROWS = sizeof workloads / sizeof *workloads,
    FLUSH_BYTES = 96 << 20,
    MOST_REPETITIONS = 101
};

static double now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

#define ATTN_ISA BENCH_ISA
#include "attn/kernels/isa_begin.inc"
#define BENCH_VEC ATTN_VEC(t)
// 12 chains of fused multiply-adds; returns GFLOP/s.
static double probe_fma(float seed) {
    BENCH_VEC m = ATTN_VEC(splat)(seed); // the chains differ, or they would be computed once
    BENCH_VEC a = m, b = a + m, c = b + m, d = c + m, e = d + m, f = e + m, g = f + m, h = g + m,
              i = h + m, j = i + m, k = j + m, l = k + m;
    const int n = 4000000;
    double start = now_ms();
    for (int r = 0; r < n; r++) {
        a = ATTN_VEC(fma)(a, m, m), b = ATTN_VEC(fma)(b, m, m), c = ATTN_VEC(fma)(c, m, m);
        d = ATTN_VEC(fma)(d, m, m), e = ATTN_VEC(fma)(e, m, m), f = ATTN_VEC(fma)(f, m, m);
        g = ATTN_VEC(fma)(g, m, m), h = ATTN_VEC(fma)(h, m, m), i = ATTN_VEC(fma)(i, m, m);
        j = ATTN_VEC(fma)(j, m, m), k = ATTN_VEC(fma)(k, m, m), l = ATTN_VEC(fma)(l, m, m);
    }
    double ms = now_ms() - start;
    volatile float keep = ATTN_VEC(sum)(a + b + c + d + e + f + g + h + i + j + k + l);
    (void)keep;
    return 12.0 * 2 * ATTN_LANES * n / ms * 1e-6;
}

// Reads `bytes` once; returns GB/s.
static double probe_read(const char *memory, size_t bytes) {
    BENCH_VEC a = {0}, b = {0}, c = {0}, d = {0};
    double start = now_ms();
    for (size_t at = 0; at + 4 * sizeof a <= bytes; at += 4 * sizeof a) {
        a += ATTN_VEC(load)(memory + at), b += ATTN_VEC(load)(memory + at + sizeof a);
        c += ATTN_VEC(load)(memory + at + 2 * sizeof a);
        d += ATTN_VEC(load)(memory + at + 3 * sizeof a);
    }
    double ms = now_ms() - start;
    volatile float keep = ATTN_VEC(sum)(a + b + c + d);
    (void)keep;
    return (double)bytes / ms * 1e-6;
}
#include "attn/kernels/isa_end.inc"
#undef ATTN_ISA

// Everything one call needs; values are small and finite, ids in order.
struct call {
    attn_batch batch;
    attn_io io;
    attn_exec x;
    int32_t *q_start, *seq_len, *table;
    void *memory[5];
    int memories;
};

static void *filled(struct call *c, size_t elements, uint32_t dtype) {
    size_t bytes = (elements * attn_dtype_bytes(dtype) + 63) / 64 * 64;
    void *memory = aligned_alloc(64, bytes);
    for (size_t i = 0; i < elements; i++) {
        attn_store(memory, (int64_t)i, dtype,
                   (float)((i * 2654435761u >> 7) % 256) / 256.0f - 0.5f);
    }
    return c->memory[c->memories++] = memory;
}

static void make_call(struct call *c, const struct workload *w) {
    const attn_params *p = w->kernel->params;
    size_t tokens = (size_t)w->sequences * (size_t)w->q_len;
    *c = (struct call){
        .batch = ATTN_INIT(attn_batch), .io = ATTN_INIT(attn_io), .x = ATTN_INIT(attn_exec)};
    c->q_start = calloc((size_t)w->sequences + 1, sizeof *c->q_start);
    c->seq_len = calloc((size_t)w->sequences, sizeof *c->seq_len);
    for (int s = 0; s < w->sequences; s++) {
        c->q_start[s + 1] = (s + 1) * w->q_len;
        c->seq_len[s] = w->k_len;
    }
    c->batch.n_prefill = (uint32_t)w->sequences;
    c->batch.n_tokens = (uint32_t)tokens;
    c->batch.q_start = c->q_start;
    c->batch.seq_len = c->seq_len;
    c->io.q = filled(c, tokens * p->heads * p->head_dim, p->dtype);
    c->io.out = filled(c, tokens * p->heads * p->v_head_dim, p->dtype);
    c->io.q_head_stride = p->head_dim;
    c->io.q_token_stride = (int64_t)p->heads * p->head_dim;
    c->io.out_head_stride = p->v_head_dim;
    c->io.out_token_stride = (int64_t)p->heads * p->v_head_dim;
    if (p->block_size == 0) {
        c->io.k = filled(c, tokens * p->kv_heads * p->head_dim, p->dtype);
        c->io.v = filled(c, tokens * p->kv_heads * p->v_head_dim, p->dtype);
        c->io.k_head_stride = p->head_dim;
        c->io.v_head_stride = p->v_head_dim;
        c->io.k_token_stride = (int64_t)p->kv_heads * p->head_dim;
        c->io.v_token_stride = (int64_t)p->kv_heads * p->v_head_dim;
    } else {
        uint32_t cols = ((uint32_t)w->k_len + p->block_size - 1) / p->block_size;
        uint32_t pages = cols * (uint32_t)w->sequences;
        c->table = malloc(pages * sizeof *c->table);
        for (uint32_t i = 0; i < pages; i++) {
            c->table[i] = (int32_t)i;
        }
        void *pool =
            filled(c, (size_t)pages * p->page_bytes / attn_dtype_bytes(p->kv_dtype), p->kv_dtype);
        c->io.cache = (attn_cache_view){pool, (int64_t)p->page_bytes, pages, cols, c->table, cols};
    }
    c->x.workspace_bytes = w->kernel->workspace;
    c->x.workspace = c->memory[c->memories++] = aligned_alloc(64, w->kernel->workspace);
    c->x.workers = 1;
}

static void free_call(struct call *c) {
    for (int i = 0; i < c->memories; i++) {
        free(c->memory[i]);
    }
    free(c->q_start);
    free(c->seq_len);
    free(c->table);
}

// Visible (query, key) pairs of one head and distinct visible keys, of all sequences.
static void count(const struct workload *w, double *pairs, double *keys) {
    const attn_params *p = w->kernel->params;
    *pairs = 0;
    int32_t least = w->k_len, last = 0;
    for (int32_t row = 0; row < w->q_len; row++) {
        int32_t at = p->kind == ATTN_ENCODER_ONLY_ATTENTION ? row : w->k_len - w->q_len + row;
        attn_span s = attn_row_span(p, at, w->k_len);
        *pairs += s.hi - s.lo;
        least = s.lo < least ? s.lo : least;
        last = s.hi > last ? s.hi : last;
    }
    *pairs *= w->sequences;
    *keys = (double)(last - least) * w->sequences;
}

static int by_value(const void *a, const void *b) {
    double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

static double median(double *values, int n) {
    qsort(values, (size_t)n, sizeof *values, by_value);
    return values[n / 2];
}

static int report(const struct workload *w, double gflops, double gbytes) {
    const attn_params *p = w->kernel->params;
    double pairs, keys;
    count(w, &pairs, &keys);
    double dims = p->head_dim + p->v_head_dim;
    double flop = pairs * p->heads * 2 * dims;
    uint32_t stored = p->block_size ? p->kv_dtype : p->dtype;
    double bytes = keys * p->kv_heads * dims * attn_dtype_bytes(stored);
    double rate = flop / w->median_ms * 1e-6, read = bytes / w->median_ms * 1e-6;
    printf("%-42s %9.3f ms %7.1f GFLOP/s %4.0f%% %7.1f GB/s %4.0f%%\n", w->name, w->median_ms, rate,
           100 * rate / gflops, read, 100 * read / gbytes);
    return rate > gflops || (read > gbytes * 1.25 && bytes > FLUSH_BYTES);
}

int main(int argc, char **argv) {
    int repetitions = argc > 1 ? atoi(argv[1]) : 7;
    if (repetitions < 1 || repetitions > MOST_REPETITIONS) {
        fprintf(stderr, "usage: bench_cpu [repetitions, 1 to %d]\n", MOST_REPETITIONS);
        return 2;
    }
    static double ms[ROWS][MOST_REPETITIONS];
    static struct call calls[ROWS];
    double gflops = 0, gbytes = 0;
    char *flush = malloc(FLUSH_BYTES);
    memset(flush, 1, FLUSH_BYTES);
    for (int i = 0; i < ROWS; i++) {
        make_call(&calls[i], &workloads[i]);
    }
    for (int r = 0; r < repetitions; r++) {
        double fma = probe_fma(0.5f), read = probe_read(flush, FLUSH_BYTES);
        gflops = fma > gflops ? fma : gflops;
        gbytes = read > gbytes ? read : gbytes;
        for (int i = 0; i < ROWS; i++) {
            const attn_kernel *kernel = workloads[i].kernel;
            probe_read(flush, FLUSH_BYTES);
            double start = now_ms();
            kernel->run(&calls[i].x, kernel->params, &calls[i].batch, &calls[i].io);
            ms[i][r] = now_ms() - start;
        }
    }
    printf("one core: %.1f GFLOP/s in registers, %.1f GB/s from memory\n", gflops, gbytes);
    int wrong = 0;
    for (int i = 0; i < ROWS; i++) {
        workloads[i].median_ms = median(ms[i], repetitions);
        wrong |= report(&workloads[i], gflops, gbytes);
        free_call(&calls[i]);
    }
    free(flush);
    return wrong;
}
