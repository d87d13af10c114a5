// SPDX-License-Identifier: Apache-2.0
// The batch of a step, from the manager's sequences. In: which sequences take part. Out: their
// order, an attn_batch, and the image behind it: starts, lengths and block tables in batch order.
// Columns outside a sequence's run are left as an earlier step had them: they are never read.
#include "runtime/core/cache_state.h"

static uint32_t fresh_of(const cache_sequence *s) {
    return s->length - s->cached;
}

// Gives each sequence its place: those that decode first, otherwise as they came. Says how many
// decode; refuses a sequence that is not in use or stands there twice.
static attn_status arrange(attn_cache *cache, const uint32_t *sequences, uint32_t n,
                           uint32_t *n_decode) {
    uint32_t placed = 0;
    for (uint32_t prefill = 0; prefill < 2; prefill++) {
        for (uint32_t k = 0; k < n; k++) {
            if (!cache_in_use(cache, sequences[k])) {
                return ATTN_E_CACHE;
            }
            cache_sequence *s = &cache->sequences[sequences[k]];
            if ((fresh_of(s) > cache->header->decode_q) != prefill) {
                continue;
            }
            if (s->place != CACHE_NO_PLACE) {
                return ATTN_E_BATCH;
            }
            s->place = placed;
            cache->order[placed++] = sequences[k];
        }
        *n_decode = prefill ? *n_decode : placed;
    }
    return ATTN_OK;
}

static void copy_row(cache_group *g, uint32_t place, uint32_t sequence) {
    uint32_t end = g->runs[sequence].end;
    size_t live = end < g->cols ? end : g->cols;
    __builtin_memcpy(g->image + (size_t)place * g->cols, cache_column(g, sequence, 0),
                     live * sizeof *g->rows);
}

static void fill_image(attn_cache *cache, uint32_t n) {
    cache->q_start[0] = 0;
    cache->src_start[0] = 0;
    for (uint32_t k = 0; k < n; k++) {
        const cache_sequence *s = &cache->sequences[cache->order[k]];
        cache->q_start[k + 1] = cache->q_start[k] + (int32_t)fresh_of(s);
        cache->seq_len[k] = (int32_t)s->length;
        cache->src_start[k + 1] = cache->src_start[k] + (int32_t)(s->source - s->source_cached);
        cache->src_len[k] = (int32_t)s->source;
        for (uint32_t i = 0; i < cache->header->n_groups; i++) {
            copy_row(&cache->groups[i], k, cache->order[k]);
        }
    }
}

attn_status attn_cache_batch(attn_cache *cache, uint32_t *sequences, uint32_t n,
                             attn_batch *batch) {
    if (!cache || !batch || (n > 0 && !sequences)) {
        return ATTN_E_NULL;
    }
    if (batch->size != sizeof *batch) {
        return ATTN_E_SIZE;
    }
    if (cache->stepping) {
        return ATTN_E_STEP;
    }
    if (n > cache->header->max_seqs) {
        return ATTN_E_LIMIT;
    }
    uint32_t n_decode = 0;
    attn_status status = arrange(cache, sequences, n, &n_decode);
    if (status != ATTN_OK) {
        for (uint32_t s = 0; s < cache->header->max_seqs; s++) {
            cache->sequences[s].place = CACHE_NO_PLACE;
        }
        return status;
    }
    fill_image(cache, n);
    if (n > 0) {
        __builtin_memcpy(sequences, cache->order, n * sizeof *sequences);
    }
    cache->in_batch = n;
    cache->stepping = 1;
    batch->n_decode = n_decode;
    batch->n_prefill = n - n_decode;
    batch->n_tokens = (uint32_t)cache->q_start[n];
    batch->q_start = cache->q_start;
    batch->seq_len = cache->seq_len;
    batch->src_start = cache->has_source ? cache->src_start : NULL;
    batch->src_len = cache->has_source ? cache->src_len : NULL;
    batch->tables = cache->tables;
    return ATTN_OK;
}

const void *attn_cache_image(const attn_cache *cache, size_t *bytes) {
    if (!cache || !bytes) {
        return NULL;
    }
    *bytes = cache->image_bytes;
    return cache->q_start;
}
