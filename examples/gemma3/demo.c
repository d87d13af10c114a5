// SPDX-License-Identifier: Apache-2.0
// Gemma-3-1B's attention, end to end: both deployments of gemma3.attn run the same two sequences
// (prompts in chunks, then decode) through all 26 operators; every output is held against a
// double-precision oracle, and the two deployments against each other. Exit status 1 on any doubt.
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "engine.h"
#include "gemma3.h"
#include "gemma3_swapped.h"
#include "oracle.h"

// Kernels read bf16 and compute in f32: the result may differ from the oracle's by the rounding of
// the output (half an ulp, 2^-9 of it) and a little for the sums.
static const double RELATIVE = 0x1p-8, ABSOLUTE = 1e-4;

struct row { // of the header's GEMMA3_..._OPERATOR_ROWS: what was decided, for people
    const char *kind;
    int window;
    const char *backend[2], *decided_by[2];
};

#define ROW(op, model, layer, name, kind, window, prefill, prefill_by, decode, decode_by)          \
    {kind, window, {prefill, decode}, {prefill_by, decode_by}},
static const struct row gemma3_rows[] = {gemma3_OPERATOR_ROWS(ROW)};
static const struct row swapped_rows[] = {gemma3_swapped_OPERATOR_ROWS(ROW)};

struct deployment {
    const char *name;
    const attn_table *table;
    const struct row *rows;
    uint64_t kv_bytes, workspace_bytes, total_bytes;
    struct run run;
    double error[LAYERS]; // greatest difference from the oracle
    long beyond[LAYERS];  // outputs beyond the tolerance
};

// ---- which kernel ran: instances are compiled with -DATTN_TRACE and report here
static struct {
    const char *family;
    long runs[ATTN_CROSS_ATTENTION + 1]; // by kind
} trace[4];

void attn_trace(const attn_params *params, const char *instance, const char *family,
                uint64_t tiles);
void attn_trace(const attn_params *params, const char *instance, const char *family,
                uint64_t tiles) {
    (void)instance;
    (void)tiles;
    for (size_t i = 0; i < sizeof trace / sizeof *trace; i++) {
        if (!trace[i].family || strcmp(trace[i].family, family) == 0) {
            trace[i].family = family;
            trace[i].runs[params->kind]++;
            return;
        }
    }
}

static void print_trace(void) {
    printf("\nkernels that ran (counted by their trace hook)\n");
    for (size_t i = 0; i < sizeof trace / sizeof *trace && trace[i].family; i++) {
        printf("  %-10s full_attention %5ld   sliding_window %5ld\n", trace[i].family,
               trace[i].runs[ATTN_FULL_ATTENTION], trace[i].runs[ATTN_SLIDING_WINDOW]);
    }
    memset(trace, 0, sizeof trace);
}

// ---- checking
static void compare_row(struct deployment *d, int layer, int s, int p, const double *want) {
    const bf16 *got = d->run.out[layer][s] + (size_t)p * HEADS * DIM;
    double worst = 0;
    long beyond = 0;
    for (int i = 0; i < HEADS * DIM; i++) {
        double error = fabs((double)bf16_to_float(got[i]) - want[i]);
        worst = error > worst ? error : worst;
        beyond += !(error <= RELATIVE * fabs(want[i]) + ABSOLUTE); // a NaN is beyond, too
    }
#pragma omp critical
    {
        d->error[layer] = worst > d->error[layer] ? worst : d->error[layer];
        d->beyond[layer] += beyond;
    }
}

static void check_sequence(struct deployment *d, int n, int layer, int s) {
    int length = sequence_length(s);
    struct oracle_layer shape = {HEADS, KV_HEADS, DIM, d[0].rows[layer].window, 1.0 / 16};
    size_t kv_row = KV_HEADS * DIM;
    float *k = malloc((size_t)length * kv_row * sizeof *k);
    float *v = malloc((size_t)length * kv_row * sizeof *v);
    if (!k || !v) {
        fprintf(stderr, "demo: out of memory\n");
        exit(1);
    }
    for (int p = 0; p < length; p++) {
        tensor_row_float(TENSOR_K, layer, s, p, kv_row, k + (size_t)p * kv_row);
        tensor_row_float(TENSOR_V, layer, s, p, kv_row, v + (size_t)p * kv_row);
    }
#pragma omp parallel for schedule(dynamic, 16)
    for (int p = 0; p < length; p++) {
        float q[HEADS * DIM];
        double want[HEADS * DIM];
        tensor_row_float(TENSOR_Q, layer, s, p, HEADS * DIM, q);
        oracle_attention(&shape, p, q, k, v, want);
        for (int i = 0; i < n; i++) {
            compare_row(&d[i], layer, s, p, want);
        }
    }
    free(k);
    free(v);
}

