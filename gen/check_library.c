// SPDX-License-Identifier: Apache-2.0
// Checks of the library's own tables: capabilities are well formed, and the schema is closed: each
// attribute of an operator is read by a capability or by the table of kinds. In: the program. Out:
// errors of the library; none in a released attnc.
#include <string.h>

#include "gen/check.h"
#include "gen/verdict.h"

// Attributes that any kernel serves: the first is a constant of the kernel, the second a choice of
// cache; `demand` is the list of flags itself.
static const char *const exempt[] = {"scale", "kv_share", "demand"};

static bool reads(const struct ast_expr *e, const char *name) {
    if (!e) {
        return false;
    }
    bool found = e->kind == EXPR_NAME && e->path.len > 1 &&
                 strcmp(e->path.at[0].text, "layer") == 0 && strcmp(e->path.at[1].text, name) == 0;
    found = found || reads(e->a, name) || reads(e->b, name) || reads(e->c, name);
    for (size_t i = 0; i < e->args.len && !found; i++) {
        found = reads(e->args.at[i], name);
    }
    for (size_t i = 0; i < e->elems.len && !found; i++) {
        found = reads(e->elems.at[i].value, name) || reads(e->elems.at[i].when, name);
    }
    return found;
}

static bool is_read(const struct program *p, const char *name) {
    for (size_t i = 0; i < sizeof exempt / sizeof *exempt; i++) {
        if (strcmp(exempt[i], name) == 0) {
            return true;
        }
    }
    for (size_t i = 0; i < p->decls[DECL_CAPABILITY].len; i++) {
        const struct ast_decl *c = p->decls[DECL_CAPABILITY].at[i]->ast;
        if (reads(c->value, name) || reads(c->when, name)) {
            return true;
        }
    }
    for (size_t i = 0; i < p->decls[DECL_KIND].len; i++) {
        struct item_lines when = decl_lines(p->arena, p->decls[DECL_KIND].at[i], ITEM_SET, "when");
        if (when.len && reads(when.at[0]->value, name)) {
            return true;
        }
    }
    return false;
}

static void check_schema(const struct program *p) {
    for (int i = 0; i < ATTR_COUNT; i++) {
        const struct attr_info *info = &operator_attr_infos[i];
        // An attribute of a block counts as read with its block.
        if (info->where == WHERE_ML && !is_read(p, info->name)) {
            diag_add_global(p->diags, DIAG_A0514,
                            "no capability and no kind of the library reads `layer.%s`",
                            info->name);
        }
    }
}

static void check_capability(const struct program *p, const struct decl *d,
                             const struct facts *facts) {
    static const char *const relations[] = {"flag", "equals", "one_of", "within"};
    const struct ast_decl *c = d->ast;
    bool known = false;
    for (size_t i = 0; i < sizeof relations / sizeof *relations; i++) {
        known = known || (c->relation.text && strcmp(relations[i], c->relation.text) == 0);
    }
    if (!known) {
        diag_add(p->diags, DIAG_A0513, c->relation.text ? c->relation.span : c->name.span,
                 "capability `%s` has no relation `flag`, `equals`, `one_of` or `within`",
                 c->name.text);
        return;
    }
    if (capability_is_flag(d) ? c->value != NULL : !c->value || c->when) {
        diag_add(p->diags, DIAG_A0513, c->relation.span, "capability `%s`: `%s` takes %s",
                 c->name.text, c->relation.text,
                 capability_is_flag(d) ? "at most a condition" : "one expression");
        return;
    }
    struct rule_check check;
    rule_check_init(&check, p, NULL, facts);
    if (c->value || c->when) {
        rule_check_expr(&check, c->value ? c->value : c->when, VOCAB_NONE);
    }
}

// The names in the conditions of the table of kinds; its other items are read in gen/kinds.c.
static void check_kind(const struct program *p, const struct decl *d, const struct facts *facts) {
    struct item_lines when = decl_lines(p->arena, d, ITEM_SET, "when");
    struct rule_check check;
    rule_check_init(&check, p, NULL, facts);
    for (size_t i = 0; i < when.len; i++) {
        rule_check_expr(&check, when.at[i]->value, VOCAB_NONE);
    }
}

void check_library(const struct program *p) {
    struct facts facts = facts_of(p);
    for (size_t i = 0; i < p->decls[DECL_KIND].len; i++) {
        check_kind(p, p->decls[DECL_KIND].at[i], &facts);
    }
    for (size_t i = 0; i < p->decls[DECL_CAPABILITY].len; i++) {
        check_capability(p, p->decls[DECL_CAPABILITY].at[i], &facts);
    }
    check_schema(p);
}
