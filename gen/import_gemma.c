// SPDX-License-Identifier: Apache-2.0
// The Gemma family: gemma2, gemma3_text, gemma3n_text. Layers slide or are full, by layer_types or
// every n-th; the scale is rsqrt(query_pre_attn_scalar) or 1. gemma3n's last layers read the cache
// of an earlier layer; EmbeddingGemma is a bidirectional gemma3_text.
#include "gen/import.h"

// layer_types decides; says so where a pattern of the file tells another story.
static void warn_pattern(struct import *i, const struct config_value *at,
                         const enum layer_type *types, int64_t every) {
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        enum layer_type by_pattern = (k + 1) % every == 0 ? LAYER_FULL : LAYER_SLIDING;
        if (types[k] != by_pattern) {
            struct diag *g = diag_add(
                i->diags, DIAG_A0920, at->span,
                "`%s` disagrees with `layer_types`, first at layer %lld: %s by the pattern, %s by "
                "`layer_types`, which decides",
                config_path(i->arena, at), (long long)k, import_layer_type_text(by_pattern),
                import_layer_type_text(types[k]));
            diag_note(i->diags, g, config_get(i->text, "layer_types")->members.at[k]->span,
                      "layer %lld is here", (long long)k);
            return;
        }
    }
}

// Each n-th layer is full: the file's pattern under either of its names, or the class default.
static struct import_int pattern(struct import *i) {
    struct import_int none = {.v = i->arch->full_every};
    if (!i->arch->reads_pattern) {
        return none;
    }
    struct import_int p = import_int(i, "sliding_window_pattern", 1, IMPORT_MAX_INT, none.v);
    struct import_int q = import_int(i, "_sliding_window_pattern", 1, IMPORT_MAX_INT, none.v);
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
    const enum layer_type *types = import_layer_types(i, p.v);
    if (types && p.given && !p.bad && config_get(i->text, "layer_types")) {
        warn_pattern(i, p.at, types, p.v);
    }
    return types;
}

// The window, or IMPORT_ABSENT where the file says null: then no layer has one.
static int64_t window(struct import *i, const enum layer_type *types, const char **comment) {
    const struct config_value *null = config_member(i->text, "sliding_window");
    struct import_int w =
        import_int(i, "sliding_window", 1, IMPORT_MAX_INT, i->arch->sliding_window);
    bool sliding = false;
    for (int64_t k = 0; types && k < i->model->n_layers; k++) {
        sliding = sliding || types[k] == LAYER_SLIDING;
    }
    if (w.given || !null) {
        *comment = w.given ? NULL : import_default_comment(i);
        return w.v;
    }
    if (sliding) {
        diag_add(i->diags, DIAG_A0922, null->span,
                 "`%s` is null: no window, so every layer is full_attention",
                 config_path(i->arena, null));
    }
    return IMPORT_ABSENT;
}

// transformers halves the window of a bidirectional model: |q - k| <= w / 2, on both sides.
static void set_windows(struct import *i, const enum layer_type *types, int64_t w,
                        const char *comment, bool bidirectional) {
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        int64_t *v = i->model->layers[k].v;
        int64_t own = types[k] == LAYER_SLIDING ? w : IMPORT_ABSENT;
        if (!bidirectional) {
            v[IMPORT_WINDOW] = own;
        } else if (own != IMPORT_ABSENT) {
            v[IMPORT_WINDOW_LEFT] = v[IMPORT_WINDOW_RIGHT] = own / 2;
        }
    }
    i->model->comments[IMPORT_WINDOW] = comment;
    i->model->comments[IMPORT_WINDOW_LEFT] =
        comment ? arena_printf(i->arena, "half of sliding_window, %s", comment)
                : "half of sliding_window";
}

// The last num_kv_shared_layers layers read the cache of the last layer before them of their type.
// As in transformers, a count that leaves no layer before them shares nothing.
static void set_sharing(struct import *i, const enum layer_type *types) {
    int64_t n = i->model->n_layers;
    struct import_int shared =
        import_int(i, "num_kv_shared_layers", 0, IMPORT_MAX_INT, i->arch->kv_shared);
    int64_t first = n - shared.v;
    if (shared.given && shared.v > 0 && first <= 0) {
        diag_add(i->diags, DIAG_A0922, shared.at->span,
                 "`%s` is %lld of %lld layers: none is left to share from, so no layer shares",
                 config_path(i->arena, shared.at), (long long)shared.v, (long long)n);
    }
    for (int64_t k = first > 0 ? first : n; k < n; k++) {
        int64_t owner = first - 1;
        while (owner >= 0 && types[owner] != types[k]) {
            owner--;
        }
        if (owner < 0) {
            diag_add(i->diags, DIAG_A0911, shared.given ? shared.at->span : i->text->span,
                     "layer %lld shares the keys and values of the last %s layer before layer "
                     "%lld, and there is none",
                     (long long)k, import_layer_type_text(types[k]), (long long)first);
            i->failed = true;
            return;
        }
        i->model->layers[k].v[IMPORT_KV_SHARE] = owner;
    }
    i->model->comments[IMPORT_KV_SHARE] = shared.given ? NULL : import_default_comment(i);
}

static void set_scale(struct import *i) {
    if (i->arch->scale) {
        import_line(i, "scale", i->arch->scale,
                    arena_printf(i->arena, "of every %s: queries and keys are normalised",
                                 i->arch->model_type));
        return;
    }
    bool zero;
    const char *scalar = import_decimal(i, "query_pre_attn_scalar", false, &zero);
    const char *value = scalar ? arena_printf(i->arena, "rsqrt(%s)", scalar)
                               : arena_printf(i->arena, "rsqrt(%lld)", (long long)i->arch->scalar);
    import_line(i, "scale", value, scalar ? "query_pre_attn_scalar" : import_default_comment(i));
}

// null is off, and so is 0, which other readers take for "all logits 0".
static void set_softcap(struct import *i) {
    const struct config_value *at = config_member(i->text, "attn_logit_softcapping");
    bool zero = false;
    const char *cap = import_decimal(i, "attn_logit_softcapping", true, &zero);
    if (zero) {
        diag_add(i->diags, DIAG_A0922, at->span, "`%s` is 0, which is read as off",
                 config_path(i->arena, at));
    } else if (cap) {
        import_line(i, "softcap", cap, "attn_logit_softcapping");
    } else if (!at && i->arch->softcap) {
        import_line(i, "softcap", i->arch->softcap, import_default_comment(i));
    }
}

void import_gemma(struct import *i) {
    const char *comment = NULL;
    bool bidirectional =
        i->arch->reads_bidirectional && import_flag(i, "use_bidirectional_attention", false);
    set_scale(i);
    if (i->arch->reads_softcap) {
        set_softcap(i);
    }
    if (bidirectional) {
        import_line(i, "attn", "encoder_only", "use_bidirectional_attention");
    }
    const enum layer_type *types = types_of_layers(i);
    int64_t w = window(i, types, &comment);
    if (types) {
        set_windows(i, types, w, comment, bidirectional);
        if (i->arch->reads_sharing) {
            set_sharing(i, types);
        }
    }
}
