// SPDX-License-Identifier: Apache-2.0
// Hash tables from names to pointers, in an arena. Nothing ever iterates over one, so that no
// output can depend on its order.
#ifndef GEN_NAMES_H
#define GEN_NAMES_H

#include <stdbool.h>
#include <string.h>

#include "grammar/arena.h"

// Nearly all names that are compared differ in their first letter: asked before strcmp is called.
static inline bool same_name(const char *a, const char *b) {
    return *a == *b && strcmp(a, b) == 0;
}

struct name_entry {
    const char *name; // NULL = free
    void *value;
};

struct name_table {
    struct arena *arena;
    struct name_entry *slots;
    size_t capacity; // a power of two, or 0
    size_t used;
};

void *name_get(const struct name_table *t, const char *name); // NULL when absent
// Sets or replaces; `name` must outlive the table.
void name_set(struct name_table *t, const char *name, void *value);

#endif
