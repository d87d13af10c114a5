// SPDX-License-Identifier: Apache-2.0
// Uniform values from a counter-based generator (the finaliser of splitmix64). Queries and keys are
// wide enough that softmax weights differ by orders of magnitude.
#include "tensors.h"

#include <string.h>

static const float amplitude[] = {[TENSOR_Q] = 3.0f, [TENSOR_K] = 2.0f, [TENSOR_V] = 1.0f};

float bf16_to_float(bf16 x) {
    uint32_t bits = (uint32_t)x << 16;
    float f;
    memcpy(&f, &bits, sizeof f);
    return f;
}

bf16 bf16_from_float(float x) {
    uint32_t bits;
    memcpy(&bits, &x, sizeof bits);
    return (bf16)((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

static uint64_t mix(uint64_t x) {
    x += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

void tensor_row(enum tensor which, int layer, int sequence, int position, size_t n, bf16 *out) {
    uint64_t seed = mix((uint64_t)which << 56 ^ (uint64_t)layer << 40 ^ (uint64_t)sequence << 32 ^
                        (uint64_t)position);
    for (size_t i = 0; i < n; i++) {
        float unit = (float)(mix(seed + i) >> 40) * 0x1p-23f - 1.0f; // [-1, 1)
        out[i] = bf16_from_float(amplitude[which] * unit);
    }
}

void tensor_row_float(enum tensor which, int layer, int sequence, int position, size_t n,
                      float *out) {
    bf16 row[TENSOR_MAX_ROW];
    tensor_row(which, layer, sequence, position, n, row);
    for (size_t i = 0; i < n; i++) {
        out[i] = bf16_to_float(row[i]);
    }
}
