// SPDX-License-Identifier: Apache-2.0
// Verdicts: a backend's answers against what an operator demands, then its rules. In: a subject and
// a backend. Out: every capability that fails, in the order of declaration, then every rule that
// fails, a parent's before its child's, each with what was wanted and what there is.
#include "gen/verdict.h"

#include <setjmp.h>
#include <string.h>

#include "gen/evaluation.h"
#include "gen/names.h"

#define CAPABILITIES_FILE "std/capabilities.attn"

// ---- answers

bool capability_is_flag(const struct decl *capability) {
    const char *relation = capability->ast->relation.text;
    return relation && strcmp(relation, "flag") == 0;
}

// What counts where a backend says nothing; false when a backend has to answer.
bool capability_default(const struct program *p, const struct decl *capability,
                        struct value *answer) {
    const char *name = capability->ast->name.text;
    if (strcmp(name, "mla") == 0 || strcmp(name, "sparse") == 0) {
        *answer = value_bool(false);
        return true;
    }
    bool elsewhere = strcmp(p->sources->files.at[capability->file].name, CAPABILITIES_FILE) != 0;
    *answer = (struct value){.kind = VALUE_ANY};
    return elsewhere || strcmp(name, "k_width") == 0;
}

enum vocabulary answer_vocabulary(const struct program *p, const char *name) {
    static const struct {
        const char *name;
        enum vocabulary vocabulary;
    } plain[] = {
#define BACKEND_ATTR(name, vocabulary) {name, VOCAB_##vocabulary},
        BACKEND_ATTRS(BACKEND_ATTR)
#undef BACKEND_ATTR
    };
    for (size_t i = 0; i < sizeof plain / sizeof *plain; i++) {
        if (same_name(plain[i].name, name)) {
            return plain[i].vocabulary;
        }
    }
    const struct decl *capability = program_find(p, DECL_CAPABILITY, name);
    return capability && capability->ast->value ? eval_vocabulary(p, NULL, capability->ast->value)
                                                : VOCAB_NONE;
}

// The value of the first line of `name` that counts, `no` when none does. *given: the first line
// at all, for messages; NULL when there is none.
static struct value line_answer(struct evaluation *ev, const char *name,
                                const struct ast_item **given) {
    struct item_lines lines = decl_lines(ev->arena, ev->scope, ITEM_SET, name);
    const struct ast_item *line = first_line(ev, &lines);
    *given = line ? line : lines.len ? lines.at[0] : NULL;
    return line ? evaluate(ev, line->value, answer_vocabulary(ev->s->program, name))
                : value_bool(false);
}

// Any multiple of a member: the block sizes of a cache whose kernel walks blocks of `member`.
static void add_multiples(struct arena *a, struct value *set, const struct value *member) {
    int64_t low, high, step = 1;
    struct value multiple = *member;
    if (value_is_int(member, &low)) {
        multiple.kind = VALUE_MULTIPLE;
        multiple.text = NULL;
    } else if (member->kind == VALUE_RANGE && value_is_int(&member->elems.at[0], &low) &&
               value_is_int(&member->elems.at[1], &high) && high - low < EVAL_MAX_ELEMS) {
        (void)value_is_int(&member->elems.at[2], &step);
        for (int64_t n = low; n <= high; n += step) {
            struct value one = value_int(n);
            add_multiples(a, set, &one);
        }
        return;
    }
    VEC_PUSH(a, &set->elems, multiple);
}

// The block sizes of the cache: as answered, else any multiple of a member of `kernel_block`.
static struct value block_answer(struct evaluation *ev, const struct ast_item **given) {
    struct value own = line_answer(ev, "block_size", given);
    if (*given) {
        return own;
    }
    struct value kernel = line_answer(ev, "kernel_block", given);
    struct value set = {.kind = VALUE_SET, .span = kernel.span};
    bool several = kernel.kind == VALUE_SET || kernel.kind == VALUE_LIST;
    if (kernel.kind == VALUE_FAILURE || kernel.kind == VALUE_ANY || kernel.kind == VALUE_BOOL) {
        return kernel;
    }
    for (size_t i = 0, n = several ? kernel.elems.len : 1; i < n; i++) {
        add_multiples(ev->arena, &set, several ? &kernel.elems.at[i] : &kernel);
    }
    return set;
}

