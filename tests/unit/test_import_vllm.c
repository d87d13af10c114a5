// SPDX-License-Identifier: Apache-2.0
// What vLLM does around its rules: the kind that it derives from a layer and the key that the layer
// asks for, how it reads an attention configuration, where it settles with several backends.

#define _POSIX_C_SOURCE 200809L
#include "gen/import_vllm.h"
#include "gen/import_vllm_settle.h"
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

// A layer with the items given, served on cc 9.0.
static bool serve(struct fixture *f, const char *items, const char *platform,
                  struct deployment *d) {
    const char *text = arena_printf(
        &f->arena,
        "import \"std/vllm.attn\";\n"
        "model m { layers = 1; heads = 32; kv_heads = 8; head_dim = 128; dtype = bf16; %s }\n"
        "deploy d { model = m; platform = %s; max_source_tokens = 8; " LIMITS "}\n",
        items, platform);
    fixture_text(f, text);
    const struct decl *decl = program_find(&f->program, DECL_DEPLOY, "d");
    return decl && deployment_read(&f->program, decl, d);
}

static struct vllm_choice choice(struct fixture *f, const char *items, const char *platform,
                                 struct vllm_config config) {
    struct command c = {.arena = &f->arena, .sources = &f->sources, .diags = &f->diags};
    struct vllm_served s = {.command = &c, .program = &f->program, .config = config};
    if (!serve(f, items, platform, &s.deployment)) {
        printf("# %s\n", fixture_reported(f));
        return (struct vllm_choice){.backend = "unread"};
    }
    const struct deployed_model *m = s.deployment.models.at[0];
    return vllm_choose(&s, m, m->model.sets.at[m->model.operators.at[0].set]);
}

#define MLA "mla { latent = 512; rope = 64; nope = 128; v = 128; } "

static void kinds_and_keys(void) {
    static const struct {
        const char *items, *kind, *key;
    } rows[] = {
        {"", "full_attention", "full_attention"},
        {"window = 64;", "sliding_window", "sliding_window"},
        {MLA, "mla_attention", "mla_attention"},
        {MLA "window = 64;", "sliding_window_mla", "mla_attention"},
        {"attn = encoder_only;", "encoder_only_attention", "encoder_only_attention"},
        {"attn = encoder_only; window_left = 8; window_right = 8;", "encoder_only_attention",
         "encoder_only_attention"},
        {"attn = encoder;", "full_attention", "full_attention"},
        {"attn = encoder; window_left = 8; window_right = 8;", "sliding_window", "sliding_window"},
        {"attn = encoder_decoder;", "cross_attention", "cross_attention"},
        {"chunk = 64;", "full_attention", "full_attention"},
        {"sink_tokens = 4;", "full_attention", "full_attention"},
        {"sink_tokens = 4; window = 64;", "sliding_window", "full_attention"},
        {"sink_logits = yes;", "full_attention", "full_attention"},
        {"sink_logits = yes; window = 64;", "sliding_window", "sliding_window"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        fixture_start(&f);
        struct vllm_choice c = choice(&f, rows[i].items, "cuda_90", (struct vllm_config){0});
        ok(c.attention && c.asks && strcmp(vllm_kinds[c.kind].name, rows[i].kind) == 0,
           "kind of { %s }", rows[i].items);
        ok(strcmp(vllm_kinds[c.key].name, rows[i].key) == 0, "... which asks for %s", rows[i].key);
        fixture_end(&f);
    }
    struct fixture f;
    fixture_start(&f);
    struct vllm_choice c =
        choice(&f,
               "ssm { type = mamba2; heads = 8; head_dim = 64; state = 16; groups = 1; conv = 4; "
               "dtype = bf16; }",
               "cuda_90", (struct vllm_config){0});
    ok(!c.attention && !c.asks, "a recurrence asks for nothing");
    fixture_end(&f);
}

static void keys_that_nobody_asks_for(void) {
    size_t live = 0;
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        live += vllm_kinds[i].asked;
        ok(vllm_kinds[i].asked == (vllm_kinds[i].why == NULL), "%s: why it has no effect",
           vllm_kinds[i].name);
    }
    ok(live == 5 && VLLM_KIND_COUNT == 10, "five of ten keys have an effect");
}

