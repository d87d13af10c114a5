// SPDX-License-Identifier: Apache-2.0
// Diagnostics as JSON Lines: one object a line. In: a finished list. Out: every key in every
// object, in one order, null where it does not apply. Lines and columns count from 1, columns in
// code points, byte offsets from 0; ends are one past the last character.

#include <string.h>

#include "gen/diag_out.h"
#include "gen/text.h"
#include "grammar/utf8.h"

const char *diag_utf8(struct arena *a, const char *s) {
    struct text t = text_of(a);
    for (const char *end = s + strlen(s); s < end;) {
        uint32_t point;
        unsigned n = utf8_decode(s, end, &point);
        if (n) {
            text_add_n(&t, s, n);
        } else {
            text_addf(&t, "<%02X>", (unsigned)(unsigned char)*s);
        }
        s += n ? n : 1;
    }
    return text_string(&t);
}

static void put_text(struct json *j, const char *key, const char *s) {
    json_string(j, key, s ? diag_utf8(j->out.arena, s) : NULL);
}

// Keys of a place, in order.
static const char *const place_keys[] = {"file",       "line",  "column", "end_line",
                                         "end_column", "begin", "end"};

// `file` is that of something without a span, or NULL.
static void put_place(struct json *j, const struct sources *s, bool has_span, struct span span,
                      const char *file) {
    if (!has_span) {
        put_text(j, place_keys[0], file);
        for (size_t i = 1; i < sizeof place_keys / sizeof *place_keys; i++) {
            json_null(j, place_keys[i]);
        }
        return;
    }
    const struct position from = source_position(s, span.file, span.begin);
    const struct position to = source_position(s, span.file, span.end);
    const uint32_t numbers[] = {from.line, from.column, to.line, to.column, span.begin, span.end};
    put_text(j, place_keys[0], s->files.at[span.file].name);
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        json_int(j, place_keys[i + 1], numbers[i]);
    }
}

// The keys of every object: `g` may be NULL, for what has no code.
static void put_object(struct text *out, const struct diags *d, const struct diag *g,
                       const char *severity, const char *message, const char *help) {
    struct json j = json_of(out->arena);
    json_open(&j, NULL, '{', true);
    json_string(&j, "code", g ? diag_infos[g->code].id : NULL);
    json_string(&j, "severity", severity);
    json_string(&j, "flag", g ? diag_infos[g->code].flag : NULL);
    put_text(&j, "message", message);
    put_place(&j, d->sources, g && g->has_span, g ? g->span : (struct span){0}, g ? g->file : NULL);
    put_text(&j, "label", g ? g->label : NULL);
    json_open(&j, "notes", '[', true);
    for (size_t i = 0; g && i < g->notes.len; i++) {
        const struct diag_note *note = &g->notes.at[i];
        json_open(&j, NULL, '{', true);
        put_text(&j, "message", note->text);
        put_place(&j, d->sources, note->has_span, note->span, NULL);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_open(&j, "helps", '[', true);
    for (size_t i = 0; g && i < g->helps.len; i++) {
        put_text(&j, NULL, g->helps.at[i]);
    }
    if (help) {
        put_text(&j, NULL, help);
    }
    json_close(&j, ']');
    json_close(&j, '}');
    size_t len;
    const char *text = json_finish(&j, &len);
    text_add_n(out, text, len);
}

const char *diag_json(struct arena *a, const struct diags *d, const struct diag_run *run,
                      size_t *len) {
    struct text t = text_of(a);
    if (run->usage) {
        put_object(&t, d, NULL, "error", run->usage, run->help);
    }
    const size_t shown = diag_shown(d, run->max_errors);
    for (size_t i = 0; i < shown; i++) {
        const struct diag *g = d->list.at[i];
        put_object(&t, d, g, g->severity == DIAG_ERROR ? "error" : "warning", g->message, NULL);
    }
    const char *cut = diag_cut_text(d, run->max_errors);
    if (cut) {
        put_object(&t, d, NULL, "note", cut, NULL);
    }
    *len = t.bytes.len;
    return text_string(&t);
}
