// SPDX-License-Identifier: Apache-2.0
// Block sizes and layouts of served models: what import_vllm_settle.c finds, reported and written.
#ifndef GEN_IMPORT_VLLM_RESOLVE_H
#define GEN_IMPORT_VLLM_RESOLVE_H

#include "gen/import_vllm_settle.h"
#include "gen/import_vllm_text.h"
#include "gen/plan.h"

struct vllm_settled {
    int64_t block, kernel;     // 0: vLLM raises
    struct vllm_words layouts; // none: it raises
};

// Lines of a deployment that say what vLLM settles on, or NULL where no plan is complete.
const char *vllm_settled_lines(const struct vllm_served *s, const struct vllm_models *m,
                               const struct vllm_serving *v);
// Loads a text, reads its deployment into `s` and plans it, without a word. False: it has errors.
bool vllm_plan_quietly(struct vllm_served *s, const char *text, struct plan *plan);
int import_vllm_resolve(const struct vllm_served *s);

#endif
