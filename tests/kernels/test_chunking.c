// SPDX-License-Identifier: Apache-2.0
// One prompt, computed at once, in chunks of every kind, token by token, among other sequences and
// by several workers: the same within tolerance, and the same bits from deterministic instances and
// from cpu_ref. Tree masks stand here too, since only drafts have them.
#include "attn/kernels/cpu.h"
#include "attn/kernels/sizes.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define ATTN_INSTANCE det_full
#define ATTN_DETERMINISTIC 1
#define ATTN_HEADS 6
#define ATTN_KV_HEADS 2
#define ATTN_HEAD_DIM 40
#define ATTN_V_HEAD_DIM 24
#define ATTN_SINK_LOGITS 1
#define ATTN_SOFTCAP 4.0f
#include "tests/kernels/instance.inc"

#define ATTN_INSTANCE det_window
#define ATTN_DETERMINISTIC 1
#define ATTN_KIND ATTN_SLIDING_WINDOW
#define ATTN_WINDOW_LEFT 70
#define ATTN_HEADS 4
#define ATTN_HEAD_DIM 64
#define ATTN_KV_DTYPE ATTN_BF16
#define ATTN_ISA 3
#include "tests/kernels/instance.inc"

#define ATTN_INSTANCE det_chunk
#define ATTN_DETERMINISTIC 1
#define ATTN_KIND ATTN_CHUNKED_LOCAL_ATTENTION
#define ATTN_CHUNK 90
#define ATTN_BLOCK_SIZE 10
#define ATTN_ALIBI 1
#define ATTN_HEAD_DIM 64
#define ATTN_ISA 4
#include "tests/kernels/instance.inc"

#define ATTN_INSTANCE det_sink
#define ATTN_DETERMINISTIC 1
#define ATTN_KIND ATTN_SINK_FULL_ATTENTION
#define ATTN_SINK_TOKENS 5
#define ATTN_LAYOUT ATTN_LAYOUT_HND_PAIR
#define ATTN_KV_DTYPE ATTN_F16
#include "tests/kernels/instance.inc"

#define ATTN_INSTANCE free_full
#define ATTN_HEADS 4
#define ATTN_HEAD_DIM 64
#include "tests/kernels/instance.inc"

enum { PROMPT = 230 };

static bool processor_has(uint32_t caps) {
#if defined(__x86_64__)
    return (!(caps & ATTN_CAP_X86_64_V3) || __builtin_cpu_supports("avx2")) &&
           (!(caps & ATTN_CAP_X86_64_V4) || __builtin_cpu_supports("avx512bw"));
#else
    return caps == 0;
#endif
}

// Rows [from, to) of the prompt as their own step, beside `others` sequences of another length.
static void make_chunk(struct world *w, const struct world *whole, int from, int to, int others) {
    const attn_params *p = whole->p;
    int q_len[4] = {1, 20, to - from, 3}, k_len[4] = {300, 20, to, 90};
    int first = others ? 2 : 0;
    world_new(w, p, others ? 4 : 1, others ? q_len : q_len + 2, others ? k_len : k_len + 2, 77);
    size_t q_row = (size_t)p->heads * p->head_dim;
    size_t k_row = (size_t)p->kv_heads * p->head_dim, v_row = (size_t)p->kv_heads * p->v_head_dim;
    size_t key = first ? 320 : 0;
    memcpy(w->q + (size_t)world_first(w, (uint32_t)first) * q_row, whole->q + (size_t)from * q_row,
           (size_t)(to - from) * q_row * sizeof(float));
    memcpy(w->k + key * k_row, whole->k, (size_t)to * k_row * sizeof(float));
    memcpy(w->v + key * v_row, whole->v, (size_t)to * v_row * sizeof(float));
    memcpy(w->sink_k, whole->sink_k, p->sink_tokens * k_row * sizeof(float));
    memcpy(w->sink_v, whole->sink_v, p->sink_tokens * v_row * sizeof(float));
    memcpy(w->sink_logits, whole->sink_logits, p->heads * sizeof(float));
    memcpy(w->alibi_slopes, whole->alibi_slopes, p->heads * sizeof(float));
    world_seal(w);
}

struct outcome {
    bool within; // every chunk agrees with the oracle
    bool same;   // every row has the bits of the whole prompt's
};

