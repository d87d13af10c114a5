// SPDX-License-Identifier: Apache-2.0
// Warnings. In and out: see warn.h.
#include "gen/warn.h"

#include <inttypes.h>
#include <string.h>

#include "gen/verdict.h"

// ---- mappings

static bool has_device(const struct decider *c, const struct decl *backend) {
    const struct deployed_model *m = c->d->models.at[0];
    struct subject s = {.program = c->p, .deploy = &m->attrs, .model = &m->model.level};
    struct value device = backend_answer(&s, backend, "device");
    for (size_t i = 0; i < c->d->devices.len; i++) {
        struct value word = value_word(c->d->devices.at[i]);
        if (value_in(&word, &device)) {
            return true;
        }
    }
    return false;
}

static void warn_mapping(const struct decider *c, const struct mapping *map) {
    struct diags *diags = c->p->diags;
    if (map->uses > 0 || map->inherited) { // what a child does not use may serve the parent
        return;
    }
    if (map->matches > 0 || map->replaced) {
        struct diag *d =
            diag_add(diags, DIAG_A0611, map->item->span,
                     "mapping has no effect: others decide for every operator that it speaks of");
        if (map->by) {
            diag_note(diags, d, map->by->item->span, "this line counts before it");
        }
        return;
    }
    if (map->backend && !has_device(c, map->backend)) {
        diag_add(diags, DIAG_A0710, map->item->value->span,
                 "backend `%s` runs on no device of platform `%s`; the mapping is not used",
                 map->backend->ast->name.text, c->d->platform->ast->name.text);
        return;
    }
    if (map->kind) {
        diag_add(diags, DIAG_A0610, map->item->span,
                 "mapping is not used: no operator is of kind `%s`", map->kind->name);
    } else {
        diag_add(diags, DIAG_A0610, map->item->span, "mapping is not used by any operator");
    }
}

// ---- windows

static const enum operator_attr window_attrs[] = {ATTR_WINDOW, ATTR_CHUNK, ATTR_WINDOW_LEFT,
                                                  ATTR_WINDOW_RIGHT};
#define WINDOW_ATTRS (sizeof window_attrs / sizeof *window_attrs)

static void warn_context(const struct decider *c, const struct deployed_model *m) {
    for (size_t i = 0; i < m->model.sets.len; i++) {
        const struct attr_set *set = m->model.sets.at[i];
        for (size_t j = 0; !set->absent && j < WINDOW_ATTRS; j++) {
            int64_t v = attr_int(&set->attrs, window_attrs[j], 0);
            bool causal = window_attrs[j] == ATTR_WINDOW || window_attrs[j] == ATTR_CHUNK;
            if (!causal || v < m->max_tokens) {
                continue;
            }
            struct diag *d = diag_add(
                c->p->diags, DIAG_A0614, attr_span(&m->model, set, window_attrs[j]),
                "`%s` is %" PRId64 ", not below the context of %" PRId64 " tokens: it never cuts",
                operator_attr_infos[window_attrs[j]].name, v, m->max_tokens);
            diag_note(c->p->diags, d, setting_span(c->d, m, DEPLOY_MAX_TOKENS),
                      "`max_tokens` is given here");
        }
    }
}

void warn_windows(struct program *p, const struct model *m) {
    for (size_t j = 0; j < WINDOW_ATTRS; j++) {
        const struct attr_set **first =
            ARENA_ARRAY(p->arena, const struct attr_set *, m->kinds_len);
        bool *said = ARENA_ARRAY(p->arena, bool, m->kinds_len);
        for (size_t i = 0; i < m->sets.len; i++) {
            const struct attr_set *set = m->sets.at[i];
            int64_t v = set->absent ? 0 : attr_int(&set->attrs, window_attrs[j], 0);
            if (v == 0) {
                continue;
            }
            const struct attr_set **before = &first[set->kind->index];
            if (*before && !said[set->kind->index] &&
                attr_int(&(*before)->attrs, window_attrs[j], 0) != v) {
                said[set->kind->index] = true;
                struct diag *d = diag_add(p->diags, DIAG_A0613, attr_span(m, set, window_attrs[j]),
                                          "kind `%s` of model `%s` has different values of `%s`",
                                          set->kind->name, m->decl->ast->name.text,
                                          operator_attr_infos[window_attrs[j]].name);
                diag_note(p->diags, d, attr_span(m, *before, window_attrs[j]),
                          "it is %" PRId64 " for %s, %" PRId64 " for %s",
                          attr_int(&(*before)->attrs, window_attrs[j], 0),
                          layers_text(p->arena, (*before)->layers.at, (*before)->layers.len), v,
                          layers_text(p->arena, set->layers.at, set->layers.len));
            }
            *before = *before ? *before : set;
        }
    }
}

