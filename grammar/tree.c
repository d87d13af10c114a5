// SPDX-License-Identifier: Apache-2.0
// Builds the syntax tree for the grammar's actions. In: tokens and subtrees. Out: nodes in the
// arena. Always: an expression knows its span and depth; one that would be deeper than
// AST_MAX_DEPTH is reported and comes back as an error node, so that later passes can recurse.
#include "parse_state.h"

struct span parse_span(const struct parse *p, const struct token *t) {
    return report_span(p->reporter, t->begin, t->end);
}

struct ast_name tree_name(struct parse *p, const struct token *t) {
    if (!t) {
        return (struct ast_name){0};
    }
    return (struct ast_name){
        .text = arena_strndup(p->arena, p->source->text + t->begin, t->end - t->begin),
        .span = parse_span(p, t)};
}

// ---- expressions

struct ast_expr *tree_leaf(struct parse *p, enum expr_kind kind, const struct token *t) {
    struct ast_expr *e = ARENA_NEW(p->arena, struct ast_expr);
    e->kind = kind;
    e->depth = 1;
    e->span = parse_span(p, t);
    return e;
}

struct ast_expr *tree_error(struct parse *p, const struct token *at) {
    return tree_leaf(p, EXPR_ERROR, at);
}

static struct ast_number number(struct parse *p, const struct token *t) {
    const bool dotted = t->type == TOKEN_DECIMAL;
    return (struct ast_number){
        .spelling = tree_name(p, t).text, .dotted = dotted, .integer = dotted ? 0 : t->integer};
}

struct ast_expr *tree_literal(struct parse *p, enum expr_kind kind, const struct token *t) {
    struct ast_expr *e = tree_leaf(p, t->bad ? EXPR_ERROR : kind, t);
    if (e->kind == EXPR_NUMBER) {
        e->number = number(p, t);
    } else if (e->kind == EXPR_STRING) {
        e->string = t->string;
    }
    return e;
}

struct ast_path *tree_path_add(struct parse *p, struct ast_path *path, const struct token *t) {
    struct ast_name name = tree_name(p, t);
    if (t->bad) {
        name.text = NULL; // refused and reported: the expression becomes an error node
    }
    VEC_PUSH(p->arena, path, name);
    return path;
}

struct ast_expr *tree_path(struct parse *p, struct ast_path *path) {
    struct ast_expr *e = ARENA_NEW(p->arena, struct ast_expr);
    e->kind = EXPR_NAME;
    e->depth = 1;
    e->path = *path;
    for (size_t i = 0; i < path->len; i++) {
        e->kind = path->at[i].text ? e->kind : EXPR_ERROR;
    }
    e->span = span_join(path->at[0].span, path->at[path->len - 1].span);
    return e;
}

static unsigned deeper(unsigned depth, const struct ast_expr *child) {
    return child && child->depth > depth ? child->depth : depth;
}

// An inner node above children of the given depth. A leaf is no level of nesting: the limit is on
// what surrounds it. `where` is shown when the limit is passed.
static struct ast_expr *inner(struct parse *p, enum expr_kind kind, unsigned depth,
                              struct span span, struct span where) {
    struct ast_expr *e = ARENA_NEW(p->arena, struct ast_expr);
    e->kind = kind;
    e->span = span;
    e->depth = (uint16_t)(depth + 1);
    if (e->depth > AST_MAX_DEPTH + 1) {
        parse_too_deep(p, where.begin, where.end);
        e->kind = EXPR_ERROR;
        e->depth = 1;
    }
    return e;
}

struct ast_expr *tree_call(struct parse *p, const struct token *name, struct ast_exprs *args,
                           const struct token *close) {
    unsigned depth = 0;
    for (size_t i = 0; i < args->len; i++) {
        depth = deeper(depth, args->at[i]);
    }
    const struct span span = report_span(p->reporter, name->begin, close->end);
    struct ast_expr *e = inner(p, EXPR_CALL, depth, span, parse_span(p, name));
    tree_path_add(p, &e->path, name);
    e->kind = name->bad ? EXPR_ERROR : e->kind;
    e->args = *args;
    return e;
}

struct ast_expr *tree_elements(struct parse *p, enum expr_kind kind, const struct token *open,
                               struct ast_elems *elems, const struct token *close) {
    unsigned depth = 0;
    for (size_t i = 0; elems && i < elems->len; i++) {
        depth = deeper(deeper(depth, elems->at[i].value), elems->at[i].when);
    }
    const struct span span = report_span(p->reporter, open->begin, close->end);
    struct ast_expr *e = inner(p, kind, depth, span, parse_span(p, open));
    if (elems) {
        e->elems = *elems;
    }
    return e;
}

