// SPDX-License-Identifier: Apache-2.0
// The grammar of .attn files, for lemon. In: tokens. Out: the tree of ast.h, by way of tree.c.
// Always: no LALR(1) conflicts; a token that does not fit is never fed (parse.c asks first), so that
// lemon's own error handling runs only on SKIP and SKIP_BLOCK, which the driver makes.
//
// Rules for items: a construct's word comes first, so that one token decides; layer numbers start
// an item that nothing else can start. Rules for expressions are one per level of binding, loosest
// first, so that no precedence declarations hide a conflict.

%name parse_lemon_
%token_prefix TOKEN_
%token_type {const struct token *}
%extra_context {struct parse *p}
%start_symbol file
// Room for the deepest nesting that is allowed, at up to 30 symbols a level.
%stack_size 8192
%stack_overflow {
    parse_too_deep(p, p->tokens.at[p->next].begin, p->tokens.at[p->next].end);
    p->gave_up = true;
}

%include {
#include "grammar/parse_state.h"

#include <assert.h>
}

// The same tokens as in token.h; the check at the end of this file compares the numbers.
%token SEMI COMMA COLON ASSIGN DOT DOTDOT LPAREN RPAREN LBRACE RBRACE LBRACKET RBRACKET.
%token PLUS MINUS STAR SLASH PERCENT EQ NE LT LE GT GE IMPLIES OR AND NOT HAS IN WHEN.
%token MULTIPLE_OF NONE AUTO YES NO ANY NAME INTEGER DECIMAL STRING SKIP SKIP_BLOCK.
// Soft words: a name wherever the word itself cannot stand.
%fallback NAME IMPORT MODEL DEPLOY BACKEND PLATFORM PRIORITY KIND CAPABILITY EXTENDS
               LET FACT REQUIRE LAYER FOR ALL AS STEP WHEN.

// ---- file
file ::= parts.
parts ::= .
parts ::= parts IMPORT STRING(S) SEMI. { tree_import(p, S); }
parts ::= parts decl.
parts ::= parts error SKIP.
parts ::= parts error SKIP_BLOCK items RBRACE.

decl ::= word(W) NAME(N) parent(E) open items(I) RBRACE(Z). {
    struct ast_decl *d = tree_decl(p, W, N);
    d->parent = tree_name(p, E);
    d->items = *I;
    d->span.end = Z->end;
}
decl ::= CAPABILITY(W) NAME(N) COLON NAME(R) demand(D) SEMI(Z). {
    struct ast_decl *d = tree_decl(p, W, N);
    d->relation = tree_name(p, R);
    d->value = D.value;
    d->when = D.when;
    d->span.end = Z->end;
}

%type word {const struct token *}
word(A) ::= MODEL|DEPLOY|BACKEND|PLATFORM|PRIORITY|KIND(W). { A = W; }

%type parent {const struct token *}
parent(A) ::= . { A = NULL; }
parent(A) ::= EXTENDS NAME(N). { A = N; }

%type demand {struct ast_elem}
demand(A) ::= . { A = (struct ast_elem){0}; }
demand(A) ::= expr(E). { A = (struct ast_elem){.value = E}; }
demand(A) ::= WHEN expr(E). { A = (struct ast_elem){.when = E}; }

// ---- items
open ::= LBRACE. { tree_open_block(p); }

%type items {struct ast_items *}
items(A) ::= . { A = ARENA_NEW(p->arena, struct ast_items); }
items(A) ::= items(A) item(I). { tree_add_item(p, A, I); }

