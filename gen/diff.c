// SPDX-License-Identifier: Apache-2.0
// Compares two plans. In: plans, complete or not. Out: changes: of the deployment, of operators
// matched by model, layer and name, of groups matched by name, of memory. Always: equal changes of
// several layers are one; the order is that of the fields, then of the operators.

#include "gen/diff.h"

#include <string.h>

#include "gen/names.h"

// ---- values

struct value {
    enum { VALUE_TEXT, VALUE_INT, VALUE_NUMBER, VALUE_DEMAND } type;
    bool given;
    const char *text;
    int64_t v;
    struct number number;
    const struct plan_operator *op; // whose `demand` it is
};

static struct value text_value(const char *text) {
    return (struct value){.type = VALUE_TEXT, .given = text != NULL, .text = text};
}

static struct value int_value(struct plan_int n) {
    return (struct value){.type = VALUE_INT, .given = n.given, .v = n.v};
}

static struct value known(int64_t v) {
    return (struct value){.type = VALUE_INT, .given = true, .v = v};
}

static struct value flag_value(bool flag) {
    return text_value(flag ? "yes" : "no");
}

static struct value number_value(bool given, struct number n) {
    return (struct value){.type = VALUE_NUMBER, .given = given, .number = n};
}

static struct value demand_value(const struct plan_operator *op) {
    return (struct value){.type = VALUE_DEMAND, .given = op->demand.len > 0, .op = op};
}

static bool same_demand(const struct plan_operator *a, const struct plan_operator *b) {
    for (size_t i = 0; i < a->demand.len; i++) {
        if (i >= b->demand.len || strcmp(a->demand.at[i], b->demand.at[i]) != 0) {
            return false;
        }
    }
    return a->demand.len == b->demand.len;
}

static bool same_value(const struct value *a, const struct value *b) {
    if (!a->given || !b->given) {
        return a->given == b->given;
    }
    switch (a->type) {
    case VALUE_TEXT:
        return strcmp(a->text, b->text) == 0;
    case VALUE_INT:
        return a->v == b->v;
    case VALUE_NUMBER:
        return number_compare(a->number, b->number) == 0;
    case VALUE_DEMAND:
        break;
    }
    return same_demand(a->op, b->op);
}

// NULL: not given.
static const char *value_text(struct arena *a, const struct value *v) {
    char number[80];
    struct text t = text_of(a);
    if (!v->given) {
        return NULL;
    }
    switch (v->type) {
    case VALUE_TEXT:
        return v->text;
    case VALUE_INT:
        return arena_printf(a, "%lld", (long long)v->v);
    case VALUE_NUMBER:
        number_print(v->number, number);
        return arena_strdup(a, number);
    case VALUE_DEMAND:
        break;
    }
    for (size_t i = 0; i < v->op->demand.len; i++) {
        text_addf(&t, "%s%s", i ? " " : "", v->op->demand.at[i]);
    }
    return text_string(&t);
}

