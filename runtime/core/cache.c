// SPDX-License-Identifier: Apache-2.0
// The cache manager's sequences: begin, append, rewind, finish, release. In: sequence numbers and
// counts. Out: runs of blocks in every group. All groups are asked before any is changed; blocks
// below everything that a later query sees go back when a step is finished, not before.
#include "runtime/core/cache_state.h"

#include "attn/span.h"

uint32_t attn_cache_first_block(const cache_group *g, uint32_t position) {
    const attn_group *plan = g->plan;
    if (plan->source || plan->layout == ATTN_LAYOUT_STATE) {
        return 0;
    }
    int32_t p = (int32_t)position;
    return (uint32_t)attn_span_of(p, INT32_MAX, plan->window_left, 0, plan->chunk).lo /
           plan->block_size;
}

void attn_cache_take_blocks(cache_group *g, uint32_t sequence, uint32_t end) {
    cache_run *run = &g->runs[sequence];
    for (; run->end < end; run->end++) {
        int32_t id = g->free[--g->n_free];
        g->refs[id] = 1;
        *cache_column(g, sequence, run->end) = id;
    }
}

static void drop(cache_group *g, uint32_t sequence, uint32_t block) {
    int32_t id = *cache_column(g, sequence, block);
    if (--g->refs[id] == 0) {
        g->free[g->n_free++] = id;
    }
}

void attn_cache_keep_blocks(cache_group *g, uint32_t sequence, uint32_t begin, uint32_t end) {
    cache_run *run = &g->runs[sequence];
    while (run->begin < run->end && run->begin < begin) {
        drop(g, sequence, run->begin++);
    }
    while (run->end > run->begin && run->end > end) {
        drop(g, sequence, --run->end);
    }
}

attn_status attn_cache_begin(attn_cache *cache, uint32_t sequence) {
    if (!cache) {
        return ATTN_E_NULL;
    }
    if (sequence >= cache->header->max_seqs) {
        return ATTN_E_LIMIT;
    }
    if (cache->sequences[sequence].used) {
        return ATTN_E_CACHE;
    }
    cache->sequences[sequence] = (cache_sequence){.used = 1, .place = CACHE_NO_PLACE};
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        cache->groups[i].runs[sequence] = (cache_run){0, 0};
    }
    return ATTN_OK;
}

// Room for `length` tokens (or source rows) of one sequence in all groups of that sort, or in none.
static attn_status grow(attn_cache *cache, uint32_t sequence, bool source, uint64_t length) {
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        const cache_group *g = &cache->groups[i];
        if ((bool)g->plan->source != source) {
            continue;
        }
        if (length > g->plan->max_length) {
            return ATTN_E_LIMIT;
        }
        uint32_t end = attn_group_blocks(g->plan, (uint32_t)length);
        uint32_t held = g->runs[sequence].end;
        if (end > held && end - held > g->n_free) {
            return ATTN_E_CACHE;
        }
    }
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        cache_group *g = &cache->groups[i];
        if ((bool)g->plan->source == source) {
            attn_cache_take_blocks(g, sequence, attn_group_blocks(g->plan, (uint32_t)length));
        }
    }
    return ATTN_OK;
}

static attn_status check_open(const attn_cache *cache, uint32_t sequence) {
    if (!cache) {
        return ATTN_E_NULL;
    }
    if (cache->stepping) {
        return ATTN_E_STEP;
    }
    return cache_in_use(cache, sequence) ? ATTN_OK : ATTN_E_CACHE;
}

attn_status attn_cache_append(attn_cache *cache, uint32_t sequence, uint32_t tokens) {
    attn_status status = check_open(cache, sequence);
    if (status != ATTN_OK) {
        return status;
    }
    cache_sequence *s = &cache->sequences[sequence];
    uint64_t length = (uint64_t)s->length + tokens;
    if (tokens > cache->header->max_batch_tokens - cache->fresh ||
        length > cache->header->max_tokens) {
        return ATTN_E_LIMIT;
    }
    status = grow(cache, sequence, false, length);
    if (status == ATTN_OK) {
        s->length = (uint32_t)length;
        cache->fresh += tokens;
    }
    return status;
}

