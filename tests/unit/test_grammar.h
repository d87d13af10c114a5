// SPDX-License-Identifier: Apache-2.0
// For tests of the grammar: parse a text from memory, and show diagnostics and trees as short lines
// that a test can state in full. Header only, as each test is a program of its own.
#ifndef TESTS_UNIT_TEST_GRAMMAR_H
#define TESTS_UNIT_TEST_GRAMMAR_H

#include <stdlib.h>

#include "grammar/parse.h"
#include "tests/tap.h"

#define TEST_FUNCTION __attribute__((unused)) static

struct parsed {
    struct arena arena;
    jmp_buf out_of_memory;
    struct sources sources;
    struct diags diags;
    struct ast_file *tree;
    char *text; // exactly the bytes and a NUL, so that sanitizers see overruns
};

// Parses a file "t.attn" of these bytes and finishes the diagnostics; free with parsed_free.
TEST_FUNCTION struct parsed *parse_bytes(const char *text, size_t len) {
    struct parsed *p = calloc(1, sizeof *p);
    p->text = calloc(1, len + 1);
    memcpy(p->text, text, len);
    arena_init(&p->arena, &p->out_of_memory);
    if (setjmp(p->out_of_memory)) {
        abort();
    }
    p->sources.arena = &p->arena;
    p->diags.arena = &p->arena;
    p->diags.sources = &p->sources;
    const uint32_t file = source_add(&p->sources, "t.attn", NULL, p->text, (uint32_t)len, false);
    p->tree = parse_file(&p->arena, &p->sources, file, &p->diags);
    diag_finish(&p->diags);
    return p;
}

TEST_FUNCTION struct parsed *parse_text(const char *text) {
    return parse_bytes(text, strlen(text));
}

TEST_FUNCTION void parsed_free(struct parsed *p) {
    arena_free(&p->arena);
    free(p->text);
    free(p);
}

// All diagnostics: "LINE:COLUMN CODE message\n" each.
TEST_FUNCTION const char *parsed_errors(struct parsed *p) {
    const char *all = "";
    for (size_t i = 0; i < p->diags.list.len; i++) {
        const struct diag *g = p->diags.list.at[i];
        const struct position at = source_position(&p->sources, g->span.file, g->span.begin);
        all = arena_printf(&p->arena, "%s%u:%u %s %s\n", all, (unsigned)at.line,
                           (unsigned)at.column, diag_infos[g->code].id, g->message);
    }
    return all;
}

// The diagnostics as text.
TEST_FUNCTION const char *parsed_rendered(struct parsed *p, const struct diag_render *how) {
    FILE *to = tmpfile();
    diag_render_text(&p->diags, how, to);
    const long len = ftell(to);
    char *text = arena_alloc(&p->arena, (size_t)len + 1);
    rewind(to);
    const size_t got = fread(text, 1, (size_t)len, to);
    fclose(to);
    return got == (size_t)len ? text : "(cannot read back)";
}

// ---- trees in prefix form

TEST_FUNCTION const char *show(struct arena *a, const struct ast_expr *e);

TEST_FUNCTION const char *show_children(struct arena *a, const char *head,
                                        const struct ast_expr *const *children, size_t n) {
    const char *text = arena_printf(a, "(%s", head);
    for (size_t i = 0; i < n; i++) {
        text = children[i] ? arena_printf(a, "%s %s", text, show(a, children[i])) : text;
    }
    return arena_printf(a, "%s)", text);
}

TEST_FUNCTION const char *show_elems(struct arena *a, const struct ast_expr *e) {
    const char *text = e->kind == EXPR_SET ? "{" : "[";
    for (size_t i = 0; i < e->elems.len; i++) {
        const struct ast_elem *elem = &e->elems.at[i];
        text = arena_printf(a, "%s%s%s", text, i ? " " : "", show(a, elem->value));
        text = elem->when ? arena_printf(a, "%s when %s", text, show(a, elem->when)) : text;
    }
    return arena_printf(a, "%s%c", text, e->kind == EXPR_SET ? '}' : ']');
}

TEST_FUNCTION const char *show_path(struct arena *a, const struct ast_path *path) {
    const char *text = path->at[0].text;
    for (size_t i = 1; i < path->len; i++) {
        text = arena_printf(a, "%s.%s", text, path->at[i].text);
    }
    return text;
}

TEST_FUNCTION const char *show(struct arena *a, const struct ast_expr *e) {
    const struct ast_expr *abc[] = {e->a, e->b, e->c};
    switch (e->kind) {
    case EXPR_ERROR:
        return "<error>";
    case EXPR_NUMBER:
        return e->number.dotted ? arena_printf(a, "'%s'", e->number.spelling)
                                : arena_printf(a, "%lld", (long long)e->number.integer);
    case EXPR_STRING:
        return arena_printf(a, "\"%s\"", e->string);
    case EXPR_NAME:
        return show_path(a, &e->path);
    case EXPR_CALL:
        return show_children(a, show_path(a, &e->path), (const struct ast_expr *const *)e->args.at,
                             e->args.len);
    case EXPR_SET:
    case EXPR_LIST:
        return show_elems(a, e);
    case EXPR_MULTIPLE_OF:
        return arena_printf(a, "(multiple_of %lld)", (long long)e->number.integer);
    case EXPR_NONE:
        return "<none>";
    case EXPR_AUTO:
        return "<auto>";
    case EXPR_YES:
        return "<yes>";
    case EXPR_NO:
        return "<no>";
    case EXPR_ANY:
        return "<any>";
    case EXPR_NOT:
        return show_children(a, "not", abc, 1);
    case EXPR_NEGATE:
        return show_children(a, "neg", abc, 1);
    case EXPR_BINARY:
        return show_children(a, ast_operator_text(e->op), abc, 2);
    case EXPR_RANGE:
        return show_children(a, "..", abc, 3);
    }
    return "<unknown>";
}

