// SPDX-License-Identifier: Apache-2.0
// Checks of backends: attributes known and given once, answers of the right type, every rule's
// names known, every capability of the library answered. In: the program. Out: located errors;
// a backend with one is poisoned, so that nothing that follows from it is reported.
#include <string.h>

#include "gen/attr_read.h"
#include "gen/check.h"
#include "gen/names.h"
#include "gen/verdict.h"

static const char *const plain_attrs[] = {
#define BACKEND_ATTR(name, vocabulary) name,
    BACKEND_ATTRS(BACKEND_ATTR)
#undef BACKEND_ATTR
};
#define PLAIN_COUNT (sizeof plain_attrs / sizeof *plain_attrs)

static bool is_plain(const char *name) {
    for (size_t i = 0; i < PLAIN_COUNT; i++) {
        if (strcmp(plain_attrs[i], name) == 0) {
            return true;
        }
    }
    return false;
}

static void unknown_attr(const struct program *p, const struct ast_item *item) {
    const char *name = item->name.text;
    struct diag *g =
        diag_add(p->diags, DIAG_A0312, item->name.span, "a backend has no attribute `%s`", name);
    if (vocab_has(p, VOCAB_FLAG, name)) {
        diag_help(p->diags, g, "`%s` is a flag: list it in `flags = { ... }`", name);
        return;
    }
    struct words words = {0};
    for (size_t i = 0; i < PLAIN_COUNT; i++) {
        VEC_PUSH(p->arena, &words, plain_attrs[i]);
    }
    for (size_t i = 0; i < p->decls[DECL_CAPABILITY].len; i++) {
        const struct decl *c = p->decls[DECL_CAPABILITY].at[i];
        if (!capability_is_flag(c)) {
            VEC_PUSH(p->arena, &words, c->ast->name.text);
        }
    }
    program_suggest(p, g, "attribute", name, words.at, words.len);
}

// ---- types of answers

enum answer_type { ANSWER_WORDS, ANSWER_NUMBERS, ANSWER_YES_NO };

static const char *const answer_takes[] = {[ANSWER_WORDS] = "words",
                                           [ANSWER_NUMBERS] = "numbers",
                                           [ANSWER_YES_NO] = "`yes`, `no` or `any`"};

static bool literal_fits(enum answer_type type, const struct ast_expr *e, bool takes_auto) {
    switch (e->kind) {
    case EXPR_NUMBER:
    case EXPR_MULTIPLE_OF:
    case EXPR_RANGE:
    case EXPR_NEGATE:
        return type == ANSWER_NUMBERS;
    case EXPR_STRING:
        return false;
    case EXPR_YES:
        return type == ANSWER_YES_NO;
    case EXPR_AUTO:
        return takes_auto;
    default: // names, sets, arithmetic; `any`, `none` and `no` answer everything
        return true;
    }
}

static void check_literals(const struct program *p, const struct ast_item *item,
                           const struct ast_expr *e, enum answer_type type) {
    if (!literal_fits(type, e, strcmp(item->name.text, "kv_dtype") == 0)) {
        diag_add(p->diags, DIAG_A0401, e->span, "`%s` takes %s", item->name.text,
                 answer_takes[type]);
    }
    for (size_t i = 0; i < e->elems.len; i++) {
        check_literals(p, item, e->elems.at[i].value, type);
    }
}

static enum answer_type type_of_answer(const struct program *p, const char *name) {
    const struct decl *c = program_find(p, DECL_CAPABILITY, name);
    if (answer_vocabulary(p, name) != VOCAB_NONE) {
        return ANSWER_WORDS;
    }
    return c && strcmp(c->ast->relation.text, "equals") == 0 ? ANSWER_YES_NO : ANSWER_NUMBERS;
}

// entry, write and family are facts about the backend: one constant each.
static bool check_constant_line(const struct program *p, const struct ast_item *item) {
    bool family = strcmp(item->name.text, "family") == 0;
    if (!family && strcmp(item->name.text, "entry") != 0 && strcmp(item->name.text, "write") != 0) {
        return false;
    }
    const struct ast_expr *e = item->value;
    bool word = e->kind == EXPR_NAME && e->path.len == 1;
    bool yes_no = e->kind == EXPR_YES || e->kind == EXPR_NO;
    if (!(family ? yes_no : word) && e->kind != EXPR_ERROR) {
        diag_add(p->diags, DIAG_A0401, e->span, "`%s` takes %s", item->name.text,
                 family ? "`yes` or `no`" : "the name of a kernel family or of a function");
    }
    if (item->when) {
        diag_add(p->diags, DIAG_A0405, item->when->span, "`%s` takes no `when`", item->name.text);
    }
    return true;
}

