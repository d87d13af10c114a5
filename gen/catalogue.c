// SPDX-License-Identifier: Apache-2.0
// The catalogue of diagnostics, its entries and the views of them. In: the files compiled in, and
// the table of codes. Out: texts. Always: an entry begins at a line `## CODE` outside of examples
// and ends before the next one; examples stand between lines of three backquotes.

#include "gen/catalogue.h"

#include <string.h>

#define FENCE "```"
#define EXAMPLE_INDENT 4
#define CODE_DIGITS 4

// A line of a text, without its end.
struct line {
    const char *at;
    size_t len;
};

static const char *next_line(const char *at, struct line *line) {
    line->at = at;
    line->len = strcspn(at, "\n");
    return at + line->len + (at[line->len] == '\n');
}

static bool begins(const struct line *line, const char *with) {
    size_t n = strlen(with);
    return line->len >= n && memcmp(line->at, with, n) == 0;
}

bool catalogue_is_code(const char *word) {
    return word[0] == 'A' && strlen(word) == 1 + CODE_DIGITS &&
           strspn(word + 1, "0123456789") == CODE_DIGITS;
}

enum diag_code catalogue_find(const char *word) {
    int code = 0;
    while (code < DIAG_CODE_COUNT && strcmp(diag_infos[code].id, word) != 0) {
        code++;
    }
    return (enum diag_code)code;
}

// The body of the entry `id` in one file: from the line after its head to the next head.
static const char *body_in(struct arena *a, const char *text, const char *id) {
    const char *begin = NULL, *end = text, *at = text;
    bool inside = false;
    while (*at) {
        struct line line;
        const char *next = next_line(at, &line);
        inside ^= begins(&line, FENCE);
        if (!inside && begins(&line, "## ")) {
            if (begin) {
                break;
            }
            begin = line.len == 3 + strlen(id) && begins(&(struct line){at + 3, line.len - 3}, id)
                        ? next
                        : NULL;
        }
        end = line.len ? next : end; // blank lines before the next head are not part of it
        at = next;
    }
    if (!begin) {
        return NULL;
    }
    begin += strspn(begin, "\n");
    return arena_strndup(a, begin, begin < end ? (size_t)(end - begin) : 0);
}

const char *catalogue_markdown(struct arena *a, enum diag_code code) {
    for (size_t i = 0; i < catalogue_file_count; i++) {
        const char *body = body_in(a, catalogue_files[i].text, diag_infos[code].id);
        if (body) {
            return body;
        }
    }
    return NULL;
}

const char *catalogue_summary(struct arena *a, const char *markdown) {
    struct text t = text_of(a);
    struct line line;
    for (const char *at = next_line(markdown, &line); line.len; at = next_line(at, &line)) {
        text_add(&t, t.bytes.len ? " " : "");
        text_add_n(&t, line.at, line.len);
    }
    return text_string(&t);
}

// What an example is, by the words after its fence: a language, then a code where it fails.
static const char *example_head(const struct line *fence) {
    const bool fails = memchr(fence->at, ' ', fence->len) != NULL;
    if (begins(fence, FENCE "json")) {
        return fails ? "Failing, as the config.json of attnc import hf config.json:" : "Mended:";
    }
    if (begins(fence, FENCE "sh")) {
        return fails ? "Failing, in a shell:" : "Mended:";
    }
    return fails ? "Failing:" : "Mended:";
}

void catalogue_plain(struct text *t, const char *markdown) {
    bool inside = false;
    for (const char *at = markdown; *at;) {
        struct line line;
        at = next_line(at, &line);
        if (begins(&line, FENCE)) {
            inside = !inside;
            if (inside) {
                text_addf(t, "%s\n\n", example_head(&line));
            }
            continue;
        }
        text_pad(t, inside && line.len ? EXAMPLE_INDENT : 0);
        text_add_n(t, line.at, line.len);
        text_add(t, "\n");
    }
}

static void add_severity(struct text *t, enum diag_code code, const char *quote) {
    const struct diag_info *info = &diag_infos[code];
    if (info->flag) {
        text_addf(t, "Warning, on unless %s-Wno-%s%s.", quote, info->flag, quote);
    } else {
        text_add(t, "Error.");
    }
}

const char *catalogue_explain(struct arena *a, enum diag_code code) {
    struct text t = text_of(a);
    text_addf(&t, "%s: %s\n", diag_infos[code].id, diag_infos[code].title);
    add_severity(&t, code, "");
    text_add(&t, "\n\n");
    const char *markdown = catalogue_markdown(a, code);
    catalogue_plain(&t, markdown ? markdown : "");
    return text_string(&t);
}

const char *catalogue_list(struct arena *a) {
    struct text t = text_of(a);
    for (int i = 0; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = &diag_infos[i];
        text_addf(&t, "%s  %s", info->id, info->title);
        if (info->flag) {
            text_addf(&t, " [-W%s]", info->flag);
        }
        text_add(&t, "\n");
    }
    return text_string(&t);
}

// Groups of codes by their first two digits.
static const struct {
    const char *digits, *title;
} groups[] = {
    {"01", "Lexical"},
    {"02", "Syntax"},
    {"03", "Names and duplicates"},
    {"04", "Values and ranges"},
    {"05", "Capability"},
    {"06", "Coverage"},
    {"07", "Platform"},
    {"08", "Output and limits"},
    {"09", "Import"},
};

static const char page_head[] =
    "<!-- Generated from grammar/diag_codes.h and gen/catalogue/ by `make diagnostics`. -->\n"
    "# Diagnostics of attnc\n\n"
    "Every message has a code; `attnc explain CODE` prints its entry of this page. A code keeps "
    "its "
    "meaning and is never used again for another. The first example of an entry is refused with "
    "that "
    "code and no other, the second is accepted: both are tests. Where an example is JSON it is the "
    "`config.json` of `attnc import hf config.json`.\n";

const char *catalogue_page(struct arena *a) {
    struct text t = text_of(a);
    text_add(&t, page_head);
    int code = 0;
    for (size_t g = 0; g < sizeof groups / sizeof *groups; g++) {
        text_addf(&t, "\n## %s: A%sxx\n", groups[g].title, groups[g].digits);
        for (; code < DIAG_CODE_COUNT && memcmp(diag_infos[code].id + 1, groups[g].digits, 2) == 0;
             code++) {
            text_addf(&t, "\n### %s: %s\n\n", diag_infos[code].id, diag_infos[code].title);
            add_severity(&t, (enum diag_code)code, "`");
            const char *markdown = catalogue_markdown(a, (enum diag_code)code);
            text_addf(&t, "\n\n%s", markdown ? markdown : "");
        }
    }
    return text_string(&t);
}
