// SPDX-License-Identifier: Apache-2.0
// Collecting the lines of a deployment by name: its own, its parents' and those of `for` blocks.
// In and out: see scope.h. Nothing is evaluated here.
#include "gen/scope.h"

#include <string.h>

#include "gen/edit.h"
#include "gen/foreign.h"

static const struct {
    const char *name;
    bool block, own;
} setting_infos[SETTING_COUNT] = {
#define SETTING(id, name, block, own) {name, block, own},
    SETTINGS(SETTING)
#undef SETTING
};

// Settings of the table as a whole: kernels and pages of all models live by them.
static const enum deploy_attr whole_table[] = {DEPLOY_DECODE_Q, DEPLOY_MEMORY, DEPLOY_FLASH,
                                               DEPLOY_POOL};

struct reader {
    struct program *p;
    struct deployment *d;
    bool good;
};

static bool is_own(const char *name) {
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (!setting_infos[i].own && strcmp(setting_infos[i].name, name) == 0) {
            return false;
        }
    }
    for (size_t i = 0; i < sizeof whole_table / sizeof *whole_table; i++) {
        if (strcmp(deploy_attr_infos[whole_table[i]].name, name) == 0) {
            return false;
        }
    }
    return true;
}

static void unknown_setting(struct reader *r, const struct ast_name *name) {
    const struct program *p = r->p;
    r->good = false;
    const char *ours = foreign_name("deployment", name->text);
    if (ours) {
        struct diag *g = diag_add(p->diags, DIAG_A0359, name->span,
                                  "`%s` is another engine's name for `%s`", name->text, ours);
        diag_help(p->diags, g, "write `%s`", ours);
        return;
    }
    VEC(const char *) names = {0};
    for (int i = 0; i < DEPLOY_ATTR_COUNT; i++) {
        VEC_PUSH(p->arena, &names, deploy_attr_infos[i].name);
    }
    for (int i = 0; i < SETTING_COUNT; i++) {
        VEC_PUSH(p->arena, &names, setting_infos[i].name);
    }
    struct diag *g = diag_add(p->diags, DIAG_A0351, name->span, "unknown setting `%s`", name->text);
    program_suggest(p, g, "setting", name->text, names.at, names.len);
    const char *meant = diag_nearest(p->arena, name->text, names.at, names.len);
    if (meant) {
        VEC_PUSH(p->arena, &r->d->meant, meant);
    }
}

void scope_given_twice(const struct program *p, const struct ast_name *name,
                       const struct ast_item *first) {
    struct diag *g = diag_add(p->diags, DIAG_A0353, name->span, "`%s` is given twice", name->text);
    diag_note(p->diags, g, first->name.span, "first given here");
}

static void given_twice(struct reader *r, const struct ast_name *name,
                        const struct ast_item *first) {
    scope_given_twice(r->p, name, first);
    r->good = false;
}

// Keeps the line unless a child has given it; a repeat among the same items is an error.
static void keep_line(struct reader *r, struct setting_line *kept, struct setting_line line) {
    if (!kept->item) {
        *kept = line;
    } else if (kept->from == line.from) {
        given_twice(r, &line.item->name, kept->item);
    }
}

static void collect_line(struct reader *r, struct scope *s, struct setting_line line) {
    const struct ast_item *item = line.item;
    int attr = attr_find(deploy_attr_infos, DEPLOY_ATTR_COUNT, item->name.text);
    bool block = item->kind == ITEM_BLOCK;
    if (item->when) {
        r->good = false;
        diag_add(r->p->diags, DIAG_A0358, item->when->span, "`when` cannot stand in a deployment");
        return;
    }
    if (s->model && !is_own(item->name.text)) {
        r->good = false;
        diag_add(r->p->diags, DIAG_A0465, item->name.span,
                 "`%s` holds for the whole deployment, not for one model", item->name.text);
        return;
    }
    if (attr >= 0 && !block) {
        keep_line(r, &s->attr[attr], line);
        return;
    }
    for (int i = 0; i < SETTING_COUNT; i++) {
        if (strcmp(setting_infos[i].name, item->name.text) != 0) {
            continue;
        }
        if (setting_infos[i].block != block) {
            diag_add(r->p->diags, DIAG_A0451, item->span, "`%s` takes %s", item->name.text,
                     block ? "a value" : "a block");
            r->good = false;
            return;
        }
        keep_line(r, &s->line[i], line);
        for (size_t j = 0; block && j < item->items.len; j++) {
            struct setting_line entry = {line_edited(r->d->edit, item->items.at[j]), &item->items,
                                         line.depth};
            if (entry.item) {
                VEC_PUSH(r->p->arena, &s->entries[i], entry);
            }
        }
        return;
    }
    unknown_setting(r, &item->name);
}

