// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing; at most half full, so that a probe ends soon.
// In and out: see intern.h. Slots live in the arena and are only ever replaced by larger copies.
#include "gen/intern.h"

#define FIRST_CAP 64
#define FNV_PRIME UINT64_C(1099511628211)

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t n) {
    const unsigned char *at = bytes;
    uint64_t h = seed;
    for (size_t i = 0; i < n; i++) {
        h = (h ^ at[i]) * FNV_PRIME;
    }
    return h;
}

uint64_t hash_text(uint64_t seed, const char *text) {
    uint64_t h = (seed ^ (text != NULL)) * FNV_PRIME;
    for (; text && *text; text++) {
        h = (h ^ (unsigned char)*text) * FNV_PRIME;
    }
    return h;
}

// FNV mixes the low bits last; fold the high half in before masking.
static size_t first_slot(const struct intern *t, uint64_t hash) {
    return (size_t)(hash ^ (hash >> 32)) & (t->cap - 1);
}

uint32_t intern_find(const struct intern *t, uint64_t hash, intern_same *same, const void *owner,
                     const void *key) {
    if (t->cap == 0) {
        return INTERN_NONE;
    }
    for (size_t i = first_slot(t, hash); t->slots[i].index != INTERN_NONE;
         i = (i + 1) & (t->cap - 1)) {
        if (t->slots[i].hash == hash && same(owner, t->slots[i].index, key)) {
            return t->slots[i].index;
        }
    }
    return INTERN_NONE;
}

static void insert(struct intern *t, struct intern_slot slot) {
    size_t i = first_slot(t, slot.hash);
    while (t->slots[i].index != INTERN_NONE) {
        i = (i + 1) & (t->cap - 1);
    }
    t->slots[i] = slot;
}

void intern_add(struct arena *a, struct intern *t, uint64_t hash, uint32_t index) {
    if (2 * (t->len + 1) > t->cap) {
        struct intern old = *t;
        t->cap = old.cap ? 2 * old.cap : FIRST_CAP;
        t->slots = ARENA_ARRAY(a, struct intern_slot, t->cap);
        for (size_t i = 0; i < t->cap; i++) {
            t->slots[i].index = INTERN_NONE;
        }
        for (size_t i = 0; i < old.cap; i++) {
            if (old.slots[i].index != INTERN_NONE) {
                insert(t, old.slots[i]);
            }
        }
    }
    insert(t, (struct intern_slot){.hash = hash, .index = index});
    t->len++;
}
