// SPDX-License-Identifier: Apache-2.0
// Schoolbook arithmetic on fixed-width unsigned integers; see big.h. Speed does not matter here:
// a compilation does a few thousand of these at most.
#include "gen/big.h"

#include <assert.h>

#define LIMB_BITS 32u

struct big big_from(uint64_t v) {
    struct big r = {{(uint32_t)v, (uint32_t)(v >> LIMB_BITS)}};
    return r;
}

bool big_is_zero(const struct big *a) {
    return big_bits(a) == 0;
}

bool big_fits_u64(const struct big *a, uint64_t *out) {
    *out = a->limb[0] | (uint64_t)a->limb[1] << LIMB_BITS;
    return big_bits(a) <= 2 * LIMB_BITS;
}

int big_compare(const struct big *a, const struct big *b) {
    for (unsigned i = BIG_LIMBS; i-- > 0;) {
        if (a->limb[i] != b->limb[i]) {
            return a->limb[i] < b->limb[i] ? -1 : 1;
        }
    }
    return 0;
}

unsigned big_bits(const struct big *a) {
    for (unsigned i = BIG_LIMBS; i-- > 0;) {
        if (a->limb[i]) {
            unsigned bits = 0;
            for (uint32_t v = a->limb[i]; v; v >>= 1) {
                bits++;
            }
            return i * LIMB_BITS + bits;
        }
    }
    return 0;
}

struct big big_add(const struct big *a, const struct big *b) {
    struct big r;
    uint64_t carry = 0;
    for (unsigned i = 0; i < BIG_LIMBS; i++) {
        carry += (uint64_t)a->limb[i] + b->limb[i];
        r.limb[i] = (uint32_t)carry;
        carry >>= LIMB_BITS;
    }
    assert(carry == 0);
    return r;
}

struct big big_sub(const struct big *a, const struct big *b) {
    struct big r;
    uint64_t borrow = 0;
    for (unsigned i = 0; i < BIG_LIMBS; i++) {
        uint64_t d = (uint64_t)a->limb[i] - b->limb[i] - borrow;
        r.limb[i] = (uint32_t)d;
        borrow = d >> 63;
    }
    assert(borrow == 0);
    return r;
}

struct big big_mul(const struct big *a, const struct big *b) {
    struct big r = {{0}};
    unsigned na = (big_bits(a) + LIMB_BITS - 1) / LIMB_BITS;
    unsigned nb = (big_bits(b) + LIMB_BITS - 1) / LIMB_BITS;
    assert(na + nb <= BIG_LIMBS);
    for (unsigned i = 0; i < na; i++) {
        uint64_t carry = 0;
        for (unsigned j = 0; j < nb; j++) {
            carry += (uint64_t)a->limb[i] * b->limb[j] + r.limb[i + j];
            r.limb[i + j] = (uint32_t)carry;
            carry >>= LIMB_BITS;
        }
        if (carry) {
            r.limb[i + nb] = (uint32_t)carry;
        }
    }
    return r;
}

struct big big_shift_left(const struct big *a, unsigned bits) {
    struct big r = {{0}};
    unsigned limbs = bits / LIMB_BITS, rest = bits % LIMB_BITS;
    assert(big_bits(a) + bits <= BIG_LIMBS * LIMB_BITS);
    for (unsigned i = BIG_LIMBS; i-- > limbs;) {
        uint64_t wide = (uint64_t)a->limb[i - limbs] << LIMB_BITS;
        if (i > limbs) {
            wide |= a->limb[i - limbs - 1];
        }
        r.limb[i] = (uint32_t)(wide << rest >> LIMB_BITS);
    }
    return r;
}

struct big big_divide(const struct big *a, uint64_t d, uint64_t *r) {
    struct big q = {{0}};
    uint64_t rest = 0;
    assert(d > 0 && d <= INT64_MAX);
    for (unsigned i = big_bits(a); i-- > 0;) {
        rest = rest << 1 | (a->limb[i / LIMB_BITS] >> i % LIMB_BITS & 1);
        if (rest >= d) {
            rest -= d;
            q.limb[i / LIMB_BITS] |= 1u << i % LIMB_BITS;
        }
    }
    *r = rest;
    return q;
}
