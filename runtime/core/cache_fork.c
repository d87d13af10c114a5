// SPDX-License-Identifier: Apache-2.0
// Shared prefixes. In: a sequence and how many of its cached tokens a new one begins with. Out: the
// new sequence, and the pages that the caller copies: in each group the last block when it is
// partial, since both sequences may write it, and a state. Every other block is shared.
#include "runtime/core/cache_state.h"

// What a fork at `tokens` means in one group: blocks [begin, end) are held, the last one a copy.
typedef struct cache_cut {
    cache_run run;
    bool copies_last;
} cache_cut;

static cache_cut cut_of(const cache_group *g, const cache_sequence *from, uint32_t tokens) {
    uint32_t length = g->plan->source ? from->source_cached : tokens;
    cache_cut cut = {{attn_cache_first_block(g, length), attn_group_blocks(g->plan, length)},
                     false};
    bool state = g->plan->layout == ATTN_LAYOUT_STATE;
    cut.copies_last = length > 0 && (state || length % g->plan->block_size != 0);
    return cut;
}

// Whether `from` still has what the fork needs: the window may have passed it, a state cannot be
// had of an earlier token.
static bool can_cut(const cache_group *g, uint32_t from, const cache_sequence *s,
                    const cache_cut *cut, uint32_t tokens) {
    if (g->plan->layout == ATTN_LAYOUT_STATE && tokens != s->length) {
        return false;
    }
    return cut->run.begin == cut->run.end || cut->run.begin >= g->runs[from].begin;
}

static void share(cache_group *g, uint32_t from, uint32_t to, const cache_cut *cut) {
    uint32_t shared = cut->run.end - cut->copies_last;
    for (uint32_t block = cut->run.begin; block < shared; block++) {
        int32_t id = *cache_column(g, from, block);
        *cache_column(g, to, block) = id;
        g->refs[id]++;
    }
    g->runs[to] = (cache_run){cut->run.begin, shared};
    attn_cache_take_blocks(g, to, cut->run.end);
}

static attn_status check_fork(const attn_cache *cache, uint32_t from, uint32_t to, uint32_t tokens,
                              const attn_cache_copy *copies) {
    if (cache->stepping) {
        return ATTN_E_STEP;
    }
    if (to >= cache->header->max_seqs) {
        return ATTN_E_LIMIT;
    }
    if (!cache_in_use(cache, from) || cache->sequences[to].used) {
        return ATTN_E_CACHE;
    }
    const cache_sequence *s = &cache->sequences[from];
    if (tokens > s->cached) {
        return ATTN_E_LENGTH;
    }
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        const cache_group *g = &cache->groups[i];
        cache_cut cut = cut_of(g, s, tokens);
        if (cut.copies_last && !copies) {
            return ATTN_E_NULL;
        }
        if (!can_cut(g, from, s, &cut, tokens) || (cut.copies_last && g->n_free == 0)) {
            return ATTN_E_CACHE;
        }
    }
    return ATTN_OK;
}

attn_status attn_cache_fork(attn_cache *cache, uint32_t from, uint32_t to, uint32_t tokens,
                            attn_cache_copy *copies, uint32_t *n_copies) {
    if (!cache || !n_copies) {
        return ATTN_E_NULL;
    }
    attn_status status = check_fork(cache, from, to, tokens, copies);
    if (status != ATTN_OK) {
        return status;
    }
    const cache_sequence *s = &cache->sequences[from];
    *n_copies = 0;
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        cache_group *g = &cache->groups[i];
        cache_cut cut = cut_of(g, s, tokens);
        share(g, from, to, &cut);
        if (cut.copies_last) {
            uint32_t last = cut.run.end - 1;
            copies[(*n_copies)++] =
                (attn_cache_copy){i, *cache_column(g, from, last), *cache_column(g, to, last)};
        }
    }
    cache->sequences[to] = (cache_sequence){.used = 1,
                                            .length = tokens,
                                            .cached = tokens,
                                            .source = s->source_cached,
                                            .source_cached = s->source_cached,
                                            .place = CACHE_NO_PLACE};
    return ATTN_OK;
}
