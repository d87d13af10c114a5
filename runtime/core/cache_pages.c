// SPDX-License-Identifier: Apache-2.0
// Pages in host memory: one piece of memory shared out among the operators of a table as its memory
// plan says, and copies of single pages after a fork. In: table, memory. Out: attn_kv entries,
// copied bytes. Operators that own no cache have no pages.
#include "runtime/core/cache_state.h"

#include "attn/attn.h"

#include <limits.h>

#define NO_GROUP UINT32_MAX

// The group in which the operator owns pages, or NO_GROUP.
static uint32_t group_of_owner(const attn_table *table, uint32_t op) {
    const attn_operator *o = &attn_operators(table)[op];
    if (o->owner != op || o->class_index >= table->data->n_classes ||
        attn_classes(table)[o->class_index].group >= table->data->n_groups) {
        return NO_GROUP;
    }
    return attn_classes(table)[o->class_index].group;
}

// Lays out the pools of all operators; writes kv where it is given. False when they are too large.
static bool share_out(const attn_table *table, char *memory, attn_kv *kv, uint64_t *bytes_used) {
    uint64_t used = 0;
    for (uint32_t op = 0; op < table->data->n_operators; op++) {
        attn_kv pages = {0};
        uint32_t index = group_of_owner(table, op);
        if (index != NO_GROUP) {
            const attn_group *g = &attn_groups(table)[index];
            uint64_t bytes = 0, end = 0;
            if (g->blocks > INT32_MAX || __builtin_mul_overflow(g->blocks, g->page_bytes, &bytes) ||
                __builtin_add_overflow(used, bytes, &end) ||
                end > (uint64_t)PTRDIFF_MAX - ATTN_WORKSPACE_ALIGN) {
                return false;
            }
            pages.base = memory ? memory + used : NULL;
            pages.page_stride = (int64_t)g->page_bytes;
            pages.n_pages = (uint32_t)g->blocks;
            used = ATTN_ROUND_UP(end, (uint64_t)ATTN_WORKSPACE_ALIGN);
        }
        if (kv) {
            kv[op] = pages;
        }
    }
    *bytes_used = used;
    return true;
}

size_t attn_cache_pool_bytes(const attn_table *table) {
    uint64_t bytes = 0;
    bool fits = attn_table_check(table) == ATTN_OK && share_out(table, NULL, NULL, &bytes);
    return fits ? (size_t)bytes : 0;
}

attn_status attn_cache_bind(const attn_table *table, void *pool, size_t bytes, attn_kv *kv,
                            uint32_t n_kv) {
    attn_status status = attn_table_check(table);
    if (status != ATTN_OK) {
        return status;
    }
    uint64_t need = 0;
    if (!share_out(table, NULL, NULL, &need)) {
        return ATTN_E_LIMIT;
    }
    if (!kv || n_kv < table->data->n_operators || (need > 0 && !pool)) {
        return ATTN_E_NULL;
    }
    if ((uintptr_t)pool % ATTN_WORKSPACE_ALIGN != 0) {
        return ATTN_E_ALIGN;
    }
    if (bytes < need) {
        return ATTN_E_WORKSPACE;
    }
    return share_out(table, pool, kv, &need) ? ATTN_OK : ATTN_E_LIMIT;
}

// The operator's own pages of this group, or NULL.
static const attn_kv *pages_in(const attn_table *table, const attn_kv *kv, uint32_t op,
                               uint32_t group) {
    return group_of_owner(table, op) == group ? &kv[op] : NULL;
}

static attn_status check_copy(const attn_table *table, const attn_kv *kv,
                              const attn_cache_copy *copy) {
    if (copy->group >= table->data->n_groups) {
        return ATTN_E_TABLE;
    }
    for (uint32_t op = 0; op < table->data->n_operators; op++) {
        const attn_kv *pages = pages_in(table, kv, op, copy->group);
        if (pages && !pages->base) {
            return ATTN_E_NULL;
        }
        if (pages && (pages->page_stride < 0 ||
                      (uint64_t)pages->page_stride < attn_groups(table)[copy->group].page_bytes)) {
            return ATTN_E_STRIDE;
        }
        if (pages && (copy->from < 0 || (uint32_t)copy->from >= pages->n_pages || copy->to < 0 ||
                      (uint32_t)copy->to >= pages->n_pages)) {
            return ATTN_E_BLOCK;
        }
    }
    return ATTN_OK;
}

attn_status attn_cache_copy_pages(const attn_table *table, const attn_kv *kv, uint32_t n_kv,
                                  const attn_cache_copy *copies, uint32_t n_copies) {
    attn_status status = attn_table_check(table);
    if (status == ATTN_OK && n_copies > 0 && (!kv || !copies || n_kv < table->data->n_operators)) {
        status = ATTN_E_NULL;
    }
    for (uint32_t c = 0; c < n_copies && status == ATTN_OK; c++) {
        status = check_copy(table, kv, &copies[c]);
    }
    for (uint32_t c = 0; c < n_copies && status == ATTN_OK; c++) {
        uint64_t bytes = attn_groups(table)[copies[c].group].page_bytes;
        for (uint32_t op = 0; op < table->data->n_operators; op++) {
            const attn_kv *pages = pages_in(table, kv, op, copies[c].group);
            if (pages && copies[c].from != copies[c].to) {
                __builtin_memcpy((char *)pages->base + copies[c].to * pages->page_stride,
                                 (const char *)pages->base + copies[c].from * pages->page_stride,
                                 (size_t)bytes);
            }
        }
    }
    return status;
}
