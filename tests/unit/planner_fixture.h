// SPDX-License-Identifier: Apache-2.0
// For tests of the planner: texts to plans. A test writes the part that it is about; MODEL, LIMITS
// and the backends below fill in the rest.
#ifndef TESTS_UNIT_PLANNER_FIXTURE_H
#define TESTS_UNIT_PLANNER_FIXTURE_H

#include "gen/planner.h"
#include "tests/unit/program_fixture.h"

// A small decoder; more items can follow before the closing brace.
#define MODEL "layers = 4; heads = 8; kv_heads = 2; head_dim = 64; dtype = bf16; "
#define LIMITS "max_seqs = 4; max_tokens = 1K; max_batch_tokens = 256; "
#define DEPLOY "model = m; platform = p; " LIMITS
// A platform of two devices, a backend that takes everything, and a priority.
#define WORLD                                                                                      \
    "platform p { device = { cpu, npu }; memory = 8G; }\n"                                         \
    "backend BASE { family = yes; device = cpu; phases = any; kinds = any; dtype = any;\n"         \
    "  kv_dtype = any; head_dim = any; v_head_dim = any; group = any; kernel_block = any;\n"       \
    "  layout = hnd; mla = any; sparse = any; flags = { window, chunk, sink_tokens, "              \
    "sink_logits,\n"                                                                               \
    "  softcap, alibi, compress, dcp, pcp, deterministic, lse }; }\n"                              \
    "backend ALL extends BASE {}\n"                                                                \
    "priority own { order = [ALL]; }\n"

static bool planner_fixture_plan(struct fixture *f, const char *text, const char *deploy,
                                 struct plan *plan) {
    fixture_text(f, text);
    check_models(&f->program);
    const struct decl *d = program_find(&f->program, DECL_DEPLOY, deploy);
    struct plan_options options = {.candidates = true};
    return d && plan_deployment(&f->program, d, &options, plan);
}

// The plan of deployment `d` in a text that begins with WORLD; what was reported goes to *reported.
__attribute__((unused)) static bool plan_text(struct fixture *f, const char *text,
                                              struct plan *plan, const char **reported) {
    fixture_start(f);
    bool good = planner_fixture_plan(f, arena_printf(&f->arena, WORLD "%s", text), "d", plan);
    *reported = fixture_reported(f);
    return good;
}

__attribute__((unused)) static const struct plan_operator *
operator_at(const struct plan *plan, int64_t layer, const char *op) {
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *o = &plan->operators.at[i];
        if (o->layer == layer && strcmp(o->op, op) == 0) {
            return o;
        }
    }
    return NULL;
}

// "full_attention@0,1 ..." for operators of all layers: kind and names, in order.
__attribute__((unused)) static const char *kinds_text(struct fixture *f, const struct plan *plan) {
    const char *text = "";
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *o = &plan->operators.at[i];
        text = arena_printf(&f->arena, "%s%s%lld%s%s:%s", text, i ? " " : "", (long long)o->layer,
                            strcmp(o->op, "self") ? "." : "", strcmp(o->op, "self") ? o->op : "",
                            o->kind);
    }
    return text;
}

// "0 A/B 1 A/auto:C ...": layer, backend in prefill and decode.
__attribute__((unused)) static const char *backends_text(struct fixture *f,
                                                         const struct plan *plan) {
    const char *text = "";
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *o = &plan->operators.at[i];
        text = arena_printf(&f->arena, "%s%s%lld", text, i ? " " : "", (long long)o->layer);
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            const char *backend = o->phase[phase].backend;
            text = arena_printf(&f->arena, "%s%s%s", text, phase ? "/" : " ",
                                !o->phase[phase].present ? "."
                                : backend                ? backend
                                                         : "-");
        }
    }
    return text;
}

// "full_attention 64 hnd 65536x12=786432 [0 2]; ...".
__attribute__((unused)) static const char *groups_text(struct fixture *f, const struct plan *plan) {
    const char *text = "";
    for (size_t i = 0; i < plan->groups.len; i++) {
        const struct plan_group *g = &plan->groups.at[i];
        text = arena_printf(&f->arena, "%s%s%s %lld %s [", text, i ? "; " : "", g->name,
                            (long long)(g->has_block_size ? g->block_size : 0),
                            g->layout ? g->layout : "-");
        for (size_t j = 0; j < g->operators.len; j++) {
            text =
                arena_printf(&f->arena, "%s%s%u", text, j ? " " : "", (unsigned)g->operators.at[j]);
        }
        text = arena_printf(&f->arena, "%s]", text);
    }
    return text;
}

#endif
