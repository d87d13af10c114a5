// SPDX-License-Identifier: Apache-2.0
// One evaluation: a subject, the declaration whose `let`s are seen, and what was found out so far
// (each let and the demanded flags are computed once). For the files of the evaluator and for those
// that ask many questions about one subject; others use gen/eval.h.
#ifndef GEN_EVALUATION_H
#define GEN_EVALUATION_H

#include "gen/eval.h"

#define EVAL_MAX_DEPTH 1000    // of an expression together with the lets that it goes through
#define EVAL_MAX_ELEMS 4096    // of one set or list
#define TYPE_SEARCH_BUDGET 256 // expressions looked at to find the type of the words beside one

enum let_state { LET_BUSY, LET_DONE };

struct let_memo {
    const char *name;
    enum vocabulary vocabulary;
    enum let_state state;
    struct value value;
};

struct evaluation {
    const struct subject *s;
    const struct decl *scope; // or NULL
    struct arena *arena;
    struct diags *report; // where failures are errors of the file (constants); NULL in rules
    unsigned depth;
    VEC(struct let_memo) lets;
    // The flags demanded: NULL = not yet known. While they are being computed, those so far.
    const struct value *demand;
};

struct evaluation evaluation_of(const struct subject *s, const struct decl *scope);
struct value evaluate(struct evaluation *ev, const struct ast_expr *e, enum vocabulary expected);
bool holds(struct evaluation *ev, const struct ast_expr *when); // NULL = no condition
// yes, no, or (result false) a failure in *v.
bool truth(struct evaluation *ev, const struct ast_expr *e, struct value *v, bool *yes);
// The first of the lines whose `when` holds; NULL when none does.
const struct ast_item *first_line(struct evaluation *ev, const struct item_lines *lines);

struct value failure(struct evaluation *ev, enum diag_code code, struct span span,
                     const char *format, ...) __attribute__((format(printf, 4, 5)));
struct value eval_name(struct evaluation *ev, const struct ast_expr *e, enum vocabulary expected);
struct value eval_call(struct evaluation *ev, const struct ast_expr *e);
// The type of words that stand beside `e` in a comparison; VOCAB_NONE when it has none.
enum vocabulary eval_vocabulary(const struct program *p, const struct decl *scope,
                                const struct ast_expr *e);
// "layer.mla.rope" from the second name on: "mla.rope".
const char *path_rest(struct arena *a, const struct ast_path *path);
const char *path_text(struct arena *a, const struct ast_path *path);
// The let lines that a bare name stands for, the child's first; empty when it is no let.
struct item_lines let_lines(struct arena *a, const struct decl *scope, const char *name);

// Functions: name, number of arguments.
#define EVAL_FUNCTIONS(X)                                                                          \
    X(RSQRT, "rsqrt", 1)                                                                           \
    X(ROUNDUP, "roundup", 2)                                                                       \
    X(BYTES, "bytes", 1)                                                                           \
    X(STARTS, "starts", 2)

enum eval_function {
#define EVAL_FUNCTION(id, name, arguments) FUNCTION_##id,
    EVAL_FUNCTIONS(EVAL_FUNCTION)
#undef EVAL_FUNCTION
        FUNCTION_COUNT
};
struct function_info {
    const char *name;
    size_t arguments;
};
extern const struct function_info function_infos[FUNCTION_COUNT];
int function_find(const char *name); // or -1
// The vocabulary of a function's argument.
enum vocabulary function_vocabulary(const struct program *p, const struct decl *scope, int function,
                                    const struct ast_expr *argument);
#endif
