// SPDX-License-Identifier: Apache-2.0
// What attn_step leaves at the start of the workspace, for attn_run and attn_kv_write: a header
// that names the step's table and batch, and a plan for each class. Both are private to the
// runtime; the compiler only knows their size (ATTN_STEP_BYTES).
#ifndef ATTN_CORE_STEP_H
#define ATTN_CORE_STEP_H

#include "runtime/core/table.h"

// Stands in a workspace that holds a complete step ("attnstep").
#define ATTN_STEP_MAGIC UINT64_C(0x706574736e747461)

typedef struct attn_step_header {
    // Who was planned: compared byte by byte with what attn_run gets.
    uint64_t magic;
    uint64_t fingerprint;
    const attn_header *data;
    const attn_kernel *const *entry;
    const int32_t *q_start, *seq_len, *src_start, *src_len;
    const attn_block_table *tables;
    uint32_t n_decode, n_prefill, n_tokens;
    // What was found.
    uint32_t rows, source_rows;    // q_start[n], src_start[n]
    uint32_t longest, longest_new; // the greatest seq_len and q_len
    uint32_t planned;              // classes that were planned
} attn_step_header;

_Static_assert(sizeof(attn_step_header) <= ATTN_STEP_HEADER_BYTES, "see ATTN_STEP_BYTES");

// One class: a verdict (attn_status) in a byte for each thing that an operator of it can do, and
// the first block that each sequence's queries still see.
typedef struct attn_class_plan {
    uint8_t verdict[4]; // by attn_phase, then ATTN_WRITE
    uint32_t first[];   // [max_seqs]
} attn_class_plan;

#define ATTN_WRITE 2

// Bytes from one class's plan to the next.
static inline size_t attn_class_plan_bytes(const attn_header *h) {
    return sizeof(uint32_t) * ((size_t)h->max_seqs + 1);
}

static inline attn_class_plan *attn_plan_of(void *workspace, const attn_header *h, uint32_t class) {
    return (attn_class_plan *)(void *)((char *)workspace + ATTN_STEP_HEADER_BYTES +
                                       attn_class_plan_bytes(h) * class);
}

// Whether an array of lengths or ids stands where one can be read; null does.
static inline bool attn_aligned(const int32_t *array) {
    return (uintptr_t)array % _Alignof(int32_t) == 0;
}

// The identity part of a step header, as attn_step writes it for these two.
attn_step_header attn_step_identity(const attn_table *table, const attn_batch *batch);

// Whether `kernel` can serve `class` in `role` (an attn_phase or ATTN_WRITE) on a processor with
// these capabilities.
attn_status attn_kernel_check(const attn_table *table, const attn_class *class, uint32_t role,
                              uint32_t caps);

// Checks counts, starts and lengths of a batch; fills the second half of `step`.
attn_status attn_batch_check(const attn_header *h, const attn_batch *batch, attn_step_header *step);

#endif
