// SPDX-License-Identifier: Apache-2.0
// The static check of rules: every name and word of an expression, and of the lets that it goes
// through, is looked up without evaluating anything. In: an expression, its scope, the vocabulary
// of its words. Out: located errors with the nearest name. Always: ends, whatever lets refer to.
#include <string.h>

#include "gen/check.h"
#include "gen/evaluation.h"
#include "gen/names.h"

struct facts facts_of(const struct program *p) {
    static const enum decl_kind stating[] = {DECL_PLATFORM, DECL_DEPLOY};
    struct facts facts = {.table = ARENA_NEW(p->arena, struct name_table)};
    facts.table->arena = p->arena;
    for (size_t k = 0; k < sizeof stating / sizeof *stating; k++) {
        const struct decls *decls = &p->decls[stating[k]];
        for (size_t i = 0; i < decls->len; i++) {
            const struct ast_items *items = &decls->at[i]->ast->items;
            for (size_t j = 0; j < items->len; j++) {
                struct ast_item *item = items->at[j];
                if (item->kind == ITEM_FACT && !name_get(facts.table, item->name.text)) {
                    name_set(facts.table, item->name.text, item);
                    VEC_PUSH(p->arena, &facts.names, item->name.text);
                }
            }
        }
    }
    return facts;
}

void rule_check_init(struct rule_check *c, const struct program *p, const struct decl *scope,
                     const struct facts *facts) {
    *c = (struct rule_check){
        .p = p, .scope = scope, .facts = facts->table, .fact_names = &facts->names};
    c->lets = ARENA_NEW(p->arena, struct name_table);
    c->lets->arena = p->arena;
}

static void suggest(struct rule_check *c, struct diag *g, const char *what, const char *name,
                    const struct words *words) {
    program_suggest(c->p, g, what, name, words->at, words->len);
}

static void add_infos(const struct program *p, struct words *words, const char *root,
                      const struct attr_info *infos, int n) {
    for (int i = 0; i < n; i++) {
        VEC_PUSH(p->arena, words, arena_printf(p->arena, "%s.%s", root, infos[i].name));
    }
}

// ---- dotted names

static bool knows_dotted(const struct rule_check *c, const struct ast_path *path) {
    const char *root = path->at[0].text, *name = path_rest(c->p->arena, path);
    if (strcmp(root, "layer") == 0 || strcmp(root, "model") == 0) {
        return attr_find(operator_attr_infos, ATTR_COUNT, name) >= 0 ||
               (*root == 'm' && strcmp(name, "kinds") == 0);
    }
    if (strcmp(root, "deploy") == 0) {
        return attr_find(deploy_attr_infos, DEPLOY_ATTR_COUNT, name) >= 0;
    }
    if (strcmp(root, "platform") != 0) {
        return false;
    }
    const char *first = path->at[1].text;
    int index = attr_find(platform_attr_infos, PLATFORM_ATTR_COUNT, first);
    bool fact = name_get(c->facts, first) != NULL;
    bool major = path->len == 3 && strcmp(path->at[2].text, "major") == 0;
    if (path->len > 2) { // only versions have parts
        return major && (fact || (index >= 0 && platform_attr_infos[index].type == TYPE_VERSION));
    }
    return fact || index >= 0;
}

