// SPDX-License-Identifier: Apache-2.0
// Help for errors of choice. In and out: see offer.h. A trial plans the whole deployment again, so
// their number is bounded by what they cost.
#include "gen/offer.h"

#include <string.h>

#include "gen/edit.h"
#include "gen/planner.h"
#include "gen/preference.h"
#include "gen/remedy.h"
#include "gen/ruling.h"

#define ERRORS_MAX 50   // errors for which remedies are looked for: each costs a pass
#define TRIALS_MAX 12   // for one kind of change to one error
#define COST_MAX 400000 // of all trials together, in operators planned
#define RULING_COST 4   // a backend's verdict on one set of attributes takes as long
#define BACKENDS_SHOWN 8

struct offer {
    struct decider *c;
    size_t first, end; // the deployment's own diagnostics
    size_t cost;       // of trials so far
    struct plan plan;  // of the last trial
};

// ---- trials

static bool is_error(const struct diag *g) {
    return diag_infos[g->code].severity == DIAG_ERROR;
}

static bool same_error(const struct diag *a, const struct diag *b) {
    return a->code == b->code && strcmp(a->message, b->message) == 0;
}

static bool told_before(const struct offer *o, const struct diag *g) {
    for (size_t i = o->first; i < o->end; i++) {
        if (same_error(o->c->p->diags->list.at[i], g)) {
            return true;
        }
    }
    return false;
}

// Is the error gone with the change, and no other one there?
static bool works(struct offer *o, const struct diag *error, const struct line_edit *edit) {
    size_t cost = o->c->ops.len + RULING_COST * o->c->rulings.len;
    if (o->cost + cost > COST_MAX) {
        return false;
    }
    o->cost += cost;
    struct diags told;
    plan_edited(o->c->p, o->c->d->decl, edit, &told, &o->plan);
    for (size_t i = 0; i < told.list.len; i++) {
        const struct diag *g = told.list.at[i];
        if (is_error(g) && (same_error(g, error) || !told_before(o, g))) {
            return false;
        }
    }
    return true;
}

static bool offer(struct offer *o, struct diag *error, struct proposal p, const char *opening) {
    if (!works(o, error, &p.edit)) {
        return false;
    }
    diag_help(o->c->p->diags, error, "%s%s", opening, p.text);
    return true;
}

// ---- a refused choice: other backends

static const struct reason *reason_named(const struct ruling *r, const char *name) {
    for (size_t i = 0; i < r->reasons.len; i++) {
        if (r->reasons.at[i].capability && strcmp(r->reasons.at[i].name, name) == 0) {
            return &r->reasons.at[i];
        }
    }
    return NULL;
}

// `kind = X` where X has one phase only: the line that says so.
static void offer_phase(struct offer *o, struct diag *error, const struct rejection *r) {
    const struct mapping *map = r->map;
    const struct refused_op *first = &r->ops.at[0];
    enum phase other = first->phase == PHASE_PREFILL ? PHASE_DECODE : PHASE_PREFILL;
    bool whole =
        map && !map->has_phase && (map->level == DECIDED_KIND || map->level == DECIDED_LAYER);
    if (whole && r->kind->phases[other]) {
        offer(o, error, propose_phase(o->c, map, other), "");
    }
}

static const char *backend_names(struct arena *a, const struct remedies *found) {
    const char *names = "";
    for (size_t i = 0; i < found->backends.len && i < BACKENDS_SHOWN; i++) {
        names = arena_printf(a, "%s%s`%s`", names, i ? ", " : "",
                             found->backends.at[i]->ast->name.text);
    }
    return found->backends.len > BACKENDS_SHOWN
               ? arena_printf(a, "%s and %zu more", names, found->backends.len - BACKENDS_SHOWN)
               : names;
}

static void offer_backends(struct offer *o, struct diag *error, const struct rejection *r) {
    struct program *p = o->c->p;
    struct remedies found = remedies_find(o->c, r);
    if (found.backends.len == 0) {
        diag_note_plain(p->diags, error, "no backend that is declared would accept %s",
                        r->ops.len == 1 ? "it" : "them");
        return;
    }
    diag_help(p->diags, error, "backends that accept all of it: %s",
              backend_names(p->arena, &found));
    for (size_t i = 0; i < found.backends.len && i < TRIALS_MAX; i++) {
        const char *name = found.backends.at[i]->ast->name.text;
        if (offer(o, error, propose_backend(o->c, r->map, r->kind, name), "")) {
            return;
        }
    }
}