%type item {struct ast_item *}
item(A) ::= NAME(N) value(V). {
    A = tree_item(p, ITEM_SET, N);
    A->value = V.value;
    A->when = V.when;
    A->span.end = V.end;
}
item(A) ::= LET(W) NAME(N) value(V). {
    A = tree_item(p, ITEM_LET, N);
    A->value = V.value;
    A->when = V.when;
    A->span.begin = W->begin;
    A->span.end = V.end;
}
item(A) ::= FACT(W) NAME(N) plain(V). {
    A = tree_item(p, ITEM_FACT, N);
    A->value = V.value;
    A->span.begin = W->begin;
    A->span.end = V.end;
}
item(A) ::= REQUIRE(W) expr(E) COLON STRING(S) label(L) SEMI(Z). {
    A = tree_item(p, ITEM_REQUIRE, W);
    A->name = (struct ast_name){0};
    A->value = E;
    A->message = S->string;
    A->message_span = parse_span(p, S);
    A->label = tree_name(p, L);
    A->span.end = Z->end;
}
item(A) ::= LAYER(W) layers(R) label(L) open items(I) RBRACE(Z). {
    A = tree_item(p, ITEM_LAYER, W);
    A->name = (struct ast_name){0};
    A->all = R == NULL;
    if (R) {
        A->ranges = R->ranges;
    }
    A->label = tree_name(p, L);
    A->items = *I;
    A->span.end = Z->end;
}
item(A) ::= FOR(W) NAME(N) open items(I) RBRACE(Z). {
    A = tree_item(p, ITEM_FOR, N);
    A->items = *I;
    A->span.begin = W->begin;
    A->span.end = Z->end;
}
item(A) ::= NAME(N) open items(I) RBRACE(Z). {
    A = tree_item(p, ITEM_BLOCK, N);
    A->items = *I;
    A->span.end = Z->end;
}
item(A) ::= NAME(N) DOT NAME(P) plain(V). {
    A = tree_item(p, ITEM_PHASE, N);
    A->phase = tree_name(p, P);
    A->value = V.value;
    A->span.end = V.end;
}
item(A) ::= spans(R) label(L) phase(P) plain(V). {
    A = tree_item(p, ITEM_PER_LAYER, NULL);
    A->ranges = R->ranges;
    A->label = tree_name(p, L);
    A->phase = tree_name(p, P);
    A->value = V.value;
    A->span = report_span(p->reporter, R->begin, V.end);
}
item(A) ::= error SKIP. { A = NULL; }
item(A) ::= error SKIP_BLOCK items RBRACE. { A = NULL; }

// `= VALUE;` of an item, with and without `when`. An error inside keeps the item, so that its name
// counts as given.
%type value {struct tree_value}
value(A) ::= ASSIGN elem(E) SEMI(Z). { A = (struct tree_value){E.value, E.when, Z->end}; }
value(A) ::= ASSIGN(W) error SKIP(Z). { A = (struct tree_value){tree_error(p, W), NULL, Z->end}; }
%type plain {struct tree_value}
plain(A) ::= ASSIGN expr(E) SEMI(Z). { A = (struct tree_value){E, NULL, Z->end}; }
plain(A) ::= ASSIGN(W) error SKIP(Z). { A = (struct tree_value){tree_error(p, W), NULL, Z->end}; }

%type label {const struct token *}
label(A) ::= . { A = NULL; }
label(A) ::= AS NAME(N). { A = N; }

%type phase {const struct token *}
phase(A) ::= . { A = NULL; }
phase(A) ::= DOT NAME(N). { A = N; }

// NULL: all layers
%type layers {struct tree_spans *}
layers(A) ::= ALL. { A = NULL; }
layers(A) ::= spans(A).

%type spans {struct tree_spans *}
spans(A) ::= span(S). { A = tree_spans_add(p, ARENA_NEW(p->arena, struct tree_spans), S); }
spans(A) ::= spans(A) COMMA span(S). { tree_spans_add(p, A, S); }

%type span {struct tree_span}
span(A) ::= INTEGER(F). { A = (struct tree_span){F, F, NULL}; }
span(A) ::= INTEGER(F) DOTDOT INTEGER(L). { A = (struct tree_span){F, L, NULL}; }
span(A) ::= INTEGER(F) DOTDOT INTEGER(L) STEP INTEGER(S). { A = (struct tree_span){F, L, S}; }

// ---- expressions
%type expr {struct ast_expr *}
%type or {struct ast_expr *}
%type and {struct ast_expr *}
%type not {struct ast_expr *}
%type cmp {struct ast_expr *}
%type range {struct ast_expr *}
%type sum {struct ast_expr *}
%type term {struct ast_expr *}
%type un {struct ast_expr *}
%type prim {struct ast_expr *}

