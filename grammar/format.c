// SPDX-License-Identifier: Apache-2.0
// The formatter: reads a file into pieces and entries, lays them out level by level, and writes the
// lines. In: a correct source text. Out: its canonical form. Always: comments at the end of lines
// are placed last, when the lines before them are known.
#include "format.h"

#include <string.h>

#include "format_state.h"
#include "lexer.h"

#define COMMENT_COLUMN 48    // where comments behind code begin, if the code is shorter
#define COMMENT_STEP 8       // else in the next column of these, two blanks on at least
#define COMMENT_CODE_MAX 100 // wider code does not move its neighbours' comments

VEC_TYPE(bytes, char);

struct line {
    bool blank_before;
    struct bytes code;
    uint32_t width;       // of the code
    struct bytes comment; // behind it
};

struct writer {
    struct format *f;
    VEC(struct line) lines;
};

static void put(struct writer *w, struct bytes *to, const char *text, size_t n) {
    for (size_t i = 0; i < n; i++) {
        VEC_PUSH(w->f->arena, to, text[i]);
    }
}

static void put_blanks(struct writer *w, struct bytes *to, size_t n) {
    while (n-- > 0) {
        put(w, to, " ", 1);
    }
}

// ---- code

static void begin_line(struct writer *w, uint32_t indent, bool blank_before) {
    struct line l = {.blank_before = blank_before, .width = indent};
    VEC_PUSH(w->f->arena, &w->lines, l);
    put_blanks(w, &w->lines.at[w->lines.len - 1].code, indent);
}

static void put_remark(struct writer *w, const struct piece *p) {
    struct line *l = &w->lines.at[w->lines.len - 1];
    put_blanks(w, &l->comment, l->comment.len > 0);
    put(w, &l->comment, p->text, p->len);
}

static void put_piece(struct writer *w, const struct piece *p, bool first) {
    struct line *l = &w->lines.at[w->lines.len - 1];
    const uint32_t blanks = first ? 0 : p->space + p->pad;
    put_blanks(w, &l->code, blanks);
    put(w, &l->code, p->text, p->len);
    l->width = memchr(p->text, '\n', p->len) ? p->width : l->width + blanks + p->width;
}

static void put_remarks(struct writer *w, size_t from, size_t to) {
    for (size_t i = from; i < to; i++) {
        put_remark(w, &w->f->pieces.at[i]);
    }
}

static void put_entries(struct writer *w, const struct entries *list, uint32_t indent);

// Pieces of one line, braces and items of a block included.
static void put_on_one_line(struct writer *w, const struct entry *e) {
    for (size_t i = e->first; i <= e->closer; i++) {
        put_piece(w, &w->f->pieces.at[i], i == e->first);
    }
    put_remarks(w, e->closer + 1, e->closer_remarks);
}

static uint32_t wrapped_column(const struct format *f, const struct entry *e, size_t i) {
    const struct piece *p = &f->pieces.at[i];
    return p->bracket == FORMAT_NONE ? e->hang : f->pieces.at[p->bracket].hang;
}

static void put_head(struct writer *w, struct entry *e, uint32_t indent) {
    format_wrap(w->f, e, indent);
    for (size_t i = e->first; i < e->end; i++) {
        const struct piece *p = &w->f->pieces.at[i];
        if (p->wrap) {
            begin_line(w, wrapped_column(w->f, e, i), false);
        }
        if (p->type == PIECE_LINE_COMMENT && !p->wrap && i > e->first) {
            put_remark(w, p);
        } else {
            put_piece(w, p, p->wrap || i == e->first);
        }
    }
    put_remarks(w, e->end, e->remarks);
}

static void put_entry(struct writer *w, struct entry *e, uint32_t indent) {
    begin_line(w, indent, e->blank_before);
    if (e->sort == ENTRY_BLOCK && e->on_one_line) {
        put_on_one_line(w, e);
        return;
    }
    put_head(w, e, indent);
    if (e->sort == ENTRY_BLOCK) {
        put_entries(w, &e->children, indent + FORMAT_INDENT);
        begin_line(w, indent, false);
        put_piece(w, &w->f->pieces.at[e->closer], true);
        put_remarks(w, e->closer + 1, e->closer_remarks);
    }
}

// A block that was written on one line and would be too wide there gets one line for each item.
static void open_wide_blocks(const struct format *f, const struct entries *list, uint32_t indent) {
    for (size_t i = 0; i < list->len; i++) {
        struct entry *e = list->at[i];
        if (e->sort == ENTRY_BLOCK && e->on_one_line && e->children.len > 0) {
            e->on_one_line = indent + format_width(f, e->first, e->closer + 1) <= FORMAT_WIDTH;
        }
    }
}

static void put_entries(struct writer *w, const struct entries *list, uint32_t indent) {
    open_wide_blocks(w->f, list, indent);
    format_align(w->f, list);
    for (size_t i = 0; i < list->len; i++) {
        put_entry(w, list->at[i], indent);
    }
}

// ---- comments behind code, and the text

static uint32_t own_column(const struct line *l) {
    const uint32_t next = ((l->width + 1) / COMMENT_STEP + 1) * COMMENT_STEP;
    return next > COMMENT_COLUMN ? next : COMMENT_COLUMN;
}

static bool continues_run(const struct line *l) {
    return l->comment.len > 0 && !l->blank_before;
}

// The column of the comments of lines [first, end), which follow each other.
static uint32_t common_column(const struct writer *w, size_t first, size_t end) {
    uint32_t column = COMMENT_COLUMN;
    for (size_t i = first; i < end; i++) {
        const struct line *l = &w->lines.at[i];
        if (l->width <= COMMENT_CODE_MAX && own_column(l) > column) {
            column = own_column(l);
        }
    }
    return column;
}

static void place_comments(struct writer *w) {
    for (size_t i = 0, end; i < w->lines.len; i = end) {
        end = i + 1;
        while (w->lines.at[i].comment.len && end < w->lines.len &&
               continues_run(&w->lines.at[end])) {
            end++;
        }
        const uint32_t column = common_column(w, i, end);
        for (size_t k = i; k < end && w->lines.at[k].comment.len; k++) {
            struct line *l = &w->lines.at[k];
            put_blanks(w, &l->code, l->width < column ? column - l->width : 1);
            put(w, &l->code, l->comment.at, l->comment.len);
        }
    }
}

static const char *text_of_lines(struct writer *w, uint32_t *len) {
    struct bytes text = {0};
    for (size_t i = 0; i < w->lines.len; i++) {
        const struct line *l = &w->lines.at[i];
        put(w, &text, "\n", l->blank_before);
        put(w, &text, l->code.at, l->code.len);
        put(w, &text, "\n", 1);
    }
    *len = (uint32_t)text.len;
    put(w, &text, "", 1);
    return text.at;
}

const char *format_file(struct arena *a, const struct sources *s, uint32_t file,
                        struct diags *diags, uint32_t *len) {
    struct reporter reporter = {.diags = diags, .file = file};
    struct format f = {.arena = a, .source = &s->files.at[file]};
    struct tokens tokens = {0};
    lex_file(a, &reporter, f.source, &tokens);
    format_read(&f, &tokens);
    struct writer w = {.f = &f};
    put_entries(&w, &f.entries, 0);
    place_comments(&w);
    return text_of_lines(&w, len);
}
