// SPDX-License-Identifier: Apache-2.0
// Cache groups: who shares one, and what its backends have to agree in. In and out: see groups.h.
// A group's candidate block size only ever moves on, so that adding a member is one look at it
// unless it disagrees.
#include "gen/groups.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "gen/ruling.h"

// ---- forming

// What is equal in a set, beside model and kind. An index row of its own is part of the page.
static const enum operator_attr cache_attrs[] = {
    ATTR_WINDOW,         ATTR_CHUNK,      ATTR_KV_HEADS, ATTR_K_WIDTH,   ATTR_V_WIDTH,
    ATTR_KV_DTYPE,       ATTR_COMPRESS,   ATTR_SSM_TYPE, ATTR_SSM_HEADS, ATTR_SSM_HEAD_DIM,
    ATTR_SSM_STATE,      ATTR_SSM_GROUPS, ATTR_SSM_CONV, ATTR_SSM_DTYPE, ATTR_INDEX,
    ATTR_INDEX_HEAD_DIM, ATTR_INDEX_DTYPE};

static bool owns_index(const struct operator_attrs *a) {
    return attr_given(a, ATTR_INDEX) && a->at[ATTR_INDEX_SHARE].kind == VALUE_NONE;
}

static const char *cache_key(const struct decider *c, const struct op *o) {
    const char *key = arena_printf(c->p->arena, "%u/%s", (unsigned)o->m->index, o->set->kind->name);
    for (size_t i = 0; i < sizeof cache_attrs / sizeof *cache_attrs; i++) {
        enum operator_attr attr = cache_attrs[i];
        bool index = attr == ATTR_INDEX || attr == ATTR_INDEX_HEAD_DIM || attr == ATTR_INDEX_DTYPE;
        const char *value = index && !owns_index(&o->set->attrs)
                                ? "none"
                                : value_text(c->p->arena, &o->set->attrs.at[attr]);
        key = arena_printf(c->p->arena, "%s/%s", key, value);
    }
    return key;
}

struct cache_set {
    const char *key;
    VEC(uint32_t) ops;
};

struct former {
    struct decider *c;
    VEC(struct cache_set) sets;
    struct intern table;
    uint32_t *set_of; // by attribute set: INTERN_NONE until known
};

static bool same_key(const void *owner, uint32_t index, const void *key) {
    return strcmp(((const struct former *)owner)->sets.at[index].key, key) == 0;
}

static uint32_t cache_set_of(struct former *f, const struct op *o) {
    uint32_t *known = &f->set_of[o->set_id];
    if (*known != INTERN_NONE) {
        return *known;
    }
    struct arena *a = f->c->p->arena;
    const char *key = cache_key(f->c, o);
    uint64_t hash = hash_text(INTERN_SEED, key);
    *known = intern_find(&f->table, hash, same_key, f, key);
    if (*known == INTERN_NONE) {
        *known = (uint32_t)f->sets.len;
        struct cache_set set = {.key = key};
        VEC_PUSH(a, &f->sets, set);
        intern_add(a, &f->table, hash, *known);
    }
    return *known;
}

static bool is_explicit(const struct op *o) {
    for (int i = 0; i < PHASE_COUNT; i++) {
        if (o->phase[i].chosen && !o->phase[i].automatic) {
            return true;
        }
    }
    return false;
}

// What the deployment allows: its layout, or any.
static struct value first_layouts(const struct deployed_model *m, struct arena *a) {
    const struct value *own = &m->attrs.at[DEPLOY_LAYOUT];
    return own->kind == VALUE_WORD ? value_set(a, own, 1) : (struct value){.kind = VALUE_ANY};
}

static struct cache_group *new_group(struct decider *c, const struct op *o, uint32_t devices) {
    struct cache_group *g = ARENA_NEW(c->p->arena, struct cache_group);
    g->m = o->m;
    g->kind = o->set->kind;
    g->attrs = &o->set->attrs;
    g->devices = devices;
    g->layouts = first_layouts(o->m, c->p->arena);
    VEC_PUSH(c->p->arena, &c->groups, g);
    return g;
}

