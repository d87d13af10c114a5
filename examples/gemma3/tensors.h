// SPDX-License-Identifier: Apache-2.0
// Seeded synthetic tensors in bf16: every element is a pure function of what it is and where it
// stands, so that the kernels' input and the oracle's need not share memory.
#ifndef TENSORS_H
#define TENSORS_H

#include <stddef.h>
#include <stdint.h>

#define TENSOR_MAX_ROW 4096 // elements of a row

typedef uint16_t bf16;

enum tensor { TENSOR_Q, TENSOR_K, TENSOR_V };

float bf16_to_float(bf16 x);
bf16 bf16_from_float(float x); // nearest, ties to even

// Row of `n` elements (all heads) of one token: layer, sequence, position.
void tensor_row(enum tensor which, int layer, int sequence, int position, size_t n, bf16 *out);
void tensor_row_float(enum tensor which, int layer, int sequence, int position, size_t n,
                      float *out);

#endif
