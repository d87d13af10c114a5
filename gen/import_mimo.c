// SPDX-License-Identifier: Apache-2.0
// Models whose sliding layers have heads of their own: MiMo V2 Flash (swa_*; keys and values of
// unequal dim; sinks on the sliding layers) and Step 3.5 and 3.7 (attention_other_setting).
#include "gen/import.h"

static const unsigned words = LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_SLIDING);

struct shape {
    struct import_int heads, kv_heads, head_dim, v_head_dim; // v_head_dim.v 0: that of K
};

static void set_shape(struct import *i, int64_t layer, const struct shape *s) {
    struct import_op *self = import_self(i);
    import_at(self, layer, IMPORT_HEADS, import_number(i, s->heads.v));
    import_at(self, layer, IMPORT_KV_HEADS, import_number(i, s->kv_heads.v));
    import_at(self, layer, IMPORT_HEAD_DIM, import_number(i, s->head_dim.v));
    if (s->v_head_dim.v) {
        import_at(self, layer, IMPORT_V_HEAD_DIM, import_number(i, s->v_head_dim.v));
    }
}

// Whether heads is a multiple of KV heads; reported at the KV heads, else at the heads.
static void check_groups(struct import *i, const struct shape *s) {
    if (s->heads.v % s->kv_heads.v != 0) {
        const struct config_value *at = s->kv_heads.at ? s->kv_heads.at : s->heads.at;
        import_error(i, DIAG_A0909, import_here(i, at),
                     "%lld query heads of the sliding layers are not a multiple of %lld KV heads",
                     (long long)s->heads.v, (long long)s->kv_heads.v);
    }
}

static void set_layers(struct import *i, const enum layer_type *types, const struct shape *full,
                       const struct shape *sliding) {
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        set_shape(i, k, types[k] == LAYER_SLIDING ? sliding : full);
    }
}

// ---- MiMo V2 Flash

#define MIMO_WINDOW 128
#define MIMO_V_DIM 128
#define MIMO_FULL_EVERY 6

static const enum layer_type *mimo_types(struct import *i) {
    struct layer_rule rule = {MIMO_FULL_EVERY, MIMO_FULL_EVERY - 1, LAYER_FULL, LAYER_SLIDING};
    if (i->model && import_find(i, "hybrid_layer_pattern")) {
        return import_mask(i, "hybrid_layer_pattern", LAYER_FULL, LAYER_SLIDING);
    }
    enum layer_type *types = import_layer_types(i, "layer_types", words, rule);
    if (types && !import_find(i, "layer_types")) {
        types[0] = LAYER_FULL;
    }
    return types;
}

static void import_mimo(struct import *i) {
    struct import_shape base;
    import_shape(i, &base);
    struct import_int w = import_count(i, "sliding_window_size|sliding_window", MIMO_WINDOW);
    struct import_int v = import_count(i, "v_head_dim", MIMO_V_DIM);
    struct shape full = {base.heads, base.kv_heads, base.head_dim, v};
    struct shape sliding = {
        import_count(i, "swa_num_attention_heads", base.heads.v),
        import_count(i, "swa_num_key_value_heads", 2 * base.kv_heads.v),
        import_count(i, "swa_head_dim", base.head_dim.v),
        import_count(i, "swa_v_head_dim", v.v),
    };
    check_groups(i, &sliding);
    bool sliding_sinks = import_flag(i, "add_swa_attention_sink_bias", true);
    bool full_sinks = import_flag(i, "add_full_attention_sink_bias", false);
    const enum layer_type *types = mimo_types(i);
    if (!types) {
        return;
    }
    set_layers(i, types, &full, &sliding);
    import_set_window(i, types, w);
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        bool sinks = types[k] == LAYER_SLIDING ? sliding_sinks : full_sinks;
        import_at(import_self(i), k, IMPORT_SINK_LOGITS, sinks ? "yes" : "no");
    }
    const struct config_value *size = import_find(i, "sliding_window_size");
    if (size) {
        import_note(i, size,
                    "`%s` %lld is read as %lld visible keys with the query's own; transformers and "
                    "SGLang show one more, %lld",
                    config_path(i->arena, size), (long long)w.v, (long long)w.v,
                    (long long)w.v + 1);
    }
}

// ---- Step 3.5, 3.7

// Heads of the sliding layers have no default: they differ from those of the full layers.
static void step_sliding(struct import *i, const struct import_shape *base, struct shape *out) {
    const struct config_value *other = import_find(i, "attention_other_setting");
    struct import_int heads = import_count(i, "num_sliding_attention_heads", base->heads.v);
    *out = (struct shape){heads, base->kv_heads, base->head_dim, {.v = 0}};
    if (!other && !heads.given) {
        import_missing(
            i, "attention_other_setting",
            "it says how many heads the sliding layers have, which attnc does not guess");
        return;
    }
    if (!other) {
        return;
    }
    if (other->kind != CONFIG_OBJECT) {
        import_wrong(i, other, "an object");
        return;
    }
    const struct config_value *groups = config_get(other, "num_attention_groups");
    groups = groups ? groups : config_get(other, "num_key_value_heads");
    out->heads = import_int_at(i, config_get(other, "num_attention_heads"), 1, IMPORT_MAX_INT,
                               base->heads.v);
    out->kv_heads = import_int_at(i, groups, 1, IMPORT_MAX_INT, base->kv_heads.v);
    out->head_dim =
        import_int_at(i, config_get(other, "head_dim"), 1, IMPORT_MAX_INT, base->head_dim.v);
    if (!out->heads.given) {
        import_error(i, DIAG_A0905, other,
                     "`%s.num_attention_heads` is missing: it says how many heads the sliding "
                     "layers have",
                     config_path(i->arena, other));
    }
}

static void import_step(struct import *i) {
    struct import_shape base;
    import_shape(i, &base);
    struct import_int w = import_window(i, "sliding_window", 0);
    const enum layer_type *types = import_layer_types(
        i, "layer_types", words, (struct layer_rule){0, 0, LAYER_FULL, LAYER_FULL});
    bool zero;
    const char *scalar = import_decimal(i, "query_pre_attn_scalar", false, &zero);
    if (!types) {
        return;
    }
    struct shape full = {base.heads, base.kv_heads, base.head_dim, {.v = 0}}, sliding = full;
    if (import_has_type(i, types, LAYER_SLIDING)) {
        step_sliding(i, &base, &sliding);
        check_groups(i, &sliding);
    }
    set_layers(i, types, &full, &sliding);
    import_set_window(i, types, w);
    if (scalar) {
        import_set(i, IMPORT_SCALE, arena_printf(i->arena, "rsqrt(%s)", scalar),
                   "query_pre_attn_scalar");
    }
}

static const struct import_keys step_keys = {.kv_heads =
                                                 "num_attention_groups|num_key_value_heads"};

#define STEP(type, outer)                                                                          \
    {                                                                                              \
        .model_type = type, .wrapper = outer, .layers = 45, .hidden = 4096, .heads = 64,           \
        .kv_heads = 8, .head_dim = 128, .keys = &step_keys, .fill = import_step                    \
    }

const struct import_arch import_mimo_archs[] = {
    {
        .model_type = "mimo_v2_flash",
        .layers = 48,
        .hidden = 4096,
        .heads = 64,
        .kv_heads = 4,
        .head_dim = 192,
        .fill = import_mimo,
    },
    STEP("step3p5", "step3p7"),
    STEP("step3p7_text", "step3p7"),
};
IMPORT_ARCH_COUNT(mimo);
