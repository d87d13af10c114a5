// SPDX-License-Identifier: Apache-2.0
// A text that grows in an arena, and its hash.
// In: pieces of text. Out: bytes, NUL-terminated on demand. Never fails: the arena does not return
// when memory runs out.

#include "gen/text.h"

#include <stdio.h>
#include <string.h>

#define SHORT_BYTES 128

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
    if (t->bytes.cap == 0 || !arena_extend(t->arena, t->bytes.at, t->bytes.cap, cap)) {
        char *larger = arena_alloc_raw(t->arena, cap);
        if (t->bytes.len > 0) {
            memcpy(larger, t->bytes.at, t->bytes.len);
        }
        t->bytes.at = larger;
    }
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

// Most of what is added is short and fits behind the text as it is; the rest is made elsewhere.
void text_addf(struct text *t, const char *format, ...) {
    va_list args, again;
    reserve(t, SHORT_BYTES);
    const size_t room = t->bytes.cap - t->bytes.len;
    va_start(args, format);
    va_copy(again, args);
    const int len = vsnprintf(t->bytes.at + t->bytes.len, room, format, args);
    if (len >= 0 && (size_t)len < room) {
        t->bytes.len += (size_t)len;
    } else {
        text_add(t, arena_vprintf(t->arena, format, again));
    }
    va_end(again);
    va_end(args);
}

void text_add_int(struct text *t, int64_t v) {
    char digits[sizeof "-9223372036854775808"], *at = digits + sizeof digits;
    uint64_t rest = v < 0 ? -(uint64_t)v : (uint64_t)v;
    do {
        *--at = (char)('0' + rest % 10);
        rest /= 10;
    } while (rest > 0);
    if (v < 0) {
        *--at = '-';
    }
    text_add_n(t, at, (size_t)(digits + sizeof digits - at));
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
