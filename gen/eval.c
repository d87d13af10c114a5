// SPDX-License-Identifier: Apache-2.0
// The evaluator: operators, sets, lists and ranges. In: an expression, a subject, the vocabulary
// that bare words are of. Out: a value; what cannot be evaluated is a failure that says why and
// passes through every operator that evaluates it. Always: depth, sizes and work are bounded, each
// let is evaluated once for a vocabulary.
#include <stdarg.h>
#include <string.h>

#include "gen/evaluation.h"

struct evaluation evaluation_of(const struct subject *s, const struct decl *scope) {
    return (struct evaluation){.s = s, .scope = scope, .arena = s->program->arena};
}

struct value failure(struct evaluation *ev, enum diag_code code, struct span span,
                     const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *text = arena_vprintf(ev->arena, format, args);
    va_end(args);
    if (ev->report) {
        diag_add(ev->report, code, span, "%s", text);
    }
    return (struct value){.kind = VALUE_FAILURE, .text = text, .span = span};
}

// How a message calls the value of an expression: "`layer.window` is none", "the value is 3".
static const char *called(struct evaluation *ev, const struct ast_expr *e, const struct value *v) {
    const char *text = value_text(ev->arena, v);
    if (e->kind == EXPR_NAME) {
        return arena_printf(ev->arena, "`%s` is %s", path_text(ev->arena, &e->path), text);
    }
    return arena_printf(ev->arena, "a value is %s", text);
}

static struct value wrong_type(struct evaluation *ev, const struct ast_expr *e,
                               const struct value *v, const char *wanted) {
    return failure(ev, DIAG_A0401, e->span, "%s, not %s", called(ev, e, v), wanted);
}

// ---- yes and no

bool truth(struct evaluation *ev, const struct ast_expr *e, struct value *v, bool *yes) {
    *v = evaluate(ev, e, VOCAB_NONE);
    *yes = v->kind == VALUE_BOOL && v->yes; // `none` is not yes
    if (v->kind != VALUE_BOOL && v->kind != VALUE_NONE && v->kind != VALUE_FAILURE) {
        *v = wrong_type(ev, e, v, "yes or no");
    }
    return v->kind != VALUE_FAILURE;
}

bool holds(struct evaluation *ev, const struct ast_expr *when) {
    struct value v;
    bool yes = true;
    return !when || (truth(ev, when, &v, &yes) && yes);
}

const struct ast_item *first_line(struct evaluation *ev, const struct item_lines *lines) {
    for (size_t i = 0; i < lines->len; i++) {
        if (holds(ev, lines->at[i]->when)) {
            return lines->at[i];
        }
    }
    return NULL;
}

// `and`, `or`, `implies`: the second operand only where the first leaves it open.
static struct value eval_logic(struct evaluation *ev, const struct ast_expr *e) {
    struct value v;
    bool yes;
    if (!truth(ev, e->a, &v, &yes)) {
        return v;
    }
    if (e->op == AST_IMPLIES && !yes) {
        return value_bool(true);
    }
    if (yes == (e->op == AST_OR)) {
        return value_bool(yes);
    }
    return truth(ev, e->b, &v, &yes) ? value_bool(yes) : v;
}

// ---- comparisons

static struct value eval_order(struct evaluation *ev, const struct ast_expr *e,
                               const struct value *a, const struct value *b) {
    int order;
    if (!value_order(a, b, &order)) {
        bool left = a->kind != VALUE_NUMBER && a->kind != VALUE_VERSION;
        const char *text = called(ev, left ? e->a : e->b, left ? a : b);
        return failure(ev, DIAG_A0401, e->span, "%s, which has no order", text);
    }
    switch (e->op) {
    case AST_LT:
        return value_bool(order < 0);
    case AST_LE:
        return value_bool(order <= 0);
    case AST_GT:
        return value_bool(order > 0);
    default:
        return value_bool(order >= 0);
    }
}

static struct value eval_comparison(struct evaluation *ev, const struct ast_expr *e) {
    enum vocabulary words = eval_vocabulary(ev->s->program, ev->scope, e->a);
    if (words == VOCAB_NONE) {
        words = eval_vocabulary(ev->s->program, ev->scope, e->b);
    }
    struct value a = evaluate(ev, e->a, words);
    if (a.kind == VALUE_FAILURE) {
        return a;
    }
    struct value b = evaluate(ev, e->b, words);
    if (b.kind == VALUE_FAILURE) {
        return b;
    }
    switch (e->op) {
    case AST_EQ:
        return value_bool(value_equal(&a, &b));
    case AST_NE:
        return value_bool(!value_equal(&a, &b));
    case AST_HAS:
        return value_bool(value_in(&b, &a));
    case AST_IN:
        return value_bool(value_in(&a, &b));
    default:
        return eval_order(ev, e, &a, &b);
    }
}

