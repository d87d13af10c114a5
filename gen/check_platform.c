// SPDX-License-Identifier: Apache-2.0
// Checks of platforms and priorities: attributes known and of the right type, facts constant,
// orders that name backends. In: the program. Out: located errors; what has one is poisoned.
#include <string.h>

#include "gen/attr_read.h"
#include "gen/check.h"

static void check_version(const struct program *p, const struct ast_item *item) {
    struct value v;
    if (eval_constant(p, item->value, VOCAB_NONE, &v) && v.kind != VALUE_NONE &&
        (v.kind != VALUE_NUMBER || number_compare(v.number, number_int(0)) < 0)) {
        diag_add(p->diags, DIAG_A0401, item->value->span,
                 "`%s` takes a version such as `9.0`, not `%s`", item->name.text,
                 value_text(p->arena, &v));
    }
}

static void check_platform_attr(const struct program *p, const struct ast_item *item) {
    const char *name = item->name.text;
    int index = attr_find(platform_attr_infos, PLATFORM_ATTR_COUNT, name);
    struct value v;
    if (index < 0) {
        struct diag *g = diag_add(p->diags, DIAG_A0312, item->name.span,
                                  "a platform has no attribute `%s`", name);
        struct words words = {0};
        for (int i = 0; i < PLATFORM_ATTR_COUNT; i++) {
            VEC_PUSH(p->arena, &words, platform_attr_infos[i].name);
        }
        program_suggest(p, g, "attribute", name, words.at, words.len);
        diag_help(p->diags, g, "what only rules read is a fact: `fact %s = ...;`", name);
    } else if (platform_attr_infos[index].type == TYPE_VERSION) {
        check_version(p, item);
    } else {
        attr_read(p, &platform_attr_infos[index], item, 0, &v);
    }
}

static void check_platform_item(const struct program *p, const struct ast_item *item) {
    struct value v;
    if (item->when) {
        diag_add(p->diags, DIAG_A0405, item->when->span, "a platform's lines take no `when`");
    }
    if (item->kind == ITEM_SET) {
        check_platform_attr(p, item);
    } else if (item->kind != ITEM_FACT) {
        item_misplaced(p, item, "a platform");
    } else if (attr_find(platform_attr_infos, PLATFORM_ATTR_COUNT, item->name.text) >= 0) {
        diag_add(p->diags, DIAG_A0302, item->name.span,
                 "fact `%s` has the name of an attribute of platforms", item->name.text);
    } else {
        eval_constant(p, item->value, VOCAB_FREE, &v);
    }
}

void check_platforms(const struct program *p) {
    for (size_t i = 0; i < p->decls[DECL_PLATFORM].len; i++) {
        struct decl *d = p->decls[DECL_PLATFORM].at[i];
        size_t before = p->diags->errors;
        d->poisoned = d->poisoned || (d->parent && d->parent->poisoned);
        if (d->poisoned) {
            continue;
        }
        for (size_t j = 0; j < d->ast->items.len; j++) {
            check_platform_item(p, d->ast->items.at[j]);
        }
        check_lines(p, d, ITEM_SET, true);
        check_lines(p, d, ITEM_FACT, true);
        d->poisoned = p->diags->errors > before;
    }
}

// ---- priorities

static void check_order(struct rule_check *c, const struct ast_item *item) {
    const struct ast_expr *e = item->value;
    if (e->kind == EXPR_SET) {
        diag_add(c->p->diags, DIAG_A0401, e->span,
                 "`order` takes a list, `[ ... ]`: a set has none");
        return;
    }
    if (item->when) {
        rule_check_expr(c, item->when, VOCAB_NONE);
    }
    rule_check_expr(c, e, VOCAB_BACKEND);
}

static void check_plain_line(struct rule_check *c, const struct ast_item *item) {
    if (item->when) {
        diag_add(c->p->diags, DIAG_A0405, item->when->span, "`%s` takes no `when`",
                 item->name.text);
    }
    rule_check_expr(c, item->value, VOCAB_NONE);
}

static void check_priority_item(struct rule_check *c, const struct ast_item *item) {
    static const char *const names[] = {"when", "order", "independent"};
    const struct program *p = c->p;
    if (item->kind == ITEM_LET) {
        return; // looked at where it is used
    }
    if (item->kind != ITEM_SET) {
        item_misplaced(p, item, "a priority");
    } else if (strcmp(item->name.text, "order") == 0) {
        check_order(c, item);
    } else if (strcmp(item->name.text, "when") == 0) {
        check_plain_line(c, item);
    } else if (strcmp(item->name.text, "independent") == 0) {
        check_plain_line(c, item);
        if (item->value->kind != EXPR_YES && item->value->kind != EXPR_NO) {
            diag_add(p->diags, DIAG_A0401, item->value->span, "`independent` takes `yes` or `no`");
        }
    } else {
        struct diag *g = diag_add(p->diags, DIAG_A0312, item->name.span,
                                  "a priority has no attribute `%s`", item->name.text);
        program_suggest(p, g, "attribute", item->name.text, names, 3);
    }
}

void check_priorities(const struct program *p, const struct facts *facts) {
    for (size_t i = 0; i < p->decls[DECL_PRIORITY].len; i++) {
        struct decl *d = p->decls[DECL_PRIORITY].at[i];
        size_t before = p->diags->errors;
        struct rule_check c;
        if (d->poisoned) {
            continue;
        }
        rule_check_init(&c, p, d, facts);
        for (size_t j = 0; j < d->ast->items.len; j++) {
            check_priority_item(&c, d->ast->items.at[j]);
        }
        for (size_t j = 0; j < d->ast->items.len; j++) {
            if (d->ast->items.at[j]->kind == ITEM_LET) {
                rule_check_unused_let(&c, d->ast->items.at[j]);
            }
        }
        check_lines(p, d, ITEM_SET, false);
        check_lines(p, d, ITEM_LET, false);
        if (decl_lines(p->arena, d, ITEM_SET, "order").len == 0) {
            diag_add(p->diags, DIAG_A0515, d->ast->name.span, "priority `%s` has no `order`",
                     d->ast->name.text);
        }
        d->poisoned = p->diags->errors > before;
    }
}