// ---- other settings

// Does the capability or, with rules, some rule fail for the choice, or for one of the backends
// that could have been chosen?
static bool fails(struct decider *c, const struct rejection *r, const char *name, bool rules) {
    const struct refused_op *first = &r->ops.at[0];
    struct op *op = &c->ops.at[first->op];
    const struct preference *list = r->automatic ? preference_of(c, op, first->phase) : NULL;
    for (size_t i = 0; i < (list ? list->entries.len : 1); i++) {
        const struct ruling *ruling =
            list ? ruling_of(c, op, first->phase, list->entries.at[i].backend)
                 : op->phase[first->phase].ruling;
        for (size_t j = 0; j < ruling->reasons.len; j++) {
            const struct reason *reason = &ruling->reasons.at[j];
            if (reason->capability ? strcmp(reason->name, name) == 0 : rules) {
                return true;
            }
        }
    }
    return false;
}

static const char *setting_opening(const struct diag *error) {
    return error->helps.len > 0 ? "or change a setting: " : "change a setting: ";
}

// One block size for all groups where that works, else `auto`.
static bool offer_block(struct offer *o, struct diag *error, const struct deployed_model *m) {
    int64_t given, block = 0;
    struct proposal open = propose_setting(o->c, m, DEPLOY_BLOCK_SIZE, "auto", 0);
    if (!value_is_int(&m->attrs.at[DEPLOY_BLOCK_SIZE], &given) || !works(o, error, &open.edit)) {
        return false;
    }
    for (size_t i = 0; i < o->plan.groups.len; i++) {
        const struct plan_group *g = &o->plan.groups.at[i];
        bool another = g->has_block_size && block > 0 && g->block_size != block;
        block = another ? -1 : g->has_block_size && block == 0 ? g->block_size : block;
    }
    if (block > 0 && offer(o, error, propose_setting(o->c, m, DEPLOY_BLOCK_SIZE, NULL, block),
                           setting_opening(error))) {
        return true;
    }
    diag_help(o->c->p->diags, error, "%s%s", setting_opening(error), open.text);
    return true;
}

// Dtypes with a known size, those of the size that was wanted first.
static bool offer_kv_dtype(struct offer *o, struct diag *error, const struct rejection *r) {
    static const char *const dtypes[] = {"bf16", "f16", "f32", "fp8_e4m3", "int8"};
    const struct op *op = &o->c->ops.at[r->ops.at[0].op];
    const struct value *wanted = &op->set->attrs.at[ATTR_KV_DTYPE];
    struct rational size = {0};
    bool sized = wanted->kind == VALUE_WORD && dtype_bytes(wanted->text, &size);
    for (int pass = 0; pass < 2 && wanted->kind == VALUE_WORD; pass++) {
        for (size_t i = 0; i < sizeof dtypes / sizeof *dtypes; i++) {
            struct rational own;
            bool alike =
                sized && dtype_bytes(dtypes[i], &own) && own.num == size.num && own.den == size.den;
            if (alike == (pass == 0) && strcmp(dtypes[i], wanted->text) != 0 &&
                offer(o, error, propose_kv_dtype(o->c, r->m, r->kind, dtypes[i]),
                      setting_opening(error))) {
                return true;
            }
        }
    }
    return false;
}

static void offer_settings(struct offer *o, struct diag *error, const struct rejection *r) {
    static const enum deploy_attr ranks[] = {DEPLOY_DCP, DEPLOY_PCP};
    const struct deploy_attrs *attrs = &r->m->attrs;
    if (fails(o->c, r, "block_size", true)) {
        offer_block(o, error, r->m);
    }
    if (fails(o->c, r, "kv_dtype", true)) {
        offer_kv_dtype(o, error, r);
    }
    if (attrs->at[DEPLOY_DETERMINISTIC].yes && fails(o->c, r, "deterministic", false)) {
        offer(o, error, propose_setting(o->c, r->m, DEPLOY_DETERMINISTIC, "no", 0),
              setting_opening(error));
    }
    for (size_t i = 0; i < sizeof ranks / sizeof *ranks; i++) {
        if (fails(o->c, r, deploy_attr_infos[ranks[i]].name, false)) {
            offer(o, error, propose_setting(o->c, r->m, ranks[i], NULL, 1), setting_opening(error));
        }
    }
}

// ---- choices that do not agree

