/* SPDX-License-Identifier: Apache-2.0
 * Bytes of workspace that one worker of a kernel family needs, and the tile sizes behind them: pure
 * macros of an operator's constants, for the compiler's memory plan and for the kernels, which
 * assert that their scratch structures have just these sizes. Every result is a multiple of
 * ATTN_WORKSPACE_ALIGN; none depends on lengths, batch or instruction set.
 */
#ifndef ATTN_KERNELS_SIZES_H
#define ATTN_KERNELS_SIZES_H

#include "attn/abi.h"

/* cpu_ref: one row of output in f32. */
#define ATTN_CPU_REF_WORKSPACE(head_dim, v_head_dim)                                               \
    ((uint64_t)ATTN_ROUND_UP(4u * (uint64_t)(v_head_dim), ATTN_WORKSPACE_ALIGN))

/* cpu_kv: none. */
#define ATTN_CPU_KV_WORKSPACE(head_dim, v_head_dim) ((uint64_t)0)

/* cpu_flash. A tile is ROWS query rows (tokens times the heads of a group) by KEYS keys; up to
   STREAM_ROWS rows read the pages directly, and may be split over the keys into at most SLOTS
   parts for each worker, whose partial results wait in the workspace. */
#define ATTN_FLASH_KEYS 64u
#define ATTN_FLASH_ROWS(head_dim, v_head_dim) ((head_dim) + (v_head_dim) <= 256u ? 192u : 96u)
#define ATTN_FLASH_STREAM_ROWS 16u
#define ATTN_FLASH_SLOTS 4u
#define ATTN_FLASH_LANES 16u /* of the widest vector */
#define ATTN_FLASH_PAD(dim) ATTN_ROUND_UP((dim), ATTN_FLASH_LANES)

#define ATTN_FLASH_FLOATS(head_dim, v_head_dim, rows)                                              \
    ((rows)*ATTN_FLASH_PAD(head_dim)                                 /* queries */                 \
     + ATTN_FLASH_PAD(head_dim) * ATTN_FLASH_KEYS                    /* keys, transposed */        \
     + ATTN_FLASH_KEYS * ATTN_FLASH_PAD(v_head_dim)                  /* values */                  \
     + ATTN_FLASH_STREAM_ROWS * ATTN_FLASH_KEYS                      /* scores */                  \
     + (rows) * (ATTN_FLASH_PAD(v_head_dim) + ATTN_FLASH_LANES + 1u) /* output, sums, maximum */   \
     + ATTN_FLASH_SLOTS * ATTN_FLASH_STREAM_ROWS * (ATTN_FLASH_PAD(v_head_dim) + 2u))
#define ATTN_CPU_FLASH_WORKSPACE(head_dim, v_head_dim)                                             \
    ((uint64_t)ATTN_WORKSPACE_ALIGN /* counters */                                                 \
     + (uint64_t)4u *                                                                              \
           ATTN_FLASH_FLOATS(head_dim, v_head_dim, ATTN_FLASH_ROWS(head_dim, v_head_dim)))

#endif