struct ast_expr *tree_unary(struct parse *p, enum expr_kind kind, const struct token *op,
                            struct ast_expr *a) {
    const struct span where = parse_span(p, op);
    struct ast_expr *e = inner(p, kind, a->depth, span_join(where, a->span), where);
    e->a = a;
    return e;
}

struct ast_expr *tree_multiple_of(struct parse *p, const struct token *word,
                                  const struct token *value) {
    struct ast_expr *e = tree_literal(p, EXPR_NUMBER, value);
    e->kind = value->bad ? EXPR_ERROR : EXPR_MULTIPLE_OF;
    e->span.begin = word->begin;
    return e;
}

struct ast_expr *tree_binary(struct parse *p, enum ast_operator op, struct ast_expr *a,
                             struct ast_expr *b) {
    struct ast_expr *e =
        inner(p, EXPR_BINARY, deeper(a->depth, b), span_join(a->span, b->span), b->span);
    e->op = op;
    e->a = a;
    e->b = b;
    return e;
}

struct ast_expr *tree_range(struct parse *p, struct ast_expr *a, struct ast_expr *b,
                            struct ast_expr *c) {
    const unsigned depth = deeper(deeper(a->depth, b), c);
    struct ast_expr *e =
        inner(p, EXPR_RANGE, depth, span_join(a->span, c ? c->span : b->span), b->span);
    e->a = a;
    e->b = b;
    e->c = c;
    return e;
}

// Parentheses leave no node; the brackets that are open at once are counted in parse.c.
struct ast_expr *tree_parentheses(struct parse *p, const struct token *open, struct ast_expr *a,
                                  const struct token *close) {
    a->span = report_span(p->reporter, open->begin, close->end);
    return a;
}

// ---- items and declarations

struct ast_item *tree_item(struct parse *p, enum item_kind kind, const struct token *name) {
    struct ast_item *item = ARENA_NEW(p->arena, struct ast_item);
    item->kind = kind;
    if (name) {
        item->name = tree_name(p, name);
        item->span = item->name.span;
        if (name->bad) {
            item->name.text = NULL;
        }
    }
    return item;
}

// Leaves out an item that was skipped (NULL), and one whose name was refused.
void tree_add_item(struct parse *p, struct ast_items *items, struct ast_item *item) {
    if (!item) {
        return;
    }
    const bool nameless =
        item->kind == ITEM_REQUIRE || item->kind == ITEM_LAYER || item->kind == ITEM_PER_LAYER;
    if (nameless || item->name.text) {
        VEC_PUSH(p->arena, items, item);
    }
}

// A range with a number that was refused is left out: it has been reported.
struct tree_spans *tree_spans_add(struct parse *p, struct tree_spans *spans, struct tree_span s) {
    if (spans->begin == 0) {
        spans->begin = s.first->begin;
    }
    if (s.first->bad || s.last->bad || (s.step && s.step->bad)) {
        return spans;
    }
    const struct ast_range range = {
        .span = report_span(p->reporter, s.first->begin, (s.step ? s.step : s.last)->end),
        .first = s.first->integer,
        .last = s.last->integer,
        .step = s.step ? s.step->integer : 1};
    VEC_PUSH(p->arena, &spans->ranges, range);
    return spans;
}

void tree_open_block(struct parse *p) {
    struct opener *o = &p->openers.at[p->openers.len - 1];
    o->block = true;
    p->expressions--;
    p->blocks++;
    p->item_start = p->next;
    p->item_failed = false;
    if (p->blocks > AST_MAX_DEPTH) {
        const struct token *brace = &p->tokens.at[o->token];
        parse_too_deep(p, brace->begin, brace->end);
        p->gave_up = true;
    }
}

void tree_import(struct parse *p, const struct token *path) {
    if (!path->bad) {
        const struct ast_import import = {.path = path->string, .span = parse_span(p, path)};
        VEC_PUSH(p->arena, &p->tree->imports, import);
    }
}

struct ast_decl *tree_decl(struct parse *p, const struct token *word, const struct token *name) {
    static const enum decl_kind kinds[TOKEN_COUNT] = {
#define KIND(name, word, noun) [TOKEN_##name] = DECL_##name,
        AST_DECLS(KIND)
#undef KIND
    };
    struct ast_decl *d = ARENA_NEW(p->arena, struct ast_decl);
    d->kind = kinds[word->type];
    d->span = parse_span(p, word);
    d->name = tree_name(p, name);
    VEC_PUSH(p->arena, &p->tree->decls, d);
    return d;
}
