// SPDX-License-Identifier: Apache-2.0
// The definitions of attention per kind, one key at a time, in double precision.
#include "tests/kernels/oracle.h"
#include <math.h>
#include <stdlib.h>

static bool same_chunk(int a, int b, int chunk) {
    return floor((double)a / chunk) == floor((double)b / chunk);
}

bool oracle_visible(const struct oracle *o, int row, int key) {
    const attn_params *p = o->p;
    int at = o->position + row;
    if (p->kind == ATTN_CROSS_ATTENTION) {
        return true;
    }
    bool inside = (p->window_left < 0 || key >= at - p->window_left) &&
                  (p->window_right < 0 || key <= at + p->window_right);
    if (p->kind == ATTN_ENCODER_ONLY_ATTENTION) {
        return inside;
    }
    int newest = key - (o->k_len - o->q_len);
    if (o->tree && newest >= 0 && !(o->tree[row] >> newest & 1)) {
        return false;
    }
    return inside && key <= at && (p->chunk == 0 || same_chunk(key, at, (int)p->chunk));
}

static double dot(const float *a, const float *b, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        sum += (double)a[i] * b[i];
    }
    return sum;
}

static double capped(const attn_params *p, double s) {
    return p->softcap > 0 ? p->softcap * tanh(s / p->softcap) : s;
}

// Scores of all keys, sink rows first; keys that are not seen have -inf.
static void row_scores(const struct oracle *o, int row, uint32_t head, double *score) {
    const attn_params *p = o->p;
    uint32_t kv_head = head / (p->heads / p->kv_heads);
    const float *q = o->q + ((size_t)row * p->heads + head) * p->head_dim;
    for (uint32_t i = 0; i < p->sink_tokens; i++) {
        const float *k = o->sink_k + ((size_t)i * p->kv_heads + kv_head) * p->head_dim;
        score[i] = capped(p, (double)p->scale * dot(q, k, p->head_dim));
    }
    for (int j = 0; j < o->k_len; j++) {
        double *s = &score[p->sink_tokens + (uint32_t)j];
        *s = -INFINITY;
        if (oracle_visible(o, row, j)) {
            const float *k = o->k + ((size_t)j * p->kv_heads + kv_head) * p->head_dim;
            *s = capped(p, (double)p->scale * dot(q, k, p->head_dim));
            *s += p->alibi ? (double)o->alibi_slopes[head] * (j - o->position - row) : 0;
        }
    }
}

static const float *value_of(const struct oracle *o, uint32_t i, uint32_t kv_head) {
    const attn_params *p = o->p;
    const float *rows = i < p->sink_tokens ? o->sink_v : o->v;
    size_t row = i < p->sink_tokens ? i : i - p->sink_tokens;
    return rows + (row * p->kv_heads + kv_head) * p->v_head_dim;
}

void oracle_run(const struct oracle *o, double *out, double *lse) {
    const attn_params *p = o->p;
    uint32_t n = p->sink_tokens + (uint32_t)o->k_len;
    double *score = malloc((n + 1) * sizeof *score);
    for (int row = 0; row < o->q_len; row++) {
        for (uint32_t head = 0; head < p->heads; head++) {
            double *to = out + ((size_t)row * p->heads + head) * p->v_head_dim;
            double max = -INFINITY, sum = 0;
            row_scores(o, row, head, score);
            for (uint32_t i = 0; i < n; i++) {
                max = fmax(max, score[i]);
            }
            for (uint32_t d = 0; d < p->v_head_dim; d++) {
                to[d] = 0;
            }
            for (uint32_t i = 0; i < n; i++) {
                if (score[i] == -INFINITY) {
                    continue;
                }
                double weight = exp(score[i] - max);
                const float *v = value_of(o, i, head / (p->heads / p->kv_heads));
                sum += weight;
                for (uint32_t d = 0; d < p->v_head_dim; d++) {
                    to[d] += weight * v[d];
                }
            }
            lse[(size_t)row * p->heads + head] = sum > 0 ? max + log(sum) : -INFINITY;
            double whole =
                sum + (p->sink_logits && !o->partial ? exp(o->sink_logits[head] - max) : 0);
            for (uint32_t d = 0; d < p->v_head_dim; d++) {
                to[d] = sum > 0 ? to[d] / whole : 0;
            }
        }
    }
    free(score);
}
