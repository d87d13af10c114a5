// SPDX-License-Identifier: Apache-2.0
// Choice of backends. In and out: see select.h.
#include "gen/select.h"

#include "gen/groups.h"
#include "gen/mapping.h"
#include "gen/preference.h"
#include "gen/reject.h"
#include "gen/ruling.h"

static uint32_t all_devices(const struct decider *c) {
    size_t n = c->d->devices.len;
    return n >= DEVICES_MAX ? UINT32_MAX : (UINT32_C(1) << n) - 1;
}

// One list of operators, models in the order of the deployment.
static void list_ops(struct decider *c) {
    for (size_t i = 0; i < c->d->models.len; i++) {
        struct deployed_model *m = c->d->models.at[i];
        uint32_t first_op = (uint32_t)c->ops.len, first_set = c->n_sets;
        for (size_t j = 0; j < m->model.operators.len; j++) {
            const struct model_operator *o = &m->model.operators.at[j];
            struct op op = {
                .m = m,
                .o = o,
                .set = m->model.sets.at[o->set],
                .set_id = first_set + o->set,
                .owner = first_op + o->owner,
                .devices = all_devices(c),
            };
            for (int phase = 0; phase < PHASE_COUNT; phase++) {
                op.phase[phase].present = op.set->kind->phases[phase];
            }
            VEC_PUSH(c->p->arena, &c->ops, op);
        }
        c->n_sets += (uint32_t)m->model.sets.len;
    }
    c->preferences = ARENA_ARRAY(c->p->arena, struct preference, (size_t)c->n_sets * PHASE_COUNT);
}

// ---- explicit choices

static void phases_apart(struct decider *c, const struct op *o, enum phase phase) {
    const struct phase_choice *here = &o->phase[phase], *there = &o->phase[PHASE_PREFILL];
    struct diag *g =
        diag_add(c->p->diags, DIAG_A0503, here->mapping->item->value->span,
                 "backend `%s` for decode and `%s` for prefill of `%s` run on different "
                 "devices",
                 here->ruling->backend->ast->name.text, there->ruling->backend->ast->name.text,
                 o->set->kind->name);
    diag_note(c->p->diags, g, there->mapping->item->value->span, "prefill is decided here");
    struct open_error error = {.diag = g, .op = o, .phase = phase};
    VEC_PUSH(c->p->arena, &c->open_errors, error);
    c->good = false;
}

static void choose_explicit(struct decider *c, struct rejections *rejections, uint32_t index,
                            enum phase phase) {
    struct op *o = &c->ops.at[index];
    struct phase_choice *choice = &o->phase[phase];
    choice->mapping = mapping_of(o->m, o->o, o->set->kind, phase);
    if (choice->mapping && (choice->mapping->broken || choice->mapping->level > c->d->lost)) {
        return; // what decides here is not known
    }
    choice->automatic = !choice->mapping || !choice->mapping->backend;
    if (choice->automatic) {
        return;
    }
    struct ruling *r = ruling_of(c, o, phase, choice->mapping->backend);
    choice->ruling = r;
    if (!r->ok) {
        reject_explicit(rejections, index, phase);
        choice->chosen = o->m->attrs.at[DEPLOY_UNCHECKED].yes;
        return;
    }
    choice->chosen = (o->devices & r->devices) != 0;
    if (choice->chosen) {
        o->devices &= r->devices;
    } else {
        phases_apart(c, o, phase);
    }
}

static void fix_explicit(struct decider *c, uint32_t index, enum phase phase) {
    struct op *o = &c->ops.at[index];
    struct phase_choice *choice = &o->phase[phase];
    // What is not checked cannot be asked to agree either.
    if (choice->automatic || !choice->chosen || !choice->ruling->ok || !o->group) {
        return;
    }
    enum fit fit = group_add(c, o->group, choice->ruling);
    if (fit != FIT_YES) {
        choice->chosen = false;
        group_conflict(c, o->group, o, phase, fit);
    }
}

// ---- automatic choices

static bool agrees(struct decider *c, struct op *o, struct ruling *r, bool independent) {
    if (!o->group) {
        return (o->devices & r->devices) != 0;
    }
    enum fit fit = group_add(c, o->group, r);
    return fit == FIT_YES || independent || o->group->broken;
}

static void choose_automatic(struct decider *c, struct rejections *rejections, uint32_t index,
                             enum phase phase) {
    struct op *o = &c->ops.at[index];
    struct phase_choice *choice = &o->phase[phase];
    const struct preference *list = preference_of(c, o, phase);
    for (size_t i = 0; i < list->entries.len; i++) {
        const struct preferred *entry = &list->entries.at[i];
        if (entry->backend->poisoned) {
            continue;
        }
        struct ruling *r = ruling_of(c, o, phase, entry->backend);
        if (!r->ok || !agrees(c, o, r, entry->independent)) {
            continue;
        }
        choice->ruling = r;
        choice->chosen = true;
        o->devices &= r->devices;
        // An independent choice ignores its group; whether it agrees is seen now.
        if (o->group && r->in != o->group) {
            enum fit fit = group_try(c, o->group, r);
            if (fit != FIT_YES) {
                choice->chosen = false;
                group_conflict(c, o->group, o, phase, fit);
            }
        }
        return;
    }
    reject_automatic(rejections, index, phase);
}

void select_backends(struct decider *c) {
    struct rejections rejections = {.c = c};
    list_ops(c);
    for (uint32_t i = 0; i < c->ops.len; i++) {
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (c->ops.at[i].phase[phase].present) {
                choose_explicit(c, &rejections, i, (enum phase)phase);
            }
        }
    }
    groups_form(c);
    for (uint32_t i = 0; i < c->ops.len; i++) {
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (c->ops.at[i].phase[phase].present) {
                fix_explicit(c, i, (enum phase)phase);
            }
        }
    }
    // Without every explicit choice nobody knows what the automatic ones would have to agree with.
    c->good = c->good && c->d->mappings_good;
    for (uint32_t i = 0; c->d->mappings_good && i < c->ops.len; i++) {
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (c->ops.at[i].phase[phase].present && c->ops.at[i].phase[phase].automatic) {
                choose_automatic(c, &rejections, i, (enum phase)phase);
            }
        }
    }
    rejections_report(&rejections);
}
