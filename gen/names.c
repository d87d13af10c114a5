// SPDX-License-Identifier: Apache-2.0
// Open addressing with linear probing, at most half full; FNV-1a hashes.
#include "gen/names.h"

#define FIRST_CAPACITY 16

static uint64_t hash(const char *name) {
    uint64_t h = UINT64_C(0xcbf29ce484222325);
    for (const unsigned char *p = (const unsigned char *)name; *p; p++) {
        h = (h ^ *p) * UINT64_C(0x100000001b3);
    }
    return h ^ h >> 32;
}

// The slot of a name, or the free one where it belongs.
static struct name_entry *find(const struct name_table *t, const char *name) {
    size_t i = (size_t)hash(name) & (t->capacity - 1);
    while (t->slots[i].name && !same_name(t->slots[i].name, name)) {
        i = (i + 1) & (t->capacity - 1);
    }
    return &t->slots[i];
}

void *name_get(const struct name_table *t, const char *name) {
    return t->capacity ? find(t, name)->value : NULL;
}

static void widen(struct name_table *t) {
    struct name_table wide = {.arena = t->arena, .used = t->used};
    wide.capacity = t->capacity ? 2 * t->capacity : FIRST_CAPACITY;
    wide.slots = ARENA_ARRAY(t->arena, struct name_entry, wide.capacity);
    for (size_t i = 0; i < t->capacity; i++) {
        if (t->slots[i].name) {
            *find(&wide, t->slots[i].name) = t->slots[i];
        }
    }
    *t = wide;
}

void name_set(struct name_table *t, const char *name, void *value) {
    if (2 * (t->used + 1) > t->capacity) {
        widen(t);
    }
    struct name_entry *slot = find(t, name);
    t->used += slot->name == NULL;
    *slot = (struct name_entry){name, value};
}
