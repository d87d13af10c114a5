// SPDX-License-Identifier: Apache-2.0
// The library's side of tests/agreement.t. In: a line for each combination, numbers as in
// attn_params: kind dtype kv_dtype layout heads kv_heads head_dim v_head_dim block_size run. Out:
// a line with the statuses of cpu_ref and cpu_kv for it, and `right` or `wrong` where it was to
// run and be compared with the oracle.
#include "attn/kernels/cpu.h"
#include "attn/kernels/sizes.h"
#include "tests/kernels/world.h"
#include <stdio.h>

// A step without tokens: a kernel says whether it serves the constants and touches nothing.
static attn_status status_of(attn_kernel_fn *kernel, const attn_params *p) {
    static _Alignas(64) char workspace[65536];
    static const int32_t start[] = {0};
    attn_exec x = ATTN_INIT(attn_exec);
    x.workspace = workspace;
    x.workspace_bytes = sizeof workspace;
    attn_batch batch = ATTN_INIT(attn_batch);
    batch.q_start = start;
    attn_io io = ATTN_INIT(attn_io);
    return kernel(&x, p, &batch, &io);
}

static bool agrees(attn_params *p) {
    int q_len[] = {1, 3}, k_len[] = {5, 3};
    struct world w;
    p->scale = 0.25f;
    p->page_bytes = p->block_size ? world_page_bytes(p) : 0;
    world_new(&w, p, 2, q_len, k_len, 1);
    world_seal(&w);
    uint64_t bytes = ATTN_CPU_REF_WORKSPACE(p->head_dim, p->v_head_dim);
    bool right = world_run(&w, attn_cpu_ref, bytes) == ATTN_OK && world_error(&w) <= 1;
    world_free(&w);
    return right;
}

int main(void) {
    unsigned kind, dtype, kv_dtype, layout, heads, kv_heads, head_dim, v_head_dim, block, run;
    while (scanf("%u %u %u %u %u %u %u %u %u %u", &kind, &dtype, &kv_dtype, &layout, &heads,
                 &kv_heads, &head_dim, &v_head_dim, &block, &run) == 10) {
        attn_params p = {.size = sizeof p,
                         .kind = (uint8_t)kind,
                         .dtype = (uint8_t)dtype,
                         .kv_dtype = (uint8_t)kv_dtype,
                         .layout = (uint8_t)layout,
                         .heads = heads,
                         .kv_heads = kv_heads,
                         .head_dim = head_dim,
                         .v_head_dim = v_head_dim,
                         .k_width = head_dim,
                         .v_width = v_head_dim,
                         .block_size = block,
                         .window_left = ATTN_UNBOUNDED,
                         .window_right = kind == ATTN_CROSS_ATTENTION ? ATTN_UNBOUNDED : 0};
        attn_status ref = status_of(attn_cpu_ref, &p), kv = status_of(attn_cpu_kv, &p);
        printf("%d %d %s\n", (int)ref, (int)kv,
               !run || ref != ATTN_OK ? "-"
               : agrees(&p)           ? "right"
                                      : "wrong");
    }
    return 0;
}
