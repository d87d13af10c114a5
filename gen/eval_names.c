// SPDX-License-Identifier: Apache-2.0
// What names stand for: lets, words, and the attributes of operator, model, deployment and
// platform. In: a path of names. Out: its value, or a failure that names what is missing.
#include <string.h>

#include "gen/evaluation.h"
#include "gen/names.h"

const char *path_rest(struct arena *a, const struct ast_path *path) {
    const char *text = path->len > 1 ? path->at[1].text : "";
    for (size_t i = 2; i < path->len; i++) {
        text = arena_printf(a, "%s.%s", text, path->at[i].text);
    }
    return text;
}

const char *path_text(struct arena *a, const struct ast_path *path) {
    return path->len == 1 ? path->at[0].text
                          : arena_printf(a, "%s.%s", path->at[0].text, path_rest(a, path));
}

static bool is_root(const struct ast_expr *e, const char *root) {
    return e->path.len > 1 && strcmp(e->path.at[0].text, root) == 0;
}

// ---- lets

struct item_lines let_lines(struct arena *a, const struct decl *scope, const char *name) {
    return decl_lines(a, scope, ITEM_LET, name);
}

static struct value let_value(struct evaluation *ev, const struct item_lines *lines,
                              enum vocabulary expected) {
    const struct ast_item *line = first_line(ev, lines);
    return line ? evaluate(ev, line->value, expected) : value_bool(false);
}

static struct value eval_let(struct evaluation *ev, const struct ast_expr *e,
                             const struct item_lines *lines, enum vocabulary expected) {
    const char *name = e->path.at[0].text;
    for (size_t i = 0; i < ev->lets.len; i++) {
        const struct let_memo *m = &ev->lets.at[i];
        if (m->vocabulary == expected && same_name(m->name, name)) {
            return m->state == LET_DONE
                       ? m->value
                       : failure(ev, DIAG_A0310, e->span, "`let %s` reaches itself", name);
        }
    }
    struct let_memo memo = {.name = name, .vocabulary = expected, .state = LET_BUSY};
    size_t place = ev->lets.len;
    VEC_PUSH(ev->arena, &ev->lets, memo);
    struct value v = let_value(ev, lines, expected);
    ev->lets.at[place].value = v;
    ev->lets.at[place].state = LET_DONE;
    return v;
}

// ---- bare names

static struct value unknown_word(struct evaluation *ev, const struct ast_expr *e,
                                 enum vocabulary expected) {
    const struct program *p = ev->s->program;
    const char *name = e->path.at[0].text, *noun = vocab_noun(expected);
    const char *text = arena_printf(ev->arena, "unknown %s `%s`", noun, name);
    if (ev->report) {
        const char *other =
            expected == VOCAB_BACKEND ? program_other_kind(p, DECL_BACKEND, name) : "";
        struct diag *g = diag_add(ev->report, DIAG_A0301, e->span, "%s%s", text, other);
        if (p->diags->errors <= SUGGESTIONS_MAX) {
            struct words words = vocab_words(p, expected);
            program_suggest(p, g, noun, name, words.at, words.len);
        }
    }
    return (struct value){.kind = VALUE_FAILURE, .text = text, .span = e->span};
}

static struct value eval_bare(struct evaluation *ev, const struct ast_expr *e,
                              enum vocabulary expected) {
    const char *name = e->path.at[0].text;
    struct item_lines lines = let_lines(ev->arena, ev->scope, name);
    if (lines.len) {
        return eval_let(ev, e, &lines, expected);
    }
    if (strcmp(name, "phase") == 0 && ev->s->has_phase) {
        return value_word(phase_names[ev->s->phase]);
    }
    if (vocab_has(ev->s->program, expected, name)) {
        return value_word(name);
    }
    return unknown_word(ev, e, expected);
}

// ---- versions

static bool is_version(const char *spelling) {
    return spelling[strspn(spelling, "0123456789.")] == '\0';
}

// A dotted literal becomes a version, with `whole` an integer too; sets element by element.
static struct value versions(struct arena *a, struct value v, bool whole) {
    int64_t n;
    if (v.kind == VALUE_SET || v.kind == VALUE_LIST) {
        struct values from = v.elems;
        v.elems = (struct values){0};
        for (size_t i = 0; i < from.len; i++) {
            struct value element = versions(a, from.at[i], whole);
            VEC_PUSH(a, &v.elems, element);
        }
    } else if (v.kind == VALUE_NUMBER && v.text && is_version(v.text)) {
        v.kind = VALUE_VERSION;
    } else if (whole && value_is_int(&v, &n) && n >= 0) {
        v.text = value_text(a, &v);
        v.kind = VALUE_VERSION;
    }
    return v;
}

static struct value major_of(struct evaluation *ev, const struct ast_expr *e, struct value v) {
    if (v.kind != VALUE_VERSION) { // `none` stays none
        return v.kind == VALUE_NONE || v.kind == VALUE_FAILURE
                   ? v
                   : failure(ev, DIAG_A0401, e->span, "`%s` is of something that is no version",
                             path_text(ev->arena, &e->path));
    }
    struct number n = number_int(0);
    const char *digits = arena_strndup(ev->arena, v.text, strcspn(v.text, "."));
    if (number_decimal(digits, &n) != NUMBER_OK) {
        return failure(ev, DIAG_A0402, e->span, "version %s is out of range", v.text);
    }
    return (struct value){.kind = VALUE_NUMBER, .number = n};
}

