// SPDX-License-Identifier: Apache-2.0
// Models of attention and Mamba layers: Jamba, Bamba, Granite 4, Nemotron-H, Falcon-H1, Zamba2.
// Each layer has one of them, both, or neither. Where both can stand in one layer, `self` is the
// attention and `mamba` an operator beside it.
#include <string.h>

#include "gen/import_hybrid.h"

static const unsigned either = LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_RECURRENT);
static const struct layer_rule all_mamba = {0, 0, LAYER_RECURRENT, LAYER_RECURRENT};

void import_hybrid_layers(struct import *i, const enum layer_type *types, const char *ssm) {
    struct import_op *self = import_self(i);
    for (int64_t k = 0; types && k < i->model->n_layers; k++) {
        if (types[k] == LAYER_RECURRENT) {
            import_at(self, k, IMPORT_SSM, ssm);
        } else if (types[k] == LAYER_MLP) {
            import_at(self, k, IMPORT_ATTN, "none");
        }
    }
}

// Mamba 2 as most files spell it. A head dim that is "auto" or absent follows from the width.
static const char *mamba2(struct import *i, const struct mamba2_defaults *d) {
    struct import_int heads = import_count(i, "mamba_n_heads", d->heads);
    struct import_int expand = import_count(i, "mamba_expand", 2);
    struct import_int hidden = import_count(i, "hidden_size", i->arch->hidden);
    const struct config_value *dim_at = import_find(i, "mamba_d_head");
    bool automatic = !dim_at || import_is(dim_at, "auto");
    struct import_int dim =
        import_int_at(i, automatic ? NULL : dim_at, 1, IMPORT_MAX_INT, d->head_dim);
    struct import_int width = import_count(i, "mamba_d_ssm", heads.v * dim.v);
    if (automatic) {
        dim.v = (width.given ? width.v : expand.v * hidden.v) / heads.v;
        dim.v += dim.v == 0;
    }
    if (width.given && heads.v * dim.v != width.v) {
        import_error(i, DIAG_A0909, width.at, "`%s` is %lld, not %lld heads of %lld",
                     config_path(i->arena, width.at), (long long)width.v, (long long)heads.v,
                     (long long)dim.v);
    }
    return import_ssm(i, (struct import_ssm){"mamba2", heads.v, dim.v,
                                             import_count(i, "mamba_d_state", d->state).v,
                                             import_count(i, "mamba_n_groups", 1).v,
                                             import_count(i, "mamba_d_conv", 4).v});
}

// ---- Jamba

#define JAMBA_PERIOD 8
#define JAMBA_OFFSET 4

static void import_jamba(struct import *i) {
    struct import_shape shape;
    struct import_int period = import_count(i, "attn_layer_period", JAMBA_PERIOD);
    struct import_int offset = import_int(i, "attn_layer_offset", 0, IMPORT_MAX_INT, JAMBA_OFFSET);
    struct import_int expand = import_count(i, "mamba_expand", 2);
    struct import_int hidden = import_count(i, "hidden_size", i->arch->hidden);
    if (!import_shape(i, &shape)) {
        return;
    }
    struct import_ssm s = {"mamba1", expand.v * hidden.v,
                           1,        import_count(i, "mamba_d_state", 16).v,
                           0,        import_count(i, "mamba_d_conv", 4).v};
    const enum layer_type *types =
        import_layer_types(i, "layers_block_type|layer_types", either,
                           (struct layer_rule){period.v, offset.v, LAYER_FULL, LAYER_RECURRENT});
    import_hybrid_layers(i, types, import_ssm(i, s));
}

// ---- Bamba, Granite 4

static const struct mamba2_defaults bamba = {128, 64, 256};

// attn_layer_indices names the attention layers; NULL after an error.
static enum layer_type *indexed_types(struct import *i) {
    enum layer_type *types =
        import_layer_types(i, "layers_block_type|layer_types", either, all_mamba);
    const struct config_value *list = import_find(i, "attn_layer_indices");
    if (!types || !list || import_find(i, "layers_block_type|layer_types")) {
        return types;
    }
    if (list->kind != CONFIG_ARRAY) {
        import_wrong(i, list, "an array of layers");
        return NULL;
    }
    for (size_t k = 0; k < list->members.len; k++) {
        struct import_int v = import_int_at(i, list->members.at[k], 0, i->model->n_layers - 1, 0);
        if (v.bad) {
            return NULL;
        }
        types[v.v] = LAYER_FULL;
    }
    return types;
}