TEST_FUNCTION const char *show_items(struct arena *a, const struct ast_items *items);

TEST_FUNCTION const char *show_ranges(struct arena *a, const struct ast_item *item) {
    const char *text = item->all ? " all" : "";
    for (size_t i = 0; i < item->ranges.len; i++) {
        const struct ast_range *r = &item->ranges.at[i];
        text = arena_printf(a, "%s %lld..%lld/%lld", text, (long long)r->first, (long long)r->last,
                            (long long)r->step);
    }
    return text;
}

TEST_FUNCTION const char *show_item(struct arena *a, const struct ast_item *item) {
    static const char *const kinds[] = {
        [ITEM_SET] = "set",         [ITEM_LET] = "let",     [ITEM_FACT] = "fact",
        [ITEM_REQUIRE] = "require", [ITEM_LAYER] = "layer", [ITEM_FOR] = "for",
        [ITEM_BLOCK] = "block",     [ITEM_PHASE] = "phase", [ITEM_PER_LAYER] = "per_layer"};
    const char *text = arena_printf(a, "(%s%s", kinds[item->kind], show_ranges(a, item));
    const struct ast_name *names[] = {&item->name, &item->label, &item->phase};
    const char *marks[] = {"", "as ", "."};
    for (size_t i = 0; i < 3; i++) {
        text = names[i]->text ? arena_printf(a, "%s %s%s", text, marks[i], names[i]->text) : text;
    }
    text = item->value ? arena_printf(a, "%s %s", text, show(a, item->value)) : text;
    text = item->when ? arena_printf(a, "%s when %s", text, show(a, item->when)) : text;
    text = item->message ? arena_printf(a, "%s \"%s\"", text, item->message) : text;
    return arena_printf(a, "%s%s)", text, show_items(a, &item->items));
}

TEST_FUNCTION const char *show_items(struct arena *a, const struct ast_items *items) {
    const char *text = "";
    for (size_t i = 0; i < items->len; i++) {
        text = arena_printf(a, "%s %s", text, show_item(a, items->at[i]));
    }
    return text;
}

// One line for each import and declaration.
TEST_FUNCTION const char *parsed_tree(struct parsed *p) {
    struct arena *a = &p->arena;
    const char *text = "";
    for (size_t i = 0; i < p->tree->imports.len; i++) {
        text = arena_printf(a, "%simport %s\n", text, p->tree->imports.at[i].path);
    }
    for (size_t i = 0; i < p->tree->decls.len; i++) {
        const struct ast_decl *d = p->tree->decls.at[i];
        text = arena_printf(a, "%s%s %s", text, decl_kind_text(d->kind), d->name.text);
        text = d->parent.text ? arena_printf(a, "%s extends %s", text, d->parent.text) : text;
        text = d->relation.text ? arena_printf(a, "%s : %s", text, d->relation.text) : text;
        text = d->value ? arena_printf(a, "%s %s", text, show(a, d->value)) : text;
        text = d->when ? arena_printf(a, "%s when %s", text, show(a, d->when)) : text;
        text = arena_printf(a, "%s%s\n", text, show_items(a, &d->items));
    }
    return text;
}

// ---- points: parse, compare, free; a point is named after the rule

TEST_FUNCTION void errors_are(const char *text, const char *want, const char *name) {
    struct parsed *p = parse_text(text);
    is_str(parsed_errors(p), want, name);
    parsed_free(p);
}

TEST_FUNCTION void tree_is(const char *text, const char *want, const char *name) {
    struct parsed *p = parse_text(text);
    is_str(parsed_tree(p), want, name);
    parsed_free(p);
}

// `x = TEXT;` in a model: its tree, or the errors if it has some.
TEST_FUNCTION void value_is(const char *text, const char *want, const char *name) {
    const size_t len = strlen(text);
    char *file = calloc(1, len + 32);
    snprintf(file, len + 32, "model m { x = %s; }", text);
    struct parsed *p = parse_text(file);
    const bool good = p->diags.list.len == 0 && p->tree->decls.len == 1;
    is_str(good ? show(&p->arena, p->tree->decls.at[0]->items.at[0]->value) : parsed_errors(p),
           want, name);
    parsed_free(p);
    free(file);
}

// `unit` n times.
TEST_FUNCTION char *repeated(const char *unit, size_t n) {
    const size_t len = strlen(unit);
    char *text = malloc(n * len + 1);
    for (size_t i = 0; i < n; i++) {
        memcpy(text + i * len, unit, len);
    }
    text[n * len] = '\0';
    return text;
}

// Three parts in one, for texts around a long middle.
TEST_FUNCTION char *joined(const char *a, const char *b, const char *c) {
    const size_t len = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = malloc(len);
    snprintf(text, len, "%s%s%s", a, b, c);
    return text;
}

#endif
