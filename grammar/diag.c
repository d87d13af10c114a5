// SPDX-License-Identifier: Apache-2.0
// The collector of diagnostics. In: codes, spans and messages from every pass. Out: one list that
// diag_finish sorts and clears of repeats. Always: producers get a diagnostic to add notes to, and
// `errors` counts the errors in the list.
#include "diag.h"

#include <stdlib.h>
#include <string.h>

#define MESSAGE_MAX 4096 // bytes of a message, note or help

const struct diag_info diag_infos[DIAG_CODE_COUNT] = {
#define INFO(id, severity, flag, title) {#id, severity, flag, title},
    DIAG_CODES(INFO)
#undef INFO
};

static bool follows(const struct diags *d, const struct diag *g) {
    if (g->code != DIAG_A0452 && g->code != DIAG_A0461 && g->code != DIAG_A0462) {
        return false;
    }
    for (size_t i = 0; i < d->torn.len; i++) {
        const struct span *t = &d->torn.at[i];
        if (t->file == g->span.file && t->begin <= g->span.begin && g->span.begin < t->end) {
            return true;
        }
    }
    return false;
}

// Whether the byte continues a character of UTF-8.
static bool utf8_inside(char c) {
    return ((unsigned char)c & 0xc0) == 0x80;
}

// A name may be of any length; a message has an end, and the rest of the text is in the source.
static const char *words(struct diags *d, const char *format, va_list args) {
    char *text = arena_vprintf(d->arena, format, args);
    size_t len = strlen(text);
    if (len <= MESSAGE_MAX) {
        return text;
    }
    size_t head = MESSAGE_MAX / 2, tail = len - MESSAGE_MAX / 2;
    while (head > 0 && utf8_inside(text[head])) {
        head--;
    }
    while (utf8_inside(text[tail])) {
        tail++;
    }
    return arena_printf(d->arena, "%.*s...%s", (int)head, text, text + tail);
}

static struct diag *add(struct diags *d, enum diag_code code, const struct span *span,
                        const char *format, va_list args) {
    struct diag *g = ARENA_NEW(d->arena, struct diag);
    g->code = code;
    g->severity = diag_infos[code].severity;
    g->has_span = span != NULL;
    if (span) {
        g->span = *span;
    }
    g->message = words(d, format, args);
    if (g->severity == DIAG_WARNING) {
        if (d->no_warnings || d->warning_off[code]) {
            return g;
        }
        if (d->warning_as_error[code] ||
            (d->all_warnings_as_errors && !d->warning_not_error[code])) {
            g->severity = DIAG_ERROR;
        }
    }
    if (follows(d, g)) {
        return g;
    }
    d->errors += g->severity == DIAG_ERROR;
    VEC_PUSH(d->arena, &d->list, g);
    return g;
}

struct diag *diag_add(struct diags *d, enum diag_code code, struct span span, const char *format,
                      ...) {
    va_list args;
    va_start(args, format);
    struct diag *g = add(d, code, &span, format, args);
    va_end(args);
    return g;
}

struct diag *diag_add_global(struct diags *d, enum diag_code code, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct diag *g = add(d, code, NULL, format, args);
    va_end(args);
    return g;
}

struct diag *diag_add_file(struct diags *d, enum diag_code code, const char *file,
                           const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct diag *g = add(d, code, NULL, format, args);
    va_end(args);
    g->file = file;
    return g;
}

void diag_label(struct diags *d, struct diag *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    g->label = words(d, format, args);
    va_end(args);
}

void diag_note(struct diags *d, struct diag *g, struct span span, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct diag_note note = {.has_span = true, .span = span, .text = words(d, format, args)};
    va_end(args);
    VEC_PUSH(d->arena, &g->notes, note);
}

void diag_note_plain(struct diags *d, struct diag *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    struct diag_note note = {.text = words(d, format, args)};
    va_end(args);
    VEC_PUSH(d->arena, &g->notes, note);
}

void diag_help(struct diags *d, struct diag *g, const char *format, ...) {
    va_list args;
    va_start(args, format);
    VEC_PUSH(d->arena, &g->helps, words(d, format, args));
    va_end(args);
}

struct ranked {
    struct diag *diag;
    size_t rank; // order of production: the last tie-breaker, which makes the sort stable
};

#define COMPARE(a, b) (((a) > (b)) - ((a) < (b)))

// By place and code; what has no place comes last. Zero: the same place and code.
static int compare_places(const struct diag *a, const struct diag *b) {
    if (a->has_span != b->has_span) {
        return a->has_span ? -1 : 1;
    }
    int order = 0;
    if (a->has_span) {
        order = COMPARE(a->span.file, b->span.file);
        order = order ? order : COMPARE(a->span.begin, b->span.begin);
    }
    return order ? order : COMPARE(a->code, b->code);
}

static int compare_ranked(const void *left, const void *right) {
    const struct ranked *a = left, *b = right;
    const int order = compare_places(a->diag, b->diag);
    return order ? order : COMPARE(a->rank, b->rank);
}

// Whether `g` repeats one of the diagnostics of its place and code that stand at the list's end.
static bool is_repeat(const struct diags *d, const struct diag *g) {
    for (size_t i = d->list.len; i-- > 0;) {
        const struct diag *earlier = d->list.at[i];
        if (compare_places(earlier, g) != 0) {
            return false;
        }
        if ((!g->has_span || earlier->span.end == g->span.end) &&
            strcmp(earlier->message, g->message) == 0) {
            return true;
        }
    }
    return false;
}

void diag_finish(struct diags *d) {
    const size_t n = d->list.len;
    struct ranked *ranked = ARENA_ARRAY(d->arena, struct ranked, n);
    for (size_t i = 0; i < n; i++) {
        ranked[i] = (struct ranked){.diag = d->list.at[i], .rank = i};
    }
    if (n) {
        qsort(ranked, n, sizeof *ranked, compare_ranked);
    }
    d->list.len = 0;
    d->errors = 0;
    for (size_t i = 0; i < n; i++) {
        struct diag *g = ranked[i].diag;
        if (!is_repeat(d, g)) {
            d->list.at[d->list.len++] = g;
            d->errors += g->severity == DIAG_ERROR;
        }
    }
}

size_t diag_shown(const struct diags *d, unsigned max_errors) {
    size_t errors = 0, shown = 0;
    for (; shown < d->list.len; shown++) {
        errors += d->list.at[shown]->severity == DIAG_ERROR;
        if (max_errors && errors > max_errors) {
            break;
        }
    }
    return shown;
}

const char *diag_cut_text(const struct diags *d, unsigned max_errors) {
    if (diag_shown(d, max_errors) == d->list.len) {
        return NULL;
    }
    return arena_printf(d->arena,
                        "too many errors (%u shown, %zu in all); --max-errors 0 shows all",
                        max_errors, d->errors);
}
