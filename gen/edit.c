// SPDX-License-Identifier: Apache-2.0
// Changes of one line. In and out: see edit.h. A line of a parent deployment is left alone: the
// child gets a line of its own, which counts before it.
#include "gen/edit.h"

#include <inttypes.h>
#include <string.h>

#include "gen/mapping.h"

const struct ast_item *line_edited(const struct line_edit *edit, const struct ast_item *item) {
    return edit && edit->instead == item ? edit->item : item;
}

const char *written_text(const struct program *p, struct span span) {
    const struct source *file = &p->sources->files.at[span.file];
    char *text = arena_alloc(p->arena, span.end - span.begin + 1);
    size_t len = 0;
    for (uint32_t i = span.begin; i < span.end; i++) {
        bool blank = file->text[i] == ' ' || file->text[i] == '\t' || file->text[i] == '\n' ||
                     file->text[i] == '\r';
        if (!blank || (len > 0 && text[len - 1] != ' ')) {
            text[len++] = blank ? ' ' : file->text[i];
        }
    }
    text[len] = 0;
    return text;
}

// ---- items

static struct ast_expr *word_expr(const struct decider *c, const char *word, struct span span) {
    struct ast_expr *e = ARENA_NEW(c->p->arena, struct ast_expr);
    struct ast_name name = {word, span};
    e->kind = strcmp(word, "auto") == 0 ? EXPR_AUTO : strcmp(word, "no") == 0 ? EXPR_NO : EXPR_NAME;
    e->depth = 1;
    e->span = span;
    VEC_PUSH(c->p->arena, &e->path, name);
    return e;
}

static struct ast_expr *number_expr(const struct decider *c, int64_t number, struct span span) {
    struct ast_expr *e = ARENA_NEW(c->p->arena, struct ast_expr);
    e->kind = EXPR_NUMBER;
    e->depth = 1;
    e->span = span;
    e->number.spelling = arena_printf(c->p->arena, "%" PRId64, number);
    e->number.integer = number;
    return e;
}

static struct ast_item *set_item(const struct decider *c, const char *name,
                                 struct ast_expr *value) {
    struct ast_item *item = ARENA_NEW(c->p->arena, struct ast_item);
    item->kind = ITEM_SET;
    item->span = value->span;
    item->name = (struct ast_name){name, value->span};
    item->value = value;
    return item;
}

// A block or a `for` around an item.
static struct ast_item *around(const struct decider *c, enum item_kind kind, const char *name,
                               struct ast_item *inner) {
    struct ast_item *item = ARENA_NEW(c->p->arena, struct ast_item);
    item->kind = kind;
    item->span = inner->span;
    item->name = (struct ast_name){name, inner->span};
    VEC_PUSH(c->p->arena, &item->items, inner);
    return item;
}

static struct ast_item *copy_item(const struct decider *c, const struct ast_item *from) {
    struct ast_item *item = ARENA_NEW(c->p->arena, struct ast_item);
    *item = *from;
    return item;
}

// ---- one more line

// " to deployment `e`" where it is not clear which one is meant.
static const char *to_deployment(const struct decider *c) {
    const struct decl *d = c->d->decl;
    return d->parent ? arena_printf(c->p->arena, " to deployment `%s`", d->ast->name.text) : "";
}

static const char *in_deployment(const struct decider *c) {
    const struct decl *d = c->d->decl;
    return d->parent ? arena_printf(c->p->arena, " in deployment `%s`", d->ast->name.text) : "";
}

// A line beside the others, in the `for` block of `scope` if that is one.
static struct proposal add_line(const struct decider *c, const struct scope *scope,
                                struct ast_item *item, const char *text) {
    struct arena *a = c->p->arena;
    if (!scope->model) {
        return (struct proposal){{NULL, item},
                                 arena_printf(a, "add `%s`%s", text, to_deployment(c))};
    }
    const char *model = scope->model->text;
    bool here = false;
    for (size_t i = 0; i < c->d->scope->fors.len; i++) {
        const struct setting_line *line = &c->d->scope->fors.at[i];
        here = here || (line->depth == 0 && strcmp(line->item->name.text, model) == 0);
    }
    return (struct proposal){
        {NULL, around(c, ITEM_FOR, model, item)},
        here ? arena_printf(a, "add `%s` to `for %s`", text, model)
             : arena_printf(a, "add `for %s { %s }`%s", model, text, to_deployment(c))};
}

// A line in a block of settings.
static struct proposal add_entry(const struct decider *c, const struct scope *scope,
                                 enum setting block, const char *name, struct ast_item *item,
                                 const char *text) {
    struct arena *a = c->p->arena;
    const struct setting_line *line = &scope->line[block];
    struct proposal p = add_line(c, scope, around(c, ITEM_BLOCK, name, item),
                                 arena_printf(a, "%s { %s }", name, text));
    if (line->item && line->depth == 0) {
        p.text = scope->model ? arena_printf(a, "add `%s` to `%s` of `for %s`", text, name,
                                             scope->model->text)
                              : arena_printf(a, "add `%s` to `%s`", text, name);
    }
    return p;
}

// ---- backends

