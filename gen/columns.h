// SPDX-License-Identifier: Apache-2.0
// Tables in text: rows of cells, aligned in columns two blanks apart, without trailing blanks.
#ifndef GEN_COLUMNS_H
#define GEN_COLUMNS_H

#include "gen/text.h"

struct columns {
    struct arena *arena;
    size_t n; // cells of a row
    VEC(const char *) cells;
};

struct columns columns_of(struct arena *a, size_t n);
void columns_add(struct columns *c, const char *cell); // NULL reads as ""
void columns_write(const struct columns *c, size_t indent, struct text *t);

#endif
