// SPDX-License-Identifier: Apache-2.0
// The memory plan: page and state formulas, blocks of every kind, ranks and compression, budgets;
// the numbers that the language's examples state (case D07).
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

#include "gen/size.h"

#define KIB 1024
#define SMALL "layers = 1; heads = 8; kv_heads = 2; head_dim = 64; dtype = bf16; "

// ---- one group at a time: page, blocks

static const struct {
    const char *rule, *model, *settings;
    int64_t page, blocks;
} rows[] = {
    {"full: every block of every sequence", SMALL, LIMITS, 64 * 2 * 128 * 2, 4 * 16},
    {"full: a shared pool", SMALL, LIMITS "max_cached_tokens = 2K; ", 64 * 2 * 128 * 2, 32 + 4},
    {"full: never more than every sequence needs", SMALL, LIMITS "max_cached_tokens = 8K; ",
     64 * 2 * 128 * 2, 4 * 16},
    {"a block that is not full counts", SMALL, LIMITS "block_size = 60; ", 60 * 2 * 128 * 2,
     4 * 18},
    {"K and V of different widths", SMALL "v_head_dim = 32;", LIMITS, 64 * 2 * 96 * 2, 64},
    {"int8 has scales for K and V, per slot and head", SMALL, LIMITS "kv_dtype = int8; ",
     64 * 2 * 128 + 64 * 2 * 2 * 4, 64},
    {"fp8 has none in the page", SMALL, LIMITS "kv_dtype = fp8_e4m3; ", 64 * 2 * 128, 64},
    {"int4 is half a byte", SMALL, LIMITS "kv_dtype = int4; ", 64 * 2 * 128 / 2, 64},
    {"half bytes are rounded up", SMALL "kv_heads = 1; head_dim = 3; v_head_dim = 4;",
     LIMITS "kv_dtype = int4; block_size = 3; ", 11, 4 * 342},
    {"MLA: one latent row", SMALL "mla { latent = 512; rope = 64; nope = 128; v = 128; }", LIMITS,
     64 * 576 * 2, 64},
    {"an index has rows of its own", SMALL "index { head_dim = 128; dtype = fp8_e4m3; }", LIMITS,
     64 * 2 * 128 * 2 + 64 * 128, 64},
    {"... of the cache's dtype by default", SMALL "index { head_dim = 128; }",
     LIMITS "kv_dtype = f32; ", 64 * 2 * 128 * 4 + 64 * 128 * 4, 64},
    // windows: min(S ceil(M/B), S (ceil((W+N-2)/B) + 1), S (ceil((W-1)/B) + 2) + ceil(T/B))
    {"window: steps of many tokens share their blocks", SMALL "window = 100;", LIMITS, 32768,
     4 * (2 + 2) + 4},
    {"window: steps of few tokens", SMALL "window = 100;",
     "max_seqs = 4; max_tokens = 1K; max_batch_tokens = 8; ", 32768, 4 * (2 + 1)},
    {"window: one key, one token", SMALL "window = 1;",
     "max_seqs = 4; max_tokens = 1K; max_batch_tokens = 1; ", 32768, 4 * 1},
    {"window: never more than full", SMALL "window = 1000;", LIMITS, 32768, 4 * 16},
    {"chunk: like a window", SMALL "chunk = 100;", LIMITS, 32768, 4 * (2 + 2) + 4},
    {"window and chunk: the shorter", SMALL "chunk = 100; window = 500;", LIMITS, 32768, 20},
    {"cross: rows of the source", SMALL "attn = encoder_decoder;",
     LIMITS "max_source_tokens = 1500; ", 32768, 4 * 24},
    {"dcp divides the context", SMALL, LIMITS "dcp = 3; ", 32768, 4 * 6},
    {"compress divides context, step and window", SMALL "compress = 4; window = 100;", LIMITS,
     32768, 4 * (2 + 1)},
    {"compress divides a full context", SMALL "compress = 4;", LIMITS, 32768, 4 * 4},
    {"tp: one rank's heads", SMALL, LIMITS "tp = 2; ", 64 * 1 * 128 * 2, 64},
};

static void pages_and_blocks(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        fixture_start(&f);
        struct plan plan;
        const char *text = arena_printf(&f.arena,
                                        WORLD "model b { " SMALL "}\nmodel m extends b { %s }\n"
                                              "deploy d { model = m; platform = p; %s}",
                                        rows[i].model + strlen(SMALL), rows[i].settings);
        planner_fixture_plan(&f, text, "d", &plan);
        bool one = plan.groups.len == 1;
        ok(one && plan.groups.at[0].page_bytes.v == rows[i].page &&
               plan.groups.at[0].blocks.v == rows[i].blocks,
           "%s", rows[i].rule);
        if (one && (plan.groups.at[0].page_bytes.v != rows[i].page ||
                    plan.groups.at[0].blocks.v != rows[i].blocks)) {
            diag("page %lld, want %lld; blocks %lld, want %lld",
                 (long long)plan.groups.at[0].page_bytes.v, (long long)rows[i].page,
                 (long long)plan.groups.at[0].blocks.v, (long long)rows[i].blocks);
        }
        is_int(plan.kv_bytes.v, rows[i].page * rows[i].blocks, "... and their bytes");
        fixture_end(&f);
    }
}