// Another backend on one line: those that others of the group have, then all.
static bool offer_change(struct offer *o, struct diag *error, const struct mapping *map,
                         const struct op *op, const struct decl *avoid) {
    struct decider *c = o->c;
    const struct cache_group *g = op->group;
    size_t trials = 0, members = g ? g->members.len : 0;
    const struct decls *all = &c->p->decls[DECL_BACKEND];
    for (size_t i = 0; i < members + all->len && trials < TRIALS_MAX; i++) {
        const struct decl *backend = i < members ? g->members.at[i]->backend : all->at[i - members];
        bool can = backend != avoid && !backend->poisoned && !backend_is_family(backend);
        for (int phase = 0; can && phase < PHASE_COUNT; phase++) {
            bool asked = op->phase[phase].present && op->phase[phase].mapping == map;
            can = !asked || ruling_of(c, op, (enum phase)phase, backend)->ok;
        }
        trials += can;
        if (can &&
            offer(o, error, propose_backend(c, map, op->set->kind, backend->ast->name.text), "")) {
            return true;
        }
    }
    return false;
}

static void offer_agreement(struct offer *o, struct diag *error, const struct op *op,
                            enum phase phase) {
    struct decider *c = o->c;
    const struct phase_choice *choice = &op->phase[phase];
    offer_change(o, error, choice->mapping, op, choice->ruling->backend);
    // The other side: the first explicit line of the group that is not this one.
    for (size_t i = 0; op->group && i < op->group->ops.len; i++) {
        const struct op *other = &c->ops.at[op->group->ops.at[i]];
        for (int p = 0; p < PHASE_COUNT; p++) {
            const struct phase_choice *there = &other->phase[p];
            if (there->present && there->mapping && !there->automatic &&
                there->mapping != choice->mapping) {
                offer_change(o, error, there->mapping, other, there->ruling->backend);
                i = op->group->ops.len;
                break;
            }
        }
    }
    if (op->m->attrs.at[DEPLOY_LAYOUT].kind == VALUE_WORD) {
        offer(o, error, propose_setting(c, op->m, DEPLOY_LAYOUT, "auto", 0),
              setting_opening(error));
    }
}

static void offer_pool(struct offer *o, struct diag *error) {
    struct decider *c = o->c;
    bool done = false;
    for (size_t i = 0; i < c->groups.len && !done; i++) {
        const struct op *op = &c->ops.at[c->groups.at[i]->ops.at[0]];
        enum phase phase = op->phase[PHASE_PREFILL].present ? PHASE_PREFILL : PHASE_DECODE;
        const struct ruling *now = op->phase[phase].ruling;
        done = offer_change(o, error, op->phase[phase].mapping, op, now ? now->backend : NULL);
    }
    for (size_t i = 0; i < c->d->models.len && !done; i++) {
        done = offer_block(o, error, c->d->models.at[i]);
    }
    struct proposal without;
    if (propose_removal(c, &c->d->scope->attr[DEPLOY_POOL], &without)) {
        offer(o, error, without, error->helps.len > 0 ? "or " : "");
    }
}

// An error at a line of a parent: which deployment has it?
static void note_heir(struct decider *c, struct diag *error) {
    const struct ast_decl *heir = c->d->decl->ast;
    bool own = error->span.file == heir->span.file && error->span.begin >= heir->span.begin &&
               error->span.end <= heir->span.end;
    if (!own) {
        diag_note(c->p->diags, error, heir->name.span,
                  "in deployment `%s`, which inherits this line", heir->name.text);
    }
}

void remedies_offer(struct decider *c, size_t first) {
    struct offer o = {.c = c, .first = first, .end = c->p->diags->list.len};
    for (size_t i = 0; i < c->open_errors.len; i++) {
        note_heir(c, c->open_errors.at[i].diag);
    }
    for (size_t i = 0; i < c->open_errors.len && i < ERRORS_MAX; i++) {
        const struct open_error *e = &c->open_errors.at[i];
        if (e->op) {
            offer_agreement(&o, e->diag, e->op, e->phase);
            continue;
        }
        if (!e->rejection) {
            offer_pool(&o, e->diag);
            continue;
        }
        const struct rejection *r = e->rejection;
        const struct ruling *ruling = c->ops.at[r->ops.at[0].op].phase[r->ops.at[0].phase].ruling;
        if (!r->automatic && reason_named(ruling, "phases")) {
            offer_phase(&o, e->diag, r);
        }
        offer_backends(&o, e->diag, r);
        offer_settings(&o, e->diag, r);
    }
}
