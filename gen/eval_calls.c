// SPDX-License-Identifier: Apache-2.0
// Functions of expressions, and the type of the words beside an expression. In: a call, or any
// expression. Out: its value; the vocabulary of what it is compared with.
#include <string.h>

#include "gen/evaluation.h"

const struct function_info function_infos[FUNCTION_COUNT] = {
#define EVAL_FUNCTION(id, name, arguments) {name, arguments},
    EVAL_FUNCTIONS(EVAL_FUNCTION)
#undef EVAL_FUNCTION
};

int function_find(const char *name) {
    for (int i = 0; i < FUNCTION_COUNT; i++) {
        if (strcmp(function_infos[i].name, name) == 0) {
            return i;
        }
    }
    return -1;
}

// ---- the type of words

static enum vocabulary attr_vocabulary(const struct attr_info *infos, int n, const char *name) {
    int index = attr_find(infos, n, name);
    return index < 0 ? VOCAB_NONE : infos[index].vocabulary;
}

static enum vocabulary dotted_vocabulary(const struct program *p, const struct ast_path *path) {
    const char *root = path->at[0].text, *name = path_rest(p->arena, path);
    if (strcmp(root, "platform") == 0) {
        if (path->len > 2) {
            return VOCAB_NONE; // .major
        }
        // A fact takes any word.
        return attr_find(platform_attr_infos, PLATFORM_ATTR_COUNT, name) < 0
                   ? VOCAB_FREE
                   : attr_vocabulary(platform_attr_infos, PLATFORM_ATTR_COUNT, name);
    }
    if (strcmp(root, "deploy") == 0) {
        return attr_vocabulary(deploy_attr_infos, DEPLOY_ATTR_COUNT, name);
    }
    if (strcmp(root, "model") == 0 && strcmp(name, "kinds") == 0) {
        return VOCAB_KIND;
    }
    return attr_vocabulary(operator_attr_infos, ATTR_COUNT, name);
}

static enum vocabulary vocabulary_within(const struct program *p, const struct decl *scope,
                                         const struct ast_expr *e, unsigned *budget) {
    enum vocabulary v = VOCAB_NONE;
    if (*budget == 0) {
        return v;
    }
    --*budget;
    if (e->kind == EXPR_NAME && e->path.len > 1) {
        return dotted_vocabulary(p, &e->path);
    }
    if (e->kind == EXPR_NAME) {
        struct item_lines lines = let_lines(p->arena, scope, e->path.at[0].text);
        for (size_t i = 0; i < lines.len && v == VOCAB_NONE; i++) {
            v = vocabulary_within(p, scope, lines.at[i]->value, budget);
        }
        bool is_phase = !lines.len && strcmp(e->path.at[0].text, "phase") == 0;
        return is_phase ? VOCAB_PHASE : v;
    }
    for (size_t i = 0; i < e->elems.len && v == VOCAB_NONE; i++) {
        v = vocabulary_within(p, scope, e->elems.at[i].value, budget);
    }
    return v;
}

enum vocabulary eval_vocabulary(const struct program *p, const struct decl *scope,
                                const struct ast_expr *e) {
    unsigned budget = TYPE_SEARCH_BUDGET;
    return vocabulary_within(p, scope, e, &budget);
}

enum vocabulary function_vocabulary(const struct program *p, const struct decl *scope, int function,
                                    const struct ast_expr *argument) {
    if (function == FUNCTION_BYTES) {
        return VOCAB_KV_DTYPE;
    }
    return function == FUNCTION_STARTS ? eval_vocabulary(p, scope, argument) : VOCAB_NONE;
}

// ---- calls

static struct value call_rsqrt(struct evaluation *ev, const struct ast_expr *e,
                               const struct value *args) {
    struct number n = number_int(0);
    enum number_result r = number_rsqrt(args[0].number, &n);
    if (r != NUMBER_OK) {
        return failure(ev, DIAG_A0402, e->span, "rsqrt(%s): %s", value_text(ev->arena, &args[0]),
                       number_result_text(r));
    }
    return (struct value){.kind = VALUE_NUMBER, .number = n};
}

// The least multiple of n that is not below x.
static struct value call_roundup(struct evaluation *ev, const struct ast_expr *e,
                                 const struct value *args) {
    int64_t x, n, result;
    if (!value_is_int(&args[0], &x) || !value_is_int(&args[1], &n) || n < 1) {
        return failure(ev, DIAG_A0401, e->span,
                       "roundup(%s, %s) needs integers, the second above 0",
                       value_text(ev->arena, &args[0]), value_text(ev->arena, &args[1]));
    }
    int64_t rest = x % n < 0 ? x % n + n : x % n;
    if (__builtin_add_overflow(x, rest ? n - rest : 0, &result)) {
        return failure(ev, DIAG_A0402, e->span, "%s", number_result_text(NUMBER_OVERFLOW));
    }
    return value_int(result);
}

static struct value call_bytes(struct evaluation *ev, const struct ast_expr *e,
                               const struct value *args) {
    struct rational size;
    if (args[0].kind != VALUE_WORD || !dtype_bytes(args[0].text, &size)) {
        return failure(ev, DIAG_A0401, e->span, "the size of `%s` is not known",
                       value_text(ev->arena, &args[0]));
    }
    struct value v = value_int(0);
    v.number.coef = size;
    return v;
}

static struct value call_starts(struct evaluation *ev, const struct ast_expr *e,
                                const struct value *args) {
    for (int i = 0; i < 2; i++) {
        if (args[i].kind != VALUE_WORD && args[i].kind != VALUE_STRING) {
            return failure(ev, DIAG_A0401, e->span, "starts() of %s, which is no word or string",
                           value_text(ev->arena, &args[i]));
        }
    }
    return value_bool(strncmp(args[0].text, args[1].text, strlen(args[1].text)) == 0);
}

struct value eval_call(struct evaluation *ev, const struct ast_expr *e) {
    static struct value (*const calls[FUNCTION_COUNT])(struct evaluation *, const struct ast_expr *,
                                                       const struct value *) = {
        [FUNCTION_RSQRT] = call_rsqrt,
        [FUNCTION_ROUNDUP] = call_roundup,
        [FUNCTION_BYTES] = call_bytes,
        [FUNCTION_STARTS] = call_starts};
    enum { MOST_ARGUMENTS = 2 };
    const char *name = path_text(ev->arena, &e->path);
    int function = function_find(name);
    if (function < 0) {
        return failure(ev, DIAG_A0301, e->span, "unknown function `%s`", name);
    }
    if (e->args.len != function_infos[function].arguments) {
        return failure(ev, DIAG_A0401, e->span, "`%s` takes %zu values, has %zu", name,
                       function_infos[function].arguments, e->args.len);
    }
    struct value args[MOST_ARGUMENTS];
    for (size_t i = 0; i < e->args.len; i++) {
        const struct ast_expr *argument = e->args.at[i];
        args[i] = evaluate(ev, argument,
                           function_vocabulary(ev->s->program, ev->scope, function, argument));
        if (args[i].kind == VALUE_FAILURE) {
            return args[i];
        }
        bool number = function == FUNCTION_RSQRT || function == FUNCTION_ROUNDUP;
        if (number && args[i].kind != VALUE_NUMBER) {
            return failure(ev, DIAG_A0401, argument->span, "`%s` of %s, which is no number", name,
                           value_text(ev->arena, &args[i]));
        }
    }
    return calls[function](ev, e, args);
}