static struct value capability_answer(struct evaluation *ev, const char *name,
                                      const struct ast_item **given) {
    if (strcmp(name, "block_size") == 0) {
        return block_answer(ev, given);
    }
    struct value answer = line_answer(ev, name, given);
    const struct decl *capability = program_find(ev->s->program, DECL_CAPABILITY, name);
    struct value other;
    if (!*given && capability && capability_default(ev->s->program, capability, &other)) {
        return other;
    }
    return answer;
}

struct value backend_answer(const struct subject *s, const struct decl *backend, const char *name) {
    struct evaluation ev = evaluation_of(s, backend);
    const struct ast_item *given;
    if (strcmp(name, "entry") == 0 || strcmp(name, "write") == 0) { // not inherited
        const char *word = backend_word(backend, name);
        return word ? value_word(word) : value_bool(false);
    }
    return capability_answer(&ev, name, &given);
}

static const struct ast_item *own_line(const struct decl *backend, const char *name) {
    for (size_t i = 0; i < backend->ast->items.len; i++) {
        const struct ast_item *item = backend->ast->items.at[i];
        if (item->kind == ITEM_SET && item->value && same_name(item->name.text, name)) {
            return item;
        }
    }
    return NULL;
}

const char *backend_word(const struct decl *backend, const char *name) {
    const struct ast_item *line = own_line(backend, name);
    bool word = line && line->value->kind == EXPR_NAME && line->value->path.len == 1;
    return word ? line->value->path.at[0].text : NULL;
}

bool backend_is_family(const struct decl *backend) {
    const struct ast_item *line = own_line(backend, "family");
    return line && line->value->kind == EXPR_YES;
}

// ---- capabilities

struct asking {
    struct evaluation ev;
    struct subject subject;
    struct verdict *verdict;
    bool kinds_failed;
};

static struct span answer_span(const struct asking *q, const struct ast_item *given) {
    return given && given->value ? given->value->span : q->ev.scope->ast->name.span;
}

static void add_reason(struct asking *q, struct reason r) {
    VEC_PUSH(q->ev.arena, &q->verdict->reasons, r);
    q->verdict->ok = false;
    q->verdict->certain = q->verdict->certain || !q->verdict->read_block;
}

// Does the kind's table say that this capability only restates the kind?
static bool restates_kind(const struct program *p, const char *name) {
    for (size_t i = 0; i < p->decls[DECL_KIND].len; i++) {
        const struct decl *kind = p->decls[DECL_KIND].at[i];
        const struct ast_item *line = own_line(kind, "restates");
        size_t n = line ? line->value->elems.len : 0;
        for (size_t j = 0; line && j < (n ? n : 1); j++) {
            const struct ast_expr *word = n ? line->value->elems.at[j].value : line->value;
            if (word->kind == EXPR_NAME && strcmp(word->path.at[0].text, name) == 0) {
                return true;
            }
        }
    }
    return false;
}

// The demand of `block_size` does not make a verdict depend on the block size: the planner asks for
// block sizes anyway (backend_takes_block).
static struct value wanted_value(struct asking *q, const struct decl *capability) {
    const struct ast_decl *c = capability->ast;
    bool *read_block = q->subject.read_block;
    if (strcmp(c->name.text, "block_size") == 0) {
        q->subject.read_block = NULL;
    }
    struct evaluation ev = evaluation_of(&q->subject, NULL);
    ev.demand = q->ev.demand;
    struct value wanted = evaluate(&ev, c->value, VOCAB_NONE);
    q->subject.read_block = read_block;
    return wanted;
}

