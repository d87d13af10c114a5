/* SPDX-License-Identifier: Apache-2.0
 * exp, log and tanh in f32 without a C library, for kernels and merges: within 2 units in the last
 * place (tests/kernels/test_math.c measures it), exp(-inf) = 0 exactly, NaN stays NaN. The
 * coefficients are interpolations at Chebyshev nodes, made for this file; vector code shares them.
 */
#ifndef ATTN_KERNELS_MATH_H
#define ATTN_KERNELS_MATH_H

#include "attn/kernels/number.h"

#define ATTN_INFINITY attn_from_bits(0x7f800000u)

#define ATTN_LOG2E 0x1.715476p+0f
#define ATTN_LN2_HIGH 0x1.62e4p-1f /* 16 bits: its product with an exponent is exact */
#define ATTN_LN2_LOW 0x1.7f7d1cp-20f
#define ATTN_EXP_MIN (-104.0f) /* below it exp is less than half the smallest subnormal */
#define ATTN_EXP_MAX 88.8f     /* above it exp is infinite */

/* exp(r) = 1 + r + r^2 (E2 + r E3 + ...) for |r| <= ln(2) / 2 */
#define ATTN_EXP_2 0x1.ffffffffec487p-2f
#define ATTN_EXP_3 0x1.5554dcfd5ab45p-3f
#define ATTN_EXP_4 0x1.5555196d50304p-5f
#define ATTN_EXP_5 0x1.120b6945f3e32p-7f
#define ATTN_EXP_6 0x1.6d10aedb2ad2fp-10f

/* tanh(x) = x + x^3 (T3 + x^2 T5 + ...) for |x| <= TANH_SMALL */
#define ATTN_TANH_SMALL 0.625f
#define ATTN_TANH_3 -0x1.555555399c661p-2f
#define ATTN_TANH_5 0x1.1110e910f90dap-3f
#define ATTN_TANH_7 -0x1.ba08c192801fbp-5f
#define ATTN_TANH_9 0x1.64a9404307a4ap-6f
#define ATTN_TANH_11 -0x1.1168b3e6e275bp-7f
#define ATTN_TANH_13 0x1.2c7d78a91df8ap-9f

/* 2^n for the exponents of normal numbers. */
static inline float attn_exp2i(int32_t n) {
    return attn_from_bits((uint32_t)(n + 127) << 23);
}

static inline float attn_exp(float x) {
    if (x < ATTN_EXP_MIN) {
        return 0.0f;
    }
    if (x > ATTN_EXP_MAX) {
        return ATTN_INFINITY;
    }
    if (x != x) {
        return x;
    }
    int32_t n = (int32_t)(x * ATTN_LOG2E + (x < 0 ? -0.5f : 0.5f));
    float r = (x - (float)n * ATTN_LN2_HIGH) - (float)n * ATTN_LN2_LOW;
    float p = ATTN_EXP_5 + r * ATTN_EXP_6;
    p = ATTN_EXP_3 + r * (ATTN_EXP_4 + r * p);
    p = r + r * r * (ATTN_EXP_2 + r * p);
    /* in two steps, so that subnormal results and the top exponent come out right */
    int32_t half = n / 2;
    return (1.0f + p) * attn_exp2i(half) * attn_exp2i(n - half);
}

/* Natural logarithm of a number that is not negative. */
static inline float attn_log(float x) {
    if (x == 0.0f) {
        return -ATTN_INFINITY;
    }
    if (!(x < ATTN_INFINITY)) {
        return x;
    }
    int32_t e = 0;
    if (x < 0x1p-126f) {
        x *= 0x1p24f;
        e = -24;
    }
    /* m in [sqrt(1/2), sqrt(2)), so that numbers near 1 have e = 0 */
    uint32_t u = attn_to_bits(x) + (0x3f800000u - 0x3f3504f3u);
    e += (int32_t)(u >> 23) - 127;
    float f = attn_from_bits((u & 0x7fffffu) + 0x3f3504f3u) - 1.0f;
    float s = f / (2.0f + f), z = s * s;
    float w = 0x1.5555554bae5dap-1f +
              z * (0x1.9999eb792f8d4p-2f + z * (0x1.245c37414b6dep-2f + z * 0x1.ddd171ec24cb4p-3f));
    float square = 0.5f * f * f; /* ln(1 + f) = f - (f^2/2 - s (f^2/2 + z w)) keeps f exact */
    float tail = square - (s * (square + z * w) + (float)e * ATTN_LN2_LOW);
    return (float)e * ATTN_LN2_HIGH - (tail - f);
}

static inline float attn_tanh(float x) {
    float a = x < 0 ? -x : x;
    if (a <= ATTN_TANH_SMALL) {
        float z = x * x;
        float p = ATTN_TANH_9 + z * (ATTN_TANH_11 + z * ATTN_TANH_13);
        return x + x * z * (ATTN_TANH_3 + z * (ATTN_TANH_5 + z * (ATTN_TANH_7 + z * p)));
    }
    float t = 1.0f - 2.0f / (attn_exp(2.0f * a) + 1.0f);
    return x < 0 ? -t : t;
}

#endif
