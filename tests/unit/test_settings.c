// SPDX-License-Identifier: Apache-2.0
// Deployments: settings, their inheritance and `for` blocks, one rank's numbers, and every error of
// a setting with its place (case B04); warnings about lines that have no effect.
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

#include "gen/foreign.h"

#define M "model m { " MODEL "layer 1 { window = 64; } }\n"

static const struct {
    const char *rule, *text, *want; // WORLD has 7 lines, M is line 8, the deployment begins on 9
} errors[] = {
    {"required settings are given", M "deploy d { platform = p; }",
     "A0462 9:8 deployment `d` does not give `model`"},
    {"... each of them", M "deploy d { model = m; platform = p; max_seqs = 2; max_tokens = 8; }",
     "A0462 9:8 deployment `d` does not give `max_batch_tokens`"},
    {"a required setting is not none",
     M
     "deploy d { model = m; platform = p; max_seqs = none; max_tokens = 8; max_batch_tokens = 8; }",
     "A0462 9:48 `max_seqs` cannot be `none`"},
    {"cross-attention needs max_source_tokens",
     "model m { " MODEL "layer 1 { attn = encoder_decoder; } }\ndeploy d { " DEPLOY "}",
     "A0462 9:8 deployment `d` does not give `max_source_tokens`"},
    {"an unknown setting has its nearest", M "deploy d { " DEPLOY "backedn = ALL; }",
     "A0351 9:92 unknown setting `backedn` -- a setting named `backend` exists"},
    {"another engine's name is told apart", M "deploy d { " DEPLOY "attention_backend = ALL; }",
     "A0359 9:92 `attention_backend` is another engine's name for `backend` -- write `backend`"},
    {"a setting is given once", M "deploy d { " DEPLOY "max_seqs = 3; }",
     "A0353 9:92 `max_seqs` is given twice"},
    {"a fact is given once", M "deploy d { " DEPLOY "fact f = 1; fact f = 2; }",
     "A0353 9:109 `f` is given twice"},
    {"a block is no value", M "deploy d { " DEPLOY "backend_per_kind = ALL; }",
     "A0451 9:92 `backend_per_kind` takes a block"},
    {"a value is no block", M "deploy d { " DEPLOY "backend { } }",
     "A0451 9:92 `backend` takes a value"},
    {"numbers have ranges", M "deploy d { " DEPLOY "tp = 0; }",
     "A0450 9:97 `tp` is 0, must be 1 to 2147483647"},
    {"tp divides the heads", M "deploy d { " DEPLOY "tp = 3; }",
     "A0463 9:97 `tp` is 3, which does not divide `heads` 8 of model `m` (layers 0-3); A0463 9:97 "
     "`tp` is 3, which does not divide `kv_heads` 2 of model `m` (layers 0-3)"},
    {"a model is deployed once", M "deploy d { model = [m, m]; platform = p; " LIMITS "}",
     "A0363 9:24 model `m` is deployed twice"},
    {"`for` names a deployed model", M "deploy d { " DEPLOY "for n { } }",
     "A0361 9:96 `n` is not among the models of deployment `d`"},
    {"the platform is one for all models", M "deploy d { " DEPLOY "for m { platform = p; } }",
     "A0465 9:100 `platform` holds for the whole deployment, not for one model"},
    {"... and so is the budget", M "deploy d { " DEPLOY "for m { memory = 1M; } }",
     "A0465 9:100 `memory` holds for the whole deployment, not for one model"},
    {"layers have no blocks in a deployment", M "deploy d { " DEPLOY "layer all { } }",
     "A0358 9:92 a `layer` block cannot stand in a deployment"},
    {"an unknown kind has its nearest, and all are listed",
     M "deploy d { " DEPLOY "backend_per_kind { ful_attention = ALL; } }",
     "A0354 9:111 unknown kind `ful_attention` -- a kind named `full_attention` exists -- the "
     "kinds "
     "are `mamba`, `encoder_only_attention`, `cross_attention`, `sliding_window_mla`, "
     "`mla_attention`, "
     "`sink_full_attention`, `chunked_local_attention`, `sliding_window`, `full_attention`"},
    {"... for cache dtypes too", M "deploy d { " DEPLOY "kv_dtype_per_kind { mambo = f16; } }",
     "A0354 9:112 unknown kind `mambo` -- a kind named `mamba` exists -- the kinds are `mamba`, "
     "`encoder_only_attention`, `cross_attention`, `sliding_window_mla`, `mla_attention`, "
     "`sink_full_attention`, `chunked_local_attention`, `sliding_window`, `full_attention`"},
    {"a kind's cache dtype is given once",
     M "deploy d { " DEPLOY "kv_dtype_per_kind { full_attention = f16; full_attention = f32; } }",
     "A0353 9:134 `full_attention` is given twice"},
    {"an unknown phase is told",
     M "deploy d { " DEPLOY "backend_per_kind { full_attention.dcode = ALL; } }",
     "A0356 9:126 unknown phase `dcode` -- a phase named `decode` exists -- the phases are "
     "`prefill` and "
     "`decode`"},
    {"encoder_only has no decode",
     M "deploy d { " DEPLOY "backend_per_kind { encoder_only_attention.decode = ALL; } }",
     "A0356 9:134 kind `encoder_only_attention` has no phase `decode`"},
    {"an unknown backend has its nearest", M "deploy d { " DEPLOY "backend = AL; }",
     "A0301 9:102 unknown backend `AL` -- a backend named `ALL` exists"},
    {"a backend of the library says what to import",
     M "deploy d { " DEPLOY "backend = CPU_FLASH; }",
     "A0301 9:102 unknown backend `CPU_FLASH` -- `import \"std/cpu.attn\";` declares it"},
    {"a family is no backend", M "deploy d { " DEPLOY "backend = BASE; }",
     "A0501 9:102 backend `BASE` is a family, which serves no operator itself"},
    {"a backend is a name", M "deploy d { " DEPLOY "backend = 3; }",
     "A0451 9:102 the name of a backend, or `auto`, expected"},
    {"a kind is mapped once",
     M "deploy d { " DEPLOY "backend_per_kind { full_attention = ALL; full_attention = auto; } }",
     "A0360 9:133 `full_attention` is mapped twice"},
    {"a layer is mapped once",
     M "deploy d { " DEPLOY "backend_per_layer { 0..2 = ALL; 2 = auto; } }",
     "A0360 9:124 layer 2 is mapped twice"},
    {"an operator after `as` exists",
     M "deploy d { " DEPLOY "backend_per_layer { 0 as slf = ALL; } }",
     "A0355 9:117 no operator is called `slf` -- an operator named `self` exists -- the operators "
     "are "
     "`self`"},
    {"a mapped layer exists", M "deploy d { " DEPLOY "backend_per_layer { 2..4 = ALL; } }",
     "A0455 9:112 layer 4 is not in the model, layers are 0 to 3"},
    {"an unknown priority is told", M "deploy d { " DEPLOY "priority = owm; }",
     "A0301 9:103 unknown priority `owm` -- a priority named `own` exists"},
};

