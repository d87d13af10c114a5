// SPDX-License-Identifier: Apache-2.0
// The layer cascade. In and out: see cascade.h.
// A layer's state is a chain of the blocks that apply to it; layers with equal chains share the
// state, and states that come to the same written attributes share one set.
#include "gen/cascade.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/given.h"
#include "gen/layers.h"

static const char self[] = "self";

bool is_self(const char *op) {
    return strcmp(op, self) == 0;
}

struct state {
    uint32_t parent;                    // itself for the first
    const struct given_block *block;    // NULL for the first: model level alone
    uint32_t child;                     // made by the block in hand ...
    const struct given_block *child_of; // ... when this is that block
    uint32_t set[2];                    // for a named operator, for `self`; INTERN_NONE: not yet
};

struct reader {
    const struct program *p;
    const struct decl *model;
    struct cascade *out;
    struct given_reader given;
    struct given_block level;
    struct intern set_table, op_table, entry_table;
    VEC(const char *) ops; // names; 0 is self
    VEC(uint32_t) entry_op, entry_state;
    VEC(int64_t) entry_layer; // entry i of `self` is layer i
    VEC(struct state) states;
};

static bool read_layer_count(struct reader *r) {
    static const struct attr_info info = {"layers", TYPE_INT, VOCAB_NONE, WHERE_ML};
    const struct program *p = r->p;
    if (!r->given.layers_item) {
        diag_add(p->diags, DIAG_A0452, r->model->ast->name.span,
                 "model `%s` does not give `layers`", r->model->ast->name.text);
        return false;
    }
    struct value v;
    if (!attr_read(p, &info, r->given.layers_item, 0, &v)) {
        return false;
    }
    int64_t n = 0;
    if (!value_is_int(&v, &n) || n > CASCADE_LAYERS_MAX) {
        diag_add(p->diags, DIAG_A0450, r->given.layers_item->value->span,
                 "`layers` is %s, limit is %" PRId64, value_text(p->arena, &v), CASCADE_LAYERS_MAX);
        return false;
    }
    r->out->layers = n;
    return true;
}

// ---- operators and their states

static bool same_op(const void *owner, uint32_t index, const void *key) {
    return strcmp(((const struct reader *)owner)->ops.at[index], key) == 0;
}

static uint32_t op_number(struct reader *r, const char *name) {
    uint64_t hash = hash_text(INTERN_SEED, name);
    uint32_t found = intern_find(&r->op_table, hash, same_op, r, name);
    if (found == INTERN_NONE) {
        found = (uint32_t)r->ops.len;
        VEC_PUSH(r->p->arena, &r->ops, name);
        intern_add(r->p->arena, &r->op_table, hash, found);
    }
    return found;
}

struct entry_key {
    uint32_t op;
    int64_t layer;
};

static bool same_entry(const void *owner, uint32_t index, const void *key) {
    const struct reader *r = owner;
    const struct entry_key *k = key;
    return r->entry_op.at[index] == k->op && r->entry_layer.at[index] == k->layer;
}

static uint32_t add_entry(struct reader *r, uint32_t op, int64_t layer) {
    uint32_t index = (uint32_t)r->entry_op.len;
    VEC_PUSH(r->p->arena, &r->entry_op, op);
    VEC_PUSH(r->p->arena, &r->entry_layer, layer);
    VEC_PUSH(r->p->arena, &r->entry_state, 0);
    return index;
}

static uint32_t entry_of(struct reader *r, uint32_t op, int64_t layer) {
    if (op == 0) {
        return (uint32_t)layer;
    }
    struct entry_key key = {op, layer};
    uint64_t hash = hash_bytes(hash_bytes(INTERN_SEED, &op, sizeof op), &layer, sizeof layer);
    uint32_t found = intern_find(&r->entry_table, hash, same_entry, r, &key);
    if (found == INTERN_NONE) {
        found = add_entry(r, op, layer);
        intern_add(r->p->arena, &r->entry_table, hash, found);
    }
    return found;
}

static uint32_t add_state(struct reader *r, uint32_t parent, const struct given_block *block) {
    struct state s = {.parent = parent, .block = block, .set = {INTERN_NONE, INTERN_NONE}};
    VEC_PUSH(r->p->arena, &r->states, s);
    return (uint32_t)r->states.len - 1;
}

static void apply(struct reader *r, uint32_t entry, const struct given_block *block) {
    uint32_t from = r->entry_state.at[entry];
    if (r->states.at[from].child_of != block) {
        uint32_t child = add_state(r, from, block);
        r->states.at[from].child_of = block;
        r->states.at[from].child = child;
    }
    r->entry_state.at[entry] = r->states.at[from].child;
}

static void read_layer_block(struct reader *r, const struct ast_item *item) {
    struct given_block *b = ARENA_NEW(r->p->arena, struct given_block);
    given_read(&r->given, b, &item->items, true);
    uint32_t op = item->label.text ? op_number(r, item->label.text) : 0;
    if (item->all) {
        for (int64_t l = 0; l < r->out->layers; l++) {
            apply(r, entry_of(r, op, l), b);
        }
        return;
    }
    if (!layers_check(r->p, &item->ranges, r->out->layers)) {
        r->given.good = false;
        return;
    }
    for (size_t i = 0; i < item->ranges.len; i++) {
        const struct ast_range *range = &item->ranges.at[i];
        for (int64_t l = range->first; l <= range->last; l += range->step) {
            apply(r, entry_of(r, op, l), b);
        }
    }
}

