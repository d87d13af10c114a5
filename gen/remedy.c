// SPDX-License-Identifier: Apache-2.0
// Remedies for a refused choice. In and out: see remedy.h.
#include "gen/remedy.h"

#include <string.h>

#include "gen/groups.h"
#include "gen/ruling.h"

struct movement { // what a changed line would move, and what would stay in the groups concerned
    VEC(struct refused_op) moves; // one for each attribute set, phase and group
    VEC(struct cache_group *) groups;
    VEC(struct ruling *) kept;
    VEC(const struct cache_group *) kept_in; // beside `kept`
};

// A line for a kind moves the kind alone, every other line all that it speaks of.
static bool moves(const struct rejection *r, const struct op *o, enum phase phase) {
    bool whole_line = !r->automatic && r->map->level != DECIDED_BACKEND;
    const struct phase_choice *choice = &o->phase[phase];
    return choice->present && choice->mapping == r->map && (whole_line || o->set->kind == r->kind);
}

static bool touches(const struct movement *p, const struct cache_group *g) {
    for (size_t i = 0; i < p->groups.len; i++) {
        if (p->groups.at[i] == g) {
            return true;
        }
    }
    return false;
}

static struct movement movement_of(struct decider *c, const struct rejection *r) {
    struct arena *a = c->p->arena;
    struct movement p;
    memset(&p, 0, sizeof p);
    const struct op **seen = ARENA_ARRAY(a, const struct op *, (size_t)c->n_sets *PHASE_COUNT);
    c->marks++;
    for (uint32_t i = 0; i < c->ops.len * PHASE_COUNT; i++) {
        struct op *o = &c->ops.at[i / PHASE_COUNT];
        struct refused_op move = {i / PHASE_COUNT, (enum phase)(i % PHASE_COUNT)};
        const struct op **before = &seen[o->set_id * PHASE_COUNT + move.phase];
        if (!moves(r, o, move.phase) || (*before && (*before)->group == o->group)) {
            continue;
        }
        *before = o;
        VEC_PUSH(a, &p.moves, move);
        if (o->group && !touches(&p, o->group)) {
            VEC_PUSH(a, &p.groups, o->group);
        }
    }
    for (uint32_t i = 0; i < c->ops.len * PHASE_COUNT; i++) {
        struct op *o = &c->ops.at[i / PHASE_COUNT];
        struct phase_choice *choice = &o->phase[i % PHASE_COUNT];
        struct ruling *ruling = choice->ruling;
        if (o->group && choice->chosen && ruling->mark != c->marks && touches(&p, o->group) &&
            !moves(r, o, (enum phase)(i % PHASE_COUNT))) {
            ruling->mark = c->marks;
            VEC_PUSH(a, &p.kept, ruling);
            VEC_PUSH(a, &p.kept_in, o->group);
        }
    }
    return p;
}

// Would `backend` serve everything that is moved to it, and agree with what stays?
static bool serves(struct decider *c, const struct movement *p, const struct decl *backend) {
    for (size_t i = 0; i < p->moves.len; i++) {
        if (!ruling_of(c, &c->ops.at[p->moves.at[i].op], p->moves.at[i].phase, backend)->ok) {
            return false;
        }
    }
    for (size_t g = 0; g < p->groups.len; g++) {
        VEC(struct ruling *) list = {0};
        for (size_t i = 0; i < p->kept.len; i++) {
            if (p->kept_in.at[i] == p->groups.at[g]) {
                VEC_PUSH(c->p->arena, &list, p->kept.at[i]);
            }
        }
        for (size_t i = 0; i < p->moves.len; i++) {
            struct op *o = &c->ops.at[p->moves.at[i].op];
            if (o->group == p->groups.at[g]) {
                VEC_PUSH(c->p->arena, &list, ruling_of(c, o, p->moves.at[i].phase, backend));
            }
        }
        if (!rulings_agree(c, p->groups.at[g]->kind, list.at, list.len)) {
            return false;
        }
    }
    return true;
}

struct trial {
    struct movement movement;
    struct remedies remedies;
};

static void try_remedy(struct decider *c, const struct decl *backend, struct trial *found) {
    for (size_t i = 0; i < found->remedies.backends.len; i++) {
        if (found->remedies.backends.at[i] == backend) {
            return;
        }
    }
    if (!backend->poisoned && !backend_is_family(backend) && serves(c, &found->movement, backend)) {
        VEC_PUSH(c->p->arena, &found->remedies.backends, backend);
    }
}

// Preferred ones first, then in order of declaration.
struct remedies remedies_find(struct decider *c, const struct rejection *r) {
    struct trial found = {.movement = movement_of(c, r)};
    const struct refused_op *first = &r->ops.at[0];
    const struct preference *list = preference_of(c, &c->ops.at[first->op], first->phase);
    for (size_t i = 0; i < list->entries.len; i++) {
        try_remedy(c, list->entries.at[i].backend, &found);
    }
    for (size_t i = 0; i < c->p->decls[DECL_BACKEND].len; i++) {
        try_remedy(c, c->p->decls[DECL_BACKEND].at[i], &found);
    }
    return found.remedies;
}