// Platforms that decide by themselves.
static void platforms(void) {
    static const struct {
        const char *items, *platform, *asked, *want; // want NULL: refused
    } rows[] = {
        {"", "vllm_cpu", "FLASH_ATTN", "CPU_ATTN"},
        {MLA, "vllm_cpu", NULL, "CPU_MLA"},
        {MLA, "vllm_cpu_amx", NULL, "AMX_MLA"},
        {MLA, "vllm_cpu_amx", "CPU_MLA", "CPU_MLA"},
        {MLA "index { head_dim = 128; topk = 2048; }", "vllm_cpu", NULL, NULL},
        {"", "vllm_xpu", NULL, "FLASH_ATTN"},
        {"", "vllm_xpu", "TRITON_ATTN", "TRITON_ATTN"},
        {"", "vllm_xpu", "FLASHINFER", NULL},
        {"demand = mm_prefix;", "vllm_xpu", NULL, "TRITON_ATTN"},
        {"demand = mm_prefix; layer 0 { head_dim = 256; }", "vllm_xpu", NULL, "TRITON_FLASH_ATTN"},
        {"demand = mm_prefix;", "vllm_xpu", "TRITON_FLASH_ATTN", NULL},
        {"demand = mm_prefix;", "vllm_xpu", "FLASH_ATTN", "FLASH_ATTN"},
        {"demand = batch_invariant;", "vllm_xpu", "TRITON_FLASH_ATTN", "TRITON_ATTN"},
        {MLA "index { head_dim = 128; topk = 2048; }", "vllm_xpu", NULL, "XPU_MLA_SPARSE"},
        {MLA, "vllm_xpu", "FLASHMLA", NULL},
        {"", "cuda_90", "FLASHINFER", "FLASHINFER"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        fixture_start(&f);
        struct vllm_config config = {.backend = {rows[i].asked, NULL}};
        struct vllm_choice c = choice(&f, rows[i].items, rows[i].platform, config);
        bool good = rows[i].want ? !c.refused && c.backend && !strcmp(c.backend, rows[i].want)
                                 : c.refused != NULL;
        ok(good, "%s asked for %s on %s: %s", rows[i].items, rows[i].asked ? rows[i].asked : "none",
           rows[i].platform, rows[i].want ? rows[i].want : "refused");
        fixture_end(&f);
    }
}

// ---- blocks: the table of worked examples

static struct vllm_parties parties(struct fixture *f, const struct deployment *d,
                                   const char *names) {
    struct vllm_parties list = {0};
    const struct deployed_model *m = d->models.at[0];
    for (const char *at = names; *at;) {
        size_t n = strcspn(at, "+");
        struct vllm_party p = {
            program_find(&f->program, DECL_BACKEND, arena_strndup(&f->arena, at, n)),
            vllm_subject(&f->program, m, m->model.sets.at[0])};
        VEC_PUSH(&f->arena, &list, p);
        at += n + (at[n] == '+');
    }
    return list;
}

static void blocks(void) {
    static const struct {
        const char *names;
        int64_t preferred, kernel[4]; // for pages of 48, 64, 128, 544; 0: none
    } rows[] = {
        {"FLASHINFER+FLASH_ATTN", 16, {16, 64, 64, 32}},
        {"TRITON_ATTN+FLASH_ATTN", 16, {48, 64, 128, 544}},
        {"FLASH_ATTN+FLASHMLA", 64, {0, 64, 64, 0}},
        {"FLASH_ATTN+CUTLASS_MLA", 128, {0, 0, 128, 0}},
        {"FLASHINFER+FLASHINFER_MLA", 32, {0, 64, 64, 32}},
        {"FLASHINFER+CUTLASS_MLA", 128, {0, 0, 0, 0}},
        {"B12X+HPC_ATTN", 64, {0, 64, 64, 0}},
        {"CPU_MLA+B12X", 0, {0, 0, 0, 0}},
        {"ULTRAQUANT", 64, {16, 64, 128, 32}},
        {"FLASHINFER_MLA", 32, {0, 64, 64, 32}},
    };
    static const int64_t pages[] = {48, 64, 128, 544};
    struct fixture f;
    struct deployment d;
    fixture_start(&f);
    bool served = serve(&f, "", "cuda_90", &d);
    ok(served, "a model is served");
    for (size_t i = 0; served && i < sizeof rows / sizeof *rows; i++) {
        struct vllm_parties list = parties(&f, &d, rows[i].names);
        int64_t block;
        vllm_cache_block(&f.arena, &list, VLLM_START_BLOCK, &block);
        ok(block == rows[i].preferred, "cache block of %s is %lld", rows[i].names,
           (long long)rows[i].preferred);
        for (size_t p = 0; p < 4; p++) {
            vllm_kernel_block(&f.arena, &list, pages[p], &block);
            ok(block == rows[i].kernel[p], "kernel block of %s in pages of %lld", rows[i].names,
               (long long)pages[p]);
        }
    }
    fixture_end(&f);
}

static void layouts(void) {
    static const struct {
        const char *names, *platform, *first;
        size_t n;
    } rows[] = {
        {"FLASH_ATTN", "cuda_90", "LBNHC", 6},
        {"FLASHINFER", "cuda_100", "LBHNC", 2},
        {"FLEX_ATTENTION+FLASHINFER", "cuda_90", "LBNHC", 1},
        {"FLEX_ATTENTION+FLASHINFER", "cuda_100", NULL, 0},
        {"FLEX_ATTENTION+CPU_ATTN", "cuda_90", NULL, 0},
        {"CPU_MLA+ROCM_AITER_FA", "cuda_90", "LBHNC", 2},
        {"CPU_MLA+STEP5_DSA", "cuda_90", "BLNHC", 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct deployment d;
        fixture_start(&f);
        if (ok(serve(&f, "", rows[i].platform, &d), "a model on %s", rows[i].platform)) {
            struct vllm_parties list = parties(&f, &d, rows[i].names);
            struct vllm_words words = vllm_layouts(&f.arena, &list);
            ok(words.len == rows[i].n && (!words.len || !strcmp(words.at[0], rows[i].first)),
               "layouts of %s there", rows[i].names);
        }
        fixture_end(&f);
    }
}

int main(void) {
    kinds_and_keys();
    keys_that_nobody_asks_for();
    platforms();
    blocks();
    layouts();
    return done_testing();
}
