/* SPDX-License-Identifier: Apache-2.0
 * What cpu_ref and cpu_kv serve: one condition on an operator's constants, asserted for each
 * instance and asked again at each call. runtime/cpu/cpu.attn says the same to the compiler, and
 * tests/agreement.t compares them. cpu_flash asserts its limits in flash_limits.inc.
 */
#ifndef ATTN_KERNELS_LIMITS_H
#define ATTN_KERNELS_LIMITS_H

#include "attn/abi.h"

#define ATTN_CPU_REF_MAX_DIM 4096u

/* Pages: none for encoder_only, which reads dense rows; else slots, in pairs for hnd_pair. */
#define ATTN_CPU_REF_READS(kind, kv_dtype, layout, head_dim, block_size)                           \
    ((kind) == ATTN_ENCODER_ONLY_ATTENTION                                                         \
         ? (block_size) == 0                                                                       \
         : ((kv_dtype) <= ATTN_INT8 && (block_size) > 0 &&                                         \
            ((layout) == ATTN_LAYOUT_HND ||                                                        \
             ((layout) == ATTN_LAYOUT_HND_PAIR && (head_dim) % 2 == 0 && (block_size) % 2 == 0))))

#define ATTN_CPU_REF_SERVES(kind, dtype, kv_dtype, layout, heads, kv_heads, head_dim, v_head_dim,  \
                            block_size)                                                            \
    ((kind) <= ATTN_CROSS_ATTENTION && (dtype) <= ATTN_F16 && (kv_heads) > 0 && (heads) > 0 &&     \
     (heads) % (kv_heads) == 0 && (head_dim) > 0 && (head_dim) <= ATTN_CPU_REF_MAX_DIM &&          \
     (v_head_dim) > 0 && (v_head_dim) <= ATTN_CPU_REF_MAX_DIM &&                                   \
     ATTN_CPU_REF_READS(kind, kv_dtype, layout, head_dim, block_size))

static inline int attn_cpu_ref_serves(const attn_params *p) {
    return ATTN_CPU_REF_SERVES(p->kind, p->dtype, p->kv_dtype, p->layout, p->heads, p->kv_heads,
                               p->head_dim, p->v_head_dim, p->block_size);
}

#endif