// False when there is no such attribute.
static bool check_answer(struct rule_check *c, const struct ast_item *item) {
    const struct program *p = c->p;
    const char *name = item->name.text;
    const struct decl *capability = program_find(p, DECL_CAPABILITY, name);
    if (!is_plain(name) && (!capability || capability_is_flag(capability))) {
        unknown_attr(p, item);
        return false;
    }
    if (check_constant_line(p, item)) {
        return true;
    }
    if (item->when) {
        rule_check_expr(c, item->when, VOCAB_NONE);
    }
    check_literals(p, item, item->value, type_of_answer(p, name));
    rule_check_expr(c, item->value, answer_vocabulary(p, name));
    return true;
}

// ---- declarations

// False when it is an answer to nothing: then what is unanswered may only be misspelt.
static bool check_item(struct rule_check *c, const struct ast_item *item) {
    switch (item->kind) {
    case ITEM_SET:
        return check_answer(c, item);
    case ITEM_REQUIRE:
        rule_check_expr(c, item->value, VOCAB_NONE);
        break;
    case ITEM_LET: // looked at where it is used
        break;
    default:
        item_misplaced(c->p, item, "a backend");
    }
    return true;
}

static bool answers(const struct decl *d, const char *name) {
    for (; d; d = d->parent) {
        for (size_t i = 0; i < d->ast->items.len; i++) {
            const struct ast_item *item = d->ast->items.at[i];
            if (item->kind == ITEM_SET && strcmp(item->name.text, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

static void check_unanswered(const struct program *p, const struct decl *d) {
    const char *missing = NULL;
    struct value ignored;
    for (size_t i = 0; i < p->decls[DECL_CAPABILITY].len; i++) {
        const struct decl *c = p->decls[DECL_CAPABILITY].at[i];
        const char *name = c->ast->name.text;
        if (capability_is_flag(c) || capability_default(p, c, &ignored) || answers(d, name) ||
            (strcmp(name, "block_size") == 0 && answers(d, "kernel_block"))) {
            continue;
        }
        missing = missing ? arena_printf(p->arena, "%s, `%s`", missing, name)
                          : arena_printf(p->arena, "`%s`", name);
    }
    if (missing) {
        struct diag *g = diag_add(p->diags, DIAG_A0511, d->ast->name.span,
                                  "backend `%s` does not answer %s", d->ast->name.text, missing);
        diag_help(p->diags, g,
                  "`any` accepts everything; `family = yes;` marks a family, which "
                  "may leave answers to its children");
    }
}

// Its own items, and what it inherits: a rule of the parent may mean a let that the child
// redefines.
static void check_backend(const struct program *p, struct decl *d, const struct facts *facts) {
    size_t before = p->diags->errors;
    struct rule_check c;
    bool known = true;
    rule_check_init(&c, p, d, facts);
    for (const struct decl *of = d; of; of = of->parent) {
        for (size_t i = 0; i < of->ast->items.len; i++) {
            const struct ast_item *item = of->ast->items.at[i];
            if (of == d || item->kind == ITEM_REQUIRE || item->kind == ITEM_SET) {
                known = check_item(&c, item) && known;
            }
        }
    }
    for (size_t i = 0; i < d->ast->items.len; i++) {
        if (d->ast->items.at[i]->kind == ITEM_LET) {
            rule_check_unused_let(&c, d->ast->items.at[i]);
        }
    }
    check_lines(p, d, ITEM_SET, false);
    check_lines(p, d, ITEM_LET, false);
    if (known && !backend_is_family(d)) {
        check_unanswered(p, d);
    }
    d->poisoned = p->diags->errors > before;
}

void check_backends(const struct program *p) {
    struct facts facts = facts_of(p);
    check_platforms(p);
    for (size_t i = 0; i < p->decls[DECL_BACKEND].len; i++) {
        struct decl *d = p->decls[DECL_BACKEND].at[i];
        // A parent with errors has been reported; its children inherit them.
        d->poisoned = d->poisoned || (d->parent && d->parent->poisoned);
        if (!d->poisoned) {
            check_backend(p, d, &facts);
        }
    }
    check_priorities(p, &facts);
}