// ---- sets

static void overlay(struct given_set *set, const struct given_block *b) {
    for (size_t i = 0; i < b->lines.len; i++) {
        const struct given *g = b->lines.at[i];
        const struct attr_info *info = &operator_attr_infos[g->attr];
        if (info->type == TYPE_BLOCK && g->value.kind == VALUE_NONE) {
            size_t n = strlen(info->name);
            for (int j = 0; j < ATTR_COUNT; j++) {
                const char *name = operator_attr_infos[j].name;
                if (strncmp(name, info->name, n) == 0 && name[n] == '.') {
                    set->at[j] = NULL;
                }
            }
        }
        set->at[g->attr] = g;
    }
}

static void materialize(const struct reader *r, uint32_t state, struct given_set *set) {
    if (r->states.at[state].block == NULL) {
        overlay(set, &r->level);
        return;
    }
    // Chains can be long, so walk up with a list instead of recursing.
    VEC(const struct given_block *) chain = {0};
    uint32_t s = state;
    for (; r->states.at[s].block; s = r->states.at[s].parent) {
        VEC_PUSH(r->p->arena, &chain, r->states.at[s].block);
    }
    overlay(set, &r->level);
    for (size_t i = chain.len; i-- > 0;) {
        overlay(set, chain.at[i]);
    }
}

static bool same_set(const void *owner, uint32_t index, const void *key) {
    const struct given_set *a = ((const struct reader *)owner)->out->sets.at[index], *b = key;
    if (a->is_self != b->is_self) {
        return false;
    }
    for (int i = 0; i < ATTR_COUNT; i++) {
        const struct given *x = a->at[i], *y = b->at[i];
        if (!x != !y || (x && (x->id != y->id || x->from_layer != y->from_layer))) {
            return false;
        }
    }
    return true;
}

static uint32_t set_of_state(struct reader *r, uint32_t state, bool is_self) {
    uint32_t *memo = &r->states.at[state].set[is_self];
    if (*memo != INTERN_NONE) {
        return *memo;
    }
    struct given_set set = {.is_self = is_self};
    materialize(r, state, &set);
    uint64_t hash = hash_bytes(INTERN_SEED, &is_self, sizeof is_self);
    for (int i = 0; i < ATTR_COUNT; i++) {
        uint32_t id = set.at[i] ? 2 * set.at[i]->id + set.at[i]->from_layer : 0;
        hash = hash_bytes(hash, &id, sizeof id);
    }
    *memo = intern_find(&r->set_table, hash, same_set, r, &set);
    if (*memo == INTERN_NONE) {
        *memo = (uint32_t)r->out->sets.len;
        struct given_set *kept = ARENA_NEW(r->p->arena, struct given_set);
        *kept = set;
        VEC_PUSH(r->p->arena, &r->out->sets, kept);
        intern_add(r->p->arena, &r->set_table, hash, *memo);
    }
    return *memo;
}

int operator_order(int64_t x_layer, const char *x_op, int64_t y_layer, const char *y_op) {
    if (x_layer != y_layer) {
        return x_layer < y_layer ? -1 : 1;
    }
    int order = strcmp(x_op, y_op);
    if (order != 0 && (is_self(x_op) || is_self(y_op))) {
        return is_self(x_op) ? -1 : 1;
    }
    return order;
}

static int by_place(const void *a, const void *b) {
    const struct cascade_operator *x = a, *y = b;
    return operator_order(x->layer, x->op, y->layer, y->op);
}

static void list_operators(struct reader *r) {
    for (size_t i = 0; i < r->entry_op.len; i++) {
        struct cascade_operator o = {
            .layer = r->entry_layer.at[i],
            .op = r->ops.at[r->entry_op.at[i]],
            .set = set_of_state(r, r->entry_state.at[i], r->entry_op.at[i] == 0),
        };
        VEC_PUSH(r->p->arena, &r->out->operators, o);
    }
    qsort(r->out->operators.at, r->out->operators.len, sizeof *r->out->operators.at, by_place);
}

// A parent's lines come first, so that the child's override them.
static void read_level(struct reader *r, const struct decl *d) {
    if (d->parent) {
        read_level(r, d->parent);
    }
    given_read(&r->given, &r->level, &d->ast->items, false);
}

static void read_layer_blocks(struct reader *r, const struct decl *d) {
    if (d->parent) {
        read_layer_blocks(r, d->parent);
    }
    for (size_t i = 0; i < d->ast->items.len; i++) {
        if (d->ast->items.at[i]->kind == ITEM_LAYER) {
            read_layer_block(r, d->ast->items.at[i]);
        }
    }
}

bool cascade_read(const struct program *p, const struct decl *model, struct cascade *out) {
    struct reader r = {.p = p, .model = model, .out = out, .given = {.p = p, .good = true}};
    memset(out, 0, sizeof *out);
    op_number(&r, self);
    read_level(&r, model);
    overlay(&out->level, &r.level);
    if (!read_layer_count(&r)) {
        return false;
    }
    add_state(&r, 0, NULL);
    for (int64_t l = 0; l < out->layers; l++) {
        add_entry(&r, 0, l);
    }
    read_layer_blocks(&r, model);
    if (r.given.good) {
        list_operators(&r);
    }
    return r.given.good;
}
