// SPDX-License-Identifier: Apache-2.0
// The kinds of attention, read from the built-in std/kinds.attn: an ordered table, first match.
// In: the `kind` declarations. Out: one row for each, in order. Nothing else in the compiler lists
// kinds or knows one by name.
#ifndef GEN_KINDS_H
#define GEN_KINDS_H

#include "gen/eval.h"

// What an operator of the kind keeps between steps. X(enumerator, "word in the table")
#define CACHE_FORMS(X)                                                                             \
    X(PAGED, "paged")   /* K and V rows of the sequence, in pages */                               \
    X(SOURCE, "source") /* K and V rows of the encoder's output, in pages */                       \
    X(STATE, "state")   /* one recurrent state */                                                  \
    X(NONE, "dense")    /* nothing: K and V are read where they are */

enum cache_form {
#define CACHE_FORM(id, word) CACHE_##id,
    CACHE_FORMS(CACHE_FORM)
#undef CACHE_FORM
        CACHE_FORM_COUNT
};

struct kind {
    const char *name;
    const struct decl *decl;
    const struct ast_expr *when; // NULL: always
    uint32_t index;              // in the table
    enum cache_form cache;
    bool phases[PHASE_COUNT];
    bool excludes[ATTR_COUNT]; // attributes that may not be given on an operator of the kind
    bool ignores_inherited;    // ... and that `self` too ignores when only the model gives them
    const char *because;       // why they are excluded
    struct words restates;     // capabilities that say no more than the kind
};
VEC_TYPE(kind_rows, struct kind);

struct kinds {
    struct kind_rows rows;
};

// Reports what is wrong in the table itself; rows that could be read are there.
bool kinds_load(const struct program *p, struct kinds *out);
// The first kind whose `when` holds for the attributes (with defaults applied), or NULL.
const struct kind *kind_of(const struct kinds *k, const struct program *p,
                           const struct operator_attrs *attrs);
const struct kind *kind_find(const struct kinds *k, const char *name); // or NULL
// The same, or NULL with an error at `name` that suggests the nearest and lists all.
const struct kind *kind_need(const struct kinds *k, const struct program *p,
                             const struct ast_name *name);

#endif
