// SPDX-License-Identifier: Apache-2.0
// Attention in double precision over dense K and V, straight from the definition; it shares nothing
// with attnc but the model's numbers. Shapes: q [heads][dim], k and v [tokens][kv_heads][dim].
#ifndef ORACLE_H
#define ORACLE_H

#include <stddef.h>

struct oracle_layer {
    int heads, kv_heads, dim;
    int window; // keys that a query sees, its own counted; 0 = all before it
    double scale;
};

// One query at position `p` of its sequence: writes heads x dim values to `out`.
void oracle_attention(const struct oracle_layer *l, int p, const float *q, const float *k,
                      const float *v, double *out);

#endif
