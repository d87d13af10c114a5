// SPDX-License-Identifier: Apache-2.0
// Values: construction, equality, membership, text; see value.h. Versions and dotted literals
// compare by component, all else by kind. Sets inside sets were spread before they come here.
#include "gen/value.h"

#include <stdio.h>
#include <string.h>

#include "gen/names.h"

#define SHOWN_ELEMENTS 8 // of a set in a message; then "and N more"

struct value value_none(void) {
    return (struct value){.kind = VALUE_NONE};
}

struct value value_auto(void) {
    return (struct value){.kind = VALUE_AUTO};
}

struct value value_bool(bool yes) {
    return (struct value){.kind = VALUE_BOOL, .yes = yes};
}

struct value value_int(int64_t v) {
    return (struct value){.kind = VALUE_NUMBER, .number = number_int(v)};
}

struct value value_word(const char *text) {
    return (struct value){.kind = VALUE_WORD, .text = text};
}

struct value value_set(struct arena *a, const struct value *elems, size_t n) {
    struct value set = {.kind = VALUE_SET};
    for (size_t i = 0; i < n; i++) {
        VEC_PUSH(a, &set.elems, elems[i]);
    }
    return set;
}

bool value_is_int(const struct value *v, int64_t *out) {
    return v->kind == VALUE_NUMBER && number_is_int(v->number, out);
}

// ---- versions

static const char *skip_zeros(const char *p) {
    while (*p == '0') {
        p++;
    }
    return p;
}

int version_compare(const char *a, const char *b) {
    while (*a || *b) {
        a = skip_zeros(a);
        b = skip_zeros(b);
        size_t n = strcspn(a, "."), m = strcspn(b, ".");
        int order = n != m ? (n < m ? -1 : 1) : strncmp(a, b, n);
        if (order) {
            return order < 0 ? -1 : 1;
        }
        a += n + (a[n] == '.');
        b += m + (b[m] == '.');
    }
    return 0;
}

// The version that a value stands for where a version is compared: itself, a dotted literal by its
// spelling, an integer by its digits. NULL when it stands for none.
static const char *version_of(const struct value *v, char buffer[80]) {
    int64_t whole;
    if (v->kind == VALUE_VERSION || (v->kind == VALUE_NUMBER && v->text)) {
        return v->text;
    }
    if (value_is_int(v, &whole) && whole >= 0) {
        number_print(v->number, buffer);
        return buffer;
    }
    return NULL;
}

bool value_order(const struct value *a, const struct value *b, int *order) {
    if (a->kind == VALUE_NUMBER && b->kind == VALUE_NUMBER) {
        *order = number_compare(a->number, b->number);
        return true;
    }
    if (a->kind != VALUE_VERSION && b->kind != VALUE_VERSION) {
        return false;
    }
    char a_buffer[80], b_buffer[80];
    const char *a_version = version_of(a, a_buffer), *b_version = version_of(b, b_buffer);
    if (!a_version || !b_version) {
        return false;
    }
    *order = version_compare(a_version, b_version);
    return true;
}

// ---- equality and membership

static bool is_collection(const struct value *v) {
    return v->kind == VALUE_SET || v->kind == VALUE_LIST;
}

static bool same_elements(const struct value *a, const struct value *b) {
    if (a->elems.len != b->elems.len) {
        return false;
    }
    for (size_t i = 0; i < a->elems.len; i++) {
        if (!value_equal(&a->elems.at[i], &b->elems.at[i])) {
            return false;
        }
    }
    return true;
}

bool value_equal(const struct value *a, const struct value *b) {
    int order;
    if (a->kind == VALUE_SET || b->kind == VALUE_SET) { // a value is a one-element set
        if (a->kind == VALUE_LIST || b->kind == VALUE_LIST) {
            return false;
        }
        return value_in(a, b) && value_in(b, a);
    }
    if (value_order(a, b, &order)) {
        return order == 0;
    }
    if (a->kind != b->kind) {
        return false;
    }
    switch (a->kind) {
    case VALUE_BOOL:
        return a->yes == b->yes;
    case VALUE_WORD:
    case VALUE_STRING:
        return same_name(a->text, b->text);
    case VALUE_LIST:
    case VALUE_RANGE:
        return same_elements(a, b);
    case VALUE_MULTIPLE:
        return number_compare(a->number, b->number) == 0;
    case VALUE_NONE:
    case VALUE_AUTO:
    case VALUE_ANY:
        return true;
    case VALUE_FAILURE:
    case VALUE_NUMBER:
    case VALUE_VERSION:
    case VALUE_SET:
        break;
    }
    return false;
}