static double difference(const struct run *a, const struct run *b) {
    double worst = 0;
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int s = 0; s < SEQUENCES; s++) {
            for (size_t i = 0; i < (size_t)sequence_length(s) * HEADS * DIM; i++) {
                double error = fabs((double)bf16_to_float(a->out[layer][s][i]) -
                                    (double)bf16_to_float(b->out[layer][s][i]));
                worst = error > worst ? error : worst;
            }
        }
    }
    return worst;
}

// ---- printing
static long print_deployment(const struct deployment *d) {
    long beyond = 0;
    printf("\n%s: layer map, greatest error against the oracle, time\n", d->name);
    printf("  layer  kind             keys  backend    decided by   max error  prefill ms  "
           "decode us\n");
    for (int layer = 0; layer < LAYERS; layer++) {
        const struct row *r = &d->rows[layer];
        char keys[16];
        snprintf(keys, sizeof keys, r->window ? "%d" : "all", r->window);
        printf("  %5d  %-15s  %4s  %-9s  %-10s  %10.2e  %10.2f  %9.1f%s\n", layer, r->kind, keys,
               r->backend[0], r->decided_by[0], d->error[layer],
               1e3 * d->run.seconds[layer][ATTN_PREFILL],
               1e6 * d->run.seconds[layer][ATTN_DECODE] / d->run.steps[ATTN_DECODE],
               d->beyond[layer] ? "  WRONG" : "");
        beyond += d->beyond[layer];
    }
    printf("  memory plan: KV cache %.2f MiB, workspace %.2f MiB, total %.2f MiB\n",
           (double)d->kv_bytes / 0x1p20, (double)d->workspace_bytes / 0x1p20,
           (double)d->total_bytes / 0x1p20);
    printf("  %d steps with prompt chunks, %d of decode alone; cache writes %.1f ms in all\n",
           d->run.steps[ATTN_PREFILL], d->run.steps[ATTN_DECODE], 1e3 * d->run.write_seconds);
    return beyond;
}

int main(void) {
    static struct deployment d[] = {
        {.name = "gemma3",
         .table = &gemma3,
         .rows = gemma3_rows,
         .kv_bytes = gemma3_KV_BYTES,
         .workspace_bytes = gemma3_WORKSPACE_BYTES,
         .total_bytes = gemma3_TOTAL_BYTES},
        {.name = "gemma3_swapped",
         .table = &gemma3_swapped,
         .rows = swapped_rows,
         .kv_bytes = gemma3_swapped_KV_BYTES,
         .workspace_bytes = gemma3_swapped_WORKSPACE_BYTES,
         .total_bytes = gemma3_swapped_TOTAL_BYTES},
    };
    enum { DEPLOYMENTS = sizeof d / sizeof *d, WORKERS = 2 };
    printf(
        "Gemma-3-1B attention: prompts of %d and %d tokens in chunks of %d and %d, then %d decode "
        "steps each\n",
        sequences[0].prompt, sequences[1].prompt, sequences[0].chunk, sequences[1].chunk,
        sequences[0].decode);
    long beyond = 0;
    for (int i = 0; i < DEPLOYMENTS; i++) {
        if (engine_run(d[i].table, WORKERS, &d[i].run) != ATTN_OK) {
            return 1;
        }
        printf("\n[%d/%d] %s ran", i + 1, DEPLOYMENTS, d[i].name);
        print_trace();
    }
    for (int layer = 0; layer < LAYERS; layer++) {
        for (int s = 0; s < SEQUENCES; s++) {
            check_sequence(d, DEPLOYMENTS, layer, s);
        }
    }
    for (int i = 0; i < DEPLOYMENTS; i++) {
        beyond += print_deployment(&d[i]);
    }
    printf("\nthe deployments differ by at most %.2e; ", difference(&d[0].run, &d[1].run));
    printf(beyond ? "%ld outputs are WRONG\n" : "every output agrees with the oracle\n", beyond);
    for (int i = 0; i < DEPLOYMENTS; i++) {
        engine_free(&d[i].run);
    }
    return beyond ? 1 : 0;
}
