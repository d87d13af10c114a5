// SPDX-License-Identifier: Apache-2.0
// Unsigned integers of fixed width, wide enough for every exact step of gen/number.c: the square
// of a number times a power of two stays below 2^640. Limbs are 32 bits, lowest first, so that the
// code needs no 128-bit type. Operations that could exceed the width are called only where the
// bound above holds; they assert it.
#ifndef GEN_BIG_H
#define GEN_BIG_H

#include <stdbool.h>
#include <stdint.h>

#define BIG_LIMBS 20

struct big {
    uint32_t limb[BIG_LIMBS];
};

struct big big_from(uint64_t v);
bool big_is_zero(const struct big *a);
bool big_fits_u64(const struct big *a, uint64_t *out);
int big_compare(const struct big *a, const struct big *b); // -1, 0, 1
unsigned big_bits(const struct big *a);                    // position of the highest set bit + 1
struct big big_add(const struct big *a, const struct big *b);
struct big big_sub(const struct big *a, const struct big *b); // a >= b
struct big big_mul(const struct big *a, const struct big *b);
struct big big_shift_left(const struct big *a, unsigned bits);
// a / d, remainder to *r; 0 < d < 2^63.
struct big big_divide(const struct big *a, uint64_t d, uint64_t *r);

#endif
