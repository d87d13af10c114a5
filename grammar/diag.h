// SPDX-License-Identifier: Apache-2.0
// Diagnostics: errors and warnings with a code, a span, notes with places of their own, and help.
// Producers only add; the driver sorts, removes repeats and renders once, at the end of the run.
// Messages start in lower case, have no final full stop, name the entity and its kind in the
// user's words, and say what is wrong; only help says how to mend it.
#ifndef GRAMMAR_DIAG_H
#define GRAMMAR_DIAG_H

#include <stdbool.h>
#include <stdio.h>

#include "arena.h"
#include "diag_codes.h"
#include "source.h"

enum diag_code {
#define DIAG_CODE(id, severity, flag, title) DIAG_##id,
    DIAG_CODES(DIAG_CODE)
#undef DIAG_CODE
        DIAG_CODE_COUNT
};

enum diag_severity { DIAG_ERROR, DIAG_WARNING };

// Facts of a code, from the one table in diag_codes.h.
struct diag_info {
    const char *id;              // "A0312"
    enum diag_severity severity; // its default
    const char *flag;            // the name after -W for a warning, else NULL
    const char *title;           // one line, for lists
};
extern const struct diag_info diag_infos[DIAG_CODE_COUNT];

struct diag_note {
    bool has_span;
    struct span span;
    const char *text;
};

struct diag {
    enum diag_code code;
    enum diag_severity severity; // after -W flags
    bool has_span;               // false: about the run, not about a place
    struct span span;
    const char *file; // without a span: the file that it is about as a whole, or NULL
    const char *message;
    const char *label; // short text after the carets, or NULL
    VEC(struct diag_note) notes;
    VEC(const char *) helps;
};

struct diags {
    struct arena *arena;
    struct sources *sources;
    VEC(struct diag *) list;
    bool warning_off[DIAG_CODE_COUNT];
    bool warning_as_error[DIAG_CODE_COUNT];
    bool warning_not_error[DIAG_CODE_COUNT]; // before all_warnings_as_errors
    bool all_warnings_as_errors;
    bool no_warnings; // before everything else
    size_t errors;    // counted as they are added, after -W flags
    // What only follows from an error that was told is not: what is missing in a declaration with a
    // syntax error, and names that a file that was not read may declare.
    VEC(struct span) torn; // such declarations; add keeps to them
    bool names_unread;     // such files; those that look names up keep to it
};

// Both return the diagnostic so that notes and help can be added; never NULL.
// diag_add takes the severity from the table; a warning that is switched off is kept out of the
// list, but the (detached) diagnostic is still returned.
struct diag *diag_add(struct diags *d, enum diag_code code, struct span span, const char *format,
                      ...) __attribute__((format(printf, 4, 5)));
struct diag *diag_add_global(struct diags *d, enum diag_code code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// About a file as a whole, such as one that cannot be read; `file` is its name in messages.
struct diag *diag_add_file(struct diags *d, enum diag_code code, const char *file,
                           const char *format, ...) __attribute__((format(printf, 4, 5)));
void diag_label(struct diags *d, struct diag *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_note(struct diags *d, struct diag *g, struct span span, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void diag_note_plain(struct diags *d, struct diag *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
void diag_help(struct diags *d, struct diag *g, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

// "nearest" help: the candidate closest to `name` (Damerau-Levenshtein, at most max(1, len/3);
// an exact match but for case wins), or NULL.
const char *diag_nearest(struct arena *a, const char *name, const char *const *candidates,
                         size_t n);

struct diag_render {
    bool color;
    unsigned max_errors; // 0 = no limit
};

// Sorts by (file order, offset, code), drops repeats, writes everything as text.
void diag_finish(struct diags *d);
// How many of a finished list are shown: all before the error that is one too many.
size_t diag_shown(const struct diags *d, unsigned max_errors);
// Said after them when there are more, else NULL.
const char *diag_cut_text(const struct diags *d, unsigned max_errors);
void diag_render_text(const struct diags *d, const struct diag_render *how, FILE *to);

#endif