// ---- arithmetic

static bool eval_number(struct evaluation *ev, const struct ast_expr *e, struct value *v) {
    *v = evaluate(ev, e, VOCAB_NONE);
    if (v->kind != VALUE_NUMBER && v->kind != VALUE_FAILURE) {
        *v = wrong_type(ev, e, v, "a number");
    }
    return v->kind == VALUE_NUMBER;
}

static struct value number_value(struct evaluation *ev, struct span span, enum number_result r,
                                 struct number n) {
    if (r != NUMBER_OK) {
        return failure(ev, DIAG_A0402, span, "%s", number_result_text(r));
    }
    return (struct value){.kind = VALUE_NUMBER, .number = n};
}

static struct value eval_arithmetic(struct evaluation *ev, const struct ast_expr *e) {
    static enum number_result (*const operations[])(struct number, struct number,
                                                    struct number *) = {[AST_ADD] = number_add,
                                                                        [AST_SUB] = number_sub,
                                                                        [AST_MUL] = number_mul,
                                                                        [AST_DIV] = number_div,
                                                                        [AST_MOD] = number_mod};
    struct value a, b;
    if (!eval_number(ev, e->a, &a)) {
        return a;
    }
    if (!eval_number(ev, e->b, &b)) {
        return b;
    }
    struct number n = number_int(0);
    enum number_result r = operations[e->op](a.number, b.number, &n);
    return number_value(ev, e->span, r, n);
}

static struct value eval_binary(struct evaluation *ev, const struct ast_expr *e) {
    switch (e->op) {
    case AST_IMPLIES:
    case AST_OR:
    case AST_AND:
        return eval_logic(ev, e);
    case AST_ADD:
    case AST_SUB:
    case AST_MUL:
    case AST_DIV:
    case AST_MOD:
        return eval_arithmetic(ev, e);
    default:
        return eval_comparison(ev, e);
    }
}

static struct value eval_literal(struct evaluation *ev, const struct ast_expr *e) {
    if (!e->number.dotted) {
        return value_int(e->number.integer);
    }
    struct number n = number_int(0);
    enum number_result r = number_decimal(e->number.spelling, &n);
    if (r != NUMBER_OK) {
        return failure(ev, DIAG_A0402, e->span, "number `%s` is out of range", e->number.spelling);
    }
    return (struct value){.kind = VALUE_NUMBER, .number = n, .text = e->number.spelling};
}

// ---- sets, lists, ranges

// The same element: dotted literals also by their spelling, since they may turn out to be versions.
static bool same_element(const struct value *a, const struct value *b) {
    bool same_text = !a->text || !b->text ? a->text == b->text : strcmp(a->text, b->text) == 0;
    return a->kind == b->kind && same_text && value_equal(a, b);
}

// Sets are evaluated for every operator and backend: room for what they have, and no more.
static void reserve(struct evaluation *ev, struct value *set, size_t n) {
    set->elems.at = ARENA_ARRAY(ev->arena, struct value, n);
    set->elems.cap = n;
}

static bool add_element(struct evaluation *ev, struct value *set, const struct value *v) {
    for (size_t i = 0; set->kind == VALUE_SET && i < set->elems.len; i++) {
        if (same_element(&set->elems.at[i], v)) {
            return true;
        }
    }
    if (set->elems.len == EVAL_MAX_ELEMS) {
        return false;
    }
    VEC_PUSH(ev->arena, &set->elems, *v);
    return true;
}

static struct value eval_elements(struct evaluation *ev, const struct ast_expr *e,
                                  enum vocabulary expected) {
    struct value set = {.kind = e->kind == EXPR_SET ? VALUE_SET : VALUE_LIST};
    reserve(ev, &set, e->elems.len);
    for (size_t i = 0; i < e->elems.len; i++) {
        if (!holds(ev, e->elems.at[i].when)) {
            continue;
        }
        struct value v = evaluate(ev, e->elems.at[i].value, expected);
        if (v.kind == VALUE_FAILURE) {
            return v;
        }
        bool spread = v.kind == VALUE_SET || v.kind == VALUE_LIST;
        const struct value *from = spread ? v.elems.at : &v;
        for (size_t j = 0, n = spread ? v.elems.len : 1; j < n; j++) {
            if (!add_element(ev, &set, &from[j])) {
                return failure(ev, DIAG_A0404, e->span, "too many elements; limit is %d",
                               EVAL_MAX_ELEMS);
            }
        }
    }
    return set;
}

