// SPDX-License-Identifier: Apache-2.0
// Blanks that align. In: entries of one level. Out: `pad` of the pieces that stand in a common
// column: `=` and `:` of neighbouring entries of a sort; in neighbouring blocks on one line each,
// `extends`, the opening brace, and items of the same names. Always: widths come from the tokens
// alone, so that blanks in the source do not count.
#include "format_state.h"

#include <string.h>

VEC_TYPE(stops, size_t); // pairs: the first piece of a row, the piece to align

static void add_stop(struct format *f, struct stops *s, size_t first, size_t piece) {
    VEC_PUSH(f->arena, s, first);
    VEC_PUSH(f->arena, s, piece);
}

// Pads each row's piece to the column of the rightmost, and forgets the rows.
static void flush(struct format *f, struct stops *s) {
    uint32_t widest = 0;
    for (size_t i = 0; i < s->len; i += 2) {
        const uint32_t width = format_width(f, s->at[i], s->at[i + 1]);
        widest = width > widest ? width : widest;
    }
    for (size_t i = 0; i < s->len; i += 2) {
        f->pieces.at[s->at[i + 1]].pad = widest - format_width(f, s->at[i], s->at[i + 1]);
    }
    s->len = 0;
}

// What stands before the piece is in one line and not too wide.
static bool is_alignable(const struct format *f, size_t first, size_t piece) {
    for (size_t i = first; i < piece; i++) {
        const struct piece *p = &f->pieces.at[i];
        if (piece_is_comment(p) || (i > first && p->newlines > 0 && p->may_break)) {
            return false;
        }
    }
    return !piece_is_comment(&f->pieces.at[piece - 1]) &&
           format_width(f, first, piece) <= FORMAT_HEAD_MAX;
}

// ---- values: a section ends with a blank line or a block

static void align_values(struct format *f, const struct entries *list) {
    struct stops sorts[ENTRY_BLOCK] = {{0}};
    for (size_t i = 0; i < list->len; i++) {
        const struct entry *e = list->at[i];
        for (size_t k = 0; k < ENTRY_BLOCK && (e->blank_before || e->sort == ENTRY_BLOCK); k++) {
            flush(f, &sorts[k]);
        }
        if (e->stop != FORMAT_NONE && is_alignable(f, e->first, e->stop)) {
            add_stop(f, &sorts[e->sort], e->first, e->stop);
        }
    }
    for (size_t k = 0; k < ENTRY_BLOCK; k++) {
        flush(f, &sorts[k]);
    }
}

// ---- blocks on one line

static size_t find_extends(const struct format *f, const struct entry *e) {
    const size_t place = e->first + 2; // WORD NAME extends PARENT {
    return place + 2 < e->end && f->pieces.at[place].type == TOKEN_EXTENDS ? place : FORMAT_NONE;
}

static bool is_row(const struct format *f, const struct entry *e) {
    return e->sort == ENTRY_BLOCK && e->on_one_line && e->children.len > 0 &&
           is_alignable(f, e->first, e->end - 1);
}

static bool same_shape(const struct format *f, const struct entry *a, const struct entry *b) {
    return f->pieces.at[a->first].type == f->pieces.at[b->first].type &&
           (find_extends(f, a) == FORMAT_NONE) == (find_extends(f, b) == FORMAT_NONE);
}

// Items `i` of both rows: the same name before `=`.
static bool same_item(const struct format *f, const struct entry *a, const struct entry *b,
                      size_t i) {
    if (i >= a->children.len || i >= b->children.len) {
        return false;
    }
    const struct entry *x = a->children.at[i], *y = b->children.at[i];
    if (x->stop == FORMAT_NONE || y->stop == FORMAT_NONE ||
        x->stop - x->first != y->stop - y->first) {
        return false;
    }
    for (size_t k = 0; k < x->stop - x->first; k++) {
        const struct piece *p = &f->pieces.at[x->first + k], *q = &f->pieces.at[y->first + k];
        if (p->len != q->len || memcmp(p->text, q->text, p->len) != 0) {
            return false;
        }
    }
    return true;
}

// Rows whose items up to `i` have the same names begin item `i` in the same column.
static void align_items(struct format *f, const struct entries *rows) {
    bool more = true;
    size_t *common = ARENA_ARRAY(f->arena, size_t, rows->len); // with the row before
    for (size_t r = 1; r < rows->len; r++) {
        while (same_item(f, rows->at[r - 1], rows->at[r], common[r])) {
            common[r]++;
        }
    }
    for (size_t i = 1; more; i++) {
        struct stops s = {0};
        more = false;
        for (size_t r = 0; r < rows->len; r++) {
            if (common[r] <= i) {
                flush(f, &s);
            }
            if (i < rows->at[r]->children.len) {
                add_stop(f, &s, rows->at[r]->first, rows->at[r]->children.at[i]->first);
                more = true;
            }
        }
        flush(f, &s);
    }
}

static void align_rows(struct format *f, struct entries *rows) {
    struct stops extends = {0}, braces = {0};
    for (size_t r = 0; r < rows->len; r++) {
        const size_t place = find_extends(f, rows->at[r]);
        if (place != FORMAT_NONE) {
            add_stop(f, &extends, rows->at[r]->first, place);
        }
    }
    flush(f, &extends);
    for (size_t r = 0; r < rows->len; r++) {
        add_stop(f, &braces, rows->at[r]->first, rows->at[r]->end - 1);
    }
    flush(f, &braces);
    align_items(f, rows);
    rows->len = 0;
}

static void align_blocks(struct format *f, const struct entries *list) {
    struct entries rows = {0};
    for (size_t i = 0; i < list->len; i++) {
        struct entry *e = list->at[i];
        const bool one = e->sort == ENTRY_BLOCK && e->on_one_line;
        if (rows.len && (!one || e->blank_before || !same_shape(f, rows.at[rows.len - 1], e))) {
            align_rows(f, &rows);
        }
        if (one && is_row(f, e)) {
            VEC_PUSH(f->arena, &rows, e);
        }
    }
    align_rows(f, &rows);
}

void format_align(struct format *f, const struct entries *list) {
    align_values(f, list);
    align_blocks(f, list);
}
