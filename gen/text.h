// SPDX-License-Identifier: Apache-2.0
// A text that grows in an arena: what emitters and reports write to before anything is printed.
// No locale: numbers of other types than integers are formatted by gen/number.h.
#ifndef GEN_TEXT_H
#define GEN_TEXT_H

#include <stdbool.h>

#include "grammar/arena.h"

struct text {
    struct arena *arena;
    VEC(char) bytes;
};

struct text text_of(struct arena *a); // empty
void text_add(struct text *t, const char *s);
void text_add_n(struct text *t, const char *s, size_t n);
void text_addf(struct text *t, const char *format, ...) __attribute__((format(printf, 2, 3)));
void text_add_int(struct text *t, int64_t v);    // decimal
void text_pad(struct text *t, size_t n);         // n blanks
const char *text_string(struct text *t);         // NUL-terminated; the text may grow on
uint64_t text_hash(const char *bytes, size_t n); // FNV-1a, 64 bits

#endif
