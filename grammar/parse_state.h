// SPDX-License-Identifier: Apache-2.0
// What the parts of the parser share: the state of one parse, the functions that the grammar's
// actions call to build the tree (tree.c), and questions to lemon's tables (parser.y).
#ifndef GRAMMAR_PARSE_STATE_H
#define GRAMMAR_PARSE_STATE_H

#include "ast.h"
#include "report.h"
#include "token.h"

// A bracket that is open where the parser stands.
struct opener {
    size_t token;  // index of the bracket, or of the token that it was made up before
    bool block;    // the brace of a declaration or item; else of an expression
    bool invented; // made up in recovery: nobody is told to close it
};

struct parser;

struct parse {
    struct arena *arena;
    struct reporter *reporter;
    const struct source *source;
    struct tokens tokens;
    size_t next; // index of the token to take
    struct parser *parser;
    struct ast_file *tree;
    VEC(struct opener) openers;
    unsigned blocks;      // openers that are blocks
    unsigned expressions; // openers that are not
    size_t item_start;    // index of the token that begins the item or declaration at hand
    bool item_failed;     // it has a reported error: what else is wrong in it may follow from that
    bool item_dirty;      // the lexer left out something in it
    bool too_many_open;   // the bracket just taken is one more than may be open in an expression
    bool gave_up;         // the parser's stack is lost, or blocks are too deep: the parse ends
};

struct span parse_span(const struct parse *p, const struct token *t);
// Reports that something is nested too deeply, once for an item.
void parse_too_deep(struct parse *p, uint32_t begin, uint32_t end);

// ---- tree.c: semantic values of the grammar
struct tree_value { // `= VALUE [when CONDITION];`
    struct ast_expr *value, *when;
    uint32_t end; // of the item
};
struct tree_span { // layer numbers as written; `last` is `first` for one layer, `step` may be NULL
    const struct token *first, *last, *step;
};
struct tree_spans {
    uint32_t begin;
    struct ast_ranges ranges;
};

struct ast_name tree_name(struct parse *p, const struct token *t);
struct ast_expr *tree_leaf(struct parse *p, enum expr_kind kind, const struct token *t);
struct ast_expr *tree_literal(struct parse *p, enum expr_kind kind, const struct token *t);
struct ast_expr *tree_path(struct parse *p, struct ast_path *path);
struct ast_path *tree_path_add(struct parse *p, struct ast_path *path, const struct token *t);
struct ast_expr *tree_call(struct parse *p, const struct token *name, struct ast_exprs *args,
                           const struct token *close);
struct ast_expr *tree_elements(struct parse *p, enum expr_kind kind, const struct token *open,
                               struct ast_elems *elems, const struct token *close);
struct ast_expr *tree_unary(struct parse *p, enum expr_kind kind, const struct token *op,
                            struct ast_expr *a);
struct ast_expr *tree_multiple_of(struct parse *p, const struct token *word,
                                  const struct token *number);
struct ast_expr *tree_binary(struct parse *p, enum ast_operator op, struct ast_expr *a,
                             struct ast_expr *b);
struct ast_expr *tree_range(struct parse *p, struct ast_expr *a, struct ast_expr *b,
                            struct ast_expr *c);
struct ast_expr *tree_parentheses(struct parse *p, const struct token *open, struct ast_expr *a,
                                  const struct token *close);
struct ast_expr *tree_error(struct parse *p, const struct token *at);

struct ast_item *tree_item(struct parse *p, enum item_kind kind, const struct token *name);
void tree_add_item(struct parse *p, struct ast_items *items, struct ast_item *item);
struct tree_spans *tree_spans_add(struct parse *p, struct tree_spans *spans, struct tree_span s);
void tree_open_block(struct parse *p);
void tree_import(struct parse *p, const struct token *path);
struct ast_decl *tree_decl(struct parse *p, const struct token *word, const struct token *name);

// ---- parser.y
struct parser *parser_new(struct parse *p);
void parser_feed(struct parser *parser, const struct token *t);
// Whether the parser, as it stands, would take these tokens in turn.
bool parser_accepts(const struct parser *parser, const uint16_t *types, size_t n);
// Whether it would take this token after it has dropped what is unfinished (SKIP, SKIP_BLOCK).
bool parser_recovers(const struct parser *parser, uint16_t type);

// ---- parse_error.c: reports that the token at p->next cannot stand there
void parse_error(struct parse *p);
// Reports the innermost open bracket, for which a closing one is missing before the token at
// p->next.
void parse_error_unclosed(struct parse *p);
// Reports that the token at p->next is a misspelling of the word, which fits there.
void parse_error_misspelt(struct parse *p, uint16_t word);
// The word that fits at p->next and is spelled nearly like the name there, or 0.
uint16_t parse_nearest_word(struct parse *p);

// ---- parse_recover.c
// Goes on after an error at p->next: repairs it where one token does, else drops the item.
void parse_recover(struct parse *p);
// Whether a declaration starts at this token: a word, a name, and what must come after them.
bool parse_starts_decl(const struct parse *p, size_t at);
// Whether the tokens there look like the start of an item and of nothing else.
bool parse_starts_item(const struct parse *p, size_t at);
// Closes every open bracket above `depth`, without tokens of the text.
void parse_close(struct parse *p, size_t depth);

// ---- parse.c
bool parse_accepts(const struct parse *p, uint16_t type);
// Gives the parser the token of the text at p->next, or one that is made up in front of it.
void parse_take(struct parse *p);
void parse_insert(struct parse *p, uint16_t type);
// What can name something: a name or a soft word.
bool parse_is_name(uint16_t type);
bool parse_is_closer(uint16_t type);
uint16_t parse_closer_of(uint16_t opener);
// The bracket that closes the innermost open one, or 0.
uint16_t parse_closer(const struct parse *p);

#endif
