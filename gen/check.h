// SPDX-License-Identifier: Apache-2.0
// The static check of rules, shared by the checks of declarations. One rule_check serves all
// expressions of one scope, so that each let is looked at once for a vocabulary.
#ifndef GEN_CHECK_H
#define GEN_CHECK_H

#include "gen/eval.h"

#define LET_MAX_CHAIN 64 // lets that one goes through, itself included

struct let_check { // a let, used as a word of one vocabulary
    enum vocabulary vocabulary;
    bool busy;
    unsigned height;        // lets on the longest way down from here
    struct let_check *next; // the same let, used as another
};

struct rule_check {
    const struct program *p;
    const struct decl *scope;       // or NULL
    const struct name_table *facts; // every fact that a platform or deployment states
    const struct words *fact_names; // the same, for suggestions
    struct name_table *lets;        // name -> struct let_check
    struct words path;              // lets that are being looked at
    struct words circular;          // lets that are known to reach themselves
    struct words misnamed;          // lets that were reported: they are named like a word
    unsigned height;                // of the lets met since the last look
    unsigned depth;
    bool too_deep; // reported
};

// The facts of a program: build once, share.
struct facts {
    struct name_table *table;
    struct words names;
};
struct facts facts_of(const struct program *p);

void rule_check_init(struct rule_check *c, const struct program *p, const struct decl *scope,
                     const struct facts *facts);
void rule_check_expr(struct rule_check *c, const struct ast_expr *e, enum vocabulary expected);
// A let that no expression so far has gone through: its words may be of any type.
void rule_check_unused_let(struct rule_check *c, const struct ast_item *let);

// Parts of check_backends (verdict.h).
void check_platforms(const struct program *p);
void check_priorities(const struct program *p, const struct facts *facts);

// Reports lines of one declaration that repeat or follow a line without `when`: for items of the
// given kind. `once`: a `when` is no excuse for a second line.
void check_lines(const struct program *p, const struct decl *d, enum item_kind kind, bool once);

#endif
