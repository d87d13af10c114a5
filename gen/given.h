// SPDX-License-Identifier: Apache-2.0
// Reading the attributes that stand at model level or in one layer block. In: items. Out: a line
// for each attribute, with its value evaluated and checked; equal values of one attribute have
// equal ids. Unknown names, repeats and what has no place are reported.
#ifndef GEN_GIVEN_H
#define GEN_GIVEN_H

#include "gen/cascade.h"
#include "gen/intern.h"

struct given_block {
    VEC(const struct given *) lines;
};

struct given_reader {
    const struct program *p;
    bool good;                          // no error so far
    const struct ast_item *layers_item; // `layers = N`, the last one read
    VEC(const struct given *) values;   // one for each distinct value
    struct intern value_table;
};

// Items of a layer block, or (not `from_layer`) the attributes at model level, `layer` blocks
// apart.
void given_read(struct given_reader *r, struct given_block *b, const struct ast_items *items,
                bool from_layer);

#endif