static void states(void) {
    static const struct {
        const char *type;
        int64_t elements; // heads 4, head_dim 32, state 16, groups 1, conv 4
    } types[] = {{"mamba2", 128 * 16 + 3 * (128 + 2 * 16)},
                 {"gated_delta_net", 128 * 16 + 3 * (128 + 2 * 16)},
                 {"mamba1", 128 * 16 + 3 * 128},
                 {"linear", 128 * 16},
                 {"short_conv", 3 * 128}};
    for (size_t i = 0; i < sizeof types / sizeof *types; i++) {
        struct fixture f;
        fixture_start(&f);
        struct plan plan;
        const char *text = arena_printf(
            &f.arena,
            WORLD
            "model m { layers = 2; ssm { type = %s; heads = 4; head_dim = 32; state = 16; groups "
            "= 1; conv = 4; dtype = f16; } }\ndeploy d { model = m; platform = p; " LIMITS "}",
            types[i].type);
        ok(planner_fixture_plan(&f, text, "d", &plan), "a model of %s alone", types[i].type);
        is_int(plan.groups.at[0].page_bytes.v, 2 * types[i].elements, "bytes of a state");
        is_int(plan.state_bytes.v, 2 * types[i].elements * 4 * 2,
               "one for each sequence and operator");
        is_int(plan.kv_bytes.v, 0, "no K and V");
        fixture_end(&f);
    }
}

static void stated_pages(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              "model b { " MODEL "}\nmodel m extends b { head_dim = 40; }\n"
              "backend V extends ALL { layout = tile;\n  page_bytes = deploy.block_size * "
              "layer.kv_heads * 2 * roundup(layer.head_dim, 16) * bytes(layer.kv_dtype); }\n"
              "deploy d { " DEPLOY "backend = V; }",
              &plan, &reported);
    is_str(reported, "", "a backend may state its page");
    is_int(plan.groups.at[0].page_bytes.v, 64 * 2 * 2 * 48 * 2, "... as a formula of its own");
    fixture_end(&f);
}

static void sharers_add_nothing(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f, "model m { " MODEL "layer 2, 3 { kv_share = 1; } }\ndeploy d { " DEPLOY "}",
              &plan, &reported);
    is_str(reported, "", "two layers share the cache of a third");
    is_int(plan.kv_bytes.v, 2 * 64 * 32768, "only owners have bytes");
    is_int(plan.groups.at[0].owners, 2, "... and are counted");
    is_int(plan.operators.at[3].owner, 1, "a sharer knows its owner");
    ok(!plan.operators.at[3].owns_cache && plan.operators.at[3].group == 0,
       "... and is in its group");
    fixture_end(&f);
}

// ---- totals and budgets

static void totals(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              "model m { " MODEL
              "layer 0 { ssm { type = linear; heads = 1; head_dim = 8; state = 8; } } }\n"
              "deploy d { " DEPLOY "memory = 1G; }",
              &plan, &reported);
    is_str(reported, "", "caches, states and workspace within a budget");
    is_int(plan.total_bytes.v, plan.kv_bytes.v + plan.state_bytes.v + plan.workspace_bytes.v,
           "the total is their sum");
    is_int(plan.budget_bytes.v, 1 << 30, "the budget is in the plan");
    ok(plan.workspace_bytes.given && plan.workspace_bytes.v % 64 == 0, "workspace in units of 64");
    fixture_end(&f);
}

static void over_budget(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              "model m { " MODEL "layer 1 { window = 64; } }\ndeploy d { " DEPLOY "memory = 5M; }",
              &plan, &reported);
    const struct diag *g = f.diags.list.at[0];
    is_str(diag_infos[g->code].id, "A0850", "memory over its budget is an error");
    is_int((long long)g->notes.len, 3, "with the table of who takes what");
    is_str(g->notes.at[0].text,
           "group `full_attention` (layers 0, 2-3) takes 6M: 64 blocks of 64 tokens, 32768 bytes "
           "each, "
           "for 3 operators",
           "a group");
    is_str(g->helps.at[0], "the largest `max_tokens` that fits is 704", "and what fits");
    fixture_end(&f);
    plan_text(&f,
              "model m { " MODEL "layer 1 { window = 64; } }\ndeploy d { model = m; platform = p; "
              "max_seqs = 4; max_tokens = 704; max_batch_tokens = 256; memory = 5M; }",
              &plan, &reported);
    is_str(reported, "", "it does fit");
    fixture_end(&f);
    plan_text(&f,
              "model m { " MODEL "layer 1 { window = 64; } }\ndeploy d { model = m; platform = p; "
              "max_seqs = 4; max_tokens = 705; max_batch_tokens = 256; memory = 5M; }",
              &plan, &reported);
    ok(f.diags.errors == 1, "... and one more does not");
    fixture_end(&f);
}

