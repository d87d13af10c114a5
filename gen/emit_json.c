// SPDX-License-Identifier: Apache-2.0
// NAME.json: the whole plan. In: a plan, complete or not. Out: JSON with every key always there, in
// one order; what does not apply, or needs a deployment that is not there, is null.
// Always: no key depends on the values of others, so that a diff shows only what changed.

#include "gen/emit.h"
#include "gen/json.h"

#define JSON_FORMAT 0 // 1 once the language has settled

static void put_int(struct json *j, const char *key, struct plan_int n) {
    if (n.given) {
        json_int(j, key, n.v);
    } else {
        json_null(j, key);
    }
}

static void put_number(struct json *j, const char *key, bool given, struct number n) {
    if (given) {
        json_double(j, key, number_to_double(n));
    } else {
        json_null(j, key);
    }
}

static void put_mla(struct json *j, const struct plan_operator *op) {
    if (!op->has_mla) {
        json_null(j, "mla");
        return;
    }
    json_open(j, "mla", '{', true);
    put_int(j, "latent", op->mla_latent);
    put_int(j, "rope", op->mla_rope);
    put_int(j, "nope", op->mla_nope);
    put_int(j, "v", op->mla_v);
    json_close(j, '}');
}

static void put_ssm(struct json *j, const struct plan_operator *op) {
    if (!op->has_ssm) {
        json_null(j, "ssm");
        return;
    }
    json_open(j, "ssm", '{', true);
    json_string(j, "type", op->ssm_type);
    put_int(j, "heads", op->ssm_heads);
    put_int(j, "head_dim", op->ssm_head_dim);
    put_int(j, "state", op->ssm_state);
    put_int(j, "groups", op->ssm_groups);
    put_int(j, "conv", op->ssm_conv);
    json_string(j, "dtype", op->ssm_dtype);
    json_close(j, '}');
}

static void put_index(struct json *j, const struct plan_operator *op) {
    if (!op->has_index) {
        json_null(j, "index");
        return;
    }
    json_open(j, "index", '{', true);
    put_int(j, "topk", op->index_topk);
    put_int(j, "heads", op->index_heads);
    put_int(j, "head_dim", op->index_head_dim);
    json_string(j, "dtype", op->index_dtype);
    put_int(j, "share", op->index_share);
    json_close(j, '}');
}

static void put_strings(struct json *j, const char *key, const char *const *at, size_t n) {
    json_open(j, key, '[', true);
    for (size_t i = 0; i < n; i++) {
        json_string(j, NULL, at[i]);
    }
    json_close(j, ']');
}

static void put_candidates(struct json *j, const struct plan_phase *phase) {
    json_open(j, "candidates", '[', false);
    for (size_t i = 0; i < phase->candidates.len; i++) {
        const struct plan_candidate *c = &phase->candidates.at[i];
        json_open(j, NULL, '{', true);
        json_string(j, "backend", c->backend);
        json_bool(j, "ok", c->ok);
        put_strings(j, "reasons", c->reasons.at, c->reasons.len);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_phase(struct json *j, const struct plan *plan, const struct plan_operator *op,
                      enum phase p, bool candidates) {
    const struct plan_phase *phase = &op->phase[p];
    if (!plan->has_deploy || !phase->present) {
        json_null(j, phase_names[p]);
        return;
    }
    json_open(j, phase_names[p], '{', !candidates);
    json_string(j, "backend", phase->backend);
    json_string(j, "decided_by", decision_text(phase->decided_by));
    json_string(j, "kernel",
                phase->kernel == PLAN_NO_INDEX ? NULL : plan->kernels.at[phase->kernel].symbol);
    if (candidates) {
        put_candidates(j, phase);
    }
    json_close(j, '}');
}

static void put_shape(struct json *j, const struct plan_operator *op) {
    put_int(j, "heads", op->heads);
    put_int(j, "kv_heads", op->kv_heads);
    put_int(j, "head_dim", op->head_dim);
    put_int(j, "v_head_dim", op->v_head_dim);
    put_mla(j, op);
    put_int(j, "window", op->window);
    put_int(j, "window_left", op->window_left);
    put_int(j, "window_right", op->window_right);
    put_int(j, "chunk", op->chunk);
    put_int(j, "sink_tokens", op->sink_tokens);
    json_bool(j, "sink_logits", op->sink_logits);
    put_number(j, "softcap", op->has_softcap, op->softcap);
    json_bool(j, "alibi", op->alibi);
    put_number(j, "scale", op->has_scale, op->scale);
    put_int(j, "kv_share", op->kv_share);
    put_ssm(j, op);
    put_index(j, op);
    put_int(j, "compress", op->compress);
}

static void put_operator(struct json *j, const struct plan *plan, const struct plan_operator *op,
                         bool candidates) {
    json_open(j, NULL, '{', false);
    json_string(j, "model", op->model);
    json_int(j, "layer", op->layer);
    json_string(j, "op", op->op);
    json_string(j, "kind", op->kind);
    put_shape(j, op);
    put_strings(j, "demand", op->demand.at, op->demand.len);
    json_string(j, "dtype", op->dtype);
    json_string(j, "kv_dtype", op->kv_dtype);
    put_int(
        j, "group",
        (struct plan_int){.given = plan->has_deploy && op->group != PLAN_NO_INDEX, .v = op->group});
    for (int p = 0; p < PHASE_COUNT; p++) {
        put_phase(j, plan, op, (enum phase)p, candidates);
    }
    json_close(j, '}');
}

static void put_group(struct json *j, const struct plan_group *g) {
    json_open(j, NULL, '{', false);
    json_string(j, "kind", g->kind);
    put_int(j, "block_size", (struct plan_int){.given = g->has_block_size, .v = g->block_size});
    json_string(j, "layout", g->layout);
    put_int(j, "page_bytes", g->page_bytes);
    put_int(j, "blocks", g->blocks);
    put_int(j, "bytes", g->bytes);
    json_open(j, "operators", '[', true);
    for (size_t i = 0; i < g->operators.len; i++) {
        json_int(j, NULL, g->operators.at[i]);
    }
    json_close(j, ']');
    json_close(j, '}');
}

static void put_memory(struct json *j, const struct plan *plan) {
    json_open(j, "memory", '{', false);
    put_int(j, "kv_bytes", plan->kv_bytes);
    put_int(j, "state_bytes", plan->state_bytes);
    put_int(j, "workspace_bytes", plan->workspace_bytes);
    put_int(j, "total_bytes", plan->total_bytes);
    put_int(j, "budget_bytes", plan->budget_bytes);
    json_close(j, '}');
}

struct emitted emit_json(struct arena *a, const struct plan *plan, bool candidates) {
    struct json j = json_of(a);
    json_open(&j, NULL, '{', false);
    json_int(&j, "format", JSON_FORMAT);
    json_string(&j, "deploy", plan->has_deploy ? plan->deploy : NULL);
    json_string(&j, "platform", plan->has_deploy ? plan->platform : NULL);
    json_open(&j, "operators", '[', false);
    for (size_t i = 0; i < plan->operators.len; i++) {
        put_operator(&j, plan, &plan->operators.at[i], candidates);
    }
    json_close(&j, ']');
    if (plan->has_deploy) {
        json_open(&j, "groups", '[', false);
        for (size_t i = 0; i < plan->groups.len; i++) {
            put_group(&j, &plan->groups.at[i]);
        }
        json_close(&j, ']');
        put_memory(&j, plan);
    } else {
        json_null(&j, "groups");
        json_null(&j, "memory");
    }
    json_close(&j, '}');
    struct emitted e;
    e.text = json_finish(&j, &e.len);
    return e;
}
