// SPDX-License-Identifier: Apache-2.0
// Compares two plans. In: plans, complete or not. Out: changes: of the deployment, of operators
// matched by model, layer and name, of groups matched by name, of memory. Always: equal changes of
// several layers are one; the order is that of the fields, then of the operators.

#include "gen/diff.h"

#include <string.h>

#include "gen/diff_fields.h"
#include "gen/names.h"

#define ORDER_PHASES DIFF_FIELDS_MAX // prefill, or both phases; then decode

// ---- changes

struct comparison {
    struct arena *arena;
    const struct plan *old, *new;
    struct diff *out;
    struct name_table rows;            // text of a change -> its index
    const char *old_model, *new_model; // the only ones with no partner of the same name, or NULL
};

// One change for each field that differs; `change` says of what.
static void compare_fields(struct comparison *c, struct diff_change change,
                           const struct diff_field *old, const struct diff_field *new, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (diff_same_value(&old[i].value, &new[i].value)) {
            continue;
        }
        change.field = old[i].name;
        change.old = diff_value_text(c->arena, &old[i].value);
        change.new = diff_value_text(c->arena, &new[i].value);
        change.integer = old[i].value.type == VALUE_INT;
        change.bytes = old[i].bytes;
        VEC_PUSH(c->arena, &c->out->changes, change);
    }
}

static void compare_deployments(struct comparison *c) {
    struct diff_field old[DIFF_FIELDS_MAX], new[DIFF_FIELDS_MAX];
    struct diff_change change = {.subject = DIFF_DEPLOYMENT};
    if (c->old_model) {
        struct diff_change model = {
            .subject = DIFF_DEPLOYMENT, .field = "model", .old = c->old_model, .new = c->new_model};
        VEC_PUSH(c->arena, &c->out->changes, model);
    }
    diff_deployment_fields(c->old, old);
    compare_fields(c, change, old, new, diff_deployment_fields(c->new, new));
}

static void compare_memory(struct comparison *c) {
    struct diff_field old[DIFF_FIELDS_MAX], new[DIFF_FIELDS_MAX];
    struct diff_change change = {.subject = DIFF_MEMORY};
    diff_memory_fields(c->old, old);
    compare_fields(c, change, old, new, diff_memory_fields(c->new, new));
}

// ---- operators

static const char *model_key(const struct comparison *c, const struct plan_operator *op, bool old) {
    return old && c->old_model && strcmp(op->model, c->old_model) == 0 ? c->new_model : op->model;
}

static const char *operator_key(struct comparison *c, const struct plan_operator *op, bool old) {
    return arena_printf(c->arena, "%s\n%lld\n%s", model_key(c, op, old), (long long)op->layer,
                        op->op);
}

static const char *or_empty(const char *s) {
    return s ? s : "";
}

// One more layer of this change.
static void add_layer(struct comparison *c, const struct plan_operator *op, bool old,
                      struct diff_change change) {
    change.subject = DIFF_OPERATOR;
    change.model = model_key(c, op, old);
    change.op = op->op;
    const char *key = arena_printf(
        c->arena, "%d %d %s\n%s\n%s\n%d%s\n%d%s\n%s\n%s\n%d", change.sort, (int)change.order,
        change.model, change.op, or_empty(change.field), change.old != NULL, or_empty(change.old),
        change.new != NULL, or_empty(change.new), or_empty(change.old_by), or_empty(change.new_by),
        change.both_phases);
    size_t *row = name_get(&c->rows, key);
    if (!row) {
        row = ARENA_NEW(c->arena, size_t);
        *row = c->out->changes.len;
        name_set(&c->rows, key, row);
        VEC_PUSH(c->arena, &c->out->changes, change);
    }
    VEC_PUSH(c->arena, &c->out->changes.at[*row].layers, op->layer);
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : a == b;
}

static struct diff_change phase_change(const struct plan_operator *old,
                                       const struct plan_operator *new, enum phase p) {
    const struct plan_phase *x = &old->phase[p], *y = &new->phase[p];
    return (struct diff_change){.field = phase_names[p],
                                .order = ORDER_PHASES,
                                .old = x->present ? x->backend : NULL,
                                .new = y->present ? y->backend : NULL,
                                .old_by = x->present ? decision_text(x->decided_by) : NULL,
                                .new_by = y->present ? decision_text(y->decided_by) : NULL};
}

static bool is_change(const struct diff_change *c) {
    return !same_text(c->old, c->new) || !same_text(c->old_by, c->new_by);
}

static void compare_phases(struct comparison *c, const struct plan_operator *old,
                           const struct plan_operator *new) {
    struct diff_change prefill = phase_change(old, new, PHASE_PREFILL);
    struct diff_change decode = phase_change(old, new, PHASE_DECODE);
    if (same_text(prefill.old, decode.old) && same_text(prefill.new, decode.new) &&
        same_text(prefill.old_by, decode.old_by) && same_text(prefill.new_by, decode.new_by)) {
        prefill.both_phases = true;
        decode = (struct diff_change){0};
    }
    if (is_change(&prefill)) {
        add_layer(c, new, false, prefill);
    }
    if (is_change(&decode)) {
        decode.order++; // after all of prefill
        add_layer(c, new, false, decode);
    }
}