static void import_bamba(struct import *i) {
    struct import_shape shape;
    if (import_shape(i, &shape)) {
        import_hybrid_layers(i, indexed_types(i), mamba2(i, &bamba));
    }
}

static void import_granite(struct import *i) {
    struct import_shape shape;
    bool zero;
    const char *scale = import_decimal(i, "attention_multiplier", false, &zero);
    if (!import_shape(i, &shape)) {
        return;
    }
    import_set(i, IMPORT_SCALE, scale ? scale : "1",
               scale ? "attention_multiplier" : import_default_comment(i));
    const enum layer_type *types =
        import_layer_types(i, "layer_types|layers_block_type", either, all_mamba);
    import_hybrid_layers(i, types, mamba2(i, &bamba));
}

// ---- Nemotron-H

// Letters of hybrid_override_pattern.
static const struct {
    char letter;
    enum layer_type type;
} letters[] = {{'M', LAYER_RECURRENT}, {'*', LAYER_FULL}, {'-', LAYER_MLP}, {'E', LAYER_MLP}};

static enum layer_type *pattern_types(struct import *i, const struct config_value *pattern) {
    enum layer_type *types = ARENA_ARRAY(i->arena, enum layer_type, pattern->len);
    for (size_t k = 0; k < pattern->len; k++) {
        size_t l = 0, n = sizeof letters / sizeof *letters;
        while (l < n && letters[l].letter != pattern->text[k]) {
            l++;
        }
        if (l == n) {
            import_error(i, DIAG_A0907, pattern, "letter %zu of `%s` must be `M`, `*`, `-` or `E`",
                         k + 1, config_path(i->arena, pattern));
            return NULL;
        }
        types[k] = letters[l].type;
    }
    return types;
}

// The list or pattern says how many layers there are; num_hidden_layers is ignored.
static void import_nemotron(struct import *i) {
    const struct config_value *list = import_find(i, "layers_block_type|layer_types");
    const struct config_value *pattern = list ? NULL : import_find(i, "hybrid_override_pattern");
    const struct config_value *from = list ? list : pattern;
    struct import_int heads = import_heads(i), kv = import_kv_heads(i, heads);
    struct import_int dim = import_head_dim(i, heads);
    if (!from) {
        import_missing(i, "hybrid_override_pattern",
                       "it, or `layers_block_type`, says what each layer is");
        return;
    }
    if (from->kind != (list ? CONFIG_ARRAY : CONFIG_STRING)) {
        import_wrong(i, from, list ? "an array of strings" : "a string of letters");
        return;
    }
    size_t n = list ? list->members.len : pattern->len;
    if (n < 1 || n > IMPORT_MAX_LAYERS) {
        import_error(i, DIAG_A0907, from, "`%s` has %zu layers, must have 1 to %d",
                     config_path(i->arena, from), n, IMPORT_MAX_LAYERS);
        return;
    }
    import_begin(i, "", (struct import_int){.v = (int64_t)n, .given = true});
    import_set_int(i, IMPORT_HEADS, heads);
    import_set_int(i, IMPORT_KV_HEADS, kv);
    import_set_int(i, IMPORT_HEAD_DIM, dim);
    import_dtype_line(i);
    const enum layer_type *types =
        list ? import_layer_types(i, "layers_block_type|layer_types", either | LAYER_BIT(LAYER_MLP),
                                  all_mamba)
             : pattern_types(i, pattern);
    struct import_ssm s = {"mamba2",
                           import_count(i, "mamba_num_heads", 128).v,
                           import_count(i, "mamba_head_dim", 64).v,
                           import_count(i, "ssm_state_size", 128).v,
                           import_count(i, "n_groups|mamba_n_groups", 8).v,
                           import_count(i, "conv_kernel|mamba_d_conv", 4).v};
    import_hybrid_layers(i, types, import_ssm(i, s));
}

// ---- both in one layer

static void add_mamba(struct import *i, const char *ssm) {
    struct import_op *mamba = import_operator(i, "mamba");
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        import_at(mamba, k, IMPORT_SSM, ssm);
    }
}

static const struct mamba2_defaults falcon_h1 = {128, 8, 256};

static void import_falcon_h1(struct import *i) {
    struct import_shape shape;
    if (import_shape(i, &shape)) {
        add_mamba(i, mamba2(i, &falcon_h1));
    }
}