// ---- platform

// Constants of a platform are evaluated without a subject; their errors are reported by the check
// of the platform.
static struct value platform_constant(struct evaluation *ev, const struct ast_item *line,
                                      enum vocabulary expected) {
    struct subject nothing = {.program = ev->s->program};
    struct evaluation constant = evaluation_of(&nothing, NULL);
    return evaluate(&constant, line->value, expected);
}

static const struct ast_item *fact_line(const struct evaluation *ev, const char *name) {
    const struct item_lines *own = &ev->s->deploy->facts;
    for (size_t i = 0; i < own->len; i++) {
        if (same_name(own->at[i]->name.text, name)) {
            return own->at[i];
        }
    }
    struct item_lines lines = decl_lines(ev->arena, ev->s->deploy->platform, ITEM_FACT, name);
    return lines.len ? lines.at[0] : NULL;
}

static struct value eval_platform_name(struct evaluation *ev, const struct ast_expr *e,
                                       const char *name) {
    int index = attr_find(platform_attr_infos, PLATFORM_ATTR_COUNT, name);
    if (index < 0) {
        const struct ast_item *fact = fact_line(ev, name);
        if (fact) {
            // A fact is a version when it was written with a dot.
            return versions(ev->arena, platform_constant(ev, fact, VOCAB_FREE), false);
        }
        return failure(ev, DIAG_A0301, e->span, "the platform does not state `%s`", name);
    }
    const struct attr_info *info = &platform_attr_infos[index];
    struct item_lines lines = decl_lines(ev->arena, ev->s->deploy->platform, ITEM_SET, name);
    if (!lines.len) {
        return value_none();
    }
    struct value v = platform_constant(ev, lines.at[0], info->vocabulary);
    return info->type == TYPE_VERSION ? versions(ev->arena, v, true) : v;
}

static struct value eval_platform(struct evaluation *ev, const struct ast_expr *e) {
    size_t n = e->path.len;
    if (!ev->s->deploy || !ev->s->deploy->platform) {
        return failure(ev, DIAG_A0403, e->span, "there is no platform here");
    }
    struct value v = eval_platform_name(ev, e, e->path.at[1].text);
    if (n == 3 && strcmp(e->path.at[2].text, "major") == 0) {
        return major_of(ev, e, v);
    }
    if (n > 2) {
        return failure(ev, DIAG_A0301, e->span, "unknown name `%s`",
                       path_text(ev->arena, &e->path));
    }
    return v;
}

// ---- operator, model, deployment

static struct value eval_operator(struct evaluation *ev, const struct ast_expr *e,
                                  const struct operator_attrs *attrs) {
    const char *name = path_rest(ev->arena, &e->path);
    int index = attr_find(operator_attr_infos, ATTR_COUNT, name);
    if (index < 0) {
        return failure(ev, DIAG_A0301, e->span, "unknown name `%s`",
                       path_text(ev->arena, &e->path));
    }
    if (!attrs) {
        return failure(ev, DIAG_A0403, e->span, "`%s` has no value here",
                       path_text(ev->arena, &e->path));
    }
    if (index == ATTR_DEMAND && attrs == ev->s->layer) {
        return ev->demand ? *ev->demand : demands_of(ev->s);
    }
    return attrs->at[index];
}

static struct value eval_model(struct evaluation *ev, const struct ast_expr *e) {
    if (e->path.len == 2 && strcmp(e->path.at[1].text, "kinds") == 0 && ev->s->model_kinds) {
        return *ev->s->model_kinds;
    }
    return eval_operator(ev, e, ev->s->model);
}

static struct value eval_deploy(struct evaluation *ev, const struct ast_expr *e) {
    const struct subject *s = ev->s;
    int index = attr_find(deploy_attr_infos, DEPLOY_ATTR_COUNT, path_rest(ev->arena, &e->path));
    if (index < 0) {
        return failure(ev, DIAG_A0301, e->span, "unknown name `%s`",
                       path_text(ev->arena, &e->path));
    }
    if (!s->deploy) {
        return failure(ev, DIAG_A0403, e->span, "there is no deployment here");
    }
    if (index != DEPLOY_BLOCK_SIZE) {
        return s->deploy->at[index];
    }
    if (s->read_block) {
        *s->read_block = true;
    }
    if (s->block_size > 0) {
        return value_int(s->block_size);
    }
    const struct value *own = &s->deploy->at[index];
    return own->kind == VALUE_NONE ? value_auto() : *own; // not given is `auto`
}

struct value eval_name(struct evaluation *ev, const struct ast_expr *e, enum vocabulary expected) {
    if (e->path.len == 1) {
        return eval_bare(ev, e, expected);
    }
    if (ev->report) {
        return failure(ev, DIAG_A0403, e->span, "`%s` has no value in a constant",
                       path_text(ev->arena, &e->path));
    }
    if (is_root(e, "layer")) {
        return eval_operator(ev, e, ev->s->layer);
    }
    if (is_root(e, "model")) {
        return eval_model(ev, e);
    }
    if (is_root(e, "deploy")) {
        return eval_deploy(ev, e);
    }
    if (is_root(e, "platform")) {
        return eval_platform(ev, e);
    }
    return failure(ev, DIAG_A0301, e->span, "unknown name `%s`", path_text(ev->arena, &e->path));
}
