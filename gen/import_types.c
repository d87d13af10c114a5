// SPDX-License-Identifier: Apache-2.0
// Which type each layer has: by the file's list, or by the rule of its class; and the window of the
// sliding ones. A list may be longer than the model (its first entries count), never shorter.
#include "gen/import.h"

// Spellings of the types: transformers' own first, then older ones.
static const struct {
    const char *text;
    enum layer_type type;
} layer_words[] = {
    {"sliding_attention", LAYER_SLIDING},
    {"full_attention", LAYER_FULL},
    {"chunked_attention", LAYER_CHUNKED},
    {"linear_attention", LAYER_RECURRENT},
    {"hybrid", LAYER_HYBRID},
    {"mlp", LAYER_MLP},
    {"attention", LAYER_FULL},
    {"indexed_attention", LAYER_INDEXED},
    {"mamba", LAYER_RECURRENT},
    {"conv", LAYER_RECURRENT},
    {"moe", LAYER_MLP},
};

const char *import_layer_type_text(enum layer_type type) {
    for (size_t k = 0;; k++) { // every type has a word
        if (layer_words[k].type == type) {
            return layer_words[k].text;
        }
    }
}

enum layer_type import_rule_type(struct layer_rule rule, int64_t k) {
    return rule.period && k % rule.period == rule.offset ? rule.at : rule.otherwise;
}

static bool layer_word(struct import *i, const struct config_value *v, unsigned allowed,
                       enum layer_type *out) {
    if (v->kind != CONFIG_STRING) {
        import_wrong(i, v, "a string");
        return false;
    }
    const char *known = "";
    for (size_t k = 0; k < sizeof layer_words / sizeof *layer_words; k++) {
        enum layer_type type = layer_words[k].type;
        if (!(allowed & LAYER_BIT(type))) {
            continue;
        }
        if (import_is(v, layer_words[k].text)) {
            *out = type;
            return true;
        }
        if (layer_words[k].text == import_layer_type_text(type)) {
            known =
                arena_printf(i->arena, "%s%s`%s`", known, *known ? ", " : "", layer_words[k].text);
        }
    }
    struct diag *g = diag_add(i->diags, DIAG_A0910, v->span, "`%s` of %s has unknown type %s",
                              config_path(i->arena, v), i->arch->model_type,
                              config_shown(i->arena, i->diags, v));
    diag_note_plain(i->diags, g, "known types: %s", known);
    i->failed = true;
    return false;
}

enum layer_type *import_layer_types(struct import *i, const char *keys, unsigned allowed,
                                    struct layer_rule rule) {
    if (!i->model) {
        return NULL; // the number of layers is in error
    }
    size_t n = (size_t)i->model->n_layers;
    enum layer_type *types = ARENA_ARRAY(i->arena, enum layer_type, n);
    const struct config_value *list = import_list(i, keys, "strings");
    if (!list && import_find(i, keys)) {
        return NULL;
    }
    bool known = true;
    for (size_t k = 0; k < n; k++) {
        types[k] = import_rule_type(rule, (int64_t)k);
        known = (!list || layer_word(i, list->members.at[k], allowed, &types[k])) && known;
    }
    return known ? types : NULL;
}

enum layer_type *import_mask(struct import *i, const char *keys, enum layer_type zero,
                             enum layer_type one) {
    const struct config_value *list = import_list(i, keys, "0 and 1");
    bool good = list != NULL;
    enum layer_type *types = ARENA_ARRAY(i->arena, enum layer_type, i->model->n_layers);
    for (int64_t k = 0; list && k < i->model->n_layers; k++) {
        struct import_int v = import_int_at(i, list->members.at[k], 0, 1, 0);
        types[k] = v.v ? one : zero;
        good = good && !v.bad;
    }
    return good ? types : NULL;
}

bool import_has_type(const struct import *i, const enum layer_type *types, enum layer_type type) {
    for (int64_t k = 0; types && k < i->model->n_layers; k++) {
        if (types[k] == type) {
            return true;
        }
    }
    return false;
}

// ---- window

struct import_int import_window(struct import *i, const char *keys, int64_t fallback) {
    const struct config_value *null = config_member(i->text, keys);
    struct import_int w = import_count(i, keys, fallback);
    if (!w.given && null) {
        w.v = 0;
        w.at = null;
    }
    return w;
}

void import_set_window(struct import *i, const enum layer_type *types, struct import_int w) {
    bool sliding = import_has_type(i, types, LAYER_SLIDING);
    if (w.v == 0 && sliding) {
        import_note(i, import_here(i, w.at), "%s: no window, so every layer is full_attention",
                    w.at ? arena_printf(i->arena, "`%s` is %s", config_path(i->arena, w.at),
                                        w.at->kind == CONFIG_NULL ? "null" : "0")
                         : "`sliding_window` is not given");
    }
    for (int64_t k = 0; w.v && types && k < i->model->n_layers; k++) {
        if (types[k] == LAYER_SLIDING) {
            import_at(import_self(i), k, IMPORT_WINDOW, import_number(i, w.v));
        }
    }
    if (!w.given) {
        import_self(i)->comments[IMPORT_WINDOW] = import_default_comment(i);
    }
}