static void errors_have_their_places(void) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct fixture f;
        struct plan plan;
        const char *reported;
        bool good = plan_text(&f, errors[i].text, &plan, &reported);
        is_str(reported, errors[i].want, errors[i].rule);
        ok(!good, "... and there is no plan");
        fixture_end(&f);
    }
}

static const struct {
    const char *rule, *text, *want;
} warnings[] = {
    {"a mapping of a kind that no operator has",
     M "deploy d { " DEPLOY "backend_per_kind { mamba = ALL; } }",
     "A0610 9:111 mapping is not used: no operator is of kind `mamba`"},
    {"a mapping that others override everywhere",
     M "deploy d { " DEPLOY "backend = ALL; backend_per_layer { 0..3 = ALL; } }",
     "A0611 9:92 mapping has no effect: others decide for every operator that it speaks of"},
    {"an unused mapping to a backend of another device",
     M "backend GPU extends BASE { device = cuda; }\n"
       "deploy d { " DEPLOY "backend_per_kind { mamba = GPU; } }",
     "A0710 10:119 backend `GPU` runs on no device of platform `p`; the mapping is not used"},
    {"windows that differ within a kind",
     "model m { " MODEL "window = 8; layer 1 { window = 64; } }\ndeploy d { " DEPLOY "}",
     "A0613 8:108 kind `sliding_window` of model `m` has different values of `window`"},
    {"a window that never cuts", "model m { " MODEL "window = 1K; }\ndeploy d { " DEPLOY "}",
     "A0614 8:86 `window` is 1024, not below the context of 1024 tokens: it never cuts"},
    {"a chunk that never cuts", "model m { " MODEL "chunk = 2K; }\ndeploy d { " DEPLOY "}",
     "A0614 8:85 `chunk` is 2048, not below the context of 1024 tokens: it never cuts"},
    {"an entry of a priority that is never reached",
     M "priority q { order = [ALL, ALL]; }\ndeploy d { " DEPLOY "}",
     "A0612 9:28 entry `ALL` is never reached"},
    {"a budget on a platform that does not state its memory",
     M "platform r { device = cpu; }\ndeploy d { model = m; platform = r; " LIMITS "memory = 1G; }",
     "A0711 10:101 platform `r` does not state its `memory`, so the budget is not compared with it "
     "-- "
     "give `memory` in a platform that extends `r`"},
    {"a cache dtype of unknown size",
     M "deploy d { " DEPLOY "kv_dtype = nvfp4_ds_mla; memory = 1K; }",
     "A0860 9:103 the page size of group `full_attention` (layers 0, 2-3) is not known, so its "
     "memory is "
     "not planned; A0860 9:103 the page size of group `sliding_window` (layer 1) is not known, so "
     "its "
     "memory is not planned"},
};

