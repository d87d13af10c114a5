// SPDX-License-Identifier: Apache-2.0
// Diagnostics as a SARIF 2.1.0 log, with all that GitHub code scanning asks for. In: a finished
// list, and the catalogue. Out: one log with one run; its rules are the codes that occur, by code.
// Always: valid by the standard's schema, also when nothing was found; the same bytes for the same
// list (no times, no identifiers made up, no absolute path that was not given: appendix F).

#include <ctype.h>
#include <string.h>

#include "gen/catalogue.h"
#include "gen/diag_out.h"
#include "gen/version.h"

#define SCHEMA                                                                                     \
    "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"
#define SOURCE_BASE "%SRCROOT%"      // the folder that attnc was started in
#define LIBRARY_BASE "ATTNC_LIBRARY" // the library compiled into attnc

struct sarif {
    struct json j;
    const struct diags *diags;
    const struct diag_run *run;
    size_t shown;
    int rule[DIAG_CODE_COUNT];        // index among the rules, -1 for a code that does not occur
    struct diag_line_hashes **hashes; // of each source, made when first asked for
};

// Braces mark placeholders in messages (3.11.5), so ours are doubled; `link` also guards brackets.
static void add_message(struct text *t, const char *s, bool link) {
    for (; *s; s++) {
        if (*s == '{' || *s == '}') {
            text_add_n(t, s, 1);
        } else if (link && (*s == '[' || *s == ']' || *s == '\\')) {
            text_add(t, "\\");
        }
        text_add_n(t, s, 1);
    }
}

// A message object: {"text": ...}.
static void put_message(struct json *j, const char *key, const char *s) {
    struct text t = text_of(j->out.arena);
    add_message(&t, diag_utf8(j->out.arena, s), false);
    json_open(j, key, '{', true);
    json_string(j, "text", text_string(&t));
    json_close(j, '}');
}

// A multiformatMessageString or a message that is shown as it is: rules have no placeholders.
static void put_text(struct json *j, const char *key, const char *s) {
    json_open(j, key, '{', true);
    json_string(j, "text", s);
    json_close(j, '}');
}

static const char *level_of(enum diag_severity severity) {
    return severity == DIAG_ERROR ? "error" : "warning";
}

// ---- rules

// "unused-mapping" or "number out of its range" as one word: UnusedMapping.
static const char *pascal_case(struct arena *a, const char *s) {
    struct text t = text_of(a);
    bool start = true;
    for (; *s; s++) {
        const unsigned char c = (unsigned char)*s;
        if (isalnum(c)) {
            const char shown = (char)(start ? toupper(c) : c);
            text_add_n(&t, &shown, 1);
        }
        start = c == ' ' || c == '-';
    }
    return text_string(&t);
}

static const char *sentence(struct arena *a, const char *title) {
    char *s = arena_strndup(a, title, strlen(title));
    s[0] = (char)toupper((unsigned char)s[0]);
    return arena_printf(a, "%s.", s);
}

static void put_rule(struct sarif *s, enum diag_code code) {
    struct json *j = &s->j;
    struct arena *a = j->out.arena;
    const struct diag_info *info = &diag_infos[code];
    const char *markdown = catalogue_markdown(a, code);
    markdown = markdown ? markdown : sentence(a, info->title);
    struct text plain = text_of(a);
    catalogue_plain(&plain, markdown);
    json_open(j, NULL, '{', false);
    json_string(j, "id", info->id);
    json_string(j, "name", pascal_case(a, info->flag ? info->flag : info->title));
    put_text(j, "shortDescription", sentence(a, info->title));
    put_text(j, "fullDescription", catalogue_summary(a, markdown));
    json_open(j, "help", '{', false);
    json_string(j, "text", text_string(&plain));
    json_string(j, "markdown", markdown);
    json_close(j, '}');
    json_open(j, "defaultConfiguration", '{', true);
    json_string(j, "level", level_of(info->severity));
    json_close(j, '}');
    json_open(j, "properties", '{', false);
    json_open(j, "tags", '[', true);
    json_string(j, NULL, "attention");
    json_string(j, NULL, info->flag ? arena_printf(a, "-W%s", info->flag) : "correctness");
    json_close(j, ']');
    json_string(j, "precision", "very-high");
    json_string(j, "problem.severity", level_of(info->severity));
    json_close(j, '}');
    json_close(j, '}');
}

