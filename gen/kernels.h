// SPDX-License-Identifier: Apache-2.0
// From decided operators to kernel instances: which distinct specialisations the plan needs, their
// symbols and fingerprints, the classes of operators that share them, and the workspace they want.
#ifndef GEN_KERNELS_H
#define GEN_KERNELS_H

#include "attn/kernels/sizes.h"
#include "gen/plan.h"

// The families of the library: X(entry, role, specialised for an instruction set, workspace macro).
// An instance includes attn/kernels/ENTRY.inc. Every other `entry` or `write` is external.
#define KERNEL_FAMILIES(X)                                                                         \
    X(cpu_ref, KERNEL_RUN, false, ATTN_CPU_REF_WORKSPACE)                                          \
    X(cpu_flash, KERNEL_RUN, true, ATTN_CPU_FLASH_WORKSPACE)                                       \
    X(cpu_kv, KERNEL_WRITE, false, ATTN_CPU_KV_WORKSPACE)

struct kernel_family {
    const char *entry;
    enum kernel_role role;
    bool reads_isa;
};
const struct kernel_family *kernel_family(const char *entry); // NULL: an external function

// Words of the language with their values in the ABI: X(word, enumerator).
#define RUNTIME_KINDS(X)                                                                           \
    X(full_attention, ATTN_FULL_ATTENTION)                                                         \
    X(sliding_window, ATTN_SLIDING_WINDOW)                                                         \
    X(chunked_local_attention, ATTN_CHUNKED_LOCAL_ATTENTION)                                       \
    X(sink_full_attention, ATTN_SINK_FULL_ATTENTION)                                               \
    X(encoder_only_attention, ATTN_ENCODER_ONLY_ATTENTION)                                         \
    X(cross_attention, ATTN_CROSS_ATTENTION)                                                       \
    X(mla_attention, ATTN_MLA_ATTENTION)                                                           \
    X(sliding_window_mla, ATTN_SLIDING_WINDOW_MLA)                                                 \
    X(mamba, ATTN_MAMBA)
#define RUNTIME_DTYPES(X)                                                                          \
    X(f32, ATTN_F32)                                                                               \
    X(bf16, ATTN_BF16)                                                                             \
    X(f16, ATTN_F16)                                                                               \
    X(fp8_e4m3, ATTN_FP8_E4M3)                                                                     \
    X(int8, ATTN_INT8)
#define RUNTIME_LAYOUTS(X)                                                                         \
    X(hnd, ATTN_LAYOUT_HND)                                                                        \
    X(hnd_pair, ATTN_LAYOUT_HND_PAIR)                                                              \
    X(latent, ATTN_LAYOUT_LATENT)                                                                  \
    X(state, ATTN_LAYOUT_STATE)

// The enumerator's name, as generated C spells it; NULL for a word that the ABI does not have.
const char *runtime_kind(const char *word);
const char *runtime_dtype(const char *word);
const char *runtime_layout(const char *word); // NULL word: no cache; an unknown one is a vendor's

// What an instance has baked in: attn_params and what goes with it, from the plan.
struct kernel_constants {
    const char *kind, *dtype, *kv_dtype, *layout; // layout NULL without a cache
    int64_t heads, kv_heads, head_dim, v_head_dim, k_width, v_width;
    int64_t block_size, page_bytes; // 0 without a cache
    int64_t window_left, window_right, chunk, sink_tokens;
    int64_t decode_q;
    float scale, softcap;
    bool sink_logits, alibi, deterministic, causal;
    unsigned isa; // 0, or the x86-64 level
};
struct kernel_constants kernel_constants(const struct plan *plan, const struct plan_operator *op);

// Fills plan.kernels, plan.classes, plan_phase.kernel, plan_operator.write_kernel and class_index.
// Phases whose backend has no entry get no kernel. Order: by first operator, prefill, decode,
// write.
void kernels_assign(struct arena *a, struct plan *plan);

// Two kernels of different keys with one fingerprint: the runtime could not tell them apart.
bool kernels_collide(struct arena *arena, const struct plan *plan, uint32_t *a, uint32_t *b);

// Workspace of the runtime for this plan, in bytes: what attn_step keeps, and what the hungriest
// kernel wants for each worker (0 for kernels of no known family). See runtime/include/attn/abi.h.
uint64_t kernels_step_bytes(const struct plan *plan);
uint64_t kernels_worker_bytes(const struct plan *plan);
uint32_t kernels_workers(const struct plan *plan); // the platform's cores, 1 when not stated

#endif