expr(A) ::= or(A).
expr(A) ::= or(L) IMPLIES expr(R). { A = tree_binary(p, AST_IMPLIES, L, R); }
or(A) ::= and(A).
or(A) ::= or(L) OR and(R). { A = tree_binary(p, AST_OR, L, R); }
and(A) ::= not(A).
and(A) ::= and(L) AND not(R). { A = tree_binary(p, AST_AND, L, R); }
not(A) ::= cmp(A).
not(A) ::= NOT(W) not(E). { A = tree_unary(p, EXPR_NOT, W, E); }

cmp(A) ::= range(A).
cmp(A) ::= range(L) comparison(O) range(R). { A = tree_binary(p, O, L, R); }
%type comparison {enum ast_operator}
comparison(A) ::= EQ. { A = AST_EQ; }
comparison(A) ::= NE. { A = AST_NE; }
comparison(A) ::= LT. { A = AST_LT; }
comparison(A) ::= LE. { A = AST_LE; }
comparison(A) ::= GT. { A = AST_GT; }
comparison(A) ::= GE. { A = AST_GE; }
comparison(A) ::= HAS. { A = AST_HAS; }
comparison(A) ::= IN. { A = AST_IN; }

range(A) ::= sum(A).
range(A) ::= sum(F) DOTDOT sum(L). { A = tree_range(p, F, L, NULL); }
range(A) ::= sum(F) DOTDOT sum(L) STEP sum(S). { A = tree_range(p, F, L, S); }
sum(A) ::= term(A).
sum(A) ::= sum(L) PLUS term(R). { A = tree_binary(p, AST_ADD, L, R); }
sum(A) ::= sum(L) MINUS term(R). { A = tree_binary(p, AST_SUB, L, R); }
term(A) ::= un(A).
term(A) ::= term(L) STAR un(R). { A = tree_binary(p, AST_MUL, L, R); }
term(A) ::= term(L) SLASH un(R). { A = tree_binary(p, AST_DIV, L, R); }
term(A) ::= term(L) PERCENT un(R). { A = tree_binary(p, AST_MOD, L, R); }
un(A) ::= prim(A).
un(A) ::= MINUS(W) un(E). { A = tree_unary(p, EXPR_NEGATE, W, E); }

prim(A) ::= INTEGER|DECIMAL(T). { A = tree_literal(p, EXPR_NUMBER, T); }
prim(A) ::= STRING(T). { A = tree_literal(p, EXPR_STRING, T); }
prim(A) ::= path(P). { A = tree_path(p, P); }
prim(A) ::= NAME(N) LPAREN list(L) RPAREN(Z). { A = tree_call(p, N, L, Z); }
prim(A) ::= LPAREN(W) expr(E) RPAREN(Z). { A = tree_parentheses(p, W, E, Z); }
prim(A) ::= LBRACE(W) RBRACE(Z). { A = tree_elements(p, EXPR_SET, W, NULL, Z); }
prim(A) ::= LBRACE(W) elems(E) RBRACE(Z). { A = tree_elements(p, EXPR_SET, W, E, Z); }
prim(A) ::= LBRACKET(W) elems(E) RBRACKET(Z). { A = tree_elements(p, EXPR_LIST, W, E, Z); }
prim(A) ::= MULTIPLE_OF(W) INTEGER(N). { A = tree_multiple_of(p, W, N); }
prim(A) ::= NONE(T). { A = tree_leaf(p, EXPR_NONE, T); }
prim(A) ::= AUTO(T). { A = tree_leaf(p, EXPR_AUTO, T); }
prim(A) ::= YES(T). { A = tree_leaf(p, EXPR_YES, T); }
prim(A) ::= NO(T). { A = tree_leaf(p, EXPR_NO, T); }
prim(A) ::= ANY(T). { A = tree_leaf(p, EXPR_ANY, T); }

%type path {struct ast_path *}
path(A) ::= NAME(N). { A = tree_path_add(p, ARENA_NEW(p->arena, struct ast_path), N); }
path(A) ::= path(A) DOT NAME(N). { tree_path_add(p, A, N); }

%type list {struct ast_exprs *}
list(A) ::= expr(E). {
    A = ARENA_NEW(p->arena, struct ast_exprs);
    VEC_PUSH(p->arena, A, E);
}
list(A) ::= list(A) COMMA expr(E). { VEC_PUSH(p->arena, A, E); }

%type elems {struct ast_elems *}
elems(A) ::= elem(E). {
    A = ARENA_NEW(p->arena, struct ast_elems);
    VEC_PUSH(p->arena, A, E);
}
elems(A) ::= elems(A) COMMA elem(E). { VEC_PUSH(p->arena, A, E); }