static struct outcome run_chunks(const struct world *whole, attn_kernel_fn *run, uint64_t workspace,
                                 int size, int others, uint32_t workers) {
    struct outcome result = {true, true};
    const attn_params *p = whole->p;
    for (int from = 0; from < PROMPT; from += size) {
        int to = from + size < PROMPT ? from + size : PROMPT;
        struct world w;
        make_chunk(&w, whole, from, to, others);
        w.workers = workers;
        result.within &= world_run(&w, run, workspace) == ATTN_OK && world_error(&w) <= 1;
        int first = world_first(&w, others ? 2 : 0);
        for (int t = from; t < to; t++) {
            for (uint32_t i = 0; i < p->heads * p->v_head_dim; i++) {
                uint32_t head = i / p->v_head_dim, d = i % p->v_head_dim;
                double a = world_out(whole, t, head, d),
                       b = world_out(&w, first + t - from, head, d);
                result.same &= memcmp(&a, &b, sizeof a) == 0;
            }
        }
        world_free(&w);
    }
    return result;
}

static void chunkings(const attn_kernel *kernel, const char *name, bool reference, bool bitwise) {
    if (!reference && !processor_has(kernel->caps)) {
        skip("this processor lacks its instructions", name);
        return;
    }
    attn_kernel_fn *run = reference ? attn_cpu_ref : kernel->run;
    uint64_t workspace =
        reference ? ATTN_CPU_REF_WORKSPACE(0, kernel->params->v_head_dim) : kernel->workspace;
    struct world whole;
    int prompt = PROMPT;
    world_new(&whole, kernel->params, 1, &prompt, &prompt, 5);
    world_seal(&whole);
    bool within = world_run(&whole, run, workspace) == ATTN_OK && world_error(&whole) <= 1;
    bool same = true;
    static const struct {
        int size, others;
        uint32_t workers;
    } ways[] = {{1, 0, 3}, {7, 0, 1}, {64, 1, 2}, {100, 0, 1}, {PROMPT, 1, 4}};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct outcome o =
            run_chunks(&whole, run, workspace, ways[i].size, ways[i].others, ways[i].workers);
        within &= o.within;
        same &= o.same;
    }
    ok(within, "%s: decode, chunks and one shot agree with the oracle", name);
    if (bitwise) {
        ok(same, "%s: decode, chunks and one shot have the same bits", name);
    }
    world_free(&whole);
}

static void tree(const attn_kernel *kernel, const char *name, bool reference) {
    if (!reference && !processor_has(kernel->caps)) {
        skip("this processor lacks its instructions", name);
        return;
    }
    struct world w;
    int q_len[] = {6, 1, 40}, k_len[] = {90, 33, 100};
    world_new(&w, kernel->params, 3, q_len, k_len, 8);
    w.tree = malloc(47 * sizeof *w.tree);
    for (int t = 0; t < 47; t++) { // each draft sees itself and some that came before
        int row = t < 6 ? t : t < 7 ? 0 : t - 7;
        w.tree[t] = (UINT64_C(0x9e3779b97f4a7c15) >> t % 20 & ((UINT64_C(1) << row) - 1)) |
                    UINT64_C(1) << row;
    }
    w.all_written = true;
    world_seal(&w);
    attn_status status =
        reference
            ? world_run(&w, attn_cpu_ref, ATTN_CPU_REF_WORKSPACE(0, kernel->params->v_head_dim))
            : world_run(&w, kernel->run, kernel->workspace);
    ok(status == ATTN_OK && world_error(&w) <= 1, "%s: a tree mask hides other branches", name);
    world_free(&w);
}

int main(void) {
    static const struct {
        const attn_kernel *kernel;
        const char *name;
        bool reference, bitwise;
    } rows[] = {{&det_full, "cpu_ref full", true, true},
                {&det_full, "cpu_flash full", false, true},
                {&det_window, "cpu_flash window", false, true},
                {&det_chunk, "cpu_flash chunk", false, true},
                {&det_sink, "cpu_flash sink rows", false, true},
                {&free_full, "cpu_flash, not deterministic", false, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        chunkings(rows[i].kernel, rows[i].name, rows[i].reference, rows[i].bitwise);
        tree(rows[i].kernel, rows[i].name, rows[i].reference);
    }
    return done_testing();
}