// Explicit choices split a set by device; operators without one go with the first part.
static void split_set(struct decider *c, const struct cache_set *set) {
    size_t first = c->groups.len;
    for (size_t i = 0; i < set->ops.len; i++) {
        struct op *o = &c->ops.at[set->ops.at[i]];
        for (size_t g = first; is_explicit(o) && !o->group && g < c->groups.len; g++) {
            if (c->groups.at[g]->devices & o->devices) {
                o->group = c->groups.at[g];
                o->group->devices &= o->devices;
            }
        }
        if (is_explicit(o) && !o->group) {
            o->group = new_group(c, o, o->devices);
        }
    }
    if (c->groups.len == first) {
        const struct op *o = &c->ops.at[set->ops.at[0]];
        new_group(c, o, o->devices);
    }
    for (size_t i = 0; i < set->ops.len; i++) {
        struct op *o = &c->ops.at[set->ops.at[i]];
        o->group = o->group ? o->group : c->groups.at[first];
        VEC_PUSH(c->p->arena, &o->group->ops, set->ops.at[i]);
        o->group->owners++;
    }
}

static int by_first_op(const void *a, const void *b) {
    uint32_t x = (*(struct cache_group *const *)a)->ops.at[0];
    uint32_t y = (*(struct cache_group *const *)b)->ops.at[0];
    return x < y ? -1 : x > y;
}

void groups_form(struct decider *c) {
    struct former f = {.c = c};
    f.set_of = ARENA_ARRAY(c->p->arena, uint32_t, c->n_sets);
    memset(f.set_of, 0xff, sizeof *f.set_of * c->n_sets);
    for (uint32_t i = 0; i < c->ops.len; i++) {
        const struct op *o = &c->ops.at[i];
        if (o->set->kind->cache != CACHE_NONE && o->owner == i) {
            uint32_t set = cache_set_of(&f, o);
            VEC_PUSH(c->p->arena, &f.sets.at[set].ops, i);
        }
    }
    for (size_t i = 0; i < f.sets.len; i++) {
        split_set(c, &f.sets.at[i]);
    }
    if (c->groups.len) {
        qsort(c->groups.at, c->groups.len, sizeof *c->groups.at, by_first_op);
    }
    for (size_t i = 0; i < c->groups.len; i++) {
        c->groups.at[i]->index = (uint32_t)i;
    }
    for (uint32_t i = 0; i < c->ops.len; i++) {
        struct op *o = &c->ops.at[i];
        if (o->owner != i) {
            o->group = c->ops.at[o->owner].group;
            VEC_PUSH(c->p->arena, &o->group->ops, i);
        }
    }
}

// ---- agreement

static bool has_pages(const struct cache_group *g) {
    return g->kind->cache != CACHE_STATE;
}

struct value layouts_meet(struct arena *a, const struct value *common, const struct value *answer) {
    if (answer->kind == VALUE_ANY) {
        return *common;
    }
    struct value met = {.kind = VALUE_LIST};
    bool open = common->kind == VALUE_ANY;
    const struct value *from = open ? answer : common;
    bool several = from->kind == VALUE_LIST || from->kind == VALUE_SET;
    for (size_t i = 0, n = several ? from->elems.len : 1; i < n; i++) {
        const struct value *word = several ? &from->elems.at[i] : from;
        if (word->kind == VALUE_WORD && (open || value_in(word, answer))) {
            VEC_PUSH(a, &met.elems, *word);
        }
    }
    return met;
}

static bool nothing_left(const struct value *layouts) {
    return layouts->kind != VALUE_ANY && layouts->elems.len == 0;
}

