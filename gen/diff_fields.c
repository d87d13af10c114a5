// SPDX-License-Identifier: Apache-2.0
// What two plans are compared by. In: a plan, an operator or a group. Out: its fields with their
// values, always all of them and in one order, so that fields of two can be compared by place.

#include "gen/diff_fields.h"

#include <string.h>

#include "gen/text.h"

// ---- values

static struct diff_value text_value(const char *text) {
    return (struct diff_value){.type = VALUE_TEXT, .given = text != NULL, .text = text};
}

static struct diff_value int_value(struct plan_int n) {
    return (struct diff_value){.type = VALUE_INT, .given = n.given, .v = n.v};
}

static struct diff_value known(int64_t v) {
    return (struct diff_value){.type = VALUE_INT, .given = true, .v = v};
}

static struct diff_value flag_value(bool flag) {
    return text_value(flag ? "yes" : "no");
}

static struct diff_value number_value(bool given, struct number n) {
    return (struct diff_value){.type = VALUE_NUMBER, .given = given, .number = n};
}

static struct diff_value demand_value(const struct plan_operator *op) {
    return (struct diff_value){.type = VALUE_DEMAND, .given = op->demand.len > 0, .op = op};
}

static bool same_demand(const struct plan_operator *a, const struct plan_operator *b) {
    for (size_t i = 0; i < a->demand.len; i++) {
        if (i >= b->demand.len || strcmp(a->demand.at[i], b->demand.at[i]) != 0) {
            return false;
        }
    }
    return a->demand.len == b->demand.len;
}

bool diff_same_value(const struct diff_value *a, const struct diff_value *b) {
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

const char *diff_value_text(struct arena *a, const struct diff_value *v) {
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

// ---- fields

static const char *group_name(const struct plan *plan, const struct plan_operator *op) {
    return op->group == PLAN_NO_INDEX ? NULL : plan->groups.at[op->group].name;
}

size_t diff_deployment_fields(const struct plan *plan, struct diff_field out[]) {
    const struct diff_field all[] = {
        {"platform", text_value(plan->platform), false},
        {"isa", text_value(plan->isa), false},
        {"cores", int_value(plan->cores), false},
        {"max_seqs", known(plan->max_seqs), false},
        {"max_tokens", known(plan->max_tokens), false},
        {"max_batch_tokens", known(plan->max_batch_tokens), false},
        {"max_source_tokens", int_value(plan->max_source_tokens), false},
        {"decode_q", known(plan->decode_q), false},
    };
    _Static_assert(sizeof all / sizeof *all <= DIFF_FIELDS_MAX, "raise DIFF_FIELDS_MAX");
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

size_t diff_memory_fields(const struct plan *plan, struct diff_field out[]) {
    const struct diff_field all[] = {
        {"kv_bytes", int_value(plan->kv_bytes), true},
        {"state_bytes", int_value(plan->state_bytes), true},
        {"workspace_bytes", int_value(plan->workspace_bytes), true},
        {"total_bytes", int_value(plan->total_bytes), true},
        {"budget_bytes", int_value(plan->budget_bytes), true},
    };
    _Static_assert(sizeof all / sizeof *all <= DIFF_FIELDS_MAX, "raise DIFF_FIELDS_MAX");
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

size_t diff_group_fields(const struct plan_group *g, struct diff_field out[]) {
    const struct diff_field all[] = {
        {"kv_dtype", text_value(g->kv_dtype), false},
        {"window", int_value(g->window), false},
        {"chunk", int_value(g->chunk), false},
        {"operators", known((int64_t)g->operators.len), false},
        {"layout", text_value(g->layout), false},
        {"block_size", int_value((struct plan_int){.given = g->has_block_size, .v = g->block_size}),
         false},
        {"page_bytes", int_value(g->page_bytes), true},
        {"blocks", int_value(g->blocks), false},
        {"bytes", int_value(g->bytes), true},
    };
    _Static_assert(sizeof all / sizeof *all <= DIFF_FIELDS_MAX, "raise DIFF_FIELDS_MAX");
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}

size_t diff_operator_fields(const struct plan *plan, const struct plan_operator *op,
                            struct diff_field out[]) {
    const struct diff_field all[] = {
        {"kind", text_value(op->kind), false},
        {"heads", int_value(op->heads), false},
        {"kv_heads", int_value(op->kv_heads), false},
        {"head_dim", int_value(op->head_dim), false},
        {"v_head_dim", int_value(op->v_head_dim), false},
        {"mla.latent", int_value(op->mla_latent), false},
        {"mla.rope", int_value(op->mla_rope), false},
        {"mla.nope", int_value(op->mla_nope), false},
        {"mla.v", int_value(op->mla_v), false},
        {"window", int_value(op->window), false},
        {"window_left", int_value(op->window_left), false},
        {"window_right", int_value(op->window_right), false},
        {"chunk", int_value(op->chunk), false},
        {"sink_tokens", int_value(op->sink_tokens), false},
        {"sink_logits", flag_value(op->sink_logits), false},
        {"softcap", number_value(op->has_softcap, op->softcap), false},
        {"alibi", flag_value(op->alibi), false},
        {"scale", number_value(op->has_scale, op->scale), false},
        {"kv_share", int_value(op->kv_share), false},
        {"ssm.type", text_value(op->ssm_type), false},
        {"ssm.heads", int_value(op->ssm_heads), false},
        {"ssm.head_dim", int_value(op->ssm_head_dim), false},
        {"ssm.state", int_value(op->ssm_state), false},
        {"ssm.groups", int_value(op->ssm_groups), false},
        {"ssm.conv", int_value(op->ssm_conv), false},
        {"ssm.dtype", text_value(op->ssm_dtype), false},
        {"index.topk", int_value(op->index_topk), false},
        {"index.heads", int_value(op->index_heads), false},
        {"index.head_dim", int_value(op->index_head_dim), false},
        {"index.dtype", text_value(op->index_dtype), false},
        {"index.share", int_value(op->index_share), false},
        {"compress", int_value(op->compress), false},
        {"demand", demand_value(op), false},
        {"dtype", text_value(op->dtype), false},
        {"kv_dtype", text_value(op->kv_dtype), false},
        {"k_width", int_value(op->k_width), false},
        {"deterministic", flag_value(op->deterministic), false},
        {"group", text_value(group_name(plan, op)), false},
    };
    _Static_assert(sizeof all / sizeof *all <= DIFF_FIELDS_MAX, "raise DIFF_FIELDS_MAX");
    memcpy(out, all, sizeof all);
    return sizeof all / sizeof *all;
}
