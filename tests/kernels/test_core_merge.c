// SPDX-License-Identifier: Apache-2.0
// attn_merge against sums over all keys in double precision: uneven splits, empty parts, sink
// logits once, every output type, outputs on a part. In: scores and values. Out: TAP.
#include "attn/attn.h"
#include "attn/kernels/number.h"
#include "tests/tap.h"

#include <math.h>
#include <stdlib.h>

enum { ROWS = 3, HEADS = 2, DIM = 72, MOST_PARTS = 5 }; // DIM: more than a tile of the merge

// The keys of one row of one head: `keys` scores, values of DIM elements, from a small generator.
struct keys {
    int n;
    double *score, *value;
};

static double noise(uint32_t *state) {
    *state = *state * 1664525u + 1013904223u;
    return (double)(*state >> 8) / (1 << 24) * 2 - 1;
}

// Softmax over keys [begin, end) in double; with `sink` an extra column without value.
static double attend(const struct keys *k, int begin, int end, const float *sink, double *out) {
    double top = sink ? (double)*sink : -INFINITY, sum = 0;
    for (int j = begin; j < end; j++) {
        top = fmax(top, k->score[j]);
    }
    for (int d = 0; d < DIM; d++) {
        out[d] = 0;
    }
    for (int j = begin; j < end; j++) {
        double w = exp(k->score[j] - top);
        sum += w;
        for (int d = 0; d < DIM; d++) {
            out[d] += w * k->value[j * DIM + d];
        }
    }
    double lse = begin < end ? top + log(sum) : -INFINITY;
    double all = sum + (sink ? exp(*sink - top) : 0);
    for (int d = 0; d < DIM && begin < end; d++) {
        out[d] /= all;
    }
    return lse;
}

struct parts {
    struct keys keys[ROWS][HEADS];
    float out[MOST_PARTS][ROWS][HEADS][DIM], lse[MOST_PARTS][ROWS][HEADS];
    attn_partial partial[MOST_PARTS];
    attn_merge_args args;
    float merged[ROWS][HEADS][DIM], merged_lse[ROWS][HEADS];
};

// Splits each row's keys into parts of these sizes and attends to each.
static void split(struct parts *p, const int *size, uint32_t n) {
    int total = 0;
    for (uint32_t i = 0; i < n; i++) {
        total += size[i];
    }
    memset(p, 0, sizeof *p);
    uint32_t state = 5;
    for (int row = 0; row < ROWS * HEADS; row++) {
        struct keys *k = &p->keys[row / HEADS][row % HEADS];
        k->n = total;
        k->score = malloc(sizeof(double) * ((size_t)total + 1));
        k->value = malloc(sizeof(double) * ((size_t)total + 1) * DIM);
        for (int j = 0; j < total; j++) {
            k->score[j] = 8 * noise(&state);
            for (int d = 0; d < DIM; d++) {
                k->value[j * DIM + d] = noise(&state) + row;
            }
        }
        int begin = 0;
        for (uint32_t i = 0; i < n; begin += size[i++]) {
            double out[DIM];
            double lse = attend(k, begin, begin + size[i], NULL, out);
            p->lse[i][row / HEADS][row % HEADS] = (float)lse;
            for (int d = 0; d < DIM; d++) {
                // what stands in an empty part is nobody's business
                p->out[i][row / HEADS][row % HEADS][d] = size[i] ? (float)out[d] : NAN;
            }
        }
    }
    for (uint32_t i = 0; i < n; i++) {
        p->partial[i] = (attn_partial){p->out[i][0][0], HEADS * DIM, DIM, p->lse[i][0], HEADS};
    }
    p->args = (attn_merge_args){.size = sizeof(attn_merge_args),
                                .rows = ROWS,
                                .heads = HEADS,
                                .dim = DIM,
                                .partials = p->partial,
                                .n_partials = n,
                                .out = p->merged,
                                .out_token_stride = HEADS * DIM,
                                .out_head_stride = DIM,
                                .lse = p->merged_lse[0],
                                .lse_token_stride = HEADS};
}

