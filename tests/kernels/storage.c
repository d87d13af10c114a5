// SPDX-License-Identifier: Apache-2.0
// Number formats and page layouts, written out a second time and by arithmetic alone, so that tests
// compare two readings of the contract. In: doubles. Out: their nearest codes and the way back.
#include "tests/kernels/world.h"
#include <math.h>

// ---- numbers

uint32_t world_bytes(uint32_t dtype) {
    return dtype == ATTN_F32 ? 4 : dtype == ATTN_BF16 || dtype == ATTN_F16 ? 2 : 1;
}

// Nearest value with `mant` mantissa bits and least normal exponent `least`, ties to even.
static double round_to(double x, int mant, int least) {
    if (x == 0 || isnan(x) || isinf(x)) {
        return x;
    }
    int e = ilogb(x) < least ? least : ilogb(x);
    double unit = ldexp(1, e - mant);
    return nearbyint(x / unit) * unit;
}

double world_round(double x, uint32_t dtype) {
    switch (dtype) {
    case ATTN_F32:
        return (float)x;
    case ATTN_BF16:
        return round_to(x, 7, -126);
    case ATTN_F16:
        return fabs(round_to(x, 10, -14)) > 65504 ? copysign(INFINITY, x) : round_to(x, 10, -14);
    case ATTN_FP8_E4M3:
        return fabs(x) > 448 ? copysign(448, x) : round_to(x, 3, -6);
    default:
        return nearbyint(x);
    }
}

// Bits of a representable number of 1 + exponent + mant bits with the given bias.
static uint32_t encode(double x, int mant, int bias) {
    double a = fabs(x);
    uint32_t bits;
    if (isnan(x) || isinf(x)) {
        uint32_t top = bias == 7 ? 0x7f : ((2u * (uint32_t)bias + 1) << mant);
        bits = isnan(x) && bias != 7 ? top | 1u << (mant - 1) : top;
    } else if (a < ldexp(1, 1 - bias)) {
        bits = (uint32_t)ldexp(a, bias + mant - 1);
    } else {
        int e = ilogb(a);
        bits = ((uint32_t)(e + bias) << mant) + (uint32_t)(ldexp(a, mant - e) - ldexp(1, mant));
    }
    return bits | (signbit(x) ? (bias == 7 ? 0x80u : 0x8000u) : 0);
}

static double decode(uint32_t bits, int mant, int bias, int width) {
    uint32_t sign = bits >> (width - 1) & 1, a = bits & ((1u << (width - 1)) - 1);
    int e = (int)(a >> mant);
    double m = a & ((1u << mant) - 1);
    double x = e == 0 ? ldexp(m, 1 - bias - mant) : ldexp(m + ldexp(1, mant), e - bias - mant);
    if (bias == 7 ? a == 0x7f : e == 2 * bias + 1) {
        x = bias != 7 && m == 0 ? INFINITY : NAN;
    }
    return sign ? -x : x;
}

void world_put(void *array, size_t i, uint32_t dtype, double x) {
    x = world_round(x, dtype);
    if (dtype == ATTN_F32) {
        ((float *)array)[i] = (float)x;
    } else if (dtype == ATTN_BF16) {
        ((uint16_t *)array)[i] = (uint16_t)encode(x, 7, 127);
    } else if (dtype == ATTN_F16) {
        ((uint16_t *)array)[i] = (uint16_t)encode(x, 10, 15);
    } else if (dtype == ATTN_FP8_E4M3) {
        ((uint8_t *)array)[i] = (uint8_t)encode(x, 3, 7);
    } else {
        ((int8_t *)array)[i] = (int8_t)x;
    }
}

double world_get(const void *array, size_t i, uint32_t dtype) {
    switch (dtype) {
    case ATTN_F32:
        return ((const float *)array)[i];
    case ATTN_BF16:
        return decode(((const uint16_t *)array)[i], 7, 127, 16);
    case ATTN_F16:
        return decode(((const uint16_t *)array)[i], 10, 15, 16);
    case ATTN_FP8_E4M3:
        return decode(((const uint8_t *)array)[i], 3, 7, 8);
    default:
        return ((const int8_t *)array)[i];
    }
}

// ---- pages: K before V, heads outermost

uint64_t world_page_bytes(const attn_params *p) {
    uint64_t rows = (uint64_t)p->kv_heads * p->block_size;
    return rows * (p->head_dim + p->v_head_dim) * world_bytes(p->kv_dtype) +
           (p->kv_dtype == ATTN_INT8 ? rows * 8 : 0);
}

size_t world_offset(const attn_params *p, bool is_v, uint32_t head, uint32_t slot, uint32_t d) {
    size_t dim = is_v ? p->v_head_dim : p->head_dim, block = p->block_size, within;
    if (p->layout != ATTN_LAYOUT_HND_PAIR) {
        within = slot * dim + d;
    } else if (is_v) { // [slot / 2][dim][2]
        within = slot / 2 * (dim * 2) + d * 2 + slot % 2;
    } else { // [dim / 2][slot][2]
        within = d / 2 * (block * 2) + slot * 2 + d % 2;
    }
    size_t before = is_v ? (size_t)p->kv_heads * block * p->head_dim : 0;
    return (before + head * block * dim + within) * world_bytes(p->kv_dtype);
}
