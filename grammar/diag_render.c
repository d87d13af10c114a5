// SPDX-License-Identifier: Apache-2.0
// Diagnostics as text for people. In: a finished list. Out: for each a first line complete by
// itself, the source line with the range underlined, notes with places of their own, and help.
// Always: no byte goes out that could steer a terminal, save the colours when they are asked for;
// the same list gives the same bytes on every host.
#include "diag.h"

#include <string.h>

#include "utf8.h"

#define TAB_COLUMNS 4
#define SNIPPET_COLUMNS 96 // longest piece of a source line that is shown
#define SNIPPET_LEAD 40    // of them before the range, when the line has to be cut
#define LINE_DIGITS 5      // line numbers are set to this width
#define CUT "..."

// Colours: name, SGR sequence.
#define COLORS(X)                                                                                  \
    X(OFF, "\033[0m")                                                                              \
    X(PLACE, "\033[1m")                                                                            \
    X(ERROR, "\033[1;31m")                                                                         \
    X(WARNING, "\033[1;35m")                                                                       \
    X(CARET, "\033[1;32m")                                                                         \
    X(ASIDE, "\033[1;36m")

enum color {
#define COLOR(name, sgr) COLOR_##name,
    COLORS(COLOR)
#undef COLOR
};

struct writer {
    FILE *to;
    bool color;
    const struct sources *sources;
};

static void put_color(const struct writer *w, enum color color) {
    static const char *const sgr[] = {
#define COLOR(name, sgr) sgr,
        COLORS(COLOR)
#undef COLOR
    };
    if (w->color) {
        fputs(sgr[color], w->to);
    }
}

// One character of a text as it is shown: itself, or in escaped form.
struct glyph {
    char text[16];
    unsigned columns;
    unsigned bytes; // of the source
};

static struct glyph glyph_at(const char *at, const char *end) {
    struct glyph g = {.bytes = 1};
    uint32_t c;
    const unsigned n = utf8_decode(at, end, &c);
    if (n == 0 || c < 0x20 || c == 0x7F) {
        g.columns = (unsigned)snprintf(g.text, sizeof g.text, "<%02X>", (unsigned char)*at);
    } else if (utf8_is_invisible(c)) {
        g.columns = (unsigned)snprintf(g.text, sizeof g.text, "<U+%04X>", (unsigned)c);
        g.bytes = n;
    } else {
        memcpy(g.text, at, n);
        g.columns = utf8_width(c);
        g.bytes = n;
    }
    return g;
}

static void put_text(const struct writer *w, const char *text) {
    const char *end = text + strlen(text);
    while (text < end) {
        const struct glyph g = glyph_at(text, end);
        fputs(g.text, w->to);
        text += g.bytes;
    }
}

static void put_place(const struct writer *w, struct span span) {
    const struct position p = source_position(w->sources, span.file, span.begin);
    put_text(w, w->sources->files.at[span.file].name);
    fprintf(w->to, ":%u:%u", (unsigned)p.line, (unsigned)p.column);
}

// The line that a span starts on, without its end.
struct line {
    const char *begin, *end;
    const char *from, *to; // the part of the span on this line
    unsigned number;
};

static struct line line_of(const struct sources *s, struct span span) {
    const struct source *f = &s->files.at[span.file];
    struct line l = {.number = source_position(s, span.file, span.begin).line};
    l.begin = f->text + f->lines.at[l.number - 1];
    const char *stop = f->text + f->len;
    const char *newline = memchr(l.begin, '\n', (size_t)(stop - l.begin));
    l.end = newline ? newline : stop;
    if (newline && l.end > l.begin && l.end[-1] == '\r') {
        l.end--;
    }
    l.from = f->text + span.begin;
    l.from = l.from < l.begin ? l.begin : l.from < l.end ? l.from : l.end;
    l.to = f->text + span.end;
    l.to = l.to < l.from ? l.from : l.to < l.end ? l.to : l.end;
    return l;
}

static struct glyph snippet_glyph(const char *at, const char *end, unsigned column) {
    struct glyph g = glyph_at(at, end);
    if (*at == '\t') {
        g.columns = TAB_COLUMNS - column % TAB_COLUMNS;
        memset(g.text, ' ', g.columns);
        g.text[g.columns] = '\0';
    }
    return g;
}

