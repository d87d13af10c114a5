// SPDX-License-Identifier: Apache-2.0
// The source table. In: texts. Out: file numbers, and lines and columns of byte offsets.
// Always: a line ends at LF (CRLF is one line end), a column is a code point, a byte that is no
// valid UTF-8 counts as one column, and a byte order mark at the start of a file as none.
#include "source.h"

#include <assert.h>
#include <string.h>

#include "utf8.h"

static uint32_t bom_length(const struct source *f) {
    return f->len >= 3 && memcmp(f->text, "\xEF\xBB\xBF", 3) == 0 ? 3 : 0;
}

uint32_t source_add(struct sources *s, const char *name, const char *path, const char *text,
                    uint32_t len, bool library) {
    assert(text[len] == '\0' && len <= INT32_MAX);
    struct source f = {.name = name, .path = path, .text = text, .len = len, .library = library};
    uint32_t start = bom_length(&f);
    VEC_PUSH(s->arena, &f.lines, start);
    for (const char *nl; (nl = memchr(text + start, '\n', len - start)) != NULL;) {
        start = (uint32_t)(nl - text) + 1;
        VEC_PUSH(s->arena, &f.lines, start);
    }
    VEC_PUSH(s->arena, &s->files, f);
    return (uint32_t)s->files.len - 1;
}

// The last line that starts at or before the offset; the first line for one inside the mark.
static size_t line_index(const struct source *f, uint32_t offset) {
    size_t low = 0, high = f->lines.len; // the answer is in [low, high)
    while (high - low > 1) {
        size_t middle = low + (high - low) / 2;
        if (f->lines.at[middle] <= offset) {
            low = middle;
        } else {
            high = middle;
        }
    }
    return low;
}

struct position source_position(const struct sources *s, uint32_t file, uint32_t offset) {
    const struct source *f = &s->files.at[file];
    offset = offset < f->len ? offset : f->len;
    const size_t line = line_index(f, offset);
    const char *at = f->text + f->lines.at[line], *stop = f->text + offset;
    uint32_t column = 1;
    while (at < stop) {
        uint32_t code_point;
        const unsigned n = utf8_decode(at, f->text + f->len, &code_point);
        at += n ? n : 1;
        column += at <= stop; // an offset inside a character has that character's column
    }
    return (struct position){.line = (uint32_t)line + 1, .column = column};
}

struct span span_join(struct span a, struct span b) {
    return (struct span){.file = a.file, .begin = a.begin, .end = b.end};
}