static void release(struct parts *p) {
    for (int row = 0; row < ROWS * HEADS; row++) {
        free(p->keys[row / HEADS][row % HEADS].score);
        free(p->keys[row / HEADS][row % HEADS].value);
    }
}

// Largest error of output and LSE against attention to all keys at once.
static double worst(const struct parts *p, const float *sinks) {
    double error = 0;
    for (int r = 0; r < ROWS; r++) {
        for (int h = 0; h < HEADS; h++) {
            double want[DIM];
            const struct keys *k = &p->keys[r][h];
            attend(k, 0, k->n, sinks ? &sinks[h] : NULL, want);
            double plain[DIM];
            double lse = attend(k, 0, k->n, NULL, plain);
            for (int d = 0; d < DIM; d++) {
                double e = fabs(p->merged[r][h][d] - want[d]);
                error = e <= error ? error : e; // NaN stays
            }
            double e = p->merged_lse[r][h] == lse ? 0 : fabs(p->merged_lse[r][h] - lse);
            error = e <= error ? error : e;
        }
    }
    return error;
}

static void test_split(const char *rule, const int *size, uint32_t n, const float *sinks) {
    static struct parts p;
    split(&p, size, n);
    p.args.sink_logits = sinks;
    is_int(attn_merge(&p.args), ATTN_OK, rule);
    double error = worst(&p, sinks);
    ok(error < 2e-5, "%s: equals attention to all keys", rule);
    diag("worst error %.2g", error);
    release(&p);
}

// LSEs far beyond what exp can hold.
static void test_far_apart(void) {
    float one[2] = {1, 2}, two[2] = {3, 4}, lse_one = 3e4f, lse_two = -3e4f, out[2], lse;
    attn_partial partial[] = {{one, 2, 2, &lse_one, 1}, {two, 2, 2, &lse_two, 1}};
    float sink = 0;
    attn_merge_args a = {.size = sizeof a,
                         .rows = 1,
                         .heads = 1,
                         .dim = 2,
                         .partials = partial,
                         .n_partials = 2,
                         .out = out,
                         .lse = &lse,
                         .sink_logits = &sink};
    is_int(attn_merge(&a), ATTN_OK, "LSEs of 30000 and -30000");
    ok(out[0] == 1 && out[1] == 2 && lse == 3e4f, "the greater one is all");
    sink = 4e4f;
    is_int(attn_merge(&a), ATTN_OK, "a sink logit far above both");
    ok(out[0] == 0 && out[1] == 0 && lse == 3e4f, "takes all weight and leaves the LSE alone");
    sink = -INFINITY;
    is_int(attn_merge(&a), ATTN_OK, "a sink logit of -inf");
    ok(out[0] == 1 && out[1] == 2, "is none");
}

static void test_types(void) {
    static struct parts p;
    const int size[] = {10, 5};
    split(&p, size, 2);
    is_int(attn_merge(&p.args), ATTN_OK, "a merge to f32");
    static uint16_t narrow[ROWS][HEADS][DIM];
    p.args.out = narrow;
    p.args.lse = NULL;
    for (uint32_t dtype = ATTN_BF16; dtype <= ATTN_F16; dtype++) {
        p.args.out_dtype = (attn_dtype)dtype;
        is_int(attn_merge(&p.args), ATTN_OK, "a merge to a narrow type, without LSE");
        const float *wide = (const float *)(const void *)p.merged;
        const uint16_t *got = (const uint16_t *)(const void *)narrow;
        bool same = true;
        for (int i = 0; i < ROWS * HEADS * DIM; i++) {
            float f = wide[i];
            uint16_t want = dtype == ATTN_BF16 ? attn_to_bf16(f) : attn_to_f16(f);
            same = same && got[i] == want;
        }
        ok(same, "is the f32 result, rounded");
    }
    release(&p);
}