#define ZAMBA_LAYERS 54 // of the class, whose hybrid layers are known
#define ZAMBA_HEADS 8

// The original files give the head dim, later ones the number of heads.
static const char *zamba_mamba(struct import *i) {
    struct import_int expand = import_count(i, "mamba_expand|expansion_factor", 2);
    struct import_int hidden = import_count(i, "hidden_size", i->arch->hidden);
    struct import_int heads = import_count(i, "n_mamba_heads", ZAMBA_HEADS);
    struct import_int dim = import_count(i, "mamba_headdim", 1);
    int64_t width = expand.v * hidden.v;
    if (!heads.given && dim.given) {
        heads.v = width / dim.v;
    }
    if (heads.v == 0 || width % heads.v != 0 || (dim.given && heads.v * dim.v != width)) {
        const struct config_value *at = dim.given ? dim.at : heads.at;
        import_error(i, DIAG_A0909, import_here(i, at),
                     "%lld Mamba heads do not make up the inner width, %lld", (long long)heads.v,
                     (long long)width);
        return NULL;
    }
    return import_ssm(i, (struct import_ssm){"mamba2", heads.v, width / heads.v,
                                             import_count(i, "mamba_d_state|state_size", 64).v,
                                             import_count(i, "mamba_ngroups", 1).v,
                                             import_count(i, "mamba_d_conv|conv_dimension", 4).v});
}

// Whether the class's own default makes layer k of 54 a hybrid.
static bool zamba_hybrid(int64_t k) {
    return (k > 0 && k <= 42 && k % 6 == 0) || k == 47 || k == 51;
}

// The shared attention block works on twice the width, and its scale on half its head dim.
static void import_zamba2(struct import *i) {
    struct import_int layers = import_layers(i), heads = import_heads(i);
    struct import_int kv = import_kv_heads(i, heads);
    struct import_int hidden = import_count(i, "hidden_size", i->arch->hidden);
    struct import_int dim = import_count(i, "attention_head_dim", 2 * hidden.v / heads.v);
    if (layers.bad) {
        return;
    }
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_set_int(i, IMPORT_KV_HEADS, kv);
    import_set(i, IMPORT_HEAD_DIM, import_number(i, dim.v),
               dim.given ? NULL : "2 * hidden_size / num_attention_heads");
    import_dtype_line(i);
    import_set(i, IMPORT_SCALE, arena_printf(i->arena, "rsqrt(%lld / 2)", (long long)dim.v),
               "of half the head dim");
    enum layer_type *types =
        import_layer_types(i, "layers_block_type|layer_types",
                           LAYER_BIT(LAYER_RECURRENT) | LAYER_BIT(LAYER_HYBRID), all_mamba);
    bool listed = import_find(i, "layers_block_type|layer_types");
    if (!listed && layers.v != ZAMBA_LAYERS) {
        import_missing(i, "layers_block_type",
                       "it says which layers have the shared attention block");
        return;
    }
    for (int64_t k = 0; types && k < layers.v; k++) {
        bool hybrid = listed ? types[k] == LAYER_HYBRID : zamba_hybrid(k);
        import_at(import_self(i), k, IMPORT_ATTN, hybrid ? "decoder" : "none");
    }
    add_mamba(i, zamba_mamba(i));
}

static const struct import_keys nemotron_keys = {.head_dim = "head_dim|attention_head_dim"};

#define ROW(type, n, width, h, kv, dim, rule)                                                      \
    .model_type = type, .layers = n, .hidden = width, .heads = h, .kv_heads = kv, .head_dim = dim, \
    .fill = rule

const struct import_arch import_hybrid_archs[] = {
    {ROW("jamba", 32, 4096, 32, 8, 0, import_jamba)},
    {ROW("bamba", 32, 4096, 32, 8, 0, import_bamba)},
    {ROW("granitemoehybrid", 32, 4096, 32, 0, 0, import_granite)},
    {ROW("nemotron_h", 0, 4096, 32, 8, 128, import_nemotron), .keys = &nemotron_keys},
    {ROW("falcon_h1", 32, 4096, 32, 8, 0, import_falcon_h1)},
    {ROW("zamba2", 54, 2560, 32, 0, 0, import_zamba2)},
};
IMPORT_ARCH_COUNT(hybrid);
