// SPDX-License-Identifier: Apache-2.0
// How vLLM 0.33.0 settles on a cache block, a kernel block and a layout once all layers have chosen
// their backends. In: backends, each with the operator that it is asked about. Out: numbers and
// words, or none. The lists of blocks and layouts are answers of the backends in std/vllm.attn.
#ifndef GEN_IMPORT_VLLM_SETTLE_H
#define GEN_IMPORT_VLLM_SETTLE_H

#include "gen/verdict.h"

#define VLLM_START_BLOCK 16      // CacheConfig's default
#define VLLM_START_BLOCK_CPU 128 // platforms/cpu.py

struct vllm_party {
    const struct decl *backend;
    struct subject subject;
};
VEC_TYPE(vllm_parties, struct vllm_party);

// The cache block where the user set none. False: vLLM raises.
bool vllm_cache_block(struct arena *a, const struct vllm_parties *list, int64_t start,
                      int64_t *block);
// The block that the kernels of one group walk in cache blocks of `page` tokens. False: it raises.
bool vllm_kernel_block(struct arena *a, const struct vllm_parties *list, int64_t page,
                       int64_t *block);
VEC_TYPE(vllm_words, const char *);
// Layouts in the order in which vLLM would try them; none: it raises.
struct vllm_words vllm_layouts(struct arena *a, const struct vllm_parties *list);
// "16, 32, 64" or "multiples of 16": the kernel blocks of a backend, for messages.
const char *vllm_blocks_text(struct arena *a, const struct vllm_party *p);

#endif
