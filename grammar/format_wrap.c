// SPDX-License-Identifier: Apache-2.0
// Lines inside an entry. In: pieces with their blanks. Out: which of them begin a line, and in
// which column lines inside each bracket begin. Always: a line end that this step makes is one that
// it keeps when it finds it in the source, so that a second time nothing changes.
#include "format_state.h"

#define HANG_MAX 60 // lines never begin further right than this for a bracket's sake

struct wrapping {
    struct format *f;
    struct entry *entry;
    uint32_t indent;
};

uint32_t format_width(const struct format *f, size_t first, size_t end) {
    uint32_t width = 0;
    for (size_t i = first; i < end; i++) {
        const struct piece *p = &f->pieces.at[i];
        width += (i > first ? p->space + p->pad : 0) + p->width;
    }
    return width;
}

// Line ends that stay: behind and around comments, and where a line may begin anyway.
static bool is_forced(const struct format *f, const struct entry *e, size_t i) {
    if (i == e->first) {
        return false;
    }
    const struct piece *p = &f->pieces.at[i], *before = p - 1;
    return before->type == PIECE_LINE_COMMENT ||
           (p->newlines > 0 && (p->may_break || piece_is_comment(p) || piece_is_comment(before)));
}

static uint32_t column_of_line(const struct wrapping *w, size_t i) {
    const struct piece *p = &w->f->pieces.at[i];
    return p->bracket == FORMAT_NONE ? w->entry->hang : w->f->pieces.at[p->bracket].hang;
}

// Notes where lines inside a bracket, or behind the `=`, are to begin.
static void note_hang(struct wrapping *w, size_t i, uint32_t column) {
    struct piece *p = &w->f->pieces.at[i];
    if (p->type == TOKEN_LPAREN || p->type == TOKEN_LBRACKET || p->type == TOKEN_LBRACE) {
        const uint32_t inside = column + (p->type == TOKEN_LBRACE);
        p->hang = inside <= HANG_MAX ? inside : column_of_line(w, i) + FORMAT_INDENT;
    } else if (i == w->entry->stop && column + 1 <= HANG_MAX) {
        w->entry->hang = column + 1;
    }
}

// Of the places behind `start`, up to piece `full`, the outermost, and of those the last. Layers
// before `=` are only broken where they are too wide themselves.
static size_t best_break(const struct wrapping *w, size_t start, size_t full) {
    const struct format *f = w->f;
    const size_t stop = w->entry->stop;
    size_t best = FORMAT_NONE;
    for (size_t i = stop < full && stop > start ? stop : start + 1; i <= full; i++) {
        const struct piece *p = &f->pieces.at[i];
        if (p->may_break && (best == FORMAT_NONE || p->level <= f->pieces.at[best].level)) {
            best = i;
        }
    }
    return best;
}

// Lays out the line that begins with piece `start`. Gives the piece that begins the next one.
static size_t wrap_line(struct wrapping *w, size_t start) {
    struct format *f = w->f;
    const size_t end = w->entry->end;
    uint32_t column = start == w->entry->first ? w->indent : column_of_line(w, start);
    size_t i = start;
    bool full = false;
    for (; i < end && !(i > start && is_forced(f, w->entry, i)); i++) {
        const struct piece *p = &f->pieces.at[i];
        column += (i > start ? p->space + p->pad : 0) + p->width;
        if (full && p->may_break) { // too late, but better than never
            break;
        }
        if (column > FORMAT_WIDTH && p->type != PIECE_LINE_COMMENT && !full) {
            full = true;
            const size_t best = best_break(w, start, i);
            if (best != FORMAT_NONE) {
                i = best;
                break;
            }
        }
        note_hang(w, i, column);
    }
    if (i < end) {
        f->pieces.at[i].wrap = true;
    }
    return i;
}

void format_wrap(struct format *f, struct entry *e, uint32_t indent) {
    struct wrapping w = {.f = f, .entry = e, .indent = indent};
    e->hang = indent + FORMAT_INDENT;
    for (size_t at = e->first; at < e->end;) {
        at = wrap_line(&w, at);
    }
}
