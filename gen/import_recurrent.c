// SPDX-License-Identifier: Apache-2.0
// Models of recurrent layers other than Mamba beside attention, and of recurrent layers alone:
// Qwen3 Next and 3.5 (gated delta net), LFM2 (short convolution), MiniMax (linear attention), Mamba
// 1 and 2.
#include "gen/import_hybrid.h"

static const unsigned either = LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_RECURRENT);

// ---- gated delta net

#define FULL_INTERVAL 4

// Its state maps keys to values: a head of values has one row for each key dim.
static void import_delta_net(struct import *i) {
    struct import_shape shape;
    struct import_int every = import_count(i, "full_attention_interval", FULL_INTERVAL);
    import_shape(i, &shape);
    struct import_ssm s = {"gated_delta_net",
                           import_count(i, "linear_num_value_heads", 32).v,
                           import_count(i, "linear_value_head_dim", 128).v,
                           import_count(i, "linear_key_head_dim", 128).v,
                           import_count(i, "linear_num_key_heads", 16).v,
                           import_count(i, "linear_conv_kernel_dim", 4).v};
    const enum layer_type *types =
        import_layer_types(i, "layer_types|layers_block_type", either,
                           (struct layer_rule){every.v, every.v - 1, LAYER_FULL, LAYER_RECURRENT});
    if (types) {
        import_hybrid_layers(i, types, import_ssm(i, s));
    }
}

// ---- short convolution

// full_attn_idxs, of older files, names the attention layers.
static void import_lfm2(struct import *i) {
    struct import_shape shape;
    if (!import_shape(i, &shape)) {
        return;
    }
    const struct config_value *list = import_find(i, "full_attn_idxs");
    bool listed = import_find(i, "layer_types");
    struct layer_rule rule = {0, 0, LAYER_FULL, list ? LAYER_RECURRENT : LAYER_FULL};
    enum layer_type *types = import_layer_types(i, "layer_types", either, rule);
    if (list && list->kind != CONFIG_ARRAY) {
        import_wrong(i, list, "an array of layers");
        return;
    }
    for (size_t k = 0; types && list && !listed && k < list->members.len; k++) {
        types[import_int_at(i, list->members.at[k], 0, i->model->n_layers - 1, 0).v] = LAYER_FULL;
    }
    struct import_int width = import_count(i, "conv_dim|hidden_size", i->arch->hidden);
    struct import_ssm s = {"short_conv", width.v, 1, 0, 0, import_count(i, "conv_L_cache", 3).v};
    import_hybrid_layers(i, types, import_ssm(i, s));
}

// ---- linear attention

// Its state maps keys to values, both of head_dim.
static void import_minimax(struct import *i) {
    struct import_shape shape;
    if (!import_shape(i, &shape)) {
        return;
    }
    const struct config_value *mask = import_find(i, "attn_type_list");
    struct layer_rule rule = {2, 0, LAYER_FULL, LAYER_RECURRENT};
    const enum layer_type *types = import_layer_types(i, "layer_types", either, rule);
    if (types && mask && !import_find(i, "layer_types")) {
        types = import_mask(i, "attn_type_list", LAYER_RECURRENT, LAYER_FULL);
    }
    struct import_ssm s = {"linear", shape.heads.v, shape.head_dim.v, shape.head_dim.v, 0, 0};
    import_hybrid_layers(i, types, import_ssm(i, s));
}

// ---- nothing but Mamba

static void begin_mamba(struct import *i, struct import_int layers, struct import_ssm s) {
    if (!layers.bad) {
        import_begin(i, "", layers);
        import_dtype_line(i);
        import_set(i, IMPORT_SSM, import_ssm(i, s), NULL);
    }
}

static void import_mamba1(struct import *i) {
    struct import_int expand = import_count(i, "expand", 2);
    struct import_int hidden = import_count(i, "hidden_size|d_model", i->arch->hidden);
    struct import_int inner = import_count(i, "intermediate_size", expand.v * hidden.v);
    begin_mamba(i, import_layers(i),
                (struct import_ssm){"mamba1", inner.v, 1, import_count(i, "state_size", 16).v, 0,
                                    import_count(i, "conv_kernel", 4).v});
}

static void import_mamba2(struct import *i) {
    begin_mamba(
        i, import_layers(i),
        (struct import_ssm){"mamba2", import_count(i, "num_heads", 128).v,
                            import_count(i, "head_dim", 64).v, import_count(i, "state_size", 128).v,
                            import_count(i, "n_groups", 8).v, import_count(i, "conv_kernel", 4).v});
}

static const struct import_keys mamba_keys = {.layers = "num_hidden_layers|n_layer"};

#define ROW(type, outer, n, width, h, kv, dim, rule)                                               \
    .model_type = type, .wrapper = outer, .layers = n, .hidden = width, .heads = h,                \
    .kv_heads = kv, .head_dim = dim, .fill = rule

const struct import_arch import_recurrent_archs[] = {
    {ROW("qwen3_next", NULL, 48, 2048, 16, 2, 256, import_delta_net)},
    {ROW("qwen3_5_text", "qwen3_5", 32, 4096, 16, 4, 256, import_delta_net)},
    {ROW("qwen3_5_moe_text", "qwen3_5_moe", 40, 2048, 16, 2, 256, import_delta_net)},
    {ROW("lfm2", "lfm2_vl", 32, 2560, 32, 8, 0, import_lfm2)},
    {ROW("lfm2_moe", NULL, 32, 2048, 32, 8, 0, import_lfm2)},
    {ROW("minimax", NULL, 32, 4096, 32, 8, 0, import_minimax)},
    {ROW("falcon_mamba", NULL, 32, 768, 0, 0, 0, import_mamba1), .keys = &mamba_keys},
    {ROW("mamba", NULL, 32, 768, 0, 0, 0, import_mamba1), .keys = &mamba_keys},
    {ROW("mamba2", NULL, 64, 4096, 0, 0, 0, import_mamba2), .keys = &mamba_keys},
};
IMPORT_ARCH_COUNT(recurrent);