// What stands before the value of a line: "0..3 as self.decode = ".
static const char *key_of(const struct decider *c, const struct mapping *map) {
    struct span span = map->item->span;
    span.end = map->item->value->span.begin;
    return written_text(c->p, span);
}

// The line `item`, which reads `text`, in place of the line of a mapping.
static struct proposal replace_mapping(const struct decider *c, const struct mapping *map,
                                       struct ast_item *item, const char *text) {
    if (!map->inherited) {
        return (struct proposal){{map->item, item},
                                 arena_printf(c->p->arena, "write `%s`%s", text, in_deployment(c))};
    }
    return map->level == DECIDED_LAYER
               ? add_entry(c, map->scope, SETTING_BACKEND_PER_LAYER, "backend_per_layer", item,
                           text)
               : add_entry(c, map->scope, SETTING_BACKEND_PER_KIND, "backend_per_kind", item, text);
}

struct proposal propose_backend(const struct decider *c, const struct mapping *map,
                                const struct kind *kind, const char *backend) {
    struct arena *a = c->p->arena;
    const struct setting_line *models = &c->d->scope->line[SETTING_MODEL];
    if (!map || map->level == DECIDED_BACKEND) {
        struct ast_expr *value = word_expr(c, backend, models->item->value->span);
        return add_entry(c, map ? map->scope : c->d->scope, SETTING_BACKEND_PER_KIND,
                         "backend_per_kind", set_item(c, kind->name, value),
                         arena_printf(a, "%s = %s;", kind->name, backend));
    }
    struct ast_item *item = copy_item(c, map->item);
    item->value = word_expr(c, backend, map->item->value->span);
    return replace_mapping(c, map, item, arena_printf(a, "%s%s;", key_of(c, map), backend));
}

struct proposal propose_phase(const struct decider *c, const struct mapping *map,
                              enum phase phase) {
    struct arena *a = c->p->arena;
    struct ast_item *item = copy_item(c, map->item);
    if (map->level == DECIDED_KIND) {
        item->kind = ITEM_PHASE;
    }
    item->phase = (struct ast_name){phase_names[phase], map->item->value->span};
    const struct ast_ranges *ranges = &map->item->ranges;
    struct span key = map->item->span;
    key.end = map->level == DECIDED_KIND ? map->item->name.span.end
              : map->op                  ? map->item->label.span.end
                                         : ranges->at[ranges->len - 1].span.end;
    const char *text = arena_printf(a, "%s.%s = %s;", written_text(c->p, key), phase_names[phase],
                                    map->backend->ast->name.text);
    return replace_mapping(c, map, item, text);
}

// ---- settings

struct proposal propose_setting(const struct decider *c, const struct deployed_model *m,
                                enum deploy_attr attr, const char *word, int64_t number) {
    struct arena *a = c->p->arena;
    const char *name = deploy_attr_infos[attr].name;
    const struct scope *scope = m->own && m->own->attr[attr].item ? m->own : c->d->scope;
    const struct setting_line *line = &scope->attr[attr];
    struct span span = setting_span(c->d, m, attr);
    struct ast_expr *value = word ? word_expr(c, word, span) : number_expr(c, number, span);
    struct ast_item *item = set_item(c, name, value);
    const char *text = word ? arena_printf(a, "%s = %s;", name, word)
                            : arena_printf(a, "%s = %" PRId64 ";", name, number);
    if (line->item && line->depth == 0) {
        return (struct proposal){{line->item, item},
                                 arena_printf(a, "write `%s`%s", text, in_deployment(c))};
    }
    return add_line(c, scope, item, text);
}

struct proposal propose_kv_dtype(const struct decider *c, const struct deployed_model *m,
                                 const struct kind *kind, const char *word) {
    struct arena *a = c->p->arena;
    const struct scope *scopes[] = {m->own, c->d->scope};
    for (size_t s = 0; s < 2; s++) {
        const struct setting_lines *entries =
            scopes[s] ? &scopes[s]->entries[SETTING_KV_DTYPE_PER_KIND] : NULL;
        for (size_t i = 0; entries && i < entries->len; i++) {
            const struct setting_line *line = &entries->at[i];
            if (strcmp(line->item->name.text, kind->name) != 0) {
                continue;
            }
            struct ast_item *item =
                set_item(c, kind->name, word_expr(c, word, line->item->value->span));
            const char *text = arena_printf(a, "%s = %s;", kind->name, word);
            if (line->depth == 0) {
                return (struct proposal){
                    {line->item, item}, arena_printf(a, "write `%s` in `kv_dtype_per_kind`", text)};
            }
            return add_entry(c, scopes[s], SETTING_KV_DTYPE_PER_KIND, "kv_dtype_per_kind", item,
                             text);
        }
    }
    return propose_setting(c, m, DEPLOY_KV_DTYPE, word, 0);
}

bool propose_removal(const struct decider *c, const struct setting_line *line,
                     struct proposal *out) {
    if (!line->item || line->depth > 0) {
        return false;
    }
    *out = (struct proposal){
        {line->item, NULL},
        arena_printf(c->p->arena, "remove `%s`", written_text(c->p, line->item->span))};
    return true;
}
