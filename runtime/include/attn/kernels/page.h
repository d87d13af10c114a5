/* SPDX-License-Identifier: Apache-2.0
 * Where the elements of a page lie, for the CPU page formats, and how a block table is read. In: an
 * operator's constants and its cache view. Out: pointers and offsets, 64-bit from the page id on.
 * Callers ask only for blocks that hold a visible or a new token.
 */
#ifndef ATTN_KERNELS_PAGE_H
#define ATTN_KERNELS_PAGE_H

#include "attn/abi.h"

/* The page of block `block` of sequence `sequence` (both counted as in the call's batch). */
static inline char *attn_page(const attn_cache_view *cache, uint32_t sequence, uint32_t block) {
    int64_t id = cache->table[(int64_t)sequence * cache->table_stride + block % cache->cols];
    return (char *)cache->base + id * cache->page_stride;
}

/* Index of K element d, counted from the start of the page. */
static inline int64_t attn_page_k(const attn_params *p, uint32_t head, uint32_t slot, uint32_t d) {
    if (p->layout == ATTN_LAYOUT_HND_PAIR) {
        return (((int64_t)head * (p->k_width / 2) + d / 2) * p->block_size + slot) * 2 + d % 2;
    }
    return ((int64_t)head * p->block_size + slot) * p->k_width + d;
}

/* Index of V element d, counted from the start of the page. */
static inline int64_t attn_page_v(const attn_params *p, uint32_t head, uint32_t slot, uint32_t d) {
    int64_t k_elements = (int64_t)p->kv_heads * p->block_size * p->k_width;
    if (p->layout == ATTN_LAYOUT_HND_PAIR) {
        return k_elements +
               (((int64_t)head * (p->block_size / 2) + slot / 2) * p->v_width + d) * 2 + slot % 2;
    }
    return k_elements + ((int64_t)head * p->block_size + slot) * p->v_width + d;
}

/* Byte offset of an int8 page's f32 scale: K scales follow the elements, then V scales. The offset
   need not be a multiple of 4. */
static inline int64_t attn_page_scale(const attn_params *p, uint32_t is_v, uint32_t head,
                                      uint32_t slot) {
    int64_t rows = (int64_t)p->kv_heads * p->block_size;
    int64_t row = (int64_t)head * p->block_size + slot;
    return rows * ((int64_t)p->k_width + p->v_width) + ((is_v ? rows : 0) + row) * 4;
}

#endif
