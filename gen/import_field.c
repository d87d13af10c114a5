// SPDX-License-Identifier: Apache-2.0
// Typed reading of configuration fields. A field that is absent or null takes its fallback; one of
// the wrong type, out of range or not finite is an error at its place that names its key path.
// Nothing is converted: a string that spells a number is a string.
#include <float.h>
#include <string.h>

#include "gen/import.h"
#include "gen/number.h"

static void wrong_type(struct import *i, const struct config_value *v, const char *wanted) {
    enum diag_code code = v->kind == CONFIG_NONFINITE ? DIAG_A0908 : DIAG_A0906;
    diag_add(i->diags, code, v->span, "`%s` must be %s, has %s", config_path(i->arena, v), wanted,
             config_shown(i->arena, i->diags, v));
    i->failed = true;
}

// Digits with an optional minus; false when it is no integer. Beyond 64 bits: INT64_MAX or MIN.
static bool integer(const char *text, int64_t *out) {
    bool negative = *text == '-';
    int64_t v = 0;
    for (const char *c = text + negative; *c; c++) {
        if (*c < '0' || *c > '9') {
            return false;
        }
        int64_t digit = *c - '0';
        v = v > (INT64_MAX - digit) / 10 ? INT64_MAX : v * 10 + digit;
    }
    *out = negative ? -v : v;
    return true;
}

struct import_int import_int(struct import *i, const char *key, int64_t low, int64_t high,
                             int64_t fallback) {
    const struct config_value *at = config_get(i->text, key);
    struct import_int r = {.v = fallback, .given = at != NULL, .bad = true, .at = at};
    int64_t v;
    if (!at) {
        r.bad = false;
    } else if (at->kind != CONFIG_NUMBER || !integer(at->text, &v)) {
        wrong_type(i, at, "an integer");
    } else if (v < low || v > high) {
        diag_add(i->diags, DIAG_A0907, at->span, "`%s` must be from %lld to %lld, has %s",
                 config_path(i->arena, at), (long long)low, (long long)high,
                 config_shown(i->arena, i->diags, at));
        i->failed = true;
    } else {
        r.v = v;
        r.bad = false;
    }
    return r;
}

bool import_flag(struct import *i, const char *key, bool fallback) {
    const struct config_value *at = config_get(i->text, key);
    if (!at) {
        return fallback;
    }
    if (at->kind != CONFIG_BOOL) {
        wrong_type(i, at, "true or false");
    }
    return at->yes;
}

// JSON's spelling in that of .attn: a small e, no plus.
static const char *respell(struct arena *a, const char *text) {
    char *out = arena_strdup(a, text), *to = out;
    for (const char *c = text; *c; c++) {
        if (*c != '+') {
            *to++ = *c == 'E' ? 'e' : *c;
        }
    }
    *to = 0;
    return out;
}

const char *import_decimal(struct import *i, const char *key, bool zero_allowed, bool *is_zero) {
    const struct config_value *at = config_get(i->text, key);
    struct number n;
    if (!at) {
        return NULL;
    }
    if (at->kind != CONFIG_NUMBER) {
        wrong_type(i, at, "a number");
        return NULL;
    }
    bool negative = at->text[0] == '-';
    const char *spelling = respell(i->arena, at->text + negative);
    bool fits = number_decimal(spelling, &n) == NUMBER_OK;
    bool zero = fits && number_compare(n, number_int(0)) == 0;
    // What a kernel holds is a binary32: beyond its range there is no such number.
    float f = fits ? number_to_float(n) : 0;
    fits = zero || (fits && f > 0 && f <= FLT_MAX);
    *is_zero = zero;
    if (!fits || (zero && !zero_allowed) || (negative && !zero)) {
        const char *least = zero_allowed ? "0 or more" : "more than 0";
        diag_add(i->diags, DIAG_A0907, at->span, "`%s` must be %s, has %s",
                 config_path(i->arena, at), fits ? least : "in the range of a binary32 number",
                 config_shown(i->arena, i->diags, at));
        i->failed = true;
        return NULL;
    }
    return spelling;
}

// ---- layer_types

// Spellings of the types: transformers' own, and the older `attention`.
static const struct {
    const char *text;
    enum layer_type type;
} layer_words[] = {
    {"sliding_attention", LAYER_SLIDING},
    {"full_attention", LAYER_FULL},
    {"attention", LAYER_FULL},
};

const char *import_layer_type_text(enum layer_type type) {
    return type == LAYER_FULL ? "full_attention" : "sliding_attention";
}

static bool layer_word(struct import *i, const struct config_value *v, enum layer_type *out) {
    if (v->kind != CONFIG_STRING) {
        wrong_type(i, v, "a string");
        return false;
    }
    for (size_t k = 0; k < sizeof layer_words / sizeof *layer_words; k++) {
        if (strlen(layer_words[k].text) == v->len && strcmp(layer_words[k].text, v->text) == 0) {
            *out = layer_words[k].type;
            return true;
        }
    }
    struct diag *g = diag_add(i->diags, DIAG_A0910, v->span, "`%s` of %s has unknown type %s",
                              config_path(i->arena, v), i->arch->model_type,
                              config_shown(i->arena, i->diags, v));
    diag_note_plain(i->diags, g, "known types: `sliding_attention`, `full_attention`");
    i->failed = true;
    return false;
}

static enum layer_type *listed_types(struct import *i, const struct config_value *list) {
    size_t n = (size_t)i->model->n_layers;
    enum layer_type *types = ARENA_ARRAY(i->arena, enum layer_type, n);
    if (list->kind != CONFIG_ARRAY) {
        wrong_type(i, list, "an array of strings");
        return NULL;
    }
    if (list->members.len < n) {
        diag_add(i->diags, DIAG_A0909, list->span, "`%s` has %zu %s for %zu layers",
                 config_path(i->arena, list), list->members.len,
                 list->members.len == 1 ? "entry" : "entries", n);
        i->failed = true;
        return NULL;
    }
    if (list->members.len > n) {
        diag_add(i->diags, DIAG_A0922, list->span,
                 "`%s` has %zu entries for %zu layers: the first %zu count",
                 config_path(i->arena, list), list->members.len, n, n);
    }
    bool known = true;
    for (size_t k = 0; k < n; k++) {
        known = layer_word(i, list->members.at[k], &types[k]) && known;
    }
    return known ? types : NULL;
}

enum layer_type *import_layer_types(struct import *i, int64_t full_every) {
    const struct config_value *list = config_get(i->text, "layer_types");
    if (!i->model->layers) {
        return NULL; // their number is in error
    }
    if (list) {
        return listed_types(i, list);
    }
    enum layer_type *types = ARENA_ARRAY(i->arena, enum layer_type, i->model->n_layers);
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        types[k] = (k + 1) % full_every == 0 ? LAYER_FULL : LAYER_SLIDING;
    }
    return types;
}

// ---- the model

void import_line(struct import *i, const char *name, const char *value, const char *comment) {
    VEC_PUSH(i->arena, &i->model->lines, ((struct import_line){name, value, comment}));
}

const char *import_default_comment(struct import *i) {
    return arena_printf(i->arena, "default of %s", i->arch->model_type);
}