// ---- priorities

// Is a condition `want` whatever the names in it are?
static bool always(const struct ast_expr *e, bool want) {
    if (e->kind == EXPR_NOT) {
        return always(e->a, !want);
    }
    if (e->kind == EXPR_BINARY && (e->op == AST_AND || e->op == AST_OR)) {
        bool either = (e->op == AST_AND) != want;
        bool a = always(e->a, want), b = always(e->b, want);
        return either ? a || b : a && b;
    }
    return e->kind == (want ? EXPR_YES : EXPR_NO);
}

static bool holds_never(const struct ast_expr *when) {
    return when && always(when, false);
}

// Why an element of an order is never tried; NULL: it may be. An earlier one that always is may
// name the same backend: `*first`.
static const char *never_reached(const struct program *p, const struct ast_elem *list, size_t at,
                                 const struct ast_expr **first) {
    const char *name = list[at].value->path.at[0].text;
    const struct decl *backend = program_find(p, DECL_BACKEND, name);
    *first = NULL;
    if (backend && backend_is_family(backend)) {
        return ": a family is no candidate";
    }
    if (holds_never(list[at].when)) {
        return ": its condition never holds";
    }
    for (size_t i = 0; i < at; i++) {
        const struct ast_expr *e = list[i].value;
        if (e->kind == EXPR_NAME && strcmp(e->path.at[0].text, name) == 0 &&
            (!list[i].when || always(list[i].when, true))) {
            *first = e;
            return "";
        }
    }
    return NULL;
}

static void warn_order(struct program *p, struct ast_expr *order) {
    const struct ast_elem alone = {.value = order}; // a list of one
    bool one = order->kind == EXPR_NAME;
    const struct ast_elem *list = one ? &alone : order->elems.at;
    for (size_t i = 0; i < (one ? 1 : order->elems.len); i++) {
        const struct ast_expr *e = list[i].value, *first = NULL;
        const char *why = e->kind == EXPR_NAME ? never_reached(p, list, i, &first) : NULL;
        if (!why) {
            continue;
        }
        struct diag *d = diag_add(p->diags, DIAG_A0612, e->span, "entry `%s` is never reached%s",
                                  e->path.at[0].text, why);
        if (first) {
            diag_note(p->diags, d, first->span, "it is tried here already");
        }
    }
}

static void warn_priority(struct program *p, const struct decl *d) {
    const struct ast_items *items = &d->ast->items;
    for (size_t i = 0; i < items->len; i++) {
        const struct ast_item *item = items->at[i];
        bool order = item->kind == ITEM_SET && strcmp(item->name.text, "order") == 0;
        if (item->kind == ITEM_SET && strcmp(item->name.text, "when") == 0 &&
            holds_never(item->value)) {
            diag_add(p->diags, DIAG_A0612, item->value->span,
                     "no entry of priority `%s` is ever reached: its condition never holds",
                     d->ast->name.text);
        } else if (order && holds_never(item->when)) {
            diag_add(p->diags, DIAG_A0612, item->when->span,
                     "no entry of this order is ever reached: its condition never holds");
        } else if (order) {
            warn_order(p, item->value);
        }
    }
}

void warn_priorities(struct program *p) {
    for (size_t i = 0; i < p->decls[DECL_PRIORITY].len; i++) {
        const struct decl *d = p->decls[DECL_PRIORITY].at[i];
        if (!decl_is_library(p, d) && !d->poisoned) {
            warn_priority(p, d);
        }
    }
}

void warn_deployment(struct decider *c) {
    for (size_t i = 0; i < c->d->mappings.len; i++) {
        warn_mapping(c, c->d->mappings.at[i]);
    }
    for (size_t i = 0; i < c->d->models.len; i++) {
        warn_context(c, c->d->models.at[i]);
        warn_windows(c->p, &c->d->models.at[i]->model);
    }
    warn_priorities(c->p);
}