// Columns from one place of a line to another, counted to SNIPPET_COLUMNS + 1 at most.
static unsigned columns_between(const char *from, const char *to, const char *end) {
    unsigned columns = 0;
    while (from < to && columns <= SNIPPET_COLUMNS) {
        const struct glyph g = snippet_glyph(from, end, columns);
        columns += g.columns;
        from += g.bytes;
    }
    return columns;
}

// Where the shown part starts: the line's start, or a place shortly before the range.
static const char *window_start(const struct line *l) {
    const char *start = l->begin;
    if (columns_between(l->begin, l->to, l->end) <= SNIPPET_COLUMNS) {
        return start;
    }
    start = l->from;
    for (unsigned back = 0; start > l->begin && back < SNIPPET_LEAD; back++) {
        do {
            start--;
        } while (start > l->begin && ((unsigned char)*start & 0xC0) == 0x80);
    }
    return start;
}

static void put_snippet(const struct writer *w, struct span span, const char *label) {
    const struct line l = line_of(w->sources, span);
    const char *start = window_start(&l);
    const bool cut_before = start > l.begin;
    fprintf(w->to, "%*u | %s", LINE_DIGITS, l.number, cut_before ? CUT : "");
    unsigned column = 0, caret = 0, carets = 0;
    const char *at = start;
    while (at < l.end && column < SNIPPET_COLUMNS) {
        const struct glyph g = snippet_glyph(at, l.end, column);
        caret += at < l.from ? g.columns : 0;
        carets += at >= l.from && at < l.to ? g.columns : 0;
        fputs(g.text, w->to);
        column += g.columns;
        at += g.bytes;
    }
    fprintf(w->to, "%s\n", at < l.end ? CUT : "");
    caret += cut_before ? (unsigned)strlen(CUT) : 0;
    fprintf(w->to, "%*s | %*s", LINE_DIGITS, "", (int)caret, "");
    put_color(w, COLOR_CARET);
    fputc('^', w->to);
    for (unsigned i = 1; i < carets; i++) {
        fputc('~', w->to);
    }
    if (label) {
        fputc(' ', w->to);
        put_text(w, label);
    }
    put_color(w, COLOR_OFF);
    fputc('\n', w->to);
}

static void put_aside(const struct writer *w, const char *word, const char *text) {
    fputs("  ", w->to);
    put_color(w, COLOR_ASIDE);
    fprintf(w->to, "%s:", word);
    put_color(w, COLOR_OFF);
    fputc(' ', w->to);
    put_text(w, text);
    fputc('\n', w->to);
}

static void put_first_line(const struct writer *w, const struct diag *g) {
    const struct diag_info *info = &diag_infos[g->code];
    const bool error = g->severity == DIAG_ERROR;
    put_color(w, COLOR_PLACE);
    if (g->has_span) {
        put_place(w, g->span);
        fputs(": ", w->to);
    } else {
        fputs("attnc: ", w->to);
    }
    put_color(w, error ? COLOR_ERROR : COLOR_WARNING);
    fprintf(w->to, "%s[%s]:", error ? "error" : "warning", info->id);
    put_color(w, COLOR_OFF);
    fputc(' ', w->to);
    put_text(w, g->message);
    if (info->severity == DIAG_WARNING && info->flag) {
        fprintf(w->to, " [-W%s%s]", error ? "error=" : "", info->flag);
    }
    fputc('\n', w->to);
}

static void put_diag(const struct writer *w, const struct diag *g) {
    put_first_line(w, g);
    if (g->has_span) {
        put_snippet(w, g->span, g->label);
    }
    for (size_t i = 0; i < g->notes.len; i++) {
        const struct diag_note *note = &g->notes.at[i];
        put_aside(w, "note", note->text);
        if (note->has_span) {
            fputs("   ", w->to);
            put_place(w, note->span);
            fputc('\n', w->to);
            put_snippet(w, note->span, NULL);
        }
    }
    for (size_t i = 0; i < g->helps.len; i++) {
        put_aside(w, "help", g->helps.at[i]);
    }
}

void diag_render_text(const struct diags *d, const struct diag_render *how, FILE *to) {
    const struct writer w = {.to = to, .color = how->color, .sources = d->sources};
    const size_t shown = diag_shown(d, how->max_errors);
    for (size_t i = 0; i < shown; i++) {
        put_diag(&w, d->list.at[i]);
    }
    const char *cut = diag_cut_text(d, how->max_errors);
    if (cut) {
        fprintf(to, "attnc: %s\n", cut);
    }
}
