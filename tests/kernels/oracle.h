// SPDX-License-Identifier: Apache-2.0
// Attention in double precision, written from the definitions and sharing no code with the kernels:
// one sequence, dense keys and values, every key asked whether the row sees it. In: the true values
// (after rounding to their storage type). Out: rows and natural-log LSE without the sink logit.
#ifndef TESTS_KERNELS_ORACLE_H
#define TESTS_KERNELS_ORACLE_H

#include "attn/abi.h"
#include <stdbool.h>

struct oracle {
    const attn_params *p;
    int q_len, k_len; // new rows and keys of the sequence
    int position;     // of row 0; k_len - q_len but for encoder_only (0) and cross
    // [row][head][dim], [key][kv_head][dim], [sink][kv_head][dim]; the caller's
    const float *q, *k, *v, *sink_k, *sink_v;
    const float *sink_logits, *alibi_slopes; // [head], used when p says so
    const uint64_t *tree;                    // optional q_len rows of one word
    bool partial;                            // sink logits left out
};

// Whether row `row` sees key `key`.
bool oracle_visible(const struct oracle *o, int row, int key);

// out[row][head][v_head_dim], lse[row][head].
void oracle_run(const struct oracle *o, double *out, double *lse);

#endif
