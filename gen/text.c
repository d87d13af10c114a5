// SPDX-License-Identifier: Apache-2.0
// A text that grows in an arena, and its hash.
// In: pieces of text. Out: bytes, NUL-terminated on demand. Never fails: the arena does not return
// when memory runs out.

#include "gen/text.h"

#include <string.h>

struct text text_of(struct arena *a) {
    return (struct text){.arena = a};
}

static void reserve(struct text *t, size_t more) {
    size_t need = t->bytes.len + more;
    if (need <= t->bytes.cap) {
        return;
    }
    size_t cap = t->bytes.cap ? 2 * t->bytes.cap : 64;
    if (cap < need) {
        cap = need;
    }
    t->bytes.at = arena_grow(t->arena, t->bytes.at, t->bytes.len, cap);
    t->bytes.cap = cap;
}

void text_add_n(struct text *t, const char *s, size_t n) {
    if (n > 0) {
        reserve(t, n);
        memcpy(t->bytes.at + t->bytes.len, s, n);
        t->bytes.len += n;
    }
}

void text_add(struct text *t, const char *s) {
    text_add_n(t, s, strlen(s));
}

void text_addf(struct text *t, const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *s = arena_vprintf(t->arena, format, args);
    va_end(args);
    text_add(t, s);
}

void text_pad(struct text *t, size_t n) {
    if (n > 0) {
        reserve(t, n);
        memset(t->bytes.at + t->bytes.len, ' ', n);
        t->bytes.len += n;
    }
}

const char *text_string(struct text *t) {
    reserve(t, 1);
    t->bytes.at[t->bytes.len] = '\0';
    return t->bytes.at;
}

uint64_t text_hash(const char *bytes, size_t n) {
    uint64_t h = 0xcbf29ce484222325u; // offset basis and prime of FNV-1a, 64 bits
    for (size_t i = 0; i < n; i++) {
        h = (h ^ (unsigned char)bytes[i]) * 0x100000001b3u;
    }
    return h;
}