// Capabilities that compare a value: equals, one_of, within.
static bool answer_takes(const struct asking *q, const struct decl *capability,
                         const struct value *wanted, const struct value *answer) {
    const char *relation = capability->ast->relation.text;
    struct value left = value_auto();
    if (strcmp(relation, "one_of") != 0) {
        return strcmp(relation, "equals") == 0 ? value_equal(wanted, answer)
                                               : value_in(wanted, answer);
    }
    if (strcmp(capability->ast->name.text, "kv_dtype") == 0 && q->subject.layer &&
        q->subject.layer->kv_dtype_left && value_in(&left, answer)) {
        return true;
    }
    return value_meets(wanted, answer);
}

static void ask_value(struct asking *q, const struct decl *capability) {
    const char *name = capability->ast->name.text;
    const struct ast_item *given;
    struct value answer = capability_answer(&q->ev, name, &given);
    struct value wanted = wanted_value(q, capability);
    // `any` takes everything, `none` too; a block size that is not decided is asked for later.
    if (answer.kind == VALUE_ANY || wanted.kind == VALUE_AUTO) {
        return;
    }
    bool missing = answer.kind == VALUE_FAILURE || wanted.kind == VALUE_FAILURE;
    if (!missing && answer_takes(q, capability, &wanted, &answer)) {
        return;
    }
    bool kinds = strcmp(name, "kinds") == 0;
    q->kinds_failed = q->kinds_failed || kinds;
    // A kind without such an attribute says no more than the kind.
    bool absent = wanted.kind == VALUE_NONE || wanted.kind == VALUE_FAILURE;
    add_reason(q,
               (struct reason){.name = name,
                               .capability = capability,
                               .quiet = !kinds && (absent || restates_kind(q->ev.s->program, name)),
                               .wanted = value_text(q->ev.arena, &wanted),
                               .has = value_text(q->ev.arena, &answer),
                               .answer = answer_span(q, given),
                               .missing = answer.kind == VALUE_FAILURE   ? answer.text
                                          : wanted.kind == VALUE_FAILURE ? wanted.text
                                                                         : NULL});
}

// "512" for a flag that an attribute of the same name demands, else "yes".
static const char *flag_wanted(const struct asking *q, const char *name) {
    int index = attr_find(operator_attr_infos, ATTR_COUNT, name);
    const struct value *v = index >= 0 && q->subject.layer ? &q->subject.layer->at[index] : NULL;
    return v && v->kind == VALUE_NUMBER ? value_text(q->ev.arena, v) : "yes";
}

static void ask_flag(struct asking *q, const struct decl *capability, const struct value *flags,
                     const struct ast_item *given) {
    const char *name = capability->ast->name.text;
    struct value flag = value_word(name);
    if (!value_in(&flag, q->ev.demand) || value_in(&flag, flags)) {
        return;
    }
    add_reason(q, (struct reason){.name = name,
                                  .capability = capability,
                                  .quiet = restates_kind(q->ev.s->program, name),
                                  .wanted = flag_wanted(q, name),
                                  .has = "no",
                                  .answer = answer_span(q, given),
                                  .missing = flags->kind == VALUE_FAILURE ? flags->text : NULL});
}

static void ask_capabilities(struct asking *q) {
    const struct decls *capabilities = &q->ev.s->program->decls[DECL_CAPABILITY];
    const struct ast_item *given;
    struct value flags = line_answer(&q->ev, "flags", &given);
    for (size_t i = 0; i < capabilities->len; i++) {
        const struct decl *c = capabilities->at[i];
        if (capability_is_flag(c)) {
            ask_flag(q, c, &flags, given);
        } else if (c->ast->value && c->ast->relation.text) {
            ask_value(q, c);
        }
    }
    for (size_t i = 0; i < q->verdict->reasons.len; i++) {
        struct reason *r = &q->verdict->reasons.at[i];
        r->quiet = r->quiet && q->kinds_failed;
    }
}

// ---- rules

