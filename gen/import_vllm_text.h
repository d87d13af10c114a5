// SPDX-License-Identifier: Apache-2.0
// A served model as .attn text. In: the model's text and what was decided. Out: the text in
// canonical form, a list of keys, or warnings.
#ifndef GEN_IMPORT_VLLM_TEXT_H
#define GEN_IMPORT_VLLM_TEXT_H

#include "gen/import_vllm.h"

struct vllm_models {
    const char *text; // of all of them, or an import
    const char *model_type;
    VEC(const char *) names;
    int64_t max_tokens, max_source; // of the configuration; 0: not known
    bool prefix;                    // image tokens see each other both ways
};

// Serving options, as given or as vLLM has them.
struct vllm_serving {
    const char *platform, *kv_dtype; // kv_dtype NULL: left to the model
    int64_t max_tokens, max_seqs, max_batch, max_source;
    int64_t block_size; // 0: not given
    int64_t tp, dcp, pcp;
    const char *tokens_from; // comment, or NULL
    bool prefix;
    // Once vLLM's choices are known
    const char *settled; // lines for block size and layout, or NULL
};

// Reads the models of a file; `name` (or NULL) names them. False after errors. No path: a plain
// one.
bool vllm_read_models(struct command *c, const char *path, const char *name, struct vllm_models *m);
// The text with a bare deployment (`s` NULL) or with the choices of `s`.
const char *vllm_compose(struct arena *a, const struct vllm_served *s, const struct vllm_models *m,
                         const struct vllm_serving *v);
const char *vllm_keys_text(const struct vllm_served *s);
void vllm_warn(const struct vllm_served *s);

#endif
