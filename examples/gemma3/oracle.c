// SPDX-License-Identifier: Apache-2.0
// out = sum_j softmax_j(scale q.k_j) v_j over the keys j <= p, or p - window < j <= p with a
// window.
#include "oracle.h"

#include <math.h>

enum { LANES = 8, MAX_KEYS = 4096 }; // independent sums, so that a compiler may use vectors

static double dot(const float *a, const float *b, int n) {
    double sum[LANES] = {0};
    for (int i = 0; i < n; i += LANES) {
        for (int l = 0; l < LANES; l++) {
            sum[l] += (double)a[i + l] * (double)b[i + l];
        }
    }
    double total = 0;
    for (int l = 0; l < LANES; l++) {
        total += sum[l];
    }
    return total;
}

void oracle_attention(const struct oracle_layer *l, int p, const float *q, const float *k,
                      const float *v, double *out) {
    int first = l->window > 0 && p - l->window + 1 > 0 ? p - l->window + 1 : 0;
    size_t row = (size_t)l->kv_heads * (size_t)l->dim;
    for (int h = 0; h < l->heads; h++) {
        size_t head = (size_t)(h / (l->heads / l->kv_heads)) * (size_t)l->dim;
        double weight[MAX_KEYS], max = -INFINITY, sum = 0;
        for (int j = first; j <= p; j++) {
            const float *key = k + (size_t)j * row + head;
            weight[j - first] = l->scale * dot(q + (size_t)h * (size_t)l->dim, key, l->dim);
            max = fmax(max, weight[j - first]);
        }
        double *o = out + (size_t)h * (size_t)l->dim;
        for (int d = 0; d < l->dim; d++) {
            o[d] = 0;
        }
        for (int j = first; j <= p; j++) {
            double w = exp(weight[j - first] - max);
            const float *value = v + (size_t)j * row + head;
            sum += w;
            for (int d = 0; d < l->dim; d++) {
                o[d] += w * (double)value[d];
            }
        }
        for (int d = 0; d < l->dim; d++) {
            o[d] /= sum;
        }
    }
}
