// SPDX-License-Identifier: Apache-2.0
// What SARIF needs of files: references to them, and hashes of their lines. In: paths and texts.
// Out: text. Always: the hash is the one that GitHub's upload computes when a log has none, so a
// log with hashes and one without lead to the same alerts.

#include <string.h>

#include "gen/diag_out.h"
#include "gen/text.h"
#include "grammar/utf8.h"

#define HASHED 100         // characters from the start of a line
#define HASH_FACTOR 37u    // of the polynomial
#define END_MARK 0xffffu   // stands after the last character of a file
#define SURROGATES 0x10000 // characters from here on are two units in UTF-16

const char *diag_uri(struct arena *a, const char *path) {
    static const char plain[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-._~/";
    struct text t = text_of(a);
    text_add(&t, *path == '/' ? "file://" : "");
    for (const char *c = path; *c; c++) {
        if (strchr(plain, *c)) {
            text_add_n(&t, c, 1);
        } else {
            text_addf(&t, "%%%02X", (unsigned)(unsigned char)*c);
        }
    }
    return text_string(&t);
}

// The characters that count: no blanks, every line end as one LF, UTF-16 units, the end mark last.
struct units {
    struct arena *arena;
    VEC(uint32_t) at;
    VEC(size_t) lines; // index of each line's first unit
    bool line_start;
};

static void add_unit(struct units *u, uint32_t unit) {
    if (u->line_start) {
        VEC_PUSH(u->arena, &u->lines, u->at.len);
    }
    u->line_start = unit == '\n';
    VEC_PUSH(u->arena, &u->at, unit);
}

static void add_point(struct units *u, uint32_t point) {
    if (point >= SURROGATES) {
        add_unit(u, 0xd800 + ((point - SURROGATES) >> 10));
        point = 0xdc00 + ((point - SURROGATES) & 0x3ff);
    }
    add_unit(u, point);
}

static struct units units_of(struct arena *a, const char *text, size_t len) {
    struct units u = {.arena = a, .line_start = true};
    for (const char *at = text, *end = text + len; at < end;) {
        uint32_t point = 0xfffd; // of a byte that is no UTF-8
        unsigned n = utf8_decode(at, end, &point);
        if (*at == '\r') {
            add_unit(&u, '\n');
            n += at + 1 < end && at[1] == '\n';
        } else if (*at != ' ' && *at != '\t') {
            add_point(&u, n ? point : 0xfffd);
        }
        at += n ? n : 1;
    }
    add_unit(&u, END_MARK);
    return u;
}

static uint64_t hash_at(const struct units *u, size_t first) {
    uint64_t h = 0;
    for (size_t i = first; i < first + HASHED; i++) {
        h = h * HASH_FACTOR + (i < u->at.len ? u->at.at[i] : 0);
    }
    return h;
}

struct diag_line_hashes diag_line_hashes(struct arena *a, const char *text, size_t len) {
    const struct units u = units_of(a, text, len);
    struct diag_line_hashes hashes = {0};
    for (size_t i = 0; i < u.lines.len; i++) {
        VEC_PUSH(a, &hashes, hash_at(&u, u.lines.at[i]));
    }
    return hashes;
}

const char *diag_line_hash(struct arena *a, const struct diag_line_hashes *hashes, uint32_t line) {
    const size_t index = line <= hashes->len ? line - 1 : hashes->len - 1;
    unsigned count = 1;
    for (size_t i = 0; i < index; i++) {
        count += hashes->at[i] == hashes->at[index];
    }
    return arena_printf(a, "%llx:%u", (unsigned long long)hashes->at[index], count);
}
