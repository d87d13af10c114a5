// SPDX-License-Identifier: Apache-2.0
// Values of expressions. A failure is a value too: what failed to evaluate, with the reason, so
// that it passes through every operator and the message can name what was missing.
#ifndef GEN_VALUE_H
#define GEN_VALUE_H

#include "gen/number.h"
#include "grammar/arena.h"
#include "grammar/source.h"

enum value_kind {
    VALUE_FAILURE, // text: what was missing ("the platform does not state `npu_fw`")
    VALUE_NONE,
    VALUE_AUTO,
    VALUE_ANY,
    VALUE_BOOL,
    VALUE_NUMBER,  // number; text: the spelling of a dotted literal, else NULL
    VALUE_VERSION, // text: spelling "9.0"; compared by component
    VALUE_WORD,    // text
    VALUE_STRING,  // text
    VALUE_SET,     // elems
    VALUE_LIST,    // elems, ordered
    VALUE_RANGE,   // elems: low, high (VALUE_ANY = open), step (VALUE_NONE = every value between)
    VALUE_MULTIPLE // number
};

struct value;
VEC_TYPE(values, struct value);

struct value {
    enum value_kind kind;
    bool yes;
    struct number number;
    const char *text;
    struct values elems;
    struct span span; // of the expression that gave it
};

struct value value_none(void);
struct value value_auto(void);
struct value value_bool(bool yes);
struct value value_int(int64_t v);
struct value value_word(const char *text);
struct value value_set(struct arena *a, const struct value *elems, size_t n);
bool value_is_int(const struct value *v, int64_t *out);
// A single value equals a set that holds just it. A dotted literal equals a version by component.
bool value_equal(const struct value *a, const struct value *b);
// Order of two numbers or two versions; false for anything else.
bool value_order(const struct value *a, const struct value *b, int *order);
// Membership in a set, a single value counting as a one-element set; ranges, multiples and `any`
// understood. A set is in another when each of its elements is. `none` is in S only when S lists
// it, or is or lists `any`.
bool value_in(const struct value *v, const struct value *set);
// Is some element of v in the set?
bool value_meets(const struct value *v, const struct value *set);
// As a person would write it: `{64, 128, 256}`, at most 8 elements and then "and N more".
const char *value_text(struct arena *a, const struct value *v);

int version_compare(const char *a, const char *b); // "2.10" > "2.9"; "9" == "9.0"

#endif