static void put_tool(struct sarif *s) {
    struct json *j = &s->j;
    json_open(j, "tool", '{', false);
    json_open(j, "driver", '{', false);
    json_string(j, "name", "attnc");
    json_string(j, "fullName", "attnc, the attention compiler");
    json_string(j, "version", ATTNC_VERSION);
    json_string(j, "semanticVersion", ATTNC_VERSION ".0");
    json_open(j, "rules", '[', false);
    for (int code = 0; code < DIAG_CODE_COUNT; code++) {
        if (s->rule[code] >= 0) {
            put_rule(s, (enum diag_code)code);
        }
    }
    json_close(j, ']');
    json_close(j, '}');
    json_close(j, '}');
}

// ---- results

static void put_region(struct json *j, struct position from, struct position to) {
    json_open(j, "region", '{', true);
    json_int(j, "startLine", from.line);
    json_int(j, "startColumn", from.column);
    json_int(j, "endLine", to.line);
    json_int(j, "endColumn", to.column);
    json_close(j, '}');
}

static void put_physical(struct json *j, const char *name, bool library, struct position from,
                         struct position to) {
    json_open(j, "physicalLocation", '{', false);
    json_open(j, "artifactLocation", '{', true);
    json_string(j, "uri", diag_uri(j->out.arena, name));
    if (*name != '/') {
        json_string(j, "uriBaseId", library ? LIBRARY_BASE : SOURCE_BASE);
    }
    json_close(j, '}');
    put_region(j, from, to);
    json_close(j, '}');
}

static void put_place(struct sarif *s, struct span span) {
    const struct sources *sources = s->diags->sources;
    const struct source *f = &sources->files.at[span.file];
    put_physical(&s->j, f->name, f->library, source_position(sources, span.file, span.begin),
                 source_position(sources, span.file, span.end));
}