static void warnings_have_their_places(void) {
    for (size_t i = 0; i < sizeof warnings / sizeof *warnings; i++) {
        struct fixture f;
        struct plan plan;
        const char *reported;
        bool good = plan_text(&f, warnings[i].text, &plan, &reported);
        is_str(reported, warnings[i].want, warnings[i].rule);
        ok(good && f.diags.errors == 0, "... is no error");
        fixture_end(&f);
    }
}

static char *environment(const char *name) {
    static char value[] = "X";
    return strcmp(name, "VLLM_ATTENTION_BACKEND") == 0 ? value : NULL;
}

static char *empty_environment(const char *name) {
    (void)name;
    return NULL;
}

static void foreign_variables(void) {
    struct fixture f;
    fixture_start(&f);
    foreign_environment(&f.diags, empty_environment);
    is_str(fixture_reported(&f), "", "an empty environment: nothing to say");
    foreign_environment(&f.diags, environment);
    is_str(fixture_reported(&f),
           "A0712 0:0 environment variable `VLLM_ATTENTION_BACKEND` is set, but attnc does not "
           "read it "
           "-- set `backend` in the deployment",
           "B04: a variable of another engine is a warning");
    fixture_end(&f);
}

// ---- inheritance

static void child_wins_line_by_line(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    bool good = plan_text(&f,
                          M "backend A extends ALL {}\nbackend B extends ALL {}\n"
                            "deploy parent { model = m; platform = p; " LIMITS "decode_q = 2;\n"
                            "  backend_per_kind { full_attention = A; sliding_window = A; }\n"
                            "  backend_per_layer { 3 = A; 2 = A; } }\n"
                            "deploy d extends parent { max_seqs = 9;\n"
                            "  backend_per_kind { full_attention = B; }\n"
                            "  backend_per_layer { 2 = B; } }",
                          &plan, &reported);
    ok(good, "a deployment extends another");
    is_str(reported, "", "... without a word");
    is_str(backends_text(&f, &plan), "0 B/B 1 A/A 2 B/B 3 A/A", "each line of the child's counts");
    ok(plan.max_seqs == 9 && plan.decode_q == 2, "settings: the child's, else the parent's");
    fixture_end(&f);
}

static void for_blocks_are_for_one_model(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    bool good =
        plan_text(&f,
                  M "model n { " MODEL "}\nbackend A extends ALL {}\nbackend B extends ALL {}\n"
                    "deploy d { model = [m, n]; platform = p; " LIMITS "kv_dtype = f16;\n"
                    "  backend_per_kind { full_attention = A; sliding_window = B; }\n"
                    "  for n { max_tokens = 2K; kv_dtype = auto; kv_dtype_per_kind {\n"
                    "    full_attention = int8; } backend_per_kind { full_attention.decode = B;\n"
                    "    full_attention = B; } } }",
                  &plan, &reported);
    ok(good, "a `for` block has settings of its own");
    is_str(reported, "", "... without a word");
    is_str(backends_text(&f, &plan), "0 A/A 1 B/B 2 A/A 3 A/A 0 B/B 1 B/B 2 B/B 3 B/B",
           "its lines count for its model alone");
    const struct plan_operator *first = &plan.operators.at[0], *second = &plan.operators.at[4];
    ok(first->max_tokens == 1024 && second->max_tokens == 2048 && plan.max_tokens == 2048,
       "limits are per model, the plan has the largest");
    is_str(first->kv_dtype, "f16", "the deployment's cache dtype");
    is_str(second->kv_dtype, "int8", "a kind's counts before the model's");
    fixture_end(&f);
}

static void numbers_are_one_ranks(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f, M "deploy d { " DEPLOY "tp = 4; dcp = 2; pcp = 2; deterministic = yes; }", &plan,
              &reported);
    is_str(reported, "", "tp 4 divides 8 heads and is divided by 2 KV heads");
    const struct plan_operator *o = operator_at(&plan, 1, "self");
    ok(o->heads.v == 2 && o->kv_heads.v == 1, "heads / tp, max(1, kv_heads / tp)");
    const char *demand = "";
    for (size_t i = 0; i < o->demand.len; i++) {
        demand = arena_printf(&f.arena, "%s %s", demand, o->demand.at[i]);
    }
    is_str(demand, " window deterministic dcp pcp", "ranks and settings demand flags");
    fixture_end(&f);
}

int main(void) {
    errors_have_their_places();
    warnings_have_their_places();
    foreign_variables();
    child_wins_line_by_line();
    for_blocks_are_for_one_model();
    numbers_are_one_ranks();
    return done_testing();
}