static void collect_fact(struct reader *r, struct scope *s, const struct ast_item *item,
                         const struct ast_items *from) {
    for (size_t i = 0; from->at[i] != item; i++) {
        if (from->at[i]->kind == ITEM_FACT &&
            strcmp(from->at[i]->name.text, item->name.text) == 0) {
            given_twice(r, &item->name, from->at[i]);
            return;
        }
    }
    VEC_PUSH(r->p->arena, &s->facts, item);
}

static void collect(struct reader *r, struct scope *s, const struct ast_items *items,
                    uint32_t depth) {
    for (size_t i = 0; i < items->len; i++) {
        struct setting_line line = {line_edited(r->d->edit, items->at[i]), items, depth};
        if (!line.item) {
            continue;
        }
        if (line.item->kind == ITEM_SET || line.item->kind == ITEM_BLOCK) {
            collect_line(r, s, line);
        } else if (line.item->kind == ITEM_FACT) {
            collect_fact(r, s, line.item, items);
        } else if (line.item->kind == ITEM_FOR && !s->model) {
            VEC_PUSH(r->p->arena, &s->fors, line);
        } else {
            r->good =
                item_misplaced(r->p, line.item, s->model ? "a `for` block" : "a deployment") &&
                r->good;
        }
    }
}

static struct scope *scope_for(struct reader *r, const struct setting_line *line) {
    const struct ast_name *name = &line->item->name;
    for (size_t i = 0; i < r->d->scopes.len; i++) {
        struct scope *s = r->d->scopes.at[i];
        if (s->model && strcmp(s->model->text, name->text) == 0) {
            return s;
        }
    }
    struct scope *s = ARENA_NEW(r->p->arena, struct scope);
    s->model = name;
    VEC_PUSH(r->p->arena, &r->d->scopes, s);
    return s;
}

bool scopes_collect(struct program *p, const struct decl *decl, struct deployment *d) {
    struct reader reader = {.p = p, .d = d, .good = true}, *r = &reader;
    struct scope *outer = ARENA_NEW(r->p->arena, struct scope);
    r->d->scope = outer;
    VEC_PUSH(r->p->arena, &r->d->scopes, outer);
    if (d->edit && !d->edit->instead) {
        struct ast_items *more = ARENA_NEW(p->arena, struct ast_items);
        struct ast_item *item = ARENA_NEW(p->arena, struct ast_item);
        *item = *d->edit->item;
        VEC_PUSH(p->arena, more, item);
        collect(r, outer, more, 0);
    }
    uint32_t depth = 0;
    for (const struct decl *at = decl; at; at = at->parent) {
        collect(r, outer, &at->ast->items, depth++);
    }
    for (size_t i = 0; i < outer->fors.len; i++) {
        const struct setting_line *line = &outer->fors.at[i];
        struct scope *s = scope_for(r, line);
        for (size_t j = 0; j < i; j++) {
            const struct setting_line *first = &outer->fors.at[j];
            if (first->from == line->from &&
                strcmp(first->item->name.text, line->item->name.text) == 0) {
                given_twice(r, &line->item->name, first->item);
            }
        }
        collect(r, s, &line->item->items, line->depth);
    }
    return r->good;
}