// ---- fields: X(enumerator, name, value)
#define OPERATOR_FIELDS(X)                                                                         \
    X(KIND, "kind", text_value(op->kind))                                                          \
    X(HEADS, "heads", int_value(op->heads))                                                        \
    X(KV_HEADS, "kv_heads", int_value(op->kv_heads))                                               \
    X(HEAD_DIM, "head_dim", int_value(op->head_dim))                                               \
    X(V_HEAD_DIM, "v_head_dim", int_value(op->v_head_dim))                                         \
    X(MLA_LATENT, "mla.latent", int_value(op->mla_latent))                                         \
    X(MLA_ROPE, "mla.rope", int_value(op->mla_rope))                                               \
    X(MLA_NOPE, "mla.nope", int_value(op->mla_nope))                                               \
    X(MLA_V, "mla.v", int_value(op->mla_v))                                                        \
    X(WINDOW, "window", int_value(op->window))                                                     \
    X(WINDOW_LEFT, "window_left", int_value(op->window_left))                                      \
    X(WINDOW_RIGHT, "window_right", int_value(op->window_right))                                   \
    X(CHUNK, "chunk", int_value(op->chunk))                                                        \
    X(SINK_TOKENS, "sink_tokens", int_value(op->sink_tokens))                                      \
    X(SINK_LOGITS, "sink_logits", flag_value(op->sink_logits))                                     \
    X(SOFTCAP, "softcap", number_value(op->has_softcap, op->softcap))                              \
    X(ALIBI, "alibi", flag_value(op->alibi))                                                       \
    X(SCALE, "scale", number_value(op->has_scale, op->scale))                                      \
    X(KV_SHARE, "kv_share", int_value(op->kv_share))                                               \
    X(SSM_TYPE, "ssm.type", text_value(op->ssm_type))                                              \
    X(SSM_HEADS, "ssm.heads", int_value(op->ssm_heads))                                            \
    X(SSM_HEAD_DIM, "ssm.head_dim", int_value(op->ssm_head_dim))                                   \
    X(SSM_STATE, "ssm.state", int_value(op->ssm_state))                                            \
    X(SSM_GROUPS, "ssm.groups", int_value(op->ssm_groups))                                         \
    X(SSM_CONV, "ssm.conv", int_value(op->ssm_conv))                                               \
    X(SSM_DTYPE, "ssm.dtype", text_value(op->ssm_dtype))                                           \
    X(INDEX_TOPK, "index.topk", int_value(op->index_topk))                                         \
    X(INDEX_HEADS, "index.heads", int_value(op->index_heads))                                      \
    X(INDEX_HEAD_DIM, "index.head_dim", int_value(op->index_head_dim))                             \
    X(INDEX_DTYPE, "index.dtype", text_value(op->index_dtype))                                     \
    X(INDEX_SHARE, "index.share", int_value(op->index_share))                                      \
    X(COMPRESS, "compress", int_value(op->compress))                                               \
    X(DEMAND, "demand", demand_value(op))                                                          \
    X(DTYPE, "dtype", text_value(op->dtype))                                                       \
    X(KV_DTYPE, "kv_dtype", text_value(op->kv_dtype))                                              \
    X(K_WIDTH, "k_width", int_value(op->k_width))                                                  \
    X(DETERMINISTIC, "deterministic", flag_value(op->deterministic))                               \
    X(GROUP, "group", text_value(group_name(plan, op)))

#define GROUP_FIELDS(X)                                                                            \
    X(KV_DTYPE, "kv_dtype", text_value(g->kv_dtype), false)                                        \
    X(WINDOW, "window", int_value(g->window), false)                                               \
    X(CHUNK, "chunk", int_value(g->chunk), false)                                                  \
    X(OPERATORS, "operators", known((int64_t)g->operators.len), false)                             \
    X(LAYOUT, "layout", text_value(g->layout), false)                                              \
    X(BLOCK_SIZE, "block_size",                                                                    \
      int_value((struct plan_int){.given = g->has_block_size, .v = g->block_size}), false)         \
    X(PAGE_BYTES, "page_bytes", int_value(g->page_bytes), true)                                    \
    X(BLOCKS, "blocks", int_value(g->blocks), false)                                               \
    X(BYTES, "bytes", int_value(g->bytes), true)

#define DEPLOYMENT_FIELDS(X)                                                                       \
    X(PLATFORM, "platform", text_value(plan->platform))                                            \
    X(ISA, "isa", text_value(plan->isa))                                                           \
    X(CORES, "cores", int_value(plan->cores))                                                      \
    X(MAX_SEQS, "max_seqs", known(plan->max_seqs))                                                 \
    X(MAX_TOKENS, "max_tokens", known(plan->max_tokens))                                           \
    X(MAX_BATCH_TOKENS, "max_batch_tokens", known(plan->max_batch_tokens))                         \
    X(MAX_SOURCE_TOKENS, "max_source_tokens", int_value(plan->max_source_tokens))                  \
    X(DECODE_Q, "decode_q", known(plan->decode_q))

#define MEMORY_FIELDS(X)                                                                           \
    X(KV, "kv_bytes", int_value(plan->kv_bytes))                                                   \
    X(STATE, "state_bytes", int_value(plan->state_bytes))                                          \
    X(WORKSPACE, "workspace_bytes", int_value(plan->workspace_bytes))                              \
    X(TOTAL, "total_bytes", int_value(plan->total_bytes))                                          \
    X(BUDGET, "budget_bytes", int_value(plan->budget_bytes))

enum operator_field {
#define FIELD(id, name, value) OPERATOR_##id,
    OPERATOR_FIELDS(FIELD)
#undef FIELD
        OPERATOR_PHASES // prefill and decode, one by one or both
};