static void check_dotted(struct rule_check *c, const struct ast_expr *e) {
    if (knows_dotted(c, &e->path)) {
        return;
    }
    const struct program *p = c->p;
    const char *text = path_text(p->arena, &e->path);
    bool platform = strcmp(e->path.at[0].text, "platform") == 0 && e->path.len == 2;
    struct diag *g =
        diag_add(p->diags, DIAG_A0301, e->span, "unknown name `%s`%s", text,
                 platform ? ": no platform has such an attribute or states such a fact" : "");
    if (p->diags->errors > SUGGESTIONS_MAX) {
        return;
    }
    struct words words = {0};
    add_infos(p, &words, "layer", operator_attr_infos, ATTR_COUNT);
    add_infos(p, &words, "model", operator_attr_infos, ATTR_COUNT);
    VEC_PUSH(p->arena, &words, "model.kinds");
    add_infos(p, &words, "deploy", deploy_attr_infos, DEPLOY_ATTR_COUNT);
    add_infos(p, &words, "platform", platform_attr_infos, PLATFORM_ATTR_COUNT);
    VEC_PUSH(p->arena, &words, "platform.cc.major");
    for (size_t i = 0; i < c->fact_names->len; i++) {
        VEC_PUSH(p->arena, &words, arena_printf(p->arena, "platform.%s", c->fact_names->at[i]));
    }
    suggest(c, g, "attribute", text, &words);
}

// ---- lets

static struct let_check *find_let(struct rule_check *c, const char *name, enum vocabulary v) {
    struct let_check *let = name_get(c->lets, name);
    while (let && let->vocabulary != v) {
        let = let->next;
    }
    return let;
}

static bool in_words(const struct words *words, const char *word) {
    for (size_t i = 0; i < words->len; i++) {
        if (strcmp(words->at[i], word) == 0) {
            return true;
        }
    }
    return false;
}

// A circle is reported once, whichever of its lets is met first.
static void report_circle(struct rule_check *c, struct span at, const char *name) {
    const char *chain = name;
    size_t from = c->path.len;
    while (from > 0 && strcmp(c->path.at[from - 1], name) != 0) {
        from--;
    }
    if (in_words(&c->circular, name)) {
        return;
    }
    VEC_PUSH(c->p->arena, &c->circular, name);
    for (size_t i = from; i < c->path.len; i++) { // path.at[from - 1] is the name itself
        chain = arena_printf(c->p->arena, "%s -> %s", chain, c->path.at[i]);
        VEC_PUSH(c->p->arena, &c->circular, c->path.at[i]);
    }
    diag_add(c->p->diags, DIAG_A0310, at, "`let %s` reaches itself: %s -> %s", name, chain, name);
}

static void check_let_name(struct rule_check *c, const struct ast_item *line,
                           enum vocabulary expected) {
    bool closed = expected != VOCAB_NONE && expected != VOCAB_FREE;
    if (closed && vocab_has(c->p, expected, line->name.text) &&
        !in_words(&c->misnamed, line->name.text)) {
        VEC_PUSH(c->p->arena, &c->misnamed, line->name.text);
        diag_add(c->p->diags, DIAG_A0311, line->name.span,
                 "`let %s` is used where a %s stands, and is named like one", line->name.text,
                 vocab_noun(expected));
    }
}

static void check_let(struct rule_check *c, const struct item_lines *lines, struct span at,
                      enum vocabulary expected) {
    const char *name = lines->at[0]->name.text;
    const struct let_check *known = find_let(c, name, expected);
    if (known) {
        if (known->busy) {
            report_circle(c, at, name);
        }
        c->height = c->height > known->height ? c->height : known->height;
        return;
    }
    check_let_name(c, lines->at[0], expected);
    struct let_check *let = ARENA_NEW(c->p->arena, struct let_check);
    *let = (struct let_check){expected, true, 0, name_get(c->lets, name)};
    name_set(c->lets, name, let);
    unsigned outside = c->height;
    VEC_PUSH(c->p->arena, &c->path, name);
    c->height = 0;
    for (size_t i = 0; i < lines->len; i++) {
        if (lines->at[i]->when) {
            rule_check_expr(c, lines->at[i]->when, VOCAB_NONE);
        }
        rule_check_expr(c, lines->at[i]->value, expected);
    }
    unsigned height = c->height + 1;
    if (height == LET_MAX_CHAIN + 1 && !c->too_deep) {
        diag_add(c->p->diags, DIAG_A0404, lines->at[0]->name.span,
                 "`let %s` goes through more than %d others", name, LET_MAX_CHAIN - 1);
    }
    c->path.len--;
    let->busy = false;
    let->height = height;
    c->height = outside > height ? outside : height;
}

