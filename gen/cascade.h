// SPDX-License-Identifier: Apache-2.0
// The layer cascade: which operators a model has, and which attributes each of them was given.
// In: a model's declaration (and its parents'). Out: operators in order (layer, `self` first, then
// by bytes of the name), each with a shared set of written attributes, before any default. Work is
// linear in the layers that blocks name: operators that were given the same share one set.
#ifndef GEN_CASCADE_H
#define GEN_CASCADE_H

#include "gen/attr_read.h"

#define CASCADE_LAYERS_MAX (INT64_C(1) << 20)

bool is_self(const char *op);
// Order of operators: layer, `self` first, then by bytes of the name.
int operator_order(int64_t x_layer, const char *x_op, int64_t y_layer, const char *y_op);

struct given { // one attribute as written
    enum operator_attr attr;
    struct value value; // BLOCK attributes: yes, or none where removed
    const struct ast_item *item;
    uint32_t id;     // equal values of one attribute have equal ids; from 1
    bool from_layer; // in a layer block, not at model level
};

struct given_set {
    const struct given *at[ATTR_COUNT]; // NULL: not given
    bool is_self;                       // what `self` only inherits still counts as its own
};

struct cascade_operator {
    int64_t layer;
    const char *op;
    uint32_t set; // index into sets
};

struct cascade {
    int64_t layers;
    struct given_set level; // model level
    VEC(struct given_set *) sets;
    VEC(struct cascade_operator) operators;
};

// False when an error was reported: what is there must not be judged further.
bool cascade_read(const struct program *p, const struct decl *model, struct cascade *out);

#endif
