// SPDX-License-Identifier: Apache-2.0
// Models: from the layer cascade to operators with a kind and all their attributes.
// In: a model's declaration. Out: its operators in order (layer, `self` first, then by bytes), each
// with a shared attribute set, defaults applied; every rule of LANGUAGE.md "Models" and "Kinds" is
// checked. What a deployment decides (ranks, cache dtype, demand) is still absent.
#ifndef GEN_MODEL_H
#define GEN_MODEL_H

#include "gen/cascade.h"
#include "gen/kinds.h"
#include "gen/layers.h"

struct attr_set { // the attributes of one or more operators
    struct operator_attrs attrs;
    const struct kind *kind;
    const struct given_set *given; // as written, for messages
    struct layer_list layers;      // of the operators that have it, rising
    bool absent;                   // `attn = none`: no operator
    bool share_said;               // a wrong share was reported
};

struct model_operator {
    int64_t layer;
    const char *op;
    uint32_t set;   // index into sets
    uint32_t owner; // operator whose cache it reads: itself, or its kv_share target
};

struct model {
    const struct decl *decl;
    int64_t layers;
    VEC(struct attr_set *) sets;
    VEC(struct model_operator) operators;
    struct operator_attrs level; // model-level attributes, defaults applied where independent
    struct value kinds;          // VALUE_SET of the kinds that occur, in order of the table
    size_t kinds_len;            // rows of the table
};

// False when the declaration has errors; they are reported once (the declaration is poisoned then).
bool model_build(struct program *p, const struct kinds *kinds, struct decl *decl,
                 struct model *out);
// The operator `op` of a layer, or UINT32_MAX.
uint32_t model_find(const struct model *m, int64_t layer, const char *op);

// An integer attribute, or `otherwise` when it is none.
int64_t attr_int(const struct operator_attrs *a, enum operator_attr attr, int64_t otherwise);
bool attr_given(const struct operator_attrs *a, enum operator_attr attr); // not none, not `no`
// Where the attribute of a set was written, or the model's name.
struct span attr_span(const struct model *m, const struct attr_set *set, enum operator_attr attr);
// The attribute that a reader would look at to see why the set has its kind.
struct span kind_span(const struct model *m, const struct attr_set *set);

#endif
