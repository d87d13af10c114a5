// SPDX-License-Identifier: Apache-2.0
// The cache manager's memory: one pass over the table says where each array stands, with or without
// memory behind it, so that size and layout cannot differ. In: a table. Out: bytes, or an empty
// manager.
#include "runtime/core/cache_state.h"

#include "attn/attn.h"

#include <limits.h>

typedef struct carver { // hands out pieces of the caller's memory; measures when base is NULL
    char *base;
    uint64_t used; // stays at CARVE_LIMIT once it is reached
} carver;

#define CARVE_LIMIT ((uint64_t)PTRDIFF_MAX / sizeof(uint64_t) * sizeof(uint64_t))

static void *carve(carver *c, uint64_t count, size_t bytes) {
    uint64_t at = c->used, size = 0;
    bool fits = !__builtin_mul_overflow(count, (uint64_t)bytes, &size) && size < CARVE_LIMIT - at;
    c->used = fits ? at + ATTN_ROUND_UP(size, (uint64_t)sizeof(uint64_t)) : CARVE_LIMIT;
    return c->base ? c->base + at : NULL;
}

// Columns of a group's rows: every block of a longest sequence, or a ring for as many as one can
// hold while a step of N tokens is under way behind W - 1 older ones, wherever they begin.
static uint32_t columns_of(const attn_header *h, const attn_group *g) {
    uint32_t all = attn_group_blocks(g, g->max_length);
    uint64_t window = g->window_left < 0 ? UINT64_MAX : (uint64_t)g->window_left + 1;
    if (g->chunk > 0 && g->chunk < window) {
        window = g->chunk;
    }
    if (window == UINT64_MAX || g->source || g->layout == ATTN_LAYOUT_STATE) {
        return all;
    }
    uint64_t step = h->max_batch_tokens < g->max_length ? h->max_batch_tokens : g->max_length;
    uint64_t tokens = window + step > 2 ? window + step - 2 : 0;
    uint64_t ring = (tokens + g->block_size - 1) / g->block_size + 1;
    return ring < all ? (uint32_t)ring : all;
}

static bool group_is_sane(const attn_group *g) {
    return (g->block_size > 0 || g->layout == ATTN_LAYOUT_STATE) && g->blocks > 0 &&
           g->blocks <= INT32_MAX && g->max_length > 0 && g->max_length <= INT32_MAX;
}

// Lays out everything behind the structure itself. The image comes last and in one piece.
static void lay_out(carver *c, attn_cache *cache, const attn_table *table) {
    const attn_header *h = table->data;
    uint64_t seqs = h->max_seqs;
    carve(c, 1, sizeof *cache);
    cache_group *groups = carve(c, h->n_groups, sizeof *groups);
    cache->groups = groups;
    cache->sequences = carve(c, seqs, sizeof *cache->sequences);
    cache->order = carve(c, seqs, sizeof *cache->order);
    cache->tables = carve(c, h->n_groups, sizeof *cache->tables);
    for (uint32_t i = 0; i < h->n_groups; i++) {
        const attn_group *plan = &attn_groups(table)[i];
        cache_group g = {.plan = plan, .cols = columns_of(h, plan)};
        g.free = carve(c, plan->blocks, sizeof *g.free);
        g.refs = carve(c, plan->blocks, sizeof *g.refs);
        g.rows = carve(c, seqs * g.cols, sizeof *g.rows);
        g.runs = carve(c, seqs, sizeof *g.runs);
        if (groups) {
            groups[i] = g;
        }
    }
    uint64_t image = c->used;
    cache->q_start = carve(c, seqs + 1, sizeof(int32_t));
    cache->seq_len = carve(c, seqs, sizeof(int32_t));
    cache->src_start = carve(c, seqs + 1, sizeof(int32_t));
    cache->src_len = carve(c, seqs, sizeof(int32_t));
    for (uint32_t i = 0; i < h->n_groups; i++) {
        int32_t *rows = carve(c, seqs * columns_of(h, &attn_groups(table)[i]), sizeof *rows);
        if (groups) {
            groups[i].image = rows;
        }
    }
    cache->image_bytes = (size_t)(c->used - image);
}

static attn_status check_groups(const attn_table *table) {
    attn_status status = attn_table_check(table);
    for (uint32_t i = 0; status == ATTN_OK && i < table->data->n_groups; i++) {
        status = group_is_sane(&attn_groups(table)[i]) ? ATTN_OK : ATTN_E_ABI;
    }
    return status;
}

size_t attn_cache_bytes(const attn_table *table) {
    if (check_groups(table) != ATTN_OK) {
        return 0;
    }
    carver measure = {NULL, 0};
    attn_cache scratch;
    lay_out(&measure, &scratch, table);
    return measure.used < CARVE_LIMIT ? (size_t)measure.used : 0;
}

attn_status attn_cache_init(attn_cache **cache, void *memory, size_t bytes,
                            const attn_table *table) {
    if (!cache || !memory) {
        return ATTN_E_NULL;
    }
    attn_status status = check_groups(table);
    if (status != ATTN_OK) {
        return status;
    }
    if ((uintptr_t)memory % sizeof(uint64_t) != 0) {
        return ATTN_E_ALIGN;
    }
    size_t need = attn_cache_bytes(table);
    if (need == 0 || bytes < need) {
        return ATTN_E_WORKSPACE;
    }
    __builtin_memset(memory, 0, need);
    attn_cache *made = memory;
    carver place = {memory, 0};
    lay_out(&place, made, table);
    made->table = table;
    made->header = table->data;
    for (uint32_t i = 0; i < table->data->n_groups; i++) {
        cache_group *g = &made->groups[i];
        made->has_source |= g->plan->source;
        for (g->n_free = 0; g->n_free < g->plan->blocks; g->n_free++) {
            g->free[g->n_free] = (int32_t)(g->plan->blocks - 1 - g->n_free); // 0 is given out first
        }
        made->tables[i] = (attn_block_table){.ids = g->image, .stride = g->cols, .cols = g->cols};
    }
    *cache = made;
    return ATTN_OK;
}