static void compare_operator(struct comparison *c, const struct plan_operator *a,
                             const struct plan_operator *b) {
    struct diff_field old[DIFF_FIELDS_MAX], new[DIFF_FIELDS_MAX];
    diff_operator_fields(c->old, a, old);
    const size_t n = diff_operator_fields(c->new, b, new);
    for (size_t i = 0; i < n; i++) {
        if (!diff_same_value(&old[i].value, &new[i].value)) {
            struct diff_change change = {.field = old[i].name,
                                         .order = (unsigned)i,
                                         .old = diff_value_text(c->arena, &old[i].value),
                                         .new = diff_value_text(c->arena, &new[i].value),
                                         .integer = old[i].value.type == VALUE_INT};
            add_layer(c, b, false, change);
        }
    }
    compare_phases(c, a, b);
}

// The whole operator is there on one side only.
static void lone_operator(struct comparison *c, const struct plan_operator *op, bool old) {
    struct diff_change change = {.sort = old ? DIFF_REMOVED : DIFF_ADDED};
    *(old ? &change.old : &change.new) = op->kind;
    add_layer(c, op, old, change);
}

static void compare_operators(struct comparison *c) {
    struct name_table olds = {.arena = c->arena}, news = {.arena = c->arena};
    for (size_t i = 0; i < c->new->operators.len; i++) {
        struct plan_operator *op = &c->new->operators.at[i];
        name_set(&news, operator_key(c, op, false), op);
        c->out->several_ops |= strcmp(op->op, "self") != 0;
    }
    for (size_t i = 0; i < c->old->operators.len; i++) {
        struct plan_operator *op = &c->old->operators.at[i];
        const char *key = operator_key(c, op, true);
        const struct plan_operator *partner = name_get(&news, key);
        name_set(&olds, key, op);
        c->out->several_ops |= strcmp(op->op, "self") != 0;
        if (partner) {
            compare_operator(c, op, partner);
        } else {
            lone_operator(c, op, true);
        }
    }
    for (size_t i = 0; i < c->new->operators.len; i++) {
        const struct plan_operator *op = &c->new->operators.at[i];
        if (!name_get(&olds, operator_key(c, op, false))) {
            lone_operator(c, op, false);
        }
    }
}

// ---- groups

static const struct plan_group *find_group(const struct plan *plan, const char *name) {
    for (size_t i = 0; i < plan->groups.len; i++) {
        if (strcmp(plan->groups.at[i].name, name) == 0) {
            return &plan->groups.at[i];
        }
    }
    return NULL;
}

static void compare_group(struct comparison *c, const struct plan_group *a,
                          const struct plan_group *b) {
    struct diff_field old[DIFF_FIELDS_MAX], new[DIFF_FIELDS_MAX];
    struct diff_change change = {.subject = DIFF_GROUP, .group = b->name};
    diff_group_fields(a, old);
    compare_fields(c, change, old, new, diff_group_fields(b, new));
}

static void lone_groups(struct comparison *c, const struct plan *from, const struct plan *other,
                        enum diff_sort sort) {
    for (size_t i = 0; i < from->groups.len; i++) {
        const struct plan_group *g = &from->groups.at[i];
        if (find_group(other, g->name)) {
            continue;
        }
        struct diff_change change = {
            .subject = DIFF_GROUP, .sort = sort, .group = g->name, .integer = true, .bytes = true};
        if (g->bytes.given) {
            *(sort == DIFF_REMOVED ? &change.old : &change.new) =
                arena_printf(c->arena, "%lld", (long long)g->bytes.v);
        }
        VEC_PUSH(c->arena, &c->out->changes, change);
    }
}

static void compare_groups(struct comparison *c) {
    lone_groups(c, c->old, c->new, DIFF_REMOVED);
    lone_groups(c, c->new, c->old, DIFF_ADDED);
    for (size_t i = 0; i < c->new->groups.len; i++) {
        const struct plan_group *g = &c->new->groups.at[i];
        const struct plan_group *old = find_group(c->old, g->name);
        if (old) {
            compare_group(c, old, g);
        }
    }
}

// ---- models

// The only model of `plan` that `other` has not, or NULL.
static const char *lone_model(const struct plan *plan, const struct plan *other) {
    const char *lone = NULL;
    for (size_t i = 0; i < plan->models.len; i++) {
        bool found = false;
        for (size_t k = 0; k < other->models.len && !found; k++) {
            found = strcmp(plan->models.at[i], other->models.at[k]) == 0;
        }
        if (!found && lone) {
            return NULL;
        }
        lone = found ? lone : plan->models.at[i];
    }
    return lone;
}

void diff_plans(struct arena *a, const struct plan *old, const struct plan *new, struct diff *out) {
    *out = (struct diff){.several_models = old->models.len > 1 || new->models.len > 1};
    struct comparison c = {.arena = a, .old = old, .new = new, .out = out, .rows = {.arena = a}};
    c.old_model = lone_model(old, new);
    c.new_model = lone_model(new, old);
    if (!c.old_model || !c.new_model) {
        c.old_model = c.new_model = NULL;
    }
    compare_deployments(&c);
    compare_operators(&c);
    compare_groups(&c);
    compare_memory(&c);
}