static bool multiple_of(struct number v, struct number step) {
    struct number rest;
    return number_mod(v, step, &rest) == NUMBER_OK && number_compare(rest, number_int(0)) == 0;
}

// elems of a range: low, high, step; `any` is an open end, step `none` takes every value between.
static bool in_range(const struct value *v, const struct value *range) {
    const struct value *low = &range->elems.at[0], *high = &range->elems.at[1];
    const struct value *step = &range->elems.at[2];
    int order;
    if (v->kind != VALUE_NUMBER && v->kind != VALUE_VERSION) {
        return false;
    }
    if (low->kind != VALUE_ANY && (!value_order(v, low, &order) || order < 0)) {
        return false;
    }
    if (high->kind != VALUE_ANY && (!value_order(v, high, &order) || order > 0)) {
        return false;
    }
    if (step->kind != VALUE_NUMBER) {
        return true;
    }
    struct number distance = v->number;
    if (low->kind == VALUE_NUMBER && number_sub(v->number, low->number, &distance) != NUMBER_OK) {
        return false;
    }
    return v->kind == VALUE_NUMBER && multiple_of(distance, step->number);
}

static bool in_element(const struct value *v, const struct value *element) {
    switch (element->kind) {
    case VALUE_ANY:
        return true;
    case VALUE_RANGE:
        return in_range(v, element) || value_equal(v, element);
    case VALUE_MULTIPLE:
        return (v->kind == VALUE_NUMBER && multiple_of(v->number, element->number)) ||
               value_equal(v, element);
    default:
        return value_equal(v, element);
    }
}

bool value_in(const struct value *v, const struct value *set) {
    if (is_collection(v)) { // every element of v
        for (size_t i = 0; i < v->elems.len; i++) {
            if (!value_in(&v->elems.at[i], set)) {
                return false;
            }
        }
        return true;
    }
    if (!is_collection(set)) {
        return in_element(v, set);
    }
    for (size_t i = 0; i < set->elems.len; i++) {
        if (in_element(v, &set->elems.at[i])) {
            return true;
        }
    }
    return false;
}

bool value_meets(const struct value *v, const struct value *set) {
    if (!is_collection(v)) {
        return value_in(v, set);
    }
    for (size_t i = 0; i < v->elems.len; i++) {
        if (value_in(&v->elems.at[i], set)) {
            return true;
        }
    }
    return false;
}

// ---- text

static const char *range_text(struct arena *a, const struct value *v) {
    const struct value *step = &v->elems.at[2];
    const char *text =
        arena_printf(a, "%s..%s", value_text(a, &v->elems.at[0]), value_text(a, &v->elems.at[1]));
    return step->kind == VALUE_NUMBER ? arena_printf(a, "%s step %s", text, value_text(a, step))
                                      : text;
}

static const char *elements_text(struct arena *a, const struct value *v) {
    const char *open = v->kind == VALUE_LIST ? "[" : "{",
               *close = v->kind == VALUE_LIST ? "]" : "}";
    const char *text = open;
    for (size_t i = 0; i < v->elems.len && i < SHOWN_ELEMENTS; i++) {
        text = arena_printf(a, "%s%s%s", text, i ? ", " : "", value_text(a, &v->elems.at[i]));
    }
    if (v->elems.len > SHOWN_ELEMENTS) {
        text = arena_printf(a, "%s and %zu more", text, v->elems.len - SHOWN_ELEMENTS);
    }
    return arena_printf(a, "%s%s", text, close);
}

const char *value_text(struct arena *a, const struct value *v) {
    char number[80];
    switch (v->kind) {
    case VALUE_FAILURE:
        return v->text;
    case VALUE_NONE:
        return "none";
    case VALUE_AUTO:
        return "auto";
    case VALUE_ANY:
        return "any";
    case VALUE_BOOL:
        return v->yes ? "yes" : "no";
    case VALUE_NUMBER:
        if (v->text) {
            return v->text; // as written
        }
        number_print(v->number, number);
        return arena_strdup(a, number);
    case VALUE_MULTIPLE:
        number_print(v->number, number);
        return arena_printf(a, "multiple_of %s", number);
    case VALUE_VERSION:
    case VALUE_WORD:
        return v->text;
    case VALUE_STRING:
        return arena_printf(a, "\"%s\"", v->text);
    case VALUE_RANGE:
        return range_text(a, v);
    case VALUE_SET:
    case VALUE_LIST:
        return elements_text(a, v);
    }
    return "";
}