void rule_check_unused_let(struct rule_check *c, const struct ast_item *let) {
    if (!name_get(c->lets, let->name.text)) {
        struct item_lines lines = let_lines(c->p->arena, c->scope, let->name.text);
        check_let(c, &lines, let->name.span, VOCAB_FREE);
    }
}

// ---- bare names

static void add_lets(const struct program *p, struct words *words, const struct decl *scope) {
    for (const struct decl *d = scope; d; d = d->parent) {
        for (size_t i = 0; i < d->ast->items.len; i++) {
            if (d->ast->items.at[i]->kind == ITEM_LET) {
                VEC_PUSH(p->arena, words, d->ast->items.at[i]->name.text);
            }
        }
    }
}

static void unknown_word(struct rule_check *c, const struct ast_expr *e, enum vocabulary expected) {
    const struct program *p = c->p;
    const char *name = e->path.at[0].text, *noun = vocab_noun(expected);
    const char *other = expected == VOCAB_BACKEND ? program_other_kind(p, DECL_BACKEND, name) : "";
    struct diag *g =
        diag_add(p->diags, DIAG_A0301, e->span, "unknown %s `%s`%s", noun, name, other);
    if (p->diags->errors > SUGGESTIONS_MAX) {
        return;
    }
    struct words words = vocab_words(p, expected);
    add_lets(p, &words, c->scope);
    suggest(c, g, expected == VOCAB_NONE ? "let" : noun, name, &words);
}

static void check_name(struct rule_check *c, const struct ast_expr *e, enum vocabulary expected) {
    if (e->path.len > 1) {
        check_dotted(c, e);
        return;
    }
    const char *name = e->path.at[0].text;
    struct item_lines lines = let_lines(c->p->arena, c->scope, name);
    if (lines.len) {
        check_let(c, &lines, e->span, expected);
    } else if (strcmp(name, "phase") != 0 && !vocab_has(c->p, expected, name)) {
        unknown_word(c, e, expected);
    }
}

// ---- expressions

static void check_call(struct rule_check *c, const struct ast_expr *e) {
    const char *name = path_text(c->p->arena, &e->path);
    int function = function_find(name);
    if (function < 0) {
        struct diag *g =
            diag_add(c->p->diags, DIAG_A0301, e->path.at[0].span, "unknown function `%s`", name);
        struct words words = {0};
        for (int i = 0; i < FUNCTION_COUNT; i++) {
            VEC_PUSH(c->p->arena, &words, function_infos[i].name);
        }
        suggest(c, g, "function", name, &words);
        return;
    }
    if (e->args.len != function_infos[function].arguments) {
        diag_add(c->p->diags, DIAG_A0401, e->span, "`%s` takes %zu values, has %zu", name,
                 function_infos[function].arguments, e->args.len);
    }
    for (size_t i = 0; i < e->args.len; i++) {
        rule_check_expr(c, e->args.at[i],
                        function_vocabulary(c->p, c->scope, function, e->args.at[i]));
    }
}

static void check_literal(struct rule_check *c, const struct ast_expr *e) {
    struct number n;
    if (e->number.dotted && number_decimal(e->number.spelling, &n) != NUMBER_OK) {
        diag_add(c->p->diags, DIAG_A0402, e->span, "number `%s` is out of range",
                 e->number.spelling);
    }
    if (e->kind == EXPR_MULTIPLE_OF && (e->number.dotted || e->number.integer < 1)) {
        diag_add(c->p->diags, DIAG_A0401, e->span, "`multiple_of` needs an integer of at least 1");
    }
}

static bool is_integer(const struct ast_expr *e) {
    return e && e->kind == EXPR_NUMBER && !e->number.dotted;
}