static void ask_rule(struct asking *q, const struct decl *of, const struct ast_item *rule) {
    const struct program *p = q->ev.s->program;
    struct value v;
    bool yes;
    bool evaluated = truth(&q->ev, rule->value, &v, &yes);
    if (evaluated && yes) {
        return;
    }
    const struct source *file = &p->sources->files.at[rule->span.file];
    struct position at = source_position(p->sources, rule->span.file, rule->span.begin);
    const char *place = arena_printf(p->arena, "%s:%u", file->name, (unsigned)at.line);
    add_reason(q, (struct reason){.name = rule->label.text ? rule->label.text : place,
                                  .rule = rule,
                                  .rule_of = of,
                                  // It asks for what a kind that is refused does not have.
                                  .quiet = q->kinds_failed && !evaluated,
                                  .wanted = rule->message ? rule->message : "",
                                  .has = eval_names_text(&q->subject, q->ev.scope, rule->value),
                                  .answer = rule->value->span,
                                  .missing = evaluated ? NULL : v.text});
}

static void ask_rules(struct asking *q, const struct decl *of) {
    if (of->parent) {
        ask_rules(q, of->parent);
    }
    for (size_t i = 0; i < of->ast->items.len; i++) {
        if (of->ast->items.at[i]->kind == ITEM_REQUIRE) {
            ask_rule(q, of, of->ast->items.at[i]);
        }
    }
}

static struct verdict ask(const struct subject *s, const struct decl *backend) {
    struct verdict verdict = {.ok = true};
    struct asking q = {.subject = *s, .verdict = &verdict};
    q.subject.read_block = &verdict.read_block;
    struct value demand = demands_of(&q.subject);
    q.ev = evaluation_of(&q.subject, backend);
    q.ev.demand = &demand;
    ask_capabilities(&q);
    ask_rules(&q, backend);
    return verdict;
}

static const char *kept_text(struct arena *a, const char *text) {
    return text ? arena_strndup(a, text, strlen(text)) : NULL;
}

static void keep_reasons(struct arena *a, struct verdict *v) {
    struct reasons from = v->reasons;
    v->reasons = (struct reasons){0};
    for (size_t i = 0; i < from.len; i++) {
        struct reason r = from.at[i];
        r.name = kept_text(a, r.name);
        r.wanted = kept_text(a, r.wanted);
        r.has = kept_text(a, r.has);
        r.missing = kept_text(a, r.missing);
        VEC_PUSH(a, &v->reasons, r);
    }
}

// Asked for many backends and sizes: what an evaluation allocates is given back each time, and only
// reasons, where they are wanted, stay in the program's arena.
static struct verdict ask_apart(const struct subject *s, const struct decl *backend, bool reasons) {
    struct scratch {
        struct arena arena, *kept;
        jmp_buf out_of_memory, *outer;
    } *scratch = ARENA_NEW(s->program->arena, struct scratch);
    scratch->kept = s->program->arena;
    scratch->outer = scratch->kept->out_of_memory;
    arena_init(&scratch->arena, &scratch->out_of_memory);
    scratch->arena.allocate = scratch->kept->allocate;
    scratch->kept->out_of_memory = &scratch->out_of_memory;
    if (setjmp(scratch->out_of_memory)) {
        arena_free(&scratch->arena);
        scratch->kept->out_of_memory = scratch->outer;
        longjmp(*scratch->outer, 1);
    }
    struct program program = *s->program;
    program.arena = &scratch->arena;
    struct subject with = *s;
    with.program = &program;
    struct verdict verdict = ask(&with, backend);
    if (reasons) {
        keep_reasons(scratch->kept, &verdict);
    } else {
        verdict.reasons = (struct reasons){0};
    }
    arena_free(&scratch->arena);
    scratch->kept->out_of_memory = scratch->outer;
    return verdict;
}

struct verdict verdict_of(const struct subject *s, const struct decl *backend) {
    struct verdict verdict = ask_apart(s, backend, true);
    if (s->read_block && verdict.read_block) {
        *s->read_block = true;
    }
    return verdict;
}

bool backend_takes_block(const struct subject *s, const struct decl *backend, int64_t block_size) {
    struct subject with = *s;
    with.block_size = block_size;
    return ask_apart(&with, backend, false).ok;
}
