// SPDX-License-Identifier: Apache-2.0
// Changes of one line of a deployment: what a remedy proposes, as text for the user and as items
// that the planner can read in place of the written ones. In: a line, and what it should say.
// Out: both forms. Always: they mean the same; the source tree is not touched.
#ifndef GEN_EDIT_H
#define GEN_EDIT_H

#include "gen/decide.h"

struct line_edit {
    const struct ast_item *instead; // of this line; NULL: one more line
    const struct ast_item *item;    // NULL: the line goes
};

struct proposal {
    struct line_edit edit;
    const char *text; // "write `sliding_window = CPU_REF;`"
};

// What stands for a line: itself, the edit's item, or NULL.
const struct ast_item *line_edited(const struct line_edit *edit, const struct ast_item *item);

// Source text with single blanks.
const char *written_text(const struct program *p, struct span span);
// Another backend on the line `map`, or for `kind` where no line for it is there.
struct proposal propose_backend(const struct decider *c, const struct mapping *map,
                                const struct kind *kind, const char *backend);
// The same backend, in one phase alone.
struct proposal propose_phase(const struct decider *c, const struct mapping *map, enum phase phase);
// A setting: a word (`auto` and `no` too) or, where that is NULL, a number.
struct proposal propose_setting(const struct decider *c, const struct deployed_model *m,
                                enum deploy_attr attr, const char *word, int64_t number);
// The cache dtype of a kind, where the line that counts gives it.
struct proposal propose_kv_dtype(const struct decider *c, const struct deployed_model *m,
                                 const struct kind *kind, const char *word);
// Without the line. False where it is a parent's.
bool propose_removal(const struct decider *c, const struct setting_line *line,
                     struct proposal *out);

#endif