static const struct {
    const char *rule, *text, *want;
} errors[] = {
    {"a budget is not larger than the platform's memory",
     "model m { " MODEL "}\ndeploy d { " DEPLOY "memory = 9G; }",
     "A0702 9:101 budget `memory` is 9G, platform `p` has 8G"},
    {"... nor its flash",
     "platform q extends p { flash = 1M; }\nmodel m { " MODEL "}\n"
     "deploy d { model = m; platform = q; " LIMITS "flash = 2M; }",
     "A0702 10:100 budget `flash` is 2M, platform `q` has 1M"},
    {"sizes do not wrap",
     "model m { layers = 1; heads = 2147483647; head_dim = 2147483647; dtype = f32; }\n"
     "deploy d { " DEPLOY "}",
     "A0851 9:8 the caches of group `full_attention` (layer 0) exceed 2^63 - 1 bytes"},
    {"... nor do sums",
     "model m { layers = 2; heads = 8192; head_dim = 1048576; dtype = f32;\n"
     "  layer 1 { v_head_dim = 1048575; } }\n"
     "deploy d { model = m; platform = p; max_seqs = 400; max_tokens = 200K; max_batch_tokens = "
     "1K; }",
     "A0851 10:8 all caches together exceed 2^63 - 1 bytes"},
};

static void errors_of_sizes(void) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct fixture f;
        struct plan plan;
        const char *reported;
        bool good = plan_text(&f, errors[i].text, &plan, &reported);
        is_str(reported, errors[i].want, errors[i].rule);
        ok(!good, "... is an error");
        fixture_end(&f);
    }
}

static void unknown_sizes(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    bool good = plan_text(
        &f, "model m { " MODEL "}\ndeploy d { " DEPLOY "kv_dtype = turboquant_k8v4; memory = 1K; }",
        &plan, &reported);
    ok(good, "a dtype of unknown size skips the budget");
    ok(!plan.kv_bytes.given && !plan.total_bytes.given && !plan.groups.at[0].bytes.given,
       "... and leaves sizes unknown");
    ok(!plan.linkable, "... so that nothing can be linked");
    fixture_end(&f);
}

// D07: 24 layers, windows of 128 alternating with full attention, 8 KV heads of 64, 128K tokens.
static void windows_are_not_planned_as_full(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              "model m { layers = 24; heads = 64; kv_heads = 8; head_dim = 64; dtype = bf16;\n"
              "  layer 0..22 step 2 { window = 128; } }\n"
              "deploy d { model = m; platform = p; max_seqs = 1; max_tokens = 128K;\n"
              "  max_batch_tokens = 1; block_size = 16; }",
              &plan, &reported);
    is_int(plan.groups.at[1].bytes.v, INT64_C(3) << 30, "full layers: 3 GiB");
    is_int(plan.groups.at[0].bytes.v, 12 * (8 + 1) * 16 * 2048, "windowed layers: about 3 MiB");
    fixture_end(&f);
}

static void sizes_are_written_short(void) {
    struct fixture f;
    fixture_start(&f);
    static const struct {
        int64_t bytes;
        const char *text;
    } sizes[] = {{0, "0"},
                 {1023, "1023"},
                 {1024, "1K"},
                 {179712, "175.5K"},
                 {1107296256, "1.03G"},
                 {20224, "19.75K"},
                 {INT64_C(2) << 30, "2G"},
                 {1048575, "1024K"}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        is_str(size_text(&f.arena, sizes[i].bytes), sizes[i].text, "bytes in units of 1024");
    }
    ok(size_mul(size_of(INT64_MAX), size_of(2)).state == SIZE_BEYOND, "a product does not wrap");
    ok(size_add(size_of(INT64_MAX), size_of(1)).state == SIZE_BEYOND, "nor does a sum");
    ok(size_mul(size_unknown(), size_of(0)).state == SIZE_UNKNOWN, "what is unknown stays so");
    ok(size_min(size_mul(size_of(INT64_MAX), size_of(2)), size_of(3)).v == 3,
       "the smaller of two sizes may be the known one");
    fixture_end(&f);
}

int main(void) {
    pages_and_blocks();
    states();
    stated_pages();
    sharers_add_nothing();
    totals();
    over_budget();
    errors_of_sizes();
    unknown_sizes();
    windows_are_not_planned_as_full();
    sizes_are_written_short();
    return done_testing();
}
