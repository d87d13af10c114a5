// SPDX-License-Identifier: Apache-2.0
// A plan made by hand, for tests of what comes after the planner: a decoder whose layers alternate
// between a window and full attention (every `period`-th layer), two groups, CPU kernels.
#ifndef TESTS_UNIT_PLAN_FIXTURE_H
#define TESTS_UNIT_PLAN_FIXTURE_H

#include <stdlib.h>
#include <string.h>

#include "gen/kernels.h"

struct plan_fixture {
    struct arena arena;
    jmp_buf out_of_memory;
    struct plan plan;
};

static struct plan_int given(int64_t v) {
    return (struct plan_int){.given = true, .v = v};
}

static void plan_fixture_phase(struct plan_phase *p, const char *backend, const char *entry) {
    *p = (struct plan_phase){.present = true,
                             .backend = backend,
                             .decided_by = DECIDED_KIND,
                             .entry = entry,
                             .kernel = PLAN_NO_INDEX,
                             .decided_at = "g.attn:7"};
}

static struct plan_operator plan_fixture_operator(uint32_t index, bool full) {
    const struct plan_int none = {0}, window = given(512);
    struct plan_operator op = {
        .model = "m",
        .op = "self",
        .layer = index,
        .kind = full ? "full_attention" : "sliding_window",
        .heads = given(4),
        .kv_heads = given(1),
        .head_dim = given(256),
        .v_head_dim = given(256),
        .k_width = given(256),
        .v_width = given(256),
        .window = full ? none : window,
        .has_scale = true,
        .owner = index,
        .dtype = "bf16",
        .kv_dtype = "bf16",
        .owns_cache = true,
        .group = full ? 1 : 0,
        .write = "cpu_kv",
        .write_kernel = PLAN_NO_INDEX,
        .max_tokens = 1024,
        .max_batch_tokens = 128,
    };
    number_rsqrt(number_int(256), &op.scale);
    plan_fixture_phase(&op.phase[PHASE_PREFILL], full ? "CPU_REF" : "CPU_FLASH",
                       full ? "cpu_ref" : "cpu_flash");
    plan_fixture_phase(&op.phase[PHASE_DECODE], full ? "CPU_REF" : "CPU_FLASH",
                       full ? "cpu_ref" : "cpu_flash");
    return op;
}

static struct plan_group plan_fixture_group(const char *kind, int64_t blocks,
                                            struct plan_int window) {
    const int64_t page = 64 * 2 * 256 * 2;
    return (struct plan_group){.name = kind,
                               .kind = kind,
                               .has_block_size = true,
                               .block_size = 64,
                               .layout = "hnd",
                               .page_bytes = given(page),
                               .blocks = given(blocks),
                               .window = window,
                               .max_length = 1024,
                               .kv_dtype = "bf16"};
}

// `layers` operators; layer i is full when i % period == period - 1 (period 0: never).
static void plan_fixture_make(struct plan_fixture *f, const char *deploy, uint32_t layers,
                              uint32_t period) {
    arena_init(&f->arena, &f->out_of_memory);
    f->plan = (struct plan){.deploy = deploy,
                            .platform = "host",
                            .isa = "x86_64_v3",
                            .cores = given(2),
                            .has_deploy = true,
                            .max_seqs = 2,
                            .max_tokens = 1024,
                            .max_batch_tokens = 128,
                            .decode_q = 1,
                            .complete = true,
                            .linkable = true};
    struct plan *p = &f->plan;
    VEC_PUSH(&f->arena, &p->models, "m");
    VEC_PUSH(&f->arena, &p->groups, plan_fixture_group("sliding_window", 24, given(512)));
    VEC_PUSH(&f->arena, &p->groups, plan_fixture_group("full_attention", 32, (struct plan_int){0}));
    int64_t kv = 0;
    for (uint32_t i = 0; i < layers; i++) {
        bool full = period > 0 && i % period == period - 1;
        struct plan_group *g = &p->groups.at[full];
        VEC_PUSH(&f->arena, &p->operators, plan_fixture_operator(i, full));
        VEC_PUSH(&f->arena, &g->operators, i);
        g->owners++;
        kv += g->page_bytes.v * g->blocks.v;
    }
    p->groups.len = p->groups.at[1].owners > 0 ? 2 : 1;
    for (size_t i = 0; i < p->groups.len; i++) {
        struct plan_group *g = &p->groups.at[i];
        g->bytes = given(g->page_bytes.v * g->blocks.v * (int64_t)g->owners);
    }
    kernels_assign(&f->arena, p);
    uint64_t workspace =
        ATTN_WORKSPACE_BYTES(kernels_step_bytes(p), kernels_worker_bytes(p), kernels_workers(p));
    p->kv_bytes = given(kv);
    p->state_bytes = given(0);
    p->workspace_bytes = given((int64_t)workspace);
    p->total_bytes = given(kv + (int64_t)workspace);
    p->budget_bytes = given(INT64_C(1) << 30);
}

static void plan_fixture_free(struct plan_fixture *f) {
    arena_free(&f->arena);
}

#endif
