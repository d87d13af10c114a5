// SPDX-License-Identifier: Apache-2.0
// Rulings: verdicts, with devices and block sizes. In and out: see ruling.h.
// A verdict that reads deploy.block_size where that is `auto` is asked for each candidate size
// until one passes; otherwise once.
#include "gen/ruling.h"

#define FIRST_BLOCK 64

struct subject subject_of(const struct decider *c, const struct deployed_model *m,
                          const struct attr_set *set, enum phase phase) {
    return (struct subject){
        .program = c->p,
        .layer = &set->attrs,
        .model = &m->model.level,
        .model_kinds = &m->model.kinds,
        .deploy = &m->attrs,
        .phase = phase,
        .has_phase = true,
    };
}

static bool fixed_block(const struct deployed_model *m, int64_t *block) {
    return value_is_int(&m->attrs.at[DEPLOY_BLOCK_SIZE], block);
}

int64_t block_candidate(const struct deployed_model *m, uint32_t number) {
    int64_t block;
    if (fixed_block(m, &block)) {
        return block;
    }
    return number < FIRST_BLOCK ? (int64_t)FIRST_BLOCK - number : (int64_t)number + 1;
}

uint32_t block_candidates(const struct deployed_model *m) {
    int64_t block;
    return fixed_block(m, &block) ? 1 : BLOCK_CANDIDATES;
}

static bool has_pages(const struct attr_set *set) {
    return set->kind->cache == CACHE_PAGED || set->kind->cache == CACHE_SOURCE;
}

static struct subject subject_at(const struct decider *c, const struct ruling *r, int64_t block) {
    struct subject s = subject_of(c, r->m, r->set, r->phase);
    s.block_size = block;
    return s;
}

bool ruling_takes_block(const struct decider *c, struct ruling *r, int64_t block) {
    if (r->asked_block != block) {
        struct subject s = subject_at(c, r, block);
        bool reads = false;
        r->asked_block = block;
        r->takes_block = backend_takes_block(&s, r->backend, block);
        r->block_layout = r->layout;
        if (r->layout_reads_block) {
            s.read_block = &reads;
            r->block_layout = backend_answer(&s, r->backend, "layout");
        }
    }
    return r->takes_block;
}

struct value ruling_layout(const struct decider *c, struct ruling *r, int64_t block) {
    ruling_takes_block(c, r, block);
    return r->block_layout;
}

static void ask_devices(const struct decider *c, struct ruling *r) {
    struct subject s = subject_at(c, r, 0);
    struct value device = backend_answer(&s, r->backend, "device");
    const struct words *devices = &c->d->devices;
    for (size_t i = 0; i < devices->len && i < DEVICES_MAX; i++) {
        struct value word = value_word(devices->at[i]);
        r->devices |= value_in(&word, &device) ? UINT32_C(1) << i : 0;
    }
}

// Is there a block size, where `auto` leaves one open, at which every answer and rule holds?
static bool some_block(const struct decider *c, struct ruling *r) {
    for (uint32_t i = 0; i < block_candidates(r->m); i++) {
        if (ruling_takes_block(c, r, block_candidate(r->m, i))) {
            return true;
        }
    }
    return false;
}

// The verdict; with `auto` a failure that may depend on the block size counts only when no size
// passes, and then the reasons are those at the first size.
static void ask_rules(const struct decider *c, struct ruling *r) {
    struct subject s = subject_at(c, r, 0);
    struct verdict v = verdict_of(&s, r->backend);
    bool open = block_candidates(r->m) > 1 && (v.ok ? has_pages(r->set) : v.read_block);
    if (open && !v.certain && some_block(c, r)) {
        r->ok = true;
        return;
    }
    if (open) {
        s.block_size = block_candidate(r->m, 0);
        v = verdict_of(&s, r->backend);
    }
    r->ok = v.ok;
    r->reasons = v.reasons;
}

struct ruling_key {
    uint32_t set_id;
    enum phase phase;
    const struct decl *backend;
};

static bool same_ruling(const void *owner, uint32_t index, const void *key) {
    const struct ruling *r = ((const struct decider *)owner)->rulings.at[index];
    const struct ruling_key *k = key;
    return r->set_id == k->set_id && r->phase == k->phase && r->backend == k->backend;
}

struct ruling *ruling_of(struct decider *c, const struct op *o, enum phase phase,
                         const struct decl *backend) {
    struct ruling_key key = {o->set_id, phase, backend};
    uint64_t hash = hash_bytes(INTERN_SEED, &key.set_id, sizeof key.set_id);
    hash = hash_bytes(hash, &key.phase, sizeof key.phase);
    hash = hash_bytes(hash, &backend->index, sizeof backend->index);
    uint32_t found = intern_find(&c->ruling_table, hash, same_ruling, c, &key);
    if (found != INTERN_NONE) {
        return c->rulings.at[found];
    }
    struct ruling *r = ARENA_NEW(c->p->arena, struct ruling);
    *r = (struct ruling){
        .m = o->m, .set = o->set, .set_id = o->set_id, .phase = phase, .backend = backend};
    r->asked_block = -1;
    struct subject s = subject_at(c, r, block_candidate(o->m, 0));
    s.read_block = &r->layout_reads_block;
    r->layout = backend_answer(&s, backend, "layout");
    ask_devices(c, r);
    ask_rules(c, r);
    intern_add(c->p->arena, &c->ruling_table, hash, (uint32_t)c->rulings.len);
    VEC_PUSH(c->p->arena, &c->rulings, r);
    return r;
}

const char *ruling_signature(const struct decider *c, struct ruling *r) {
    const char *text = "";
    for (size_t i = 0; !r->signature && i < r->reasons.len; i++) {
        const struct reason *reason = &r->reasons.at[i];
        text = arena_printf(c->p->arena, "%s%s: %s: %s\n", text, reason->name, reason->wanted,
                            reason->has ? reason->has : "");
    }
    r->signature = r->signature ? r->signature : text;
    return r->signature;
}
