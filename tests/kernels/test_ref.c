// SPDX-License-Identifier: Apache-2.0
// cpu_ref against the oracle: every kind, cache type and page format with dims, groups, blocks,
// lengths and features that do not divide each other. One point for each kind, cache type and
// format; NaN stands in every slot that no row sees.
#include "attn/kernels/cpu.h"
#include "attn/kernels/sizes.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>

static const char *const kind_name[] = {"full_attention",          "sliding_window",
                                        "chunked_local_attention", "sink_full_attention",
                                        "encoder_only_attention",  "cross_attention"};
static const char *const dtype_name[] = {"f32", "bf16", "f16", "fp8_e4m3", "int8"};

struct dims {
    uint32_t heads, kv_heads, head_dim, v_head_dim, block_size;
};
static const struct dims all_dims[] = {
    {1, 1, 8, 8, 2},     {4, 1, 16, 6, 16},  {6, 2, 40, 24, 4},
    {5, 5, 2, 130, 128}, {14, 2, 64, 64, 6}, {3, 1, 96, 192, 10},
};

static attn_params params_of(int kind, const struct dims *d, uint32_t kv_dtype, uint32_t layout) {
    attn_params p = {.size = sizeof p,
                     .kind = (uint8_t)kind,
                     .kv_dtype = (uint8_t)kv_dtype,
                     .layout = (uint8_t)layout,
                     .heads = d->heads,
                     .kv_heads = d->kv_heads,
                     .head_dim = d->head_dim,
                     .v_head_dim = d->v_head_dim,
                     .k_width = d->head_dim,
                     .v_width = d->v_head_dim,
                     .block_size = d->block_size,
                     .scale = 1.0f / sqrtf((float)d->head_dim),
                     .window_left = ATTN_UNBOUNDED,
                     .window_right = 0,
                     .decode_q = 1};
    if (kind == ATTN_SLIDING_WINDOW) {
        p.window_left = (int32_t)d->block_size + 2;
    } else if (kind == ATTN_CHUNKED_LOCAL_ATTENTION) {
        p.chunk = 7;
    } else if (kind == ATTN_SINK_FULL_ATTENTION) {
        p.sink_tokens = 3;
    } else if (kind == ATTN_ENCODER_ONLY_ATTENTION) {
        p.window_left = d->heads % 2 ? 2 : ATTN_UNBOUNDED;
        p.window_right = d->heads % 2 ? 4 : ATTN_UNBOUNDED;
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
    int q_len[] = {3, 0, 1, 5, 21, 0}, k_len[] = {3, 9, 30, 40, 21, 0};
    struct world w;
    world_new(&w, p, 6, q_len, k_len, seed);
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
    uint32_t seed = 0;
    for (size_t i = 0; i < sizeof all_dims / sizeof *all_dims; i++) {
        for (uint32_t features = seed % 5; features < 16; features += 5, seed++) {
            attn_params p = params_of(kind, &all_dims[i], kv_dtype, layout);
            p.dtype = (uint8_t)(seed % 3);
            worst = fmax(worst, error_of(&p, features, seed));
        }
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