%type elem {struct ast_elem}
elem(A) ::= expr(E). { A = (struct ast_elem){.value = E}; }
elem(A) ::= expr(E) WHEN expr(C). { A = (struct ast_elem){.value = E, .when = C}; }

// ---- questions to the tables
%code {
// lemon numbers the tokens from 1 in order of appearance; each has a row in token.h.
#define COUNT(...) +1
_Static_assert(0 TOKENS_FIXED(COUNT, COUNT) TOKENS_VARIABLE(COUNT) == YYNTOKEN - 1,
               "token.h and parser.y list different tokens");
_Static_assert(YYNTOKEN <= TOKEN_COUNT, "raise TOKEN_COUNT");

struct parser {
    yyParser lemon;
};

struct parser *parser_new(struct parse *p) {
    // The stack is deep, hardly ever used so far, and lemon reads no state that it did not push.
    struct parser *parser = arena_alloc_raw(p->arena, sizeof *parser);
    parse_lemon_Init(&parser->lemon, p);
    return parser;
}

void parser_feed(struct parser *parser, const struct token *t) {
    parse_lemon_(&parser->lemon, t->type, t);
}

// A parser's stack of states with reductions tried on top of it. The stack itself is only read.
// lemon runs default reductions before it notices an error, so the set of tokens that fit has to be
// asked for before a token is fed, and by trial.
#define TRIAL_DEPTH 32 // states pushed in a trial; empty rules in a row and tokens asked for

struct trial {
    const yyStackEntry *base; // top of what is left of the parser's own stack
    YYACTIONTYPE pushed[TRIAL_DEPTH];
    unsigned count;
};

static YYACTIONTYPE trial_state(const struct trial *s) {
    return s->count ? s->pushed[s->count - 1] : s->base->stateno;
}

static void trial_push(struct trial *s, YYACTIONTYPE state) {
    assert(s->count < TRIAL_DEPTH);
    s->pushed[s->count++] = state;
}

static void trial_reduce(struct trial *s, unsigned rule) {
    unsigned symbols = (unsigned)-yyRuleInfoNRhs[rule];
    const unsigned pushed = symbols < s->count ? symbols : s->count;
    s->count -= pushed;
    s->base -= symbols - pushed;
    trial_push(s, yy_find_reduce_action(trial_state(s), yyRuleInfoLhs[rule]));
}

static bool trial_take(struct trial *s, uint16_t type) {
    for (;;) {
        YYACTIONTYPE action = yy_find_shift_action((YYCODETYPE)type, trial_state(s));
        if (action == YY_ACCEPT_ACTION) {
            return true;
        }
        if (action == YY_ERROR_ACTION) {
            return false;
        }
        if (action <= YY_MAX_SHIFTREDUCE) {
            if (action > YY_MAX_SHIFT) { // shift, and reduce when the next token comes
                action = (YYACTIONTYPE)(action + YY_MIN_REDUCE - YY_MIN_SHIFTREDUCE);
            }
            trial_push(s, action);
            return true;
        }
        trial_reduce(s, action - YY_MIN_REDUCE);
    }
}

bool parser_accepts(const struct parser *parser, const uint16_t *types, size_t n) {
    struct trial s = {.base = parser->lemon.yytos};
    for (size_t i = 0; i < n; i++) {
        if (!trial_take(&s, types[i])) {
            return false;
        }
    }
    return true;
}

bool parser_recovers(const struct parser *parser, uint16_t type) {
    struct trial s = {.base = parser->lemon.yytos};
    // What is finished is reduced first, as lemon does.
    trial_take(&s, TOKEN_SKIP);
    for (;;) {
        YYACTIONTYPE action = YY_ERROR_ACTION;
        if (trial_state(&s) <= YY_MAX_SHIFT) {
            action = yy_find_reduce_action(trial_state(&s), YYERRORSYMBOL);
        }
        if (action <= YY_MAX_SHIFTREDUCE) {
            trial_push(&s, action);
            return trial_take(&s, type);
        }
        if (s.count) {
            s.count--;
        } else if (s.base > parser->lemon.yystack) {
            s.base--;
        } else {
            return false;
        }
    }
}
}