static void test_in_place(void) {
    static struct parts p, q;
    const int size[] = {7, 0, 30};
    split(&p, size, 3);
    is_int(attn_merge(&p.args), ATTN_OK, "a merge to memory of its own");
    split(&q, size, 3);
    q.args.out = q.out[2];
    q.args.lse = q.lse[2][0];
    is_int(attn_merge(&q.args), ATTN_OK, "the same onto its last part");
    ok(memcmp(p.merged, q.out[2], sizeof p.merged) == 0, "the same output");
    ok(memcmp(p.merged_lse, q.lse[2], sizeof p.merged_lse) == 0, "the same LSE");
    release(&p);
    release(&q);
}

static struct parts *fresh(void) {
    static struct parts p;
    static const int size[] = {2, 3};
    release(&p);
    split(&p, size, 2);
    memset(p.merged, 0x5a, sizeof p.merged);
    memset(p.merged_lse, 0x5a, sizeof p.merged_lse);
    return &p;
}

#define REFUSED(rule, status, action)                                                              \
    do {                                                                                           \
        struct parts *p = fresh();                                                                 \
        action;                                                                                    \
        is_int(attn_merge(&p->args), status, rule);                                                \
        unsigned char *byte = (unsigned char *)p->merged;                                          \
        bool kept = true;                                                                          \
        for (size_t i = 0; i < sizeof p->merged; i++) {                                            \
            kept = kept && byte[i] == 0x5a;                                                        \
        }                                                                                          \
        ok(kept, "%s: out is untouched", rule);                                                    \
    } while (0)

static void test_refusals(void) {
    is_int(attn_merge(NULL), ATTN_E_NULL, "no arguments");
    REFUSED("another size", ATTN_E_SIZE, p->args.size = 0);
    REFUSED("no out", ATTN_E_NULL, p->args.out = NULL);
    REFUSED("no partials", ATTN_E_NULL, p->args.partials = NULL);
    REFUSED("a partial without out", ATTN_E_NULL, p->partial[1].out = NULL);
    REFUSED("a partial without LSE", ATTN_E_NULL, p->partial[1].lse = NULL);
    REFUSED("an fp8 output", ATTN_E_KIND, p->args.out_dtype = ATTN_FP8_E4M3);
    REFUSED("an odd out", ATTN_E_ALIGN, p->args.out = (char *)p->merged + 2);
    REFUSED("an odd LSE", ATTN_E_ALIGN, p->partial[0].lse = (void *)((char *)p->lse + 1));
    REFUSED("rows that meet", ATTN_E_STRIDE, p->args.out_token_stride = HEADS * DIM - 1);
    REFUSED("heads that meet", ATTN_E_STRIDE, p->args.out_head_stride = DIM - 1);
    REFUSED("LSE rows that meet", ATTN_E_STRIDE, p->args.lse_token_stride = HEADS - 1);
    REFUSED("a negative stride", ATTN_E_STRIDE, p->partial[0].token_stride = -1);
    REFUSED("a stride beyond pointers", ATTN_E_STRIDE, p->partial[0].token_stride = INT64_MAX / 2);
    release(fresh());
}

int main(void) {
    static const float sinks[HEADS] = {0.5f, 6.0f};
    test_split("one part", (const int[]){40}, 1, NULL);
    test_split("3072 + 64 keys", (const int[]){3072, 64}, 2, NULL);
    test_split("3072 + 64 keys, sinks once", (const int[]){3072, 64}, 2, sinks);
    test_split("five uneven parts", (const int[]){1, 0, 17, 250, 3}, 5, sinks);
    test_split("an empty first part", (const int[]){0, 9}, 2, NULL);
    test_split("two empty parts", (const int[]){0, 0}, 2, NULL);
    test_split("two empty parts and a sink", (const int[]){0, 0}, 2, sinks);
    test_split("no parts at all", (const int[]){0}, 0, sinks);
    test_far_apart();
    test_types();
    test_in_place();
    test_refusals();
    return done_testing();
}
