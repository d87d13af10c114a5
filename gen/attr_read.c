// SPDX-License-Identifier: Apache-2.0
// Reading one written attribute: evaluation, type, range. In and out: see attr_read.h.
#include "gen/attr_read.h"

#include <inttypes.h>
#include <string.h>

static const char *const type_takes[] = {
    [TYPE_INT] = "an integer",
    [TYPE_INT0] = "an integer",
    [TYPE_NUM] = "a number",
    [TYPE_FLAG] = "`yes` or `no`",
    [TYPE_WORD] = "a word",
    [TYPE_SET] = "a set of words",
    [TYPE_BLOCK] = "a block or `none`",
    [TYPE_BYTES] = "a number of bytes",
    [TYPE_VERSION] = "a version",
};

static bool wrong_type(const struct program *p, const struct attr_info *info,
                       const struct ast_item *item, const struct value *v) {
    struct diag *g = diag_add(p->diags, DIAG_A0451, item->value->span, "`%s` takes %s, not `%s`",
                              info->name, type_takes[info->type], value_text(p->arena, v));
    if (info->type == TYPE_BLOCK) {
        diag_help(p->diags, g, "write `%s { ... }`", info->name);
    }
    return false;
}

static bool read_integer(const struct program *p, const struct attr_info *info,
                         const struct ast_item *item, unsigned how, struct value *v) {
    int64_t i;
    if (v->kind != VALUE_NUMBER) {
        return wrong_type(p, info, item, v);
    }
    if (!number_is_int(v->number, &i)) {
        char text[80];
        number_print(v->number, text);
        diag_add(p->diags, DIAG_A0451, item->value->span, "`%s` takes an integer, not %s",
                 info->name, text);
        return false;
    }
    int64_t high = info->type == TYPE_BYTES ? ATTR_BYTES_MAX : ATTR_INT_MAX;
    int64_t low = how & ATTR_READ_SIGNED ? -high : info->type == TYPE_INT0 ? 0 : 1;
    if (i > high) {
        diag_add(p->diags, DIAG_A0450, item->value->span, "`%s` is %" PRId64 ", limit is %" PRId64,
                 info->name, i, high);
    } else if (i < low) {
        diag_add(p->diags, DIAG_A0450, item->value->span,
                 "`%s` is %" PRId64 ", must be %" PRId64 " to %" PRId64, info->name, i, low, high);
    }
    v->text = NULL; // 4.0 and 4 are one value
    return low <= i && i <= high;
}

static bool read_number(const struct program *p, const struct attr_info *info,
                        const struct ast_item *item, struct value *v) {
    v->text = v->kind == VALUE_NUMBER ? NULL : v->text;
    return v->kind == VALUE_NUMBER || wrong_type(p, info, item, v);
}

static bool read_set(const struct program *p, const struct attr_info *info,
                     const struct ast_item *item, struct value *v) {
    if (v->kind == VALUE_WORD) {
        struct span span = v->span;
        *v = value_set(p->arena, v, 1);
        v->span = span;
        return true;
    }
    bool words = v->kind == VALUE_SET || v->kind == VALUE_LIST;
    for (size_t i = 0; words && i < v->elems.len; i++) {
        words = v->elems.at[i].kind == VALUE_WORD;
    }
    v->kind = words ? VALUE_SET : v->kind;
    return words || wrong_type(p, info, item, v);
}

bool attr_read(const struct program *p, const struct attr_info *info, const struct ast_item *item,
               unsigned how, struct value *out) {
    const struct ast_expr *e = item->value;
    if (info->vocabulary == VOCAB_NONE && e->kind == EXPR_NAME && e->path.len == 1) {
        struct value word = value_word(e->path.at[0].text);
        return wrong_type(p, info, item, &word);
    }
    if (!eval_constant(p, item->value, info->vocabulary, out)) {
        return false;
    }
    if (out->kind == VALUE_NONE || ((how & ATTR_READ_AUTO) && out->kind == VALUE_AUTO)) {
        struct span span = out->span;
        *out = value_none();
        out->span = span;
        return true;
    }
    switch (info->type) {
    case TYPE_INT:
    case TYPE_INT0:
    case TYPE_BYTES:
        return read_integer(p, info, item, how, out);
    case TYPE_NUM:
        return read_number(p, info, item, out);
    case TYPE_FLAG:
        return out->kind == VALUE_BOOL || wrong_type(p, info, item, out);
    case TYPE_WORD:
        return out->kind == VALUE_WORD || wrong_type(p, info, item, out);
    case TYPE_SET:
        return read_set(p, info, item, out);
    case TYPE_BLOCK:
    case TYPE_VERSION:
        break; // blocks are items of their own; versions stand in platforms only
    }
    return wrong_type(p, info, item, out);
}

bool item_misplaced(const struct program *p, const struct ast_item *item, const char *place) {
    static const char *const what[] = {
        [ITEM_SET] = "an attribute",
        [ITEM_LET] = "`let`",
        [ITEM_FACT] = "`fact`",
        [ITEM_REQUIRE] = "`require`",
        [ITEM_LAYER] = "a `layer` block",
        [ITEM_FOR] = "a `for` block",
        [ITEM_BLOCK] = "a block",
        [ITEM_PHASE] = "a line for one phase",
        [ITEM_PER_LAYER] = "a line for layers",
    };
    diag_add(p->diags, DIAG_A0358, item->span, "%s cannot stand in %s", what[item->kind], place);
    return false;
}