static const char *group_name(const struct plan *plan, const struct plan_operator *op) {
    return op->group == PLAN_NO_INDEX ? NULL : plan->groups.at[op->group].name;
}

// ---- changes

struct comparison {
    struct arena *arena;
    const struct plan *old, *new;
    struct diff *out;
    struct name_table rows;            // text of a change -> its index + 1
    const char *old_model, *new_model; // the only ones with no partner of the same name, or NULL
};

static void add_change(struct comparison *c, struct diff_change change, const struct value *old,
                       const struct value *new) {
    change.old = value_text(c->arena, old);
    change.new = value_text(c->arena, new);
    change.integer = old->type == VALUE_INT;
    VEC_PUSH(c->arena, &c->out->changes, change);
}

static void compare_deployments(struct comparison *c) {
    const struct plan *plan;
    struct value old, new;
    if (c->old_model) {
        old = text_value(c->old_model);
        new = text_value(c->new_model);
        add_change(c, (struct diff_change){.subject = DIFF_DEPLOYMENT, .field = "model"}, &old,
                   &new);
    }
#define COMPARE(id, name, value)                                                                   \
    plan = c->old;                                                                                 \
    old = value;                                                                                   \
    plan = c->new;                                                                                 \
    new = value;                                                                                   \
    if (!same_value(&old, &new)) {                                                                 \
        add_change(c, (struct diff_change){.subject = DIFF_DEPLOYMENT, .field = name}, &old,       \
                   &new);                                                                          \
    }
    DEPLOYMENT_FIELDS(COMPARE)
#undef COMPARE
}

static void compare_memory(struct comparison *c) {
    const struct plan *plan;
    struct value old, new;
#define COMPARE(id, name, value)                                                                   \
    plan = c->old;                                                                                 \
    old = value;                                                                                   \
    plan = c->new;                                                                                 \
    new = value;                                                                                   \
    if (!same_value(&old, &new)) {                                                                 \
        add_change(c, (struct diff_change){.subject = DIFF_MEMORY, .field = name, .bytes = true},  \
                   &old, &new);                                                                    \
    }
    MEMORY_FIELDS(COMPARE)
#undef COMPARE
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
                                .order = OPERATOR_PHASES,
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
    const struct plan_operator *op;
    const struct plan *plan;
    struct value old, new;
#define COMPARE(id, name, value)                                                                   \
    op = a;                                                                                        \
    plan = c->old;                                                                                 \
    old = value;                                                                                   \
    op = b;                                                                                        \
    plan = c->new;                                                                                 \
    new = value;                                                                                   \
    if (!same_value(&old, &new)) {                                                                 \
        add_layer(c, b, false,                                                                     \
                  (struct diff_change){.field = name,                                              \
                                       .order = OPERATOR_##id,                                     \
                                       .old = value_text(c->arena, &old),                          \
                                       .new = value_text(c->arena, &new),                          \
                                       .integer = old.type == VALUE_INT});                         \
    }
    OPERATOR_FIELDS(COMPARE)
#undef COMPARE
    (void)plan;
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
    const struct plan_group *g;
    struct value old, new;
#define COMPARE(id, name_, value, is_bytes)                                                        \
    g = a;                                                                                         \
    old = value;                                                                                   \
    g = b;                                                                                         \
    new = value;                                                                                   \
    if (!same_value(&old, &new)) {                                                                 \
        add_change(                                                                                \
            c,                                                                                     \
            (struct diff_change){                                                                  \
                .subject = DIFF_GROUP, .group = b->name, .field = name_, .bytes = is_bytes},       \
            &old, &new);                                                                           \
    }
    GROUP_FIELDS(COMPARE)
#undef COMPARE
}

static void lone_groups(struct comparison *c, const struct plan *from, const struct plan *other,
                        enum diff_sort sort) {
    for (size_t i = 0; i < from->groups.len; i++) {
        const struct plan_group *g = &from->groups.at[i];
        if (find_group(other, g->name)) {
            continue;
        }
        struct diff_change change = {
            .subject = DIFF_GROUP, .sort = sort, .group = g->name, .bytes = true};
        const struct value none = {.type = VALUE_INT}, bytes = int_value(g->bytes);
        add_change(c, change, sort == DIFF_REMOVED ? &bytes : &none,
                   sort == DIFF_REMOVED ? &none : &bytes);
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
