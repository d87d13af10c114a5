// SPDX-License-Identifier: Apache-2.0
// The cache manager's state. Each sequence holds one run of blocks [begin, end) in each group;
// block b stands in column b mod cols of its row. A block is free (on the stack, no references) or
// counted once for each sequence that holds it. The last block of a sequence, while it is partial,
// is never shared, so what an append writes belongs to one sequence.
#ifndef ATTN_CORE_CACHE_STATE_H
#define ATTN_CORE_CACHE_STATE_H

#include "attn/cache.h"
#include "runtime/core/table.h"

#define CACHE_NO_PLACE UINT32_MAX

typedef struct cache_run {
    uint32_t begin, end;
} cache_run;

typedef struct cache_group {
    const attn_group *plan;
    uint32_t cols;
    uint32_t n_free;
    int32_t *free;   // [blocks] a stack of ids
    uint32_t *refs;  // [blocks]
    int32_t *rows;   // [max_seqs][cols]
    cache_run *runs; // [max_seqs]
    int32_t *image;  // [max_seqs][cols], in batch order
} cache_group;

typedef struct cache_sequence {
    uint32_t used;
    uint32_t length, cached; // tokens with and without the coming step's
    uint32_t source, source_cached;
    uint32_t place; // in the batch, or CACHE_NO_PLACE
} cache_sequence;

struct attn_cache {
    const attn_table *table;
    const attn_header *header;
    uint32_t fresh;    // new tokens of all sequences: at most max_batch_tokens
    uint32_t in_batch; // sequences of the step that is under way
    uint32_t stepping; // between attn_cache_batch and attn_cache_finish
    uint32_t has_source;
    size_t image_bytes;
    cache_group *groups;                              // [n_groups]
    cache_sequence *sequences;                        // [max_seqs]
    uint32_t *order;                                  // [max_seqs] sequences of the batch
    attn_block_table *tables;                         // [n_groups]
    int32_t *q_start, *seq_len, *src_start, *src_len; // the image begins with them
};

static inline bool cache_in_use(const attn_cache *cache, uint32_t sequence) {
    return cache && sequence < cache->header->max_seqs && cache->sequences[sequence].used;
}

// Tokens (or source rows) of a sequence that count in this group.
static inline uint32_t cache_length_in(const cache_group *g, const cache_sequence *s) {
    return g->plan->source ? s->source : s->length;
}

static inline int32_t *cache_column(const cache_group *g, uint32_t sequence, uint32_t block) {
    return &g->rows[(size_t)sequence * g->cols + block % g->cols];
}

// First block that a query at `position` or later still reads.
uint32_t attn_cache_first_block(const cache_group *g, uint32_t position);
// Lengthens the sequence's run to `end` blocks; there must be enough free ones.
void attn_cache_take_blocks(cache_group *g, uint32_t sequence, uint32_t end);
// Gives back the blocks of the sequence outside [begin, end).
void attn_cache_keep_blocks(cache_group *g, uint32_t sequence, uint32_t begin, uint32_t end);

#endif
