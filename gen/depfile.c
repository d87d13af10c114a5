// SPDX-License-Identifier: Apache-2.0
// Dependency files. In: paths of outputs, sources that were opened. Out: one rule. Always: a name
// that make would split, expand or take for a comment is escaped as gcc does it; a line break has
// no escape and is refused.

#include "gen/depfile.h"

#include <string.h>

static void add_escaped(struct text *t, const char *path) {
    for (const char *c = path; *c; c++) {
        switch (*c) {
        case '$':
            text_add(t, "$");
            break;
        case ' ':
        case '\t':
            // Backslashes before a blank would escape each other, not the blank.
            for (const char *b = c; b > path && b[-1] == '\\'; b--) {
                text_add(t, "\\");
            }
            text_add(t, "\\");
            break;
        case '#':
        case ':':
            text_add(t, "\\");
            break;
        default:
            break;
        }
        text_add_n(t, c, 1);
    }
}

static bool add_path(struct text *t, struct diags *d, const char *path) {
    if (strpbrk(path, "\n\r")) {
        diag_add_global(d, DIAG_A0804, "a dependency file cannot name `%s`: it has a line break",
                        path);
        return false;
    }
    add_escaped(t, path);
    return true;
}

bool depfile_write(struct text *t, struct diags *d, const char *const *targets, size_t n,
                   const struct sources *s) {
    bool good = true;
    for (size_t i = 0; i < n; i++) {
        text_add(t, i ? " \\\n " : "");
        good = add_path(t, d, targets[i]) && good;
    }
    text_add(t, ":");
    for (size_t i = 0; i < s->files.len; i++) {
        if (s->files.at[i].path) {
            text_add(t, " \\\n ");
            good = add_path(t, d, s->files.at[i].path) && good;
        }
    }
    text_add(t, "\n");
    return good;
}
