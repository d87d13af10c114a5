// SPDX-License-Identifier: Apache-2.0
// Source texts and positions in them. A span is a file number and a byte range; lines and columns
// (1-based, columns in code points, a leading BOM not counted) are computed only for messages.
#ifndef GRAMMAR_SOURCE_H
#define GRAMMAR_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"

struct span {
    uint32_t file;  // index into sources.files
    uint32_t begin; // byte offset of the first byte
    uint32_t end;   // one past the last byte
};

struct source {
    const char *name; // as given (or "std/kinds.attn"), after --prefix-map: what messages show
    const char *path; // what was opened; NULL for library files
    const char *text; // len bytes, followed by a NUL
    uint32_t len;     // limit is 2^31 - 1
    bool library;     // compiled into attnc
    bool has_import;  // `imported_at` is valid
    struct span imported_at; // the import that first opened it
    VEC(uint32_t) lines;     // byte offset of each line's start
};

struct sources {
    struct arena *arena;
    VEC(struct source) files;
};

struct position {
    uint32_t line, column; // 1-based
};

// Registers a text (which must outlive the table and end with a NUL) and returns its file number.
uint32_t source_add(struct sources *s, const char *name, const char *path, const char *text,
                    uint32_t len, bool library);
struct position source_position(const struct sources *s, uint32_t file, uint32_t offset);
struct span span_join(struct span a, struct span b); // same file: from a's begin to b's end

#endif
