// SPDX-License-Identifier: Apache-2.0
// Llama 4: chunked attention on the layers with RoPE, full attention on those without. layer_types
// says which, else no_rope_layers (1: with RoPE), else every no_rope_layer_interval-th layer.
#include "gen/import.h"

#define CHUNK 8192
#define INTERVAL 4

// An empty list means the default, as an absent one does.
static const enum layer_type *types_of_layers(struct import *i) {
    struct import_int every = import_count(i, "no_rope_layer_interval", INTERVAL);
    struct layer_rule rule = {every.v, every.v - 1, LAYER_FULL, LAYER_CHUNKED};
    const struct config_value *mask = import_find(i, "no_rope_layers");
    enum layer_type *types = import_layer_types(
        i, "layer_types", LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_CHUNKED), rule);
    if (types && !import_find(i, "layer_types") && mask &&
        !(mask->kind == CONFIG_ARRAY && mask->members.len == 0)) {
        return import_mask(i, "no_rope_layers", LAYER_FULL, LAYER_CHUNKED);
    }
    return types;
}

static void import_llama4(struct import *i) {
    struct import_shape shape;
    import_shape(i, &shape);
    const enum layer_type *types = types_of_layers(i);
    const struct config_value *null = config_member(i->text, "attention_chunk_size");
    struct import_int chunk = import_count(i, "attention_chunk_size", CHUNK);
    if (!types) {
        return;
    }
    if (null && !chunk.given) {
        import_note(i, null, "`%s` is null: no chunks, so every layer is full_attention",
                    config_path(i->arena, null));
        return;
    }
    struct import_op *self = import_self(i);
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        if (types[k] == LAYER_CHUNKED) {
            import_at(self, k, IMPORT_CHUNK, import_number(i, chunk.v));
        }
    }
    self->comments[IMPORT_CHUNK] = chunk.given ? NULL : import_default_comment(i);
}

const struct import_arch import_llama4_archs[] = {
    {
        .model_type = "llama4_text",
        .wrapper = "llama4",
        .layers = 48,
        .hidden = 5120,
        .heads = 40,
        .kv_heads = 8,
        .head_dim = 128,
        .fill = import_llama4,
    },
};
IMPORT_ARCH_COUNT(llama4);
