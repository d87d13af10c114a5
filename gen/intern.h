// SPDX-License-Identifier: Apache-2.0
// A hash table from a key to the index of an entry that its owner keeps in an array of its own.
// In: a hash and a function that compares a key with an entry. Out: indices, in order of addition.
// The order of anything never depends on the hash: owners walk their arrays.
#ifndef GEN_INTERN_H
#define GEN_INTERN_H

#include <stdbool.h>

#include "grammar/arena.h"

#define INTERN_NONE UINT32_MAX
#define INTERN_SEED UINT64_C(1469598103934665603)

struct intern_slot {
    uint64_t hash;
    uint32_t index; // INTERN_NONE: free
};

struct intern { // starts out all zero
    struct intern_slot *slots;
    size_t cap, len; // cap is a power of two
};

// Does the owner's entry `index` equal `key`?
typedef bool intern_same(const void *owner, uint32_t index, const void *key);

// Index of the entry that equals `key`, or INTERN_NONE.
uint32_t intern_find(const struct intern *t, uint64_t hash, intern_same *same, const void *owner,
                     const void *key);
void intern_add(struct arena *a, struct intern *t, uint64_t hash, uint32_t index);

uint64_t hash_bytes(uint64_t seed, const void *bytes, size_t n);
uint64_t hash_text(uint64_t seed, const char *text); // NULL and "" differ

#endif