attn_status attn_cache_append_source(attn_cache *cache, uint32_t sequence, uint32_t rows) {
    attn_status status = check_open(cache, sequence);
    if (status != ATTN_OK) {
        return status;
    }
    cache_sequence *s = &cache->sequences[sequence];
    uint64_t length = (uint64_t)s->source + rows;
    if (length > cache->header->max_source_tokens) {
        return ATTN_E_LIMIT;
    }
    status = grow(cache, sequence, true, length);
    if (status == ATTN_OK) {
        s->source = (uint32_t)length;
    }
    return status;
}

attn_status attn_cache_rewind(attn_cache *cache, uint32_t sequence, uint32_t tokens) {
    if (!cache) {
        return ATTN_E_NULL;
    }
    if (!cache_in_use(cache, sequence)) {
        return ATTN_E_CACHE;
    }
    cache_sequence *s = &cache->sequences[sequence];
    if (tokens > s->length - s->cached) {
        return ATTN_E_LENGTH;
    }
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        // A recurrent state cannot go back once a step has run over it.
        if (cache->groups[i].plan->layout == ATTN_LAYOUT_STATE && tokens > 0 &&
            s->place != CACHE_NO_PLACE) {
            return ATTN_E_CACHE;
        }
    }
    s->length -= tokens;
    cache->fresh -= tokens;
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        cache_group *g = &cache->groups[i];
        if (!g->plan->source) {
            attn_cache_keep_blocks(g, sequence, 0, attn_group_blocks(g->plan, s->length));
        }
    }
    return ATTN_OK;
}

attn_status attn_cache_release(attn_cache *cache, uint32_t sequence) {
    if (!cache) {
        return ATTN_E_NULL;
    }
    if (!cache_in_use(cache, sequence)) {
        return ATTN_E_CACHE;
    }
    cache_sequence *s = &cache->sequences[sequence];
    if (s->place != CACHE_NO_PLACE) {
        return ATTN_E_STEP; // the step under way may still read its blocks
    }
    cache->fresh -= s->length - s->cached;
    for (uint32_t i = 0; i < cache->header->n_groups; i++) {
        attn_cache_keep_blocks(&cache->groups[i], sequence, 0, 0);
    }
    *s = (cache_sequence){.place = CACHE_NO_PLACE};
    return ATTN_OK;
}

attn_status attn_cache_finish(attn_cache *cache) {
    if (!cache) {
        return ATTN_E_NULL;
    }
    if (!cache->stepping) {
        return ATTN_E_STEP;
    }
    for (uint32_t k = 0; k < cache->in_batch; k++) {
        uint32_t sequence = cache->order[k];
        cache_sequence *s = &cache->sequences[sequence];
        cache->fresh -= s->length - s->cached;
        s->cached = s->length;
        s->source_cached = s->source;
        s->place = CACHE_NO_PLACE;
        for (uint32_t i = 0; i < cache->header->n_groups; i++) {
            cache_group *g = &cache->groups[i];
            attn_cache_keep_blocks(g, sequence, attn_cache_first_block(g, s->length), UINT32_MAX);
        }
    }
    cache->in_batch = 0;
    cache->stepping = 0;
    return ATTN_OK;
}

uint32_t attn_cache_length(const attn_cache *cache, uint32_t sequence) {
    return cache_in_use(cache, sequence) ? cache->sequences[sequence].length : 0;
}

uint32_t attn_cache_source_length(const attn_cache *cache, uint32_t sequence) {
    return cache_in_use(cache, sequence) ? cache->sequences[sequence].source : 0;
}

uint32_t attn_cache_free_blocks(const attn_cache *cache, uint32_t group) {
    return cache && group < cache->header->n_groups ? cache->groups[group].n_free : 0;
}
