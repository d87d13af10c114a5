// SPDX-License-Identifier: Apache-2.0
// Sizes in bytes or blocks that never wrap: a size is known, unknown (a dtype without a known size)
// or beyond 63 bits, and stays so through every operation.
#ifndef GEN_SIZE_H
#define GEN_SIZE_H

#include "gen/number.h"
#include "grammar/arena.h"

enum size_state { SIZE_KNOWN, SIZE_UNKNOWN, SIZE_BEYOND };

struct size {
    enum size_state state;
    int64_t v; // when known; never negative
};

struct size size_of(int64_t v);
struct size size_unknown(void);
struct size size_add(struct size a, struct size b);
struct size size_mul(struct size a, struct size b);
struct size size_min(struct size a, struct size b);
struct size size_ratio(struct size n, struct rational r); // n r, rounded up

int64_t ceil_div(int64_t n, int64_t by); // n >= 0, by >= 1
// "175.5K", "1.03G", "100": units of 1024, at most two decimals, rounded to nearest.
const char *size_text(struct arena *a, int64_t bytes);

#endif
