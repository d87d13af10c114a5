// SPDX-License-Identifier: Apache-2.0
// Tables in text. In: cells, row by row. Out: aligned lines. Widths count code points.

#include "gen/columns.h"

#include <string.h>

struct columns columns_of(struct arena *a, size_t n) {
    return (struct columns){.arena = a, .n = n};
}

void columns_add(struct columns *c, const char *cell) {
    VEC_PUSH(c->arena, &c->cells, cell ? cell : "");
}

static size_t width_of(const char *s) {
    size_t width = 0;
    for (; *s; s++) {
        width += ((unsigned char)*s & 0xc0) != 0x80; // a byte that begins a code point
    }
    return width;
}

void columns_write(const struct columns *c, size_t indent, struct text *t) {
    size_t *widths = ARENA_ARRAY(c->arena, size_t, c->n);
    for (size_t i = 0; i < c->cells.len; i++) {
        size_t width = width_of(c->cells.at[i]);
        widths[i % c->n] = width > widths[i % c->n] ? width : widths[i % c->n];
    }
    for (size_t row = 0; row + c->n <= c->cells.len; row += c->n) {
        size_t blanks = indent;
        for (size_t i = 0; i < c->n; i++) {
            const char *cell = c->cells.at[row + i];
            if (*cell) {
                text_pad(t, blanks);
                text_add(t, cell);
                blanks = 0;
            }
            blanks += widths[i] - width_of(cell) + 2;
        }
        text_add(t, "\n");
    }
}