// What is said of no place is shown at the start of the file that the command was given: code
// scanning takes no result without a place.
static void put_locations(struct sarif *s, const struct diag *g) {
    struct json *j = &s->j;
    json_open(j, "locations", '[', false);
    const char *file = g->file ? g->file : s->run->subject;
    if (g->has_span || file) {
        json_open(j, NULL, '{', false);
        if (g->has_span) {
            put_place(s, g->span);
        } else {
            const struct position start = {.line = 1, .column = 1};
            put_physical(j, file, false, start, start);
        }
        if (g->label) {
            put_message(j, "message", g->label);
        }
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_related(struct sarif *s, const struct diag *g) {
    struct json *j = &s->j;
    int id = 0;
    for (size_t i = 0; i < g->notes.len; i++) {
        const struct diag_note *note = &g->notes.at[i];
        if (!note->has_span) {
            continue;
        }
        if (id == 0) {
            json_open(j, "relatedLocations", '[', false);
        }
        json_open(j, NULL, '{', false);
        json_int(j, "id", ++id);
        put_place(s, note->span);
        put_message(j, "message", note->text);
        json_close(j, '}');
    }
    if (id) {
        json_close(j, ']');
    }
}

// The message, then notes (links to their places) and help, a line each.
static void put_result_message(struct sarif *s, const struct diag *g) {
    struct arena *a = s->j.out.arena;
    struct text t = text_of(a);
    int id = 0;
    add_message(&t, diag_utf8(a, g->message), false);
    for (size_t i = 0; i < g->notes.len; i++) {
        const struct diag_note *note = &g->notes.at[i];
        text_add(&t, note->has_span ? "\nnote: [" : "\nnote: ");
        add_message(&t, diag_utf8(a, note->text), note->has_span);
        if (note->has_span) {
            text_addf(&t, "](%d)", ++id);
        }
    }
    for (size_t i = 0; i < g->helps.len; i++) {
        text_add(&t, "\nhelp: ");
        add_message(&t, diag_utf8(a, g->helps.at[i]), false);
    }
    json_open(&s->j, "message", '{', true);
    json_string(&s->j, "text", text_string(&t));
    json_close(&s->j, '}');
}

static void put_fingerprint(struct sarif *s, const struct diag *g) {
    struct arena *a = s->j.out.arena;
    if (!g->has_span) {
        return;
    }
    const struct source *f = &s->diags->sources->files.at[g->span.file];
    struct diag_line_hashes **hashes = &s->hashes[g->span.file];
    if (!*hashes) {
        *hashes = ARENA_NEW(a, struct diag_line_hashes);
        **hashes = diag_line_hashes(a, f->text, f->len);
    }
    const uint32_t line = source_position(s->diags->sources, g->span.file, g->span.begin).line;
    json_open(&s->j, "partialFingerprints", '{', true);
    json_string(&s->j, "primaryLocationLineHash", diag_line_hash(a, *hashes, line));
    json_close(&s->j, '}');
}

static void put_result(struct sarif *s, const struct diag *g) {
    struct json *j = &s->j;
    json_open(j, NULL, '{', false);
    json_string(j, "ruleId", diag_infos[g->code].id);
    json_int(j, "ruleIndex", s->rule[g->code]);
    json_string(j, "level", level_of(g->severity));
    put_result_message(s, g);
    put_locations(s, g);
    put_related(s, g);
    put_fingerprint(s, g);
    json_close(j, '}');
}

// ---- the run

// What was wrong with the command line, and what --max-errors cut off, is no result.
static void put_invocation(struct sarif *s) {
    struct json *j = &s->j;
    const char *cut = diag_cut_text(s->diags, s->run->max_errors);
    const char *said = s->run->usage ? s->run->usage : cut;
    json_open(j, "invocations", '[', false);
    json_open(j, NULL, '{', false);
    json_bool(j, "executionSuccessful", s->run->status <= 1); // 1: errors were found, as asked
    json_int(j, "exitCode", s->run->status);
    if (said) {
        json_open(j,
                  s->run->usage ? "toolConfigurationNotifications" : "toolExecutionNotifications",
                  '[', false);
        json_open(j, NULL, '{', false);
        json_string(j, "level", s->run->usage ? "error" : "note");
        const char *help = s->run->usage ? s->run->help : NULL;
        put_message(j, "message",
                    help ? arena_printf(j->out.arena, "%s\nhelp: %s", said, help) : said);
        json_close(j, '}');
        json_close(j, ']');
    }
    json_close(j, '}');
    json_close(j, ']');
}

static void put_bases(struct json *j) {
    static const char *const bases[][2] = {
        {SOURCE_BASE, "The folder that attnc was started in."},
        {LIBRARY_BASE, "The library, compiled into attnc."},
    };
    json_open(j, "originalUriBaseIds", '{', false);
    for (size_t i = 0; i < sizeof bases / sizeof *bases; i++) {
        json_open(j, bases[i][0], '{', true);
        put_text(j, "description", bases[i][1]);
        json_close(j, '}');
    }
    json_close(j, '}');
}

static void number_rules(struct sarif *s) {
    bool used[DIAG_CODE_COUNT] = {false};
    for (size_t i = 0; i < s->shown; i++) {
        used[s->diags->list.at[i]->code] = true;
    }
    int n = 0;
    for (int code = 0; code < DIAG_CODE_COUNT; code++) {
        s->rule[code] = used[code] ? n++ : -1;
    }
}

const char *diag_sarif(struct arena *a, const struct diags *d, const struct diag_run *run,
                       size_t *len) {
    struct sarif s = {.j = json_of(a), .diags = d, .run = run};
    s.shown = diag_shown(d, run->max_errors);
    s.hashes = ARENA_ARRAY(a, struct diag_line_hashes *, d->sources->files.len + 1);
    number_rules(&s);
    struct json *j = &s.j;
    json_open(j, NULL, '{', false);
    json_string(j, "$schema", SCHEMA);
    json_string(j, "version", "2.1.0");
    json_open(j, "runs", '[', false);
    json_open(j, NULL, '{', false);
    put_tool(&s);
    put_invocation(&s);
    put_bases(j);
    json_string(j, "columnKind", "unicodeCodePoints");
    json_open(j, "results", '[', false);
    for (size_t i = 0; i < s.shown; i++) {
        put_result(&s, d->list.at[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
    json_close(j, ']');
    json_close(j, '}');
    return json_finish(j, len);
}
