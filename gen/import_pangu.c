// SPDX-License-Identifier: Apache-2.0
// openPangu: latent attention where all four dims of it are there, else learned static key and
// value rows (sink_tokens) that every query sees first, else plain attention. is_causal false makes
// the plain one an encoder.
#include "gen/import.h"

static bool is_latent(const struct import *i) {
    return import_find(i, "qk_nope_head_dim") && import_find(i, "qk_rope_head_dim") &&
           import_find(i, "v_head_dim") && import_find(i, "kv_lora_rank");
}

// interleaved_sliding_window: one window, or a list that is cycled through by layer.
static void set_windows(struct import *i) {
    const struct config_value *w = import_find(i, "interleaved_sliding_window");
    size_t n = w && w->kind == CONFIG_ARRAY ? w->members.len : 1;
    for (int64_t k = 0; w && n && k < i->model->n_layers; k++) {
        const struct config_value *own = w->kind == CONFIG_ARRAY ? w->members.at[(size_t)k % n] : w;
        struct import_int v =
            import_int_at(i, own->kind == CONFIG_NULL ? NULL : own, 0, IMPORT_MAX_INT, 0);
        if (v.v) {
            import_at(import_self(i), k, IMPORT_WINDOW, import_number(i, v.v));
        }
    }
}

static void fill_latent(struct import *i) {
    struct import_int layers = import_layers(i), heads = import_heads(i);
    struct import_int rank = import_count(i, "kv_lora_rank", 1);
    struct import_int nope = import_int(i, "qk_nope_head_dim", 0, IMPORT_MAX_INT / 2, 0);
    struct import_int rope = import_int(i, "qk_rope_head_dim", 0, IMPORT_MAX_INT / 2, 0);
    struct import_int v = import_count(i, "v_head_dim", 1);
    if (layers.bad) {
        return;
    }
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_dtype_line(i);
    import_set(i, IMPORT_MLA, import_mla(i, rank.v, rope.v, nope.v, v.v), NULL);
}

static void fill_sinks(struct import *i, struct import_int sinks) {
    struct import_int nope = import_int(i, "qk_nope_dim", 0, IMPORT_MAX_INT / 2, 0);
    struct import_int rope = import_int(i, "qk_rope_dim", 0, IMPORT_MAX_INT / 2, 0);
    struct import_int v = import_count(i, "v_channels", 1);
    struct import_int layers = import_layers(i), heads = import_heads(i);
    struct import_int kv = import_kv_heads(i, heads);
    if (nope.v + rope.v == 0 || !v.given) {
        import_missing(i, v.given ? "qk_nope_dim" : "v_channels",
                       "with `param_sink_number` it gives the head dim");
    }
    if (layers.bad) {
        return;
    }
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_set_int(i, IMPORT_KV_HEADS, kv);
    import_set(i, IMPORT_HEAD_DIM, import_number(i, nope.v + rope.v), "qk_nope_dim + qk_rope_dim");
    import_set(i, IMPORT_V_HEAD_DIM, import_number(i, v.v), "v_channels");
    import_dtype_line(i);
    import_set(i, IMPORT_SINK_TOKENS, import_number(i, sinks.v), "param_sink_number");
    set_windows(i);
}

static void import_pangu(struct import *i) {
    struct import_int sinks = import_int(i, "param_sink_number", 0, IMPORT_MAX_INT, 0);
    struct import_shape shape;
    if (is_latent(i)) {
        fill_latent(i);
    } else if (sinks.v > 0) {
        fill_sinks(i, sinks);
    } else if (import_shape(i, &shape)) {
        if (!import_flag(i, "is_causal", true)) {
            import_set(i, IMPORT_ATTN, "encoder_only", "is_causal");
        } else {
            set_windows(i);
        }
    }
}

#define ROW(type)                                                                                  \
    { .model_type = type, .layers = 32, .hidden = 4096, .heads = 32, .fill = import_pangu }

const struct import_arch import_pangu_archs[] = {
    ROW("PanguProMoEV2"),
    ROW("pangu_pro_moe_v2"),
};
IMPORT_ARCH_COUNT(pangu);
