// SPDX-License-Identifier: Apache-2.0
// Latent attention beside windows. DeepSeek V4: each layer has a window over latent rows, most also
// an operator over compressed rows, that of ratio 4 with an indexer. dots3_note: full layers with
// an indexer, sliding layers with dims of their own.
#include "gen/import.h"

// ---- DeepSeek V4

#define V4_WINDOW 128
#define V4_TOPK 512
#define SPARSE_RATIO 4
#define HEAVY_RATIO 128
#define FIRST_ALTERNATING 2 // by default the layers before it are heavily compressed

static const struct {
    const char *word, *rate; // a layer type and the key of its ratio
    int64_t ratio;
} v4_types[] = {
    {"sliding_attention", NULL, 0},
    {"compressed_sparse_attention", "compress_rate_csa", SPARSE_RATIO},
    {"heavily_compressed_attention", "compress_rate_hca", HEAVY_RATIO},
};

static int64_t ratio_of_type(struct import *i, const struct config_value *v) {
    const struct config_value *rates = import_find(i, "compress_rates");
    for (size_t t = 0; t < sizeof v4_types / sizeof *v4_types; t++) {
        if (!import_is(v, v4_types[t].word)) {
            continue;
        }
        const struct config_value *own = v4_types[t].rate ? import_find(i, v4_types[t].rate) : NULL;
        if (rates && rates->kind == CONFIG_OBJECT && !own) {
            own = config_get(rates, v4_types[t].word);
        }
        return import_int_at(i, own, 1, IMPORT_MAX_INT, v4_types[t].ratio).v;
    }
    struct diag *g = diag_add(i->diags, DIAG_A0910, v->span, "`%s` of %s has unknown type %s",
                              config_path(i->arena, v), i->arch->model_type,
                              config_shown(i->arena, i->diags, v));
    diag_note_plain(i->diags, g, "known types: `%s`, `%s`, `%s`", v4_types[0].word,
                    v4_types[1].word, v4_types[2].word);
    i->failed = true;
    return 0;
}

// Tokens for one compressed row, by layer; 0 or 1: the layer has the window alone.
static int64_t *ratios(struct import *i) {
    int64_t *out = ARENA_ARRAY(i->arena, int64_t, i->model->n_layers);
    const struct config_value *types = import_list(i, "layer_types", "strings");
    const struct config_value *list = types ? NULL : import_list(i, "compress_ratios", "integers");
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        if (types) {
            out[k] = ratio_of_type(i, types->members.at[k]);
        } else if (list) {
            out[k] = import_int_at(i, list->members.at[k], 0, IMPORT_MAX_INT, 0).v;
        } else {
            out[k] = k >= FIRST_ALTERNATING && k % 2 ? SPARSE_RATIO : HEAVY_RATIO;
        }
    }
    return out;
}

static void add_compressed(struct import *i, const int64_t *ratio) {
    struct import_op *op = NULL;
    const char *index = NULL;
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        if (ratio[k] <= 1) {
            continue;
        }
        op = op ? op : import_operator(i, "compressed");
        import_at(op, k, IMPORT_WINDOW, "none");
        import_at(op, k, IMPORT_COMPRESS, import_number(i, ratio[k]));
        if (ratio[k] == SPARSE_RATIO) {
            index = index ? index : import_index(i);
            import_at(op, k, IMPORT_INDEX, index);
        }
    }
}

static void import_v4(struct import *i) {
    struct import_int layers = import_layers(i), heads = import_heads(i);
    struct import_int dim = import_head_dim(i, heads);
    struct import_int w = import_count(i, "sliding_window", V4_WINDOW);
    struct import_int kv = import_count(i, "num_key_value_heads", 1);
    if (kv.v != 1) {
        import_error(i, DIAG_A0907, kv.at, "`%s` must be 1: one latent row serves all heads",
                     config_path(i->arena, kv.at));
    }
    if (layers.bad) {
        return;
    }
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_dtype_line(i);
    import_set(i, IMPORT_SINK_LOGITS, "yes", "a learned logit a head, the kind is the same");
    // RoPE turns the last qk_rope_head_dim values of a row where they stand: K and V are one row.
    import_set(i, IMPORT_MLA, import_mla(i, dim.v, 0, dim.v, dim.v),
               dim.given ? "K and V are one row, rotated in place" : import_default_comment(i));
    for (int64_t k = 0; k < layers.v; k++) {
        import_at(import_self(i), k, IMPORT_WINDOW, import_number(i, w.v));
    }
    import_self(i)->comments[IMPORT_WINDOW] = w.given ? NULL : import_default_comment(i);
    add_compressed(i, ratios(i));
}

// ---- dots3_note

#define DOTS_WINDOW 513

struct dots_dims {
    struct import_int heads, rank, nope, rope, v;
};

static struct dots_dims dots_dims(struct import *i, const char *const keys[5],
                                  const int64_t fallback[5]) {
    struct dots_dims d;
    struct import_int *const to[] = {&d.heads, &d.rank, &d.nope, &d.rope, &d.v};
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        *to[k] = import_count(i, keys[k], fallback[k]);
    }
    return d;
}

static void import_dots(struct import *i) {
    static const char *const full_keys[] = {"num_attention_heads", "kv_lora_rank",
                                            "qk_nope_head_dim", "qk_rope_head_dim", "v_head_dim"};
    static const char *const swa_keys[] = {"swa_num_attention_heads", "swa_kv_lora_rank",
                                           "swa_qk_nope_head_dim", "swa_qk_rope_head_dim",
                                           "swa_v_head_dim"};
    static const int64_t full_dims[] = {128, 512, 128, 64, 128};
    static const int64_t swa_dims[] = {64, 1024, 192, 64, 128};
    struct layer_rule rule = {4, 1, LAYER_FULL, LAYER_SLIDING};
    struct import_int layers = import_layers(i);
    struct import_int w = import_count(i, "sliding_window_size|sliding_window", DOTS_WINDOW);
    struct dots_dims full = dots_dims(i, full_keys, full_dims);
    struct dots_dims swa = dots_dims(i, swa_keys, swa_dims);
    if (layers.bad) {
        return;
    }
    import_begin(i, "", layers);
    import_dtype_line(i);
    enum layer_type *types = import_layer_types(
        i, "layer_types",
        LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_INDEXED) | LAYER_BIT(LAYER_SLIDING), rule);
    if (!types) {
        return;
    }
    if (!import_find(i, "layer_types")) {
        types[0] = LAYER_FULL;
    }
    struct import_op *self = import_self(i);
    const char *index = import_index(i);
    for (int64_t k = 0; k < layers.v; k++) {
        bool slides = types[k] == LAYER_SLIDING;
        const struct dots_dims *d = slides ? &swa : &full;
        import_at(self, k, IMPORT_HEADS, import_number(i, d->heads.v));
        import_at(self, k, IMPORT_MLA, import_mla(i, d->rank.v, d->rope.v, d->nope.v, d->v.v));
        import_at(self, k, slides ? IMPORT_WINDOW : IMPORT_INDEX,
                  slides ? import_number(i, w.v) : index);
    }
    self->comments[IMPORT_WINDOW] = w.given ? NULL : import_default_comment(i);
}

const struct import_arch import_latent_archs[] = {
    {
        .model_type = "deepseek_v4",
        .layers = 43,
        .hidden = 4096,
        .heads = 64,
        .head_dim = 512,
        .fill = import_v4,
    },
    {
        .model_type = "dots3_note",
        .layers = 46,
        .hidden = 5120,
        .heads = 128,
        .fill = import_dots,
    },
};
IMPORT_ARCH_COUNT(latent);
