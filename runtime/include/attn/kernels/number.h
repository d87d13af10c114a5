/* SPDX-License-Identifier: Apache-2.0
 * Storage types to f32 and back, in portable C: bf16, f16, fp8 e4m3 (no infinity, largest 448) and
 * int8. Narrowing rounds to nearest even and keeps NaN a NaN. Pure functions; with a constant type
 * the switches fold away.
 */
#ifndef ATTN_KERNELS_NUMBER_H
#define ATTN_KERNELS_NUMBER_H

#include "attn/abi.h"

#define ATTN_FP8_MAX 448.0f
#define ATTN_F16_MAX 65504.0f

typedef union attn_bits {
    float f;
    uint32_t u;
} attn_bits;

static inline float attn_from_bits(uint32_t u) {
    attn_bits b;
    b.u = u;
    return b.f;
}

static inline uint32_t attn_to_bits(float f) {
    attn_bits b;
    b.f = f;
    return b.u;
}

static inline uint32_t attn_dtype_bytes(uint32_t dtype) {
    return dtype == ATTN_F32 ? 4u : dtype == ATTN_BF16 || dtype == ATTN_F16 ? 2u : 1u;
}

static inline float attn_from_bf16(uint16_t h) {
    return attn_from_bits((uint32_t)h << 16);
}

static inline uint16_t attn_to_bf16(float f) {
    uint32_t u = attn_to_bits(f);
    if ((u & 0x7fffffffu) > 0x7f800000u) {
        return (uint16_t)(u >> 16 | 0x40u); /* quiet, so that no payload bit can be lost to zero */
    }
    return (uint16_t)((u + 0x7fffu + (u >> 16 & 1u)) >> 16);
}

/* A small float of `mant` mantissa bits: value of its magnitude bits below infinity and NaN. */
static inline float attn_widen(uint32_t magnitude, uint32_t mant, uint32_t bias) {
    uint32_t exponent = magnitude >> mant;
    if (exponent == 0) { /* subnormal: an integer times the smallest step */
        return (float)magnitude * attn_from_bits((128u - bias - mant) << 23);
    }
    return attn_from_bits((magnitude << (23u - mant)) + ((127u - bias) << 23));
}

/* The magnitude bits nearest to |f|, a finite number; may exceed the largest finite code. */
static inline uint32_t attn_narrow(float f, uint32_t mant, int32_t bias) {
    uint32_t u = attn_to_bits(f) & 0x7fffffffu;
    int32_t exponent = (int32_t)(u >> 23) - 127 + bias;
    uint32_t m = (u & 0x7fffffu) | 0x800000u;
    uint32_t drop = 23u - mant;
    if (exponent <= 0) {
        drop += (uint32_t)(1 - exponent);
        if (drop > 25u) {
            return 0;
        }
    }
    uint32_t kept = m >> drop, rest = m & ((1u << drop) - 1u), half = 1u << (drop - 1u);
    kept += rest > half || (rest == half && (kept & 1u));
    return exponent <= 0 ? kept : ((uint32_t)(exponent - 1) << mant) + kept;
}

static inline float attn_from_f16(uint16_t h) {
    uint32_t sign = (uint32_t)(h & 0x8000u) << 16, magnitude = h & 0x7fffu;
    uint32_t u = magnitude >= 0x7c00u ? 0x7f800000u | (magnitude & 0x3ffu) << 13
                                      : attn_to_bits(attn_widen(magnitude, 10, 15));
    return attn_from_bits(u | sign);
}

static inline uint16_t attn_to_f16(float f) {
    uint32_t u = attn_to_bits(f), sign = u >> 16 & 0x8000u;
    u &= 0x7fffffffu;
    if (u >= 0x7f800000u) {
        return (uint16_t)(sign | (u > 0x7f800000u ? 0x7e00u : 0x7c00u));
    }
    uint32_t h = attn_narrow(f, 10, 15);
    return (uint16_t)(sign | (h > 0x7c00u ? 0x7c00u : h));
}

static inline float attn_from_fp8(uint8_t h) {
    uint32_t sign = (uint32_t)(h & 0x80u) << 24, magnitude = h & 0x7fu;
    uint32_t u = magnitude == 0x7fu ? 0x7fc00000u : attn_to_bits(attn_widen(magnitude, 3, 7));
    return attn_from_bits(u | sign);
}

static inline uint8_t attn_to_fp8(float f) {
    uint32_t u = attn_to_bits(f), sign = u >> 24 & 0x80u;
    if ((u & 0x7fffffffu) > 0x7f800000u) {
        return (uint8_t)(sign | 0x7fu);
    }
    uint32_t h = (u & 0x7fffffffu) == 0x7f800000u ? 0x7eu : attn_narrow(f, 3, 7);
    return (uint8_t)(sign | (h > 0x7eu ? 0x7eu : h));
}

/* Element `i` of an array of `dtype`. */
static inline float attn_load(const void *array, int64_t i, uint32_t dtype) {
    switch (dtype) {
    case ATTN_F32:
        return ((const float *)array)[i];
    case ATTN_BF16:
        return attn_from_bf16(((const uint16_t *)array)[i]);
    case ATTN_F16:
        return attn_from_f16(((const uint16_t *)array)[i]);
    case ATTN_FP8_E4M3:
        return attn_from_fp8(((const uint8_t *)array)[i]);
    default:
        return (float)((const int8_t *)array)[i];
    }
}

/* Stores `f` as an element of f32, bf16, f16 or fp8. */
static inline void attn_store(void *array, int64_t i, uint32_t dtype, float f) {
    switch (dtype) {
    case ATTN_F32:
        ((float *)array)[i] = f;
        break;
    case ATTN_BF16:
        ((uint16_t *)array)[i] = attn_to_bf16(f);
        break;
    case ATTN_F16:
        ((uint16_t *)array)[i] = attn_to_f16(f);
        break;
    default:
        ((uint8_t *)array)[i] = attn_to_fp8(f);
    }
}

#endif