// Do the rulings agree at one block size? `last` may be NULL.
static enum fit fit_at(struct decider *c, struct ruling *const *list, size_t n, struct ruling *last,
                       int64_t block, struct value *layouts) {
    for (size_t i = 0; i < n + (last != NULL); i++) {
        struct ruling *r = i < n ? list[i] : last;
        if (i == 0) {
            *layouts = first_layouts(r->m, c->p->arena);
        }
        if (!ruling_takes_block(c, r, block)) {
            return FIT_BLOCK;
        }
        struct value answer = ruling_layout(c, r, block);
        *layouts = layouts_meet(c->p->arena, layouts, &answer);
    }
    return nothing_left(layouts) ? FIT_LAYOUT : FIT_YES;
}

const char *fit_text(enum fit fit) {
    static const char *const texts[] = {[FIT_YES] = "answers",
                                        [FIT_DEVICE] = "device",
                                        [FIT_BLOCK] = "block sizes",
                                        [FIT_LAYOUT] = "layouts"};
    return texts[fit];
}

bool rulings_agree(struct decider *c, const struct kind *kind, struct ruling *const *list,
                   size_t n) {
    return rulings_fit(c, kind, list, n) == FIT_YES;
}

enum fit rulings_fit(struct decider *c, const struct kind *kind, struct ruling *const *list,
                     size_t n) {
    uint32_t devices = UINT32_MAX;
    for (size_t i = 0; i < n; i++) {
        devices &= list[i]->devices;
    }
    if (devices == 0 || n == 0 || kind->cache == CACHE_STATE) {
        return devices != 0 ? FIT_YES : FIT_DEVICE;
    }
    struct value layouts;
    enum fit best = FIT_BLOCK;
    for (uint32_t i = 0; i < block_candidates(list[0]->m); i++) {
        enum fit fit = fit_at(c, list, n, NULL, block_candidate(list[0]->m, i), &layouts);
        if (fit == FIT_YES) {
            return FIT_YES;
        }
        best = fit == FIT_LAYOUT ? FIT_LAYOUT : best;
    }
    return best;
}

struct place { // where a ruling fits
    uint32_t candidate;
    struct value layouts;
};

static enum fit find_place(struct decider *c, struct cache_group *g, struct ruling *r,
                           struct place *at) {
    *at = (struct place){g->candidate, g->layouts};
    if (!(g->devices & r->devices)) {
        return FIT_DEVICE;
    }
    if (!has_pages(g)) {
        return FIT_YES;
    }
    // All members agree at the group's candidate: only the new one has to be asked there.
    int64_t block = block_candidate(g->m, g->candidate);
    if (ruling_takes_block(c, r, block)) {
        struct value answer = ruling_layout(c, r, block);
        at->layouts = layouts_meet(c->p->arena, &g->layouts, &answer);
        if (!nothing_left(&at->layouts)) {
            return FIT_YES;
        }
    }
    enum fit best = FIT_BLOCK;
    for (uint32_t i = g->candidate; i < block_candidates(g->m); i++) {
        enum fit fit =
            fit_at(c, g->members.at, g->members.len, r, block_candidate(g->m, i), &at->layouts);
        if (fit == FIT_YES) {
            at->candidate = i;
            return FIT_YES;
        }
        best = fit == FIT_LAYOUT ? FIT_LAYOUT : best;
    }
    return best;
}

enum fit group_try(struct decider *c, struct cache_group *g, struct ruling *r) {
    struct place at;
    return r->in == g ? FIT_YES : find_place(c, g, r, &at);
}

enum fit group_add(struct decider *c, struct cache_group *g, struct ruling *r) {
    if (r->in == g) {
        return FIT_YES;
    }
    if (r->refused == g) {
        return r->refusal;
    }
    struct place at;
    enum fit fit = find_place(c, g, r, &at);
    if (fit != FIT_YES) { // members only become more: it will never fit
        r->refused = g;
        r->refusal = fit;
        return fit;
    }
    g->devices &= r->devices;
    g->candidate = at.candidate;
    g->layouts = at.layouts;
    r->in = g;
    VEC_PUSH(c->p->arena, &g->members, r);
    return FIT_YES;
}
