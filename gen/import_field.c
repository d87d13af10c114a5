// SPDX-License-Identifier: Apache-2.0
// Typed reading of configuration fields. A field that is absent or null takes its fallback; one of
// the wrong type, out of range or not finite is an error at its place that names its key path.
// Nothing is converted: a string that spells a number is a string.
#include <float.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "gen/import.h"
#include "gen/number.h"

// ---- errors

static const char *format_text(struct arena *a, const char *format, va_list args) {
    va_list again;
    va_copy(again, args);
    int n = vsnprintf(NULL, 0, format, again);
    va_end(again);
    char *out = arena_alloc(a, (size_t)n + 1);
    vsnprintf(out, (size_t)n + 1, format, args);
    return out;
}

void import_error(struct import *i, enum diag_code code, const struct config_value *at,
                  const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_add(i->diags, code, at->span, "%s", format_text(i->arena, format, args));
    va_end(args);
    i->failed = true;
}

void import_note(struct import *i, const struct config_value *at, const char *format, ...) {
    va_list args;
    va_start(args, format);
    diag_add(i->diags, DIAG_A0922, at->span, "%s", format_text(i->arena, format, args));
    va_end(args);
}

void import_wrong(struct import *i, const struct config_value *at, const char *wanted) {
    enum diag_code code = at->kind == CONFIG_NONFINITE ? DIAG_A0908 : DIAG_A0906;
    import_error(i, code, at, "`%s` must be %s, has %s", config_path(i->arena, at), wanted,
                 config_shown(i->arena, i->diags, at));
}

void import_missing(struct import *i, const char *key, const char *why) {
    const struct config_value *null = config_member(i->text, key);
    import_error(i, DIAG_A0905, import_here(i, null), "`%s` is %s: %s", key,
                 null ? "null" : "missing", why);
}

const struct config_value *import_here(const struct import *i, const struct config_value *at) {
    const struct config_value *type = config_get(i->text, "model_type");
    return at ? at : type ? type : config_get(i->root, "model_type");
}

// ---- fields

// The member named by the first `n` bytes of `key`.
static const struct config_value *get_n(const struct config_value *object, const char *key,
                                        size_t n) {
    for (size_t k = 0; k < object->members.len; k++) {
        const struct config_value *v = object->members.at[k];
        if (v->key && strlen(v->key) == n && memcmp(v->key, key, n) == 0) {
            return v->kind == CONFIG_NULL ? NULL : v;
        }
    }
    return NULL;
}

const struct config_value *import_find(const struct import *i, const char *keys) {
    for (const char *key = keys;;) {
        size_t n = strcspn(key, "|");
        const struct config_value *v = get_n(i->text, key, n);
        if (v || !key[n]) {
            return v;
        }
        key += n + 1;
    }
}

bool import_is(const struct config_value *v, const char *word) {
    return v && v->kind == CONFIG_STRING && strlen(word) == v->len && strcmp(v->text, word) == 0;
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

struct import_int import_int_at(struct import *i, const struct config_value *at, int64_t low,
                                int64_t high, int64_t fallback) {
    struct import_int r = {.v = fallback, .given = at != NULL, .bad = true, .at = at};
    int64_t v;
    if (!at) {
        r.bad = false;
    } else if (at->kind != CONFIG_NUMBER || !integer(at->text, &v)) {
        import_wrong(i, at, "an integer");
    } else if (v < low || v > high) {
        import_error(i, DIAG_A0907, at, "`%s` must be from %lld to %lld, has %s",
                     config_path(i->arena, at), (long long)low, (long long)high,
                     config_shown(i->arena, i->diags, at));
    } else {
        r.v = v;
        r.bad = false;
    }
    return r;
}

struct import_int import_int(struct import *i, const char *keys, int64_t low, int64_t high,
                             int64_t fallback) {
    return import_int_at(i, import_find(i, keys), low, high, fallback);
}

struct import_int import_count(struct import *i, const char *keys, int64_t fallback) {
    return import_int(i, keys, 1, IMPORT_MAX_INT, fallback);
}

bool import_flag(struct import *i, const char *keys, bool fallback) {
    const struct config_value *at = import_find(i, keys);
    if (!at) {
        return fallback;
    }
    if (at->kind != CONFIG_BOOL) {
        import_wrong(i, at, "true or false");
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

const char *import_decimal(struct import *i, const char *keys, bool zero_allowed, bool *is_zero) {
    const struct config_value *at = import_find(i, keys);
    struct number n;
    *is_zero = false;
    if (!at) {
        return NULL;
    }
    if (at->kind != CONFIG_NUMBER) {
        import_wrong(i, at, "a number");
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
        import_error(i, DIAG_A0907, at, "`%s` must be %s, has %s", config_path(i->arena, at),
                     fits ? least : "in the range of a binary32 number",
                     config_shown(i->arena, i->diags, at));
        return NULL;
    }
    return spelling;
}

const struct config_value *import_list(struct import *i, const char *keys, const char *of) {
    const struct config_value *list = import_find(i, keys);
    size_t n = (size_t)i->model->n_layers;
    if (!list) {
        return NULL;
    }
    if (list->kind != CONFIG_ARRAY) {
        import_wrong(i, list, arena_printf(i->arena, "an array of %s", of));
        return NULL;
    }
    if (list->members.len < n) {
        import_error(i, DIAG_A0909, list, "`%s` has %zu %s for %zu layers",
                     config_path(i->arena, list), list->members.len,
                     list->members.len == 1 ? "entry" : "entries", n);
        return NULL;
    }
    // Entries for the layers that predict further tokens are no surprise.
    const struct config_value *more = import_find(i, "num_nextn_predict_layers");
    size_t extra = more && more->kind == CONFIG_NUMBER ? strtoul(more->text, NULL, 10) : 0;
    if (list->members.len > n && list->members.len != n + extra) {
        import_note(i, list, "`%s` has %zu entries for %zu layers: the first %zu count",
                    config_path(i->arena, list), list->members.len, n, n);
    }
    return list;
}
