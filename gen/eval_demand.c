// SPDX-License-Identifier: Apache-2.0
// Which flags are demanded of an operator, and the text that shows the names of a rule with their
// values. A capability's `when` sees the settings and the capabilities declared before it.
#include <string.h>

#include "gen/evaluation.h"

#define NAMES_SHOWN 12 // in the text of a failed rule

static void add_set(struct arena *a, struct value *set, const struct value *from) {
    if (from->kind == VALUE_WORD) {
        VEC_PUSH(a, &set->elems, *from);
    }
    for (size_t i = 0; i < from->elems.len; i++) {
        VEC_PUSH(a, &set->elems, from->elems.at[i]);
    }
}

struct value demands_of(const struct subject *s) {
    struct arena *a = s->program->arena;
    const struct decls *capabilities = &s->program->decls[DECL_CAPABILITY];
    struct value seen = {.kind = VALUE_SET}, all = {.kind = VALUE_SET};
    if (s->layer) {
        add_set(a, &seen, &s->layer->at[ATTR_DEMAND]);
    }
    if (s->deploy) {
        add_set(a, &seen, &s->deploy->at[DEPLOY_DEMAND]);
    }
    struct evaluation ev = evaluation_of(s, NULL);
    ev.demand = &seen;
    for (size_t i = 0; i < capabilities->len; i++) {
        const struct ast_decl *c = capabilities->at[i]->ast;
        if (!vocab_has(s->program, VOCAB_FLAG, c->name.text)) {
            continue;
        }
        struct value flag = value_word(c->name.text);
        bool set = value_in(&flag, &seen);
        if (set || (c->when && holds(&ev, c->when))) {
            VEC_PUSH(a, &all.elems, flag);
            if (!set) {
                VEC_PUSH(a, &seen.elems, flag);
            }
        }
    }
    return all;
}

// ---- names of a rule

struct shown {
    struct evaluation *ev;
    VEC(const char *) names;
    const char *text;
};

static void show_name(struct shown *s, const struct ast_expr *e) {
    struct arena *a = s->ev->arena;
    const char *name = path_text(a, &e->path);
    bool is_let = e->path.len == 1 && let_lines(a, s->ev->scope, name).len;
    if ((e->path.len == 1 && !is_let && strcmp(name, "phase") != 0) ||
        s->names.len == NAMES_SHOWN) { // a word
        return;
    }
    for (size_t i = 0; i < s->names.len; i++) {
        if (strcmp(s->names.at[i], name) == 0) {
            return;
        }
    }
    VEC_PUSH(a, &s->names, name);
    enum vocabulary words = eval_vocabulary(s->ev->s->program, s->ev->scope, e);
    struct value v = evaluate(s->ev, e, words);
    const char *one =
        v.kind == VALUE_FAILURE ? v.text : arena_printf(a, "%s is %s", name, value_text(a, &v));
    s->text = arena_printf(a, "%s%s%s", s->text, *s->text ? ", " : "", one);
}

static void show_names(struct shown *s, const struct ast_expr *e) {
    if (!e) {
        return;
    }
    if (e->kind == EXPR_NAME) {
        show_name(s, e);
    }
    show_names(s, e->a);
    show_names(s, e->b);
    show_names(s, e->c);
    for (size_t i = 0; i < e->args.len; i++) {
        show_names(s, e->args.at[i]);
    }
    for (size_t i = 0; i < e->elems.len; i++) {
        show_names(s, e->elems.at[i].when);
        show_names(s, e->elems.at[i].value);
    }
}

const char *eval_names_text(const struct subject *s, const struct decl *scope,
                            const struct ast_expr *e) {
    struct evaluation ev = evaluation_of(s, scope);
    struct shown shown = {.ev = &ev, .text = ""};
    show_names(&shown, e);
    return shown.text;
}
