// SPDX-License-Identifier: Apache-2.0
// The Gemma family up to 3n: gemma2, gemma3_text, gemma3n_text. Layers slide or are full, by
// layer_types or every n-th; the scale is rsqrt(query_pre_attn_scalar) or 1. gemma3n's last layers
// read the cache of an earlier layer; EmbeddingGemma is a bidirectional gemma3_text.
#include "gen/import_gemma.h"

struct gemma_facts {
    int64_t window;
    int64_t full_every;       // layer k is full iff (k + 1) % full_every == 0
    bool reads_pattern;       // sliding_window_pattern replaces full_every
    bool reads_softcap;       // attn_logit_softcapping counts
    const char *softcap;      // its default, or NULL
    const char *scale;        // fixed, or NULL: rsqrt(query_pre_attn_scalar)
    int64_t scalar;           // default of query_pre_attn_scalar
    bool reads_sharing;       // num_kv_shared_layers counts
    int64_t kv_shared;        // its default
    bool reads_bidirectional; // use_bidirectional_attention counts
};

static const struct gemma_facts gemma2 = {
    .window = 4096,
    .full_every = 2, // layer 0 slides
    .reads_softcap = true,
    .softcap = "50.0",
    .scalar = 256,
};
static const struct gemma_facts gemma3 = {
    .window = 4096,
    .full_every = 6,
    .reads_pattern = true,
    .reads_softcap = true,
    .scalar = 256,
    .reads_bidirectional = true,
};
static const struct gemma_facts gemma3n = {
    .window = 512,
    .full_every = 5,
    .scale = "1",
    .reads_sharing = true,
    .kv_shared = 15,
};

static const struct gemma_facts *facts(const struct import *i) {
    return i->arch->facts;
}

// layer_types decides; says so where a pattern of the file tells another story.
static void warn_pattern(struct import *i, const struct config_value *at,
                         const enum layer_type *types, struct layer_rule rule) {
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        enum layer_type by_pattern = import_rule_type(rule, k);
        if (types[k] != by_pattern) {
            struct diag *g = diag_add(
                i->diags, DIAG_A0920, at->span,
                "`%s` disagrees with `layer_types`, first at layer %lld: %s by the pattern, %s by "
                "`layer_types`, which decides",
                config_path(i->arena, at), (long long)k, import_layer_type_text(by_pattern),
                import_layer_type_text(types[k]));
            diag_note(i->diags, g, import_find(i, "layer_types")->members.at[k]->span,
                      "layer %lld is here", (long long)k);
            return;
        }
    }
}

// Each n-th layer is full: the file's pattern under either of its names, or the class default.
static struct import_int pattern(struct import *i) {
    struct import_int none = {.v = facts(i)->full_every};
    if (!facts(i)->reads_pattern) {
        return none;
    }
    struct import_int p = import_count(i, "sliding_window_pattern", none.v);
    struct import_int q = import_count(i, "_sliding_window_pattern", none.v);
    if (p.given && q.given && !p.bad && !q.bad && p.v != q.v) {
        struct diag *g =
            diag_add(i->diags, DIAG_A0920, q.at->span,
                     "`%s` is %lld but `%s` is %lld, which counts", config_path(i->arena, q.at),
                     (long long)q.v, config_path(i->arena, p.at), (long long)p.v);
        diag_note(i->diags, g, p.at->span, "the other pattern is here");
    }
    return p.given ? p : q;
}

static const enum layer_type *types_of_layers(struct import *i) {
    struct import_int p = pattern(i);
    struct layer_rule rule = {p.v, p.v - 1, LAYER_FULL, LAYER_SLIDING};
    const enum layer_type *types = import_layer_types(
        i, "layer_types", LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_SLIDING), rule);
    if (types && p.given && !p.bad && import_find(i, "layer_types")) {
        warn_pattern(i, p.at, types, rule);
    }
    return types;
}

// transformers halves the window of a bidirectional model: |q - k| <= w / 2, on both sides.
static void set_both_windows(struct import *i, const enum layer_type *types, struct import_int w) {
    struct import_op *self = import_self(i);
    for (int64_t k = 0; w.v && k < i->model->n_layers; k++) {
        if (types[k] == LAYER_SLIDING) {
            import_at(self, k, IMPORT_WINDOW_LEFT, import_number(i, w.v / 2));
            import_at(self, k, IMPORT_WINDOW_RIGHT, import_number(i, w.v / 2));
        }
    }
    self->comments[IMPORT_WINDOW_LEFT] =
        w.given ? "half of sliding_window"
                : arena_printf(i->arena, "half of sliding_window, %s", import_default_comment(i));
}

