// SPDX-License-Identifier: Apache-2.0
// Attributes as written in a model. In and out: see given.h.
#include "gen/given.h"

#include <string.h>

#include "gen/foreign.h"

static uint64_t value_hash(uint64_t seed, const struct value *v) {
    uint64_t h = hash_bytes(seed, &v->kind, sizeof v->kind);
    if (v->kind == VALUE_NUMBER) {
        double d = number_to_double(v->number);
        return hash_bytes(h, &d, sizeof d);
    }
    h = hash_text(hash_bytes(h, &v->yes, sizeof v->yes), v->text);
    for (size_t i = 0; i < v->elems.len; i++) {
        h = value_hash(h, &v->elems.at[i]);
    }
    return h;
}

static bool same_value(const void *owner, uint32_t index, const void *key) {
    const struct given *a = ((const struct given_reader *)owner)->values.at[index], *b = key;
    return a->attr == b->attr && value_equal(&a->value, &b->value);
}

static void add_line(struct given_reader *r, struct given_block *b, struct given line) {
    struct given *g = ARENA_NEW(r->p->arena, struct given);
    *g = line;
    uint64_t hash = value_hash(hash_bytes(INTERN_SEED, &line.attr, sizeof line.attr), &line.value);
    uint32_t found = intern_find(&r->value_table, hash, same_value, r, g);
    if (found == INTERN_NONE) {
        found = (uint32_t)r->values.len;
        VEC_PUSH(r->p->arena, &r->values, g);
        intern_add(r->p->arena, &r->value_table, hash, found);
    }
    g->id = found + 1;
    VEC_PUSH(r->p->arena, &b->lines, g);
}

// The attribute called `prefix`.`name`, or `name` alone; ATTR_COUNT when there is none to write.
static enum operator_attr find_attr(const char *prefix, const char *name) {
    size_t n = prefix ? strlen(prefix) : 0;
    for (int i = 0; i < ATTR_COUNT; i++) {
        const struct attr_info *info = &operator_attr_infos[i];
        bool placed = info->where == (prefix ? WHERE_B : WHERE_ML);
        if (placed && (!prefix || (strncmp(info->name, prefix, n) == 0 && info->name[n] == '.')) &&
            strcmp(info->name + (prefix ? n + 1 : 0), name) == 0) {
            return (enum operator_attr)i;
        }
    }
    return ATTR_COUNT;
}

static void unknown_attr(struct given_reader *r, const char *prefix, const struct ast_name *name) {
    const struct program *p = r->p;
    VEC(const char *) names = {0};
    size_t n = prefix ? strlen(prefix) + 1 : 0;
    for (int i = 0; i < ATTR_COUNT; i++) {
        const struct attr_info *info = &operator_attr_infos[i];
        if (info->where == (prefix ? WHERE_B : WHERE_ML) &&
            (!prefix || strncmp(info->name, prefix, n - 1) == 0)) {
            VEC_PUSH(p->arena, &names, info->name + n);
        }
    }
    r->good = false;
    const char *ours = prefix ? NULL : foreign_name("model", name->text);
    if (ours) {
        struct diag *g = diag_add(p->diags, DIAG_A0359, name->span,
                                  "`%s` is another engine's name for `%s`", name->text, ours);
        diag_help(p->diags, g, "write `%s`", ours);
        return;
    }
    struct diag *g =
        diag_add(p->diags, DIAG_A0350, name->span, "unknown attribute `%s`%s%s%s", name->text,
                 prefix ? " of `" : "", prefix ? prefix : "", prefix ? "`" : "");
    const char *nearest = diag_nearest(p->arena, name->text, names.at, names.len);
    if (nearest) {
        diag_help(p->diags, g, "an attribute named `%s` exists", nearest);
    }
}

// Reports a name that an earlier item of the same block has.
static bool repeated(struct given_reader *r, const struct ast_items *items, size_t i) {
    const struct ast_item *item = items->at[i];
    for (size_t j = 0; j < i; j++) {
        const struct ast_item *first = items->at[j];
        if ((first->kind == ITEM_SET || first->kind == ITEM_BLOCK) &&
            strcmp(first->name.text, item->name.text) == 0) {
            struct diag *g = diag_add(r->p->diags, DIAG_A0352, item->name.span,
                                      "attribute `%s` is given twice", item->name.text);
            diag_note(r->p->diags, g, first->name.span, "first given here");
            r->good = false;
            return true;
        }
    }
    return false;
}

static void read_attr(struct given_reader *r, struct given_block *b, const char *prefix,
                      const struct ast_item *item, bool from_layer) {
    enum operator_attr attr = find_attr(prefix, item->name.text);
    if (attr == ATTR_COUNT) {
        unknown_attr(r, prefix, &item->name);
        return;
    }
    if (item->when) {
        r->good = item_misplaced(r->p, item, "a model: `when` belongs to rules") && r->good;
        return;
    }
    // Counts of heads are judged together (model.c), so that a message has both.
    unsigned how = attr == ATTR_HEADS || attr == ATTR_KV_HEADS ? ATTR_READ_SIGNED : 0;
    struct given g = {.attr = attr, .item = item, .from_layer = from_layer};
    if (!attr_read(r->p, &operator_attr_infos[attr], item, how, &g.value)) {
        r->good = false;
        return;
    }
    add_line(r, b, g);
}

static void read_block(struct given_reader *r, struct given_block *b, const struct ast_item *item,
                       bool from_layer) {
    enum operator_attr attr = find_attr(NULL, item->name.text);
    if (attr == ATTR_COUNT || operator_attr_infos[attr].type != TYPE_BLOCK) {
        unknown_attr(r, NULL, &item->name);
        return;
    }
    struct given g = {
        .attr = attr, .item = item, .from_layer = from_layer, .value = value_bool(true)};
    add_line(r, b, g);
    for (size_t i = 0; i < item->items.len; i++) {
        const struct ast_item *inner = item->items.at[i];
        if (inner->kind != ITEM_SET) {
            r->good = item_misplaced(r->p, inner, "a block of attributes") && r->good;
        } else if (!repeated(r, &item->items, i)) {
            read_attr(r, b, item->name.text, inner, from_layer);
        }
    }
}

// Items of a layer block, or the attributes at model level.
void given_read(struct given_reader *r, struct given_block *b, const struct ast_items *items,
                bool from_layer) {
    for (size_t i = 0; i < items->len; i++) {
        const struct ast_item *item = items->at[i];
        if (item->kind == ITEM_LAYER && !from_layer) {
            continue; // later, when `layers` is known
        }
        if (item->kind != ITEM_SET && item->kind != ITEM_BLOCK) {
            r->good =
                item_misplaced(r->p, item, from_layer ? "a `layer` block" : "a model") && r->good;
        } else if (repeated(r, items, i)) {
            continue;
        } else if (item->kind == ITEM_BLOCK) {
            read_block(r, b, item, from_layer);
        } else if (!from_layer && strcmp(item->name.text, "layers") == 0) {
            r->layers_item = item;
        } else {
            read_attr(r, b, NULL, item, from_layer);
        }
    }
}
