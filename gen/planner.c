// SPDX-License-Identifier: Apache-2.0
// The passes from a deployment to its plan, in order. In and out: see planner.h.
#include "gen/planner.h"

#include <string.h>

#include "gen/kernels.h"
#include "gen/memory.h"
#include "gen/offer.h"
#include "gen/pages.h"
#include "gen/plan_fill.h"
#include "gen/select.h"
#include "gen/warn.h"
#include "runtime/include/attn/abi.h"

static uint64_t round_up(uint64_t n) {
    return ATTN_ROUND_UP(n, (uint64_t)ATTN_WORKSPACE_ALIGN);
}

static uint64_t workspace_of(const struct plan *plan) {
    return round_up(kernels_step_bytes(plan)) +
           kernels_workers(plan) * round_up(kernels_worker_bytes(plan));
}

// All but what is said of the whole: false when the deployment cannot be read.
static bool decide(struct decider *c, const struct decl *deploy, const struct line_edit *edit,
                   bool candidates, struct plan *out) {
    struct program *p = c->p;
    memset(out, 0, sizeof *out);
    out->deploy = deploy->ast->name.text;
    if (!deployment_read_edited(p, deploy, edit, c->d)) {
        return false;
    }
    select_backends(c);
    pages_settle(c);
    struct memory_total total = memory_plan(c);
    plan_fill(c, candidates, out);
    kernels_assign(p->arena, out);
    uint64_t workspace = workspace_of(out);
    memory_check(c, total, workspace);
    struct size rest = size_of((int64_t)workspace);
    out->kv_bytes = plan_int_of_size(total.kv);
    out->state_bytes = plan_int_of_size(total.state);
    out->workspace_bytes = plan_int_of_size(rest);
    out->total_bytes = plan_int_of_size(size_add(size_add(total.kv, total.state), rest));
    out->budget_bytes = c->d->memory;
    return true;
}

bool plan_deployment(struct program *p, const struct decl *deploy, const struct plan_options *o,
                     struct plan *out) {
    struct deployment d;
    struct decider c = {.p = p, .d = &d, .good = true};
    size_t before = p->diags->list.len;
    if (!decide(&c, deploy, NULL, o && o->candidates, out)) {
        return false;
    }
    if (c.good) {
        warn_deployment(&c);
    }
    remedies_offer(&c, before);
    return c.good;
}

void plan_edited(struct program *p, const struct decl *deploy, const struct line_edit *edit,
                 struct diags *told, struct plan *out) {
    struct diags *real = p->diags;
    *told = *real;
    memset(&told->list, 0, sizeof told->list);
    told->errors = 0;
    p->diags = told;
    struct deployment d;
    struct decider c = {.p = p, .d = &d, .good = true};
    decide(&c, deploy, edit, false, out);
    p->diags = real;
}

bool plan_models(struct program *p, struct plan *out) {
    memset(out, 0, sizeof *out);
    struct kinds kinds;
    bool good = kinds_load(p, &kinds);
    for (size_t i = 0; good && i < p->decls[DECL_MODEL].len; i++) {
        struct decl *d = p->decls[DECL_MODEL].at[i];
        struct model m;
        if (!p->main_file || d->file != p->main_file->file) {
            continue;
        }
        if (!model_build(p, &kinds, d, &m)) {
            good = false;
            continue;
        }
        plan_fill_model(p, &m, (uint32_t)out->models.len, NULL, out);
    }
    return good;
}

void check_models(struct program *p) {
    struct kinds kinds;
    if (!kinds_load(p, &kinds)) {
        return;
    }
    for (size_t i = 0; i < p->decls[DECL_MODEL].len; i++) {
        struct model m;
        if (model_build(p, &kinds, p->decls[DECL_MODEL].at[i], &m)) {
            warn_windows(p, &m);
        }
    }
    warn_priorities(p);
}
