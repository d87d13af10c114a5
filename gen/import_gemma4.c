// SPDX-License-Identifier: Apache-2.0
// Gemma 4: full layers have a head dim and KV heads of their own, the last layer is always full,
// trailing layers may read an earlier cache, and the scale is 1.
#include "gen/import_gemma.h"

#define FULL_EVERY 6
#define GLOBAL_HEAD_DIM 512

struct gemma4_facts {
    int64_t window;
};
static const struct gemma4_facts plain = {512}, unified = {1024};

static const enum layer_type *types_of_layers(struct import *i) {
    struct layer_rule rule = {FULL_EVERY, FULL_EVERY - 1, LAYER_FULL, LAYER_SLIDING};
    enum layer_type *types = import_layer_types(
        i, "layer_types", LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_SLIDING), rule);
    const struct config_value *list = import_find(i, "layer_types");
    if (types && types[i->model->n_layers - 1] != LAYER_FULL) {
        if (list) {
            import_note(i, list->members.at[i->model->n_layers - 1],
                        "the last layer of a %s is full_attention, whatever `layer_types` says",
                        i->arch->model_type);
        }
        types[i->model->n_layers - 1] = LAYER_FULL;
    }
    return types;
}

// Text alone is causal for "vision"; "all" is not, and readers differ on its window by one.
static void check_direction(struct import *i) {
    const struct config_value *at = import_find(i, "use_bidirectional_attention");
    if (at && (import_is(at, "all") || (at->kind == CONFIG_BOOL && at->yes))) {
        import_error(i, DIAG_A0913, at,
                     "`%s` is %s: transformers lets a window of w see w / 2 + 1 keys on each side, "
                     "others w / 2; attnc does not guess",
                     config_path(i->arena, at), config_shown(i->arena, i->diags, at));
    } else if (at && at->kind != CONFIG_BOOL && !import_is(at, "vision")) {
        import_wrong(i, at, "null, `vision` or `all`");
    }
}

// num_global_key_value_heads counts unless the file says that keys and values differ.
static void set_full(struct import *i, const enum layer_type *types, struct import_int kv_heads) {
    struct import_int dim = import_count(i, "global_head_dim", GLOBAL_HEAD_DIM);
    struct import_int own = import_count(i, "num_global_key_value_heads", kv_heads.v);
    struct import_int kv = import_flag(i, "attention_k_eq_v", true) ? own : kv_heads;
    struct import_op *self = import_self(i);
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        if (types[k] == LAYER_FULL) {
            import_at(self, k, IMPORT_HEAD_DIM, import_number(i, dim.v));
            import_at(self, k, IMPORT_KV_HEADS, import_number(i, kv.v));
        }
    }
    if (!dim.given) {
        self->comments[IMPORT_HEAD_DIM] =
            arena_printf(i->arena, "head_dim: %s", import_default_comment(i));
    }
}

static void import_gemma4(struct import *i) {
    const struct gemma4_facts *facts = i->arch->facts;
    struct import_shape shape;
    check_direction(i);
    import_shape(i, &shape);
    struct import_int w = import_window(i, "sliding_window", facts->window);
    const enum layer_type *types = types_of_layers(i);
    if (!types) {
        return;
    }
    import_gemma_unit_scale(i);
    import_set_window(i, types, w);
    set_full(i, types, shape.kv_heads);
    import_gemma_sharing(i, types, 0);
}

#define GEMMA4_SHAPE                                                                               \
    .layers = 30, .hidden = 2304, .heads = 8, .kv_heads = 4, .head_dim = 256,                      \
    .kv_null_defaults = true, .fill = import_gemma4

const struct import_arch import_gemma4_archs[] = {
    {.model_type = "gemma4_text", .wrapper = "gemma4", .facts = &plain, GEMMA4_SHAPE},
    {.model_type = "gemma4_unified_text",
     .wrapper = "gemma4_unified",
     .facts = &unified,
     GEMMA4_SHAPE},
};
IMPORT_ARCH_COUNT(gemma4);