void import_gemma_sharing(struct import *i, const enum layer_type *types, int64_t fallback) {
    int64_t n = i->model->n_layers;
    struct import_int shared = import_int(i, "num_kv_shared_layers", 0, IMPORT_MAX_INT, fallback);
    int64_t first = n - shared.v;
    if (shared.given && shared.v > 0 && first <= 0) {
        import_note(i, shared.at,
                    "`%s` is %lld of %lld layers: none is left to share from, so no layer shares",
                    config_path(i->arena, shared.at), (long long)shared.v, (long long)n);
    }
    for (int64_t k = first > 0 ? first : n; k < n; k++) {
        int64_t owner = first - 1;
        while (owner >= 0 && types[owner] != types[k]) {
            owner--;
        }
        if (owner < 0) {
            import_error(i, DIAG_A0911, import_here(i, shared.at),
                         "layer %lld shares the keys and values of the last %s layer before layer "
                         "%lld, and there is none",
                         (long long)k, import_layer_type_text(types[k]), (long long)first);
            return;
        }
        import_at(import_self(i), k, IMPORT_KV_SHARE, import_number(i, owner));
    }
    import_self(i)->comments[IMPORT_KV_SHARE] = shared.given ? NULL : import_default_comment(i);
}

void import_gemma_unit_scale(struct import *i) {
    import_set(i, IMPORT_SCALE, "1",
               arena_printf(i->arena, "of every %s: queries and keys are normalised",
                            i->arch->model_type));
}

static void set_scale(struct import *i) {
    if (facts(i)->scale) {
        import_gemma_unit_scale(i);
        return;
    }
    bool zero;
    const char *scalar = import_decimal(i, "query_pre_attn_scalar", false, &zero);
    const char *value = scalar ? arena_printf(i->arena, "rsqrt(%s)", scalar)
                               : arena_printf(i->arena, "rsqrt(%lld)", (long long)facts(i)->scalar);
    import_set(i, IMPORT_SCALE, value,
               scalar ? "query_pre_attn_scalar" : import_default_comment(i));
}

// null is off, and so is 0, which other readers take for "all logits 0".
static void set_softcap(struct import *i) {
    const struct config_value *at = config_member(i->text, "attn_logit_softcapping");
    bool zero = false;
    const char *cap = import_decimal(i, "attn_logit_softcapping", true, &zero);
    if (zero) {
        import_note(i, at, "`%s` is 0, which is read as off", config_path(i->arena, at));
    } else if (cap) {
        import_set(i, IMPORT_SOFTCAP, cap, "attn_logit_softcapping");
    } else if (!at && facts(i)->softcap) {
        import_set(i, IMPORT_SOFTCAP, facts(i)->softcap, import_default_comment(i));
    }
}

static void import_gemma(struct import *i) {
    struct import_shape shape;
    bool bidirectional =
        facts(i)->reads_bidirectional && import_flag(i, "use_bidirectional_attention", false);
    import_shape(i, &shape);
    struct import_int w = import_window(i, "sliding_window", facts(i)->window);
    const enum layer_type *types = types_of_layers(i);
    if (!i->model) {
        return;
    }
    set_scale(i);
    if (facts(i)->reads_softcap) {
        set_softcap(i);
    }
    if (bidirectional) {
        import_set(i, IMPORT_ATTN, "encoder_only", "use_bidirectional_attention");
    }
    if (types && bidirectional) {
        set_both_windows(i, types, w);
    } else if (types) {
        import_set_window(i, types, w);
    }
    if (types && facts(i)->reads_sharing) {
        import_gemma_sharing(i, types, facts(i)->kv_shared);
    }
}

const struct import_arch import_gemma_archs[] = {
    {
        .model_type = "gemma2",
        .layers = 26,
        .hidden = 2304,
        .heads = 8,
        .kv_heads = 4,
        .head_dim = 256,
        .kv_null_defaults = true,
        .facts = &gemma2,
        .fill = import_gemma,
    },
    {
        .model_type = "gemma3_text",
        .wrapper = "gemma3",
        .layers = 26,
        .hidden = 2304,
        .heads = 8,
        .kv_heads = 4,
        .head_dim = 256,
        .kv_null_defaults = true,
        .facts = &gemma3,
        .fill = import_gemma,
    },
    {
        .model_type = "gemma3n_text",
        .wrapper = "gemma3n",
        .layers = 35,
        .hidden = 2048,
        .heads = 8,
        .kv_heads = 2,
        .head_dim = 256,
        .kv_null_defaults = true,
        .facts = &gemma3n,
        .fill = import_gemma,
    },
};
IMPORT_ARCH_COUNT(gemma);
