// SPDX-License-Identifier: Apache-2.0
// cpu_ref against the oracle: the whole product of kinds, cache types, page formats, dims, groups
// and block sizes, each with lengths around the edges of its blocks; operator types, features and
// their combinations take turns in every one of them. One point for each kind, cache type and
// format; NaN stands in every slot that no row sees.
#include "attn/kernels/cpu.h"
#include "attn/kernels/limits.h"
#include "attn/kernels/sizes.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>
#include <string.h>

static const char *const kind_name[] = {"full_attention",          "sliding_window",
                                        "chunked_local_attention", "sink_full_attention",
                                        "encoder_only_attention",  "cross_attention"};
static const char *const dtype_name[] = {"f32", "bf16", "f16", "fp8_e4m3", "int8"};

static const struct dims {
    uint32_t k, v;
} all_dims[] = {{1, 1}, {8, 8}, {7, 5}, {16, 6}, {40, 24}, {2, 130}};
static const uint32_t groups[] = {1, 2, 3, 5, 8}, blocks[] = {1, 2, 3, 16, 64};
#define COUNT(array) ((uint32_t)(sizeof(array) / sizeof *(array)))
enum { SHAPES = 6 * 5 * 5, FEATURES = 16 };
_Static_assert(SHAPES == COUNT(all_dims) * COUNT(groups) * COUNT(blocks),
               "every shape has a number");

static attn_params params_of(int kind, uint32_t shape, uint32_t kv_dtype, uint32_t layout) {
    const struct dims *d = &all_dims[shape % COUNT(all_dims)];
    uint32_t group = groups[shape / COUNT(all_dims) % COUNT(groups)];
    uint32_t block = blocks[shape / COUNT(all_dims) / COUNT(groups)];
    bool dense = kind == ATTN_ENCODER_ONLY_ATTENTION;
    attn_params p = {.size = sizeof p,
                     .kind = (uint8_t)kind,
                     .kv_dtype = (uint8_t)kv_dtype,
                     .layout = (uint8_t)(dense ? ATTN_LAYOUT_NONE : layout),
                     .kv_heads = 1 + shape % 2,
                     .head_dim = d->k,
                     .v_head_dim = d->v,
                     .k_width = d->k,
                     .v_width = d->v,
                     .block_size = dense ? 0 : block,
                     .scale = 1.0f / sqrtf((float)d->k),
                     .window_left = ATTN_UNBOUNDED,
                     .window_right = 0,
                     .decode_q = 1};
    p.heads = group * p.kv_heads;
    if (kind == ATTN_SLIDING_WINDOW) {
        p.window_left = (int32_t)(shape % 2 ? block - 1 : block + 2);
    } else if (kind == ATTN_CHUNKED_LOCAL_ATTENTION) {
        p.chunk = shape % 2 ? block : 7;
    } else if (kind == ATTN_SINK_FULL_ATTENTION) {
        p.sink_tokens = 3;
    } else if (kind == ATTN_ENCODER_ONLY_ATTENTION) {
        p.window_left = group % 2 ? 2 : ATTN_UNBOUNDED;
        p.window_right = shape % 3 ? 4 : ATTN_UNBOUNDED;
    } else if (kind == ATTN_CROSS_ATTENTION) {
        p.window_right = ATTN_UNBOUNDED;
    }
    p.page_bytes = world_page_bytes(&p);
    return p;
}

// Features come from the bits of `features`; sequences are empty, one token, chunks and whole.
static double error_of(attn_params *p, uint32_t features, uint32_t seed) {
    p->softcap = features & 1 ? 3.0f : 0.0f;
    p->sink_logits = features >> 1 & 1;
    p->alibi = features >> 2 & 1;
    int block = p->block_size ? (int)p->block_size : 9;
    int q_len[] = {3, 0, 1, 2, 5, 1, 0},
        k_len[] = {3, 9, block, block > 16 ? 66 : 2 * block + 1, 5, block + 1, 0};
    if (seed % 2) { // whole prompts that end before, at and behind the end of a block
        memcpy(k_len, (int[]){block - 1, block, block + 1, 1, 0, 2, 3}, sizeof k_len);
        memcpy(q_len, k_len, sizeof q_len);
        q_len[2] = block > 16 ? 2 : q_len[2];
    }
    struct world w;
    world_new(&w, p, 7, q_len, k_len, seed);
    w.partial = features >> 3 & 1;
    w.workers = 1 + seed % 3;
    world_seal(&w);
    uint64_t bytes = ATTN_CPU_REF_WORKSPACE(p->head_dim, p->v_head_dim);
    double error = world_run(&w, attn_cpu_ref, bytes) == ATTN_OK ? world_error(&w) : 1e30;
    world_free(&w);
    return error;
}

static double worst_of(int kind, uint32_t kv_dtype, uint32_t layout) {
    double worst = 0;
    for (uint32_t shape = 0; shape < SHAPES; shape++) {
        attn_params p = params_of(kind, shape, kv_dtype, layout);
        if (!attn_cpu_ref_serves(&p)) { // pairs of odd dims or slots
            continue;
        }
        p.dtype = (uint8_t)((shape / 2 + kv_dtype) % 3);
        worst = fmax(worst, error_of(&p, (shape + 7 * kv_dtype) % FEATURES, shape / 3));
    }
    return worst;
}

int main(void) {
    for (int kind = 0; kind <= ATTN_CROSS_ATTENTION; kind++) {
        for (uint32_t kv = 0; kv <= ATTN_INT8; kv++) {
            for (uint32_t pair = 0; pair < 2; pair++) {
                double worst = worst_of(kind, kv, pair ? ATTN_LAYOUT_HND_PAIR : ATTN_LAYOUT_HND);
                if (!ok(worst <= 1, "cpu_ref agrees with the oracle: %s, %s cache, %s",
                        kind_name[kind], dtype_name[kv], pair ? "hnd_pair" : "hnd")) {
                    diag("greatest error: %g of its tolerance", worst);
                }
            }
        }
    }
    return done_testing();
}