static struct value eval_range(struct evaluation *ev, const struct ast_expr *e) {
    struct value range = {.kind = VALUE_RANGE};
    const struct ast_expr *parts[] = {e->a, e->b, e->c};
    reserve(ev, &range, sizeof parts / sizeof *parts);
    for (int i = 0; i < 3; i++) {
        struct value v = parts[i] ? evaluate(ev, parts[i], VOCAB_NONE) : value_none();
        if (v.kind == VALUE_FAILURE) {
            return v;
        }
        bool fits = v.kind == VALUE_NUMBER ||
                    (i == 2 ? !parts[i] : v.kind == VALUE_ANY || v.kind == VALUE_VERSION);
        if (!fits) {
            return wrong_type(ev, parts[i], &v, i == 2 ? "a step" : "the end of a range");
        }
        VEC_PUSH(ev->arena, &range.elems, v);
    }
    int64_t step;
    if (e->c && (!value_is_int(&range.elems.at[2], &step) || step < 1)) {
        return wrong_type(ev, e->c, &range.elems.at[2], "a step of at least 1");
    }
    int order;
    if (value_order(&range.elems.at[0], &range.elems.at[1], &order) && order > 0) {
        return failure(ev, DIAG_A0401, e->span, "range %s is empty", value_text(ev->arena, &range));
    }
    return range;
}

static struct value eval_multiple(struct evaluation *ev, const struct ast_expr *e) {
    struct value v = eval_literal(ev, e);
    int64_t n;
    if (v.kind != VALUE_FAILURE && (!value_is_int(&v, &n) || n < 1)) {
        return wrong_type(ev, e, &v, "an integer of at least 1");
    }
    v.kind = v.kind == VALUE_NUMBER ? VALUE_MULTIPLE : v.kind;
    v.text = v.kind == VALUE_MULTIPLE ? NULL : v.text;
    return v;
}

// ---- expressions

static struct value eval_not(struct evaluation *ev, const struct ast_expr *e) {
    struct value v;
    bool yes;
    return truth(ev, e->a, &v, &yes) ? value_bool(!yes) : v;
}

static struct value eval_negate(struct evaluation *ev, const struct ast_expr *e) {
    struct value v;
    if (!eval_number(ev, e->a, &v)) {
        return v;
    }
    struct number n = number_int(0);
    enum number_result r = number_sub(number_int(0), v.number, &n);
    return number_value(ev, e->span, r, n);
}

static struct value eval_kind(struct evaluation *ev, const struct ast_expr *e,
                              enum vocabulary expected) {
    switch (e->kind) {
    case EXPR_ERROR: // reported by the parser
        return (struct value){.kind = VALUE_FAILURE, .text = "a syntax error"};
    case EXPR_NUMBER:
        return eval_literal(ev, e);
    case EXPR_STRING:
        return (struct value){.kind = VALUE_STRING, .text = e->string};
    case EXPR_NAME:
        return eval_name(ev, e, expected);
    case EXPR_CALL:
        return eval_call(ev, e);
    case EXPR_SET:
    case EXPR_LIST:
        return eval_elements(ev, e, expected);
    case EXPR_MULTIPLE_OF:
        return eval_multiple(ev, e);
    case EXPR_NONE:
        return value_none();
    case EXPR_AUTO:
        return value_auto();
    case EXPR_YES:
    case EXPR_NO:
        return value_bool(e->kind == EXPR_YES);
    case EXPR_ANY:
        return (struct value){.kind = VALUE_ANY};
    case EXPR_NOT:
        return eval_not(ev, e);
    case EXPR_NEGATE:
        return eval_negate(ev, e);
    case EXPR_BINARY:
        return eval_binary(ev, e);
    case EXPR_RANGE:
        return eval_range(ev, e);
    }
    return value_none();
}

struct value evaluate(struct evaluation *ev, const struct ast_expr *e, enum vocabulary expected) {
    if (ev->depth == EVAL_MAX_DEPTH) {
        return failure(ev, DIAG_A0404, e->span, "nested too deeply; limit is %d", EVAL_MAX_DEPTH);
    }
    ev->depth++;
    struct value v = eval_kind(ev, e, expected);
    ev->depth--;
    if (v.kind != VALUE_FAILURE) { // a failure keeps the place where it arose
        v.span = e->span;
    }
    return v;
}

struct value eval(const struct subject *s, const struct decl *scope, const struct ast_expr *e,
                  enum vocabulary expected) {
    struct evaluation ev = evaluation_of(s, scope);
    return evaluate(&ev, e, expected);
}

bool eval_holds(const struct subject *s, const struct decl *scope, const struct ast_expr *when) {
    struct evaluation ev = evaluation_of(s, scope);
    return holds(&ev, when);
}

bool eval_constant(const struct program *p, const struct ast_expr *e, enum vocabulary expected,
                   struct value *out) {
    struct subject nothing = {.program = p};
    struct evaluation ev = evaluation_of(&nothing, NULL);
    ev.report = p->diags;
    *out = evaluate(&ev, e, expected);
    return out->kind != VALUE_FAILURE;
}
