/* SPDX-License-Identifier: Apache-2.0
 * The static cache manager of one table: which block of each group holds which tokens of which
 * sequence. All memory is the caller's, taken once; no call allocates. Windows and chunks give
 * their blocks back as they pass, prefixes are shared by reference counts. Pages themselves are
 * never touched here, but by attn_cache_copy_pages.
 *
 * A step:  append to each of its sequences -> attn_cache_batch -> attn_step, attn_kv_write,
 *          attn_run -> attn_cache_finish. A sequence is a number below max_seqs that the caller
 *          chooses. Every call checks first and changes nothing unless it returns ATTN_OK.
 *
 * Reuse: blocks become free in finish, release and rewind, and are given out again by later
 * appends. Call these three when the step's work is done, or when all later work is ordered after
 * it.
 *
 * Within max_seqs, max_tokens and max_batch_tokens an append never runs out of blocks, unless the
 * deployment's max_cached_tokens promises less than max_seqs * max_tokens. Not thread-safe: one
 * thread at a time.
 */
#ifndef ATTN_CACHE_H
#define ATTN_CACHE_H

#include "attn/abi.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct attn_cache attn_cache;

/* Bytes for the manager of `table`, aligned to 8; 0 for a table that cannot be managed. */
size_t attn_cache_bytes(const attn_table *table);
/* Makes an empty manager in `memory`; *cache then points into it. */
attn_status attn_cache_init(attn_cache **cache, void *memory, size_t bytes,
                            const attn_table *table);

/* One piece of host memory for the pages of all operators, as the memory plan counts them: kv_bytes
   and state_bytes of the table, each operator's pages from a cache line on. */
size_t attn_cache_pool_bytes(const attn_table *table);
/* Shares `pool` (64-byte aligned) out: fills kv[0 .. operators) for attn_exec. */
attn_status attn_cache_bind(const attn_table *table, void *pool, size_t bytes, attn_kv *kv,
                            uint32_t n_kv);

/* An empty sequence; ATTN_E_CACHE when `sequence` is in use. */
attn_status attn_cache_begin(attn_cache *cache, uint32_t sequence);
/* Makes room for new tokens of the coming step, in all groups or none: ATTN_E_LIMIT beyond
   max_tokens or max_batch_tokens, ATTN_E_CACHE without blocks, ATTN_E_STEP between batch and
   finish. */
attn_status attn_cache_append(attn_cache *cache, uint32_t sequence, uint32_t tokens);
/* The same for rows of its source (cross attention): ATTN_E_LIMIT beyond max_source_tokens. */
attn_status attn_cache_append_source(attn_cache *cache, uint32_t sequence, uint32_t rows);
/* Takes back the last `tokens` of this step's new ones: drafts that were not accepted. */
attn_status attn_cache_rewind(attn_cache *cache, uint32_t sequence, uint32_t tokens);
/* Ends a sequence; its blocks are free unless others share them. */
attn_status attn_cache_release(attn_cache *cache, uint32_t sequence);

/* The batch of a step. `sequences` comes in any order and goes out in batch order: those that
   decode first, else as it was. Fills all of `batch` but size and fault; its arrays are the
   manager's image and stay as they are until the next attn_cache_batch. */
attn_status attn_cache_batch(attn_cache *cache, uint32_t *sequences, uint32_t n, attn_batch *batch);
/* The step is over: its tokens count as cached, and blocks that no later query sees are free. */
attn_status attn_cache_finish(attn_cache *cache);

/* All arrays of the batch (q_start, seq_len, src_start, src_len, block tables of all groups) as one
   piece of int32_t, whose layout never changes: one copy a step takes them to a device. */
const void *attn_cache_image(const attn_cache *cache, size_t *bytes);

/* A page that must be copied, for all operators of a group, before the next step's writes. */
typedef struct attn_cache_copy {
    uint32_t group;
    int32_t from, to; /* block ids */
} attn_cache_copy;

/* Makes `to` a sequence that begins with the first `tokens` cached tokens of `from` and its source.
   Whole blocks are shared; a last partial one, which both may still write, and a state are copied
   by the caller: `copies` has room for one in each group of the table, *n_copies says how many.
   ATTN_E_CACHE also when the window has left `tokens` behind. */
attn_status attn_cache_fork(attn_cache *cache, uint32_t from, uint32_t to, uint32_t tokens,
                            attn_cache_copy *copies, uint32_t *n_copies);
/* Does these copies in host memory; `kv` as in attn_exec. */
attn_status attn_cache_copy_pages(const attn_table *table, const attn_kv *kv, uint32_t n_kv,
                                  const attn_cache_copy *copies, uint32_t n_copies);

/* Tokens of a sequence, those of the coming step included; 0 when it is not in use. */
uint32_t attn_cache_length(const attn_cache *cache, uint32_t sequence);
uint32_t attn_cache_source_length(const attn_cache *cache, uint32_t sequence);
/* Blocks of a group that are free now. */
uint32_t attn_cache_free_blocks(const attn_cache *cache, uint32_t group);

#ifdef __cplusplus
}
#endif
#endif
