// SPDX-License-Identifier: Apache-2.0
// A small world around a kernel: a ragged batch, its tensors with padded strides, and a page pool
// in which every slot that no row sees is NaN, block ids are shuffled and unused columns of the
// block table are garbage. world_new draws random values, the test may change them, world_seal
// rounds and stores them, world_run calls a kernel as the runtime would, world_check compares with
// the oracle.
#ifndef TESTS_KERNELS_WORLD_H
#define TESTS_KERNELS_WORLD_H

#include "attn/abi.h"
#include <stdbool.h>

enum { WORLD_MAX_SEQS = 8, WORLD_LEAD = 3 }; // rows of earlier sequences that no call may touch

struct world {
    const attn_params *p;
    uint32_t n;
    int q_len[WORLD_MAX_SEQS], k_len[WORLD_MAX_SEQS];
    // true values, ragged over the sequences: [token][head][dim], [key][kv_head][dim]
    float *q, *k, *v, *sink_k, *sink_v, *sink_logits, *alibi_slopes;
    uint64_t *tree; // NULL, or one word for each token
    bool partial, no_lse;
    uint32_t workers; // tasks that take turns; 1 as made
    float k_scale, v_scale;
    uint32_t cols;    // columns of the block table; 0 as made: enough for every block
    bool all_written; // world_seal stores every key, seen or not
    double poison;    // what stands in every other slot; NaN as made

    // made by world_seal
    int32_t q_start[WORLD_MAX_SEQS + 1], seq_len[WORLD_MAX_SEQS], src_len[WORLD_MAX_SEQS];
    void *q_mem, *out_mem, *k_mem, *v_mem, *sink_k_mem, *sink_v_mem;
    size_t out_bytes;
    float *lse;
    char *pool;
    size_t pool_bytes;
    int32_t *table;
    attn_io io;
    attn_batch batch;
    uint64_t *tree_mem;
    double *want, *want_lse; // world_check's, [token][head][v_head_dim] and [token][head]
};

void world_new(struct world *w, const attn_params *p, uint32_t n, const int *q_len,
               const int *k_len, uint32_t seed);
void world_seal(struct world *w);
void world_free(struct world *w);

// Runs `run` with `workspace` bytes a worker (poisoned), outputs poisoned before.
attn_status world_run(struct world *w, attn_kernel_fn *run, uint64_t workspace);
// Element of the output of the last run, and its LSE.
double world_out(const struct world *w, int token, uint32_t head, uint32_t d);
double world_lse(const struct world *w, int token, uint32_t head);
// Greatest error over its tolerance against the oracle, 1 is the limit; also 1e30 when a byte
// beside the rows was touched or the LSE is not as it must be. Where the oracle has NaN, so must
// the output.
double world_error(struct world *w);
// First token of a sequence in world_out's count, tokens of the whole batch.
int world_first(const struct world *w, uint32_t sequence);

// All q 0, K 0 and value element d of key j equal to j + base.
void world_ramp(struct world *w, float base);

// The nearest value of `dtype` (saturating for fp8), by arithmetic alone.
double world_round(double x, uint32_t dtype);
uint32_t world_bytes(uint32_t dtype);
void world_put(void *array, size_t i, uint32_t dtype, double x);
double world_get(const void *array, size_t i, uint32_t dtype);
// Byte offset in a page of K (is_v 0) or V element d.
size_t world_offset(const attn_params *p, bool is_v, uint32_t head, uint32_t slot, uint32_t d);
uint64_t world_page_bytes(const attn_params *p);

#endif