static void check_range(struct rule_check *c, const struct ast_expr *e) {
    if (is_integer(e->a) && is_integer(e->b) && e->a->number.integer > e->b->number.integer) {
        diag_add(c->p->diags, DIAG_A0401, e->span, "range is empty: it ends before it begins");
    }
    if (is_integer(e->c) && e->c->number.integer < 1) {
        diag_add(c->p->diags, DIAG_A0401, e->c->span, "a step is at least 1");
    }
}

// A literal that equals no word, or, a string, nothing at all: the comparison never holds.
static void check_compared(struct rule_check *c, const struct ast_expr *e, enum vocabulary words) {
    bool number = e->kind == EXPR_NUMBER || e->kind == EXPR_RANGE || e->kind == EXPR_MULTIPLE_OF;
    bool yes_no = e->kind == EXPR_YES || e->kind == EXPR_NO;
    if (e->kind == EXPR_STRING || (words != VOCAB_NONE && (number || yes_no))) {
        const char *what = e->kind == EXPR_STRING ? "a string" : number ? "a number" : "yes or no";
        const char *with = words == VOCAB_NONE ? "what is no string" : vocab_noun(words);
        struct diag *g = diag_add(c->p->diags, DIAG_A0401, e->span, "comparison of %s with %s%s",
                                  what, words == VOCAB_NONE ? "" : "a ", with);
        if (e->kind == EXPR_STRING && words != VOCAB_NONE) {
            diag_help(c->p->diags, g, "words stand without quotes: `%s`", e->string);
        }
    }
    for (size_t i = 0; i < e->elems.len; i++) {
        check_compared(c, e->elems.at[i].value, words);
    }
}

static void check_binary(struct rule_check *c, const struct ast_expr *e) {
    enum vocabulary words = VOCAB_NONE;
    if (e->op >= AST_EQ && e->op <= AST_IN) {
        words = eval_vocabulary(c->p, c->scope, e->a);
        words = words == VOCAB_NONE ? eval_vocabulary(c->p, c->scope, e->b) : words;
        if (words != VOCAB_FREE) { // a fact may be anything
            check_compared(c, e->a, words);
            check_compared(c, e->b, words);
        }
    }
    rule_check_expr(c, e->a, words);
    rule_check_expr(c, e->b, words);
}

static void check_elements(struct rule_check *c, const struct ast_expr *e,
                           enum vocabulary expected) {
    for (size_t i = 0; i < e->elems.len; i++) {
        if (e->elems.at[i].when) {
            rule_check_expr(c, e->elems.at[i].when, VOCAB_NONE);
        }
        rule_check_expr(c, e->elems.at[i].value, expected);
    }
}

static void check_kind(struct rule_check *c, const struct ast_expr *e, enum vocabulary expected) {
    const struct ast_expr *parts[] = {e->a, e->b, e->c};
    switch (e->kind) {
    case EXPR_NAME:
        check_name(c, e, expected);
        break;
    case EXPR_CALL:
        check_call(c, e);
        break;
    case EXPR_NUMBER:
    case EXPR_MULTIPLE_OF:
        check_literal(c, e);
        break;
    case EXPR_SET:
    case EXPR_LIST:
        check_elements(c, e, expected);
        break;
    case EXPR_BINARY:
        check_binary(c, e);
        break;
    case EXPR_RANGE:
        check_range(c, e);
        // fall through
    case EXPR_NOT:
    case EXPR_NEGATE:
        for (int i = 0; i < 3; i++) {
            if (parts[i]) {
                rule_check_expr(c, parts[i], VOCAB_NONE);
            }
        }
        break;
    default: // constants without parts
        break;
    }
}

void rule_check_expr(struct rule_check *c, const struct ast_expr *e, enum vocabulary expected) {
    if (c->depth == EVAL_MAX_DEPTH) {
        if (!c->too_deep) {
            diag_add(c->p->diags, DIAG_A0404, e->span,
                     "nested too deeply through lets; limit is %d", EVAL_MAX_DEPTH);
        }
        c->too_deep = true;
        return;
    }
    c->depth++;
    check_kind(c, e, expected);
    c->depth--;
}
