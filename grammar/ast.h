// SPDX-License-Identifier: Apache-2.0
// The syntax tree of one .attn file, in an arena. It holds what was written, with spans, and no
// meaning: numbers keep their spelling, names are not resolved. Depth is bounded by the parser
// (AST_MAX_DEPTH), so that later passes may recurse.
#ifndef GRAMMAR_AST_H
#define GRAMMAR_AST_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "source.h"

#define AST_MAX_DEPTH 200 // of expressions and of nested blocks

struct ast_name {
    const char *text; // NUL-terminated
    struct span span;
};

// Operators, in grammar order: enumerator, spelling.
#define AST_OPERATORS(X)                                                                           \
    X(IMPLIES, "implies")                                                                          \
    X(OR, "or")                                                                                    \
    X(AND, "and")                                                                                  \
    X(EQ, "==")                                                                                    \
    X(NE, "!=")                                                                                    \
    X(LT, "<")                                                                                     \
    X(LE, "<=")                                                                                    \
    X(GT, ">")                                                                                     \
    X(GE, ">=")                                                                                    \
    X(HAS, "has")                                                                                  \
    X(IN, "in")                                                                                    \
    X(ADD, "+")                                                                                    \
    X(SUB, "-")                                                                                    \
    X(MUL, "*")                                                                                    \
    X(DIV, "/")                                                                                    \
    X(MOD, "%")

enum ast_operator {
#define AST_OPERATOR(name, spelling) AST_##name,
    AST_OPERATORS(AST_OPERATOR)
#undef AST_OPERATOR
};
const char *ast_operator_text(enum ast_operator op);

enum expr_kind {
    EXPR_ERROR,       // a syntax error stood here and was reported
    EXPR_NUMBER,      // number
    EXPR_STRING,      // string (escapes resolved)
    EXPR_NAME,        // path: one or more dotted names
    EXPR_CALL,        // path.at[0] is the function; args
    EXPR_SET,         // elems, { }
    EXPR_LIST,        // elems, [ ]
    EXPR_MULTIPLE_OF, // number
    EXPR_NONE,
    EXPR_AUTO,
    EXPR_YES,
    EXPR_NO,
    EXPR_ANY,
    EXPR_NOT,    // a
    EXPR_NEGATE, // a
    EXPR_BINARY, // op, a, b
    EXPR_RANGE,  // a .. b [step c]; c may be NULL
};

struct ast_expr;

struct ast_elem {
    struct ast_expr *value;
    struct ast_expr *when; // or NULL
};

struct ast_number {
    const char *spelling; // as written, suffix included
    bool dotted;          // "9.0": a version where one is expected, else an exact decimal
    int64_t integer;      // value when not dotted, suffix applied (the lexer refuses larger ones)
};

VEC_TYPE(ast_path, struct ast_name);
VEC_TYPE(ast_exprs, struct ast_expr *);
VEC_TYPE(ast_elems, struct ast_elem);

struct ast_expr {
    enum expr_kind kind;
    enum ast_operator op;
    uint16_t depth; // 1 for a leaf
    struct span span;
    struct ast_expr *a, *b, *c;
    struct ast_number number;
    const char *string;
    struct ast_path path;
    struct ast_exprs args;
    struct ast_elems elems;
};

struct ast_range { // layer span: inclusive ends
    struct span span;
    int64_t first, last, step; // step 1 when not given; last == first for a single layer
};
VEC_TYPE(ast_ranges, struct ast_range);

enum item_kind {
    ITEM_SET,       // name = value [when];
    ITEM_LET,       // let name = value [when];
    ITEM_FACT,      // fact name = value;
    ITEM_REQUIRE,   // require value : message [as label];
    ITEM_LAYER,     // layer (all | ranges) [as label] { items }
    ITEM_FOR,       // for name { items }
    ITEM_BLOCK,     // name { items }
    ITEM_PHASE,     // name . phase = value;
    ITEM_PER_LAYER, // ranges [as label] [. phase] = value;
};

struct ast_item;
VEC_TYPE(ast_items, struct ast_item *);

struct ast_item {
    enum item_kind kind;
    struct span span; // the whole item
    struct ast_name name;
    struct ast_name phase; // text NULL when not given
    struct ast_name label; // the name after `as`; text NULL when not given
    struct ast_expr *value;
    struct ast_expr *when; // or NULL
    const char *message;   // require
    struct span message_span;
    bool all; // layer all
    struct ast_ranges ranges;
    struct ast_items items;
};

#define AST_DECLS(X)                                                                               \
    X(MODEL, "model", "model")                                                                     \
    X(DEPLOY, "deploy", "deployment")                                                              \
    X(BACKEND, "backend", "backend")                                                               \
    X(PLATFORM, "platform", "platform")                                                            \
    X(PRIORITY, "priority", "priority")                                                            \
    X(KIND, "kind", "kind")                                                                        \
    X(CAPABILITY, "capability", "capability")

enum decl_kind {
#define AST_DECL(name, word, noun) DECL_##name,
    AST_DECLS(AST_DECL)
#undef AST_DECL
        DECL_KIND_COUNT
};
const char *decl_kind_text(enum decl_kind kind); // what it is called in messages

struct ast_decl {
    enum decl_kind kind;
    struct span span; // the whole declaration
    struct ast_name name;
    struct ast_name parent; // extends; text NULL when not given
    struct ast_items items;
    // capability NAME : relation [value | when condition];
    struct ast_name relation;
    struct ast_expr *value;
    struct ast_expr *when;
};

struct ast_import {
    const char *path;
    struct span span; // of the string
};

struct ast_file {
    uint32_t file; // number in the source table
    VEC(struct ast_import) imports;
    VEC(struct ast_decl *) decls;
    bool incomplete; // it has errors: names may be missing that the text means to define
};

#endif
