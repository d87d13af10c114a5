// SPDX-License-Identifier: Apache-2.0
// A minimal engine around one attnc table: page pools, cache manager, workspace, and a schedule
// that feeds prompts in chunks and then decodes token by token, all sequences in one ragged batch.
#ifndef ENGINE_H
#define ENGINE_H

#include "attn/abi.h"

#include "tensors.h"

enum { SEQUENCES = 2, LAYERS = 26, HEADS = 4, KV_HEADS = 1, DIM = 256 };

struct sequence {
    int prompt, chunk, decode; // tokens: prompt, at most so many a step, then one a step
};
extern const struct sequence sequences[SEQUENCES];
int sequence_length(int s);

struct run {
    bf16 *out[LAYERS][SEQUENCES]; // [position][head][dim]
    double seconds[LAYERS][2];    // attention, by attn_phase; mixed steps count as prefill
    int steps[2];
    double write_seconds;
    size_t workspace_bytes;
};

// Runs the whole schedule through all operators; prints and returns a status that is not ATTN_OK.
attn_status engine_run(const attn_table *table, uint32_t workers, struct run *run);
void engine_free(struct run *run);

#endif
