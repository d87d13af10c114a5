// SPDX-License-Identifier: Apache-2.0
// Cache groups: who shares one, what its backends have to agree in (device, layout, block size),
// one pool for all groups, and the errors where they do not agree.
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

#define M "model m { " MODEL "layer 1, 3 { window = 64; } }\n"

static const struct {
    const char *rule, *text, *groups; // kind, block size, layout, operators
} rows[] = {
    {"equal caches share a group, in order of the first operator", M "deploy d { " DEPLOY "}",
     "full_attention 64 hnd [0 2]; sliding_window 64 hnd [1 3]"},
    {"windows that differ do not",
     "model m { " MODEL "window = 8; layer 1, 2 { window = 16; } }\ndeploy d { " DEPLOY "}",
     "sliding_window 64 hnd [0 3]; sliding_window_2 64 hnd [1 2]"},
    {"nor do KV heads, widths and cache dtypes",
     "model m { " MODEL
     "layer 1 { kv_heads = 4; } layer 2 { head_dim = 32; } layer 3 { softcap = 3.0; "
     "} }\ndeploy d { " DEPLOY "}",
     "full_attention 64 hnd [0 3]; full_attention_2 64 hnd [1]; full_attention_3 64 hnd [2]"},
    {"an encoder owns no cache",
     "model m { " MODEL "layer 1 { attn = encoder_only; } }\ndeploy d { " DEPLOY "}",
     "full_attention 64 hnd [0 2 3]"},
    {"a sharer stands after the owners of its target's group",
     "model m { " MODEL "layer 1 { kv_share = 0; } layer 2, 3 { window = 8; } }\ndeploy d { " DEPLOY
     "}",
     "full_attention 64 hnd [0 1]; sliding_window 64 hnd [2 3]"},
    {"states are a group without block size and layout",
     "model m { " MODEL
     "layer 1, 2 { ssm { type = linear; heads = 2; head_dim = 4; state = 8; } } }\n"
     "deploy d { " DEPLOY "}",
     "full_attention 64 hnd [0 3]; mamba 0 - [1 2]"},
    {"models have groups of their own",
     M "model n { " MODEL "}\ndeploy d { model = [m, n]; platform = p; " LIMITS "}",
     "full_attention 64 hnd [0 2]; sliding_window 64 hnd [1 3]; full_attention_2 64 hnd [4 5 6 7]"},
    {"explicit choices split a set by device; automatic ones go with the first part",
     "model m { " MODEL "}\nbackend N extends ALL { device = npu; }\ndeploy d { " DEPLOY
     "backend_per_layer { 1 = ALL; 2 = N; } }",
     "full_attention 64 hnd [0 1 3]; full_attention_2 64 hnd [2]"},
    {"the layout is the first of the first operator's list that all accept",
     M "backend P extends ALL { layout = [a, b, c]; }\nbackend Q extends ALL { layout = [c, b]; }\n"
       "deploy d { " DEPLOY "backend = P; backend_per_layer { 2 = Q; } }",
     "full_attention 64 b [0 2]; sliding_window 64 a [1 3]"},
    {"`any` follows the others, and is hnd where all say it",
     M "backend P extends ALL { layout = any; }\nbackend Q extends ALL { layout = [c, b]; }\n"
       "deploy d { " DEPLOY "backend = P; backend_per_layer { 2 = Q; } }",
     "full_attention 64 c [0 2]; sliding_window 64 hnd [1 3]"},
    {"the deployment's layout counts",
     M "backend P extends ALL { layout = [a, b, c]; }\ndeploy d { " DEPLOY
       "backend = P; layout = c; }",
     "full_attention 64 c [0 2]; sliding_window 64 c [1 3]"},
    {"block sizes are tried 64, 63, ... 1, 65, ...",
     M "backend P extends ALL { block_size = { 128, multiple_of 48 }; }\n"
       "backend Q extends ALL { kernel_block = { 96, 128 }; }\n"
       "deploy d { " DEPLOY "backend_per_kind { full_attention = P; sliding_window = Q; } }",
     "full_attention 48 hnd [0 2]; sliding_window 96 hnd [1 3]"},
    {"... and one has to suit all backends",
     M "backend P extends ALL { kernel_block = 48; }\nbackend Q extends ALL { kernel_block = { 64 "
       "}; }\n"
       "deploy d { " DEPLOY "backend = P; backend_per_layer { 2.decode = Q; } }",
     "full_attention 192 hnd [0 2]; sliding_window 48 hnd [1 3]"},
    {"rules that read the block size hold for it",
     M "backend P extends ALL { require deploy.block_size > 70 : \"large\"; }\n"
       "deploy d { " DEPLOY "backend_per_kind { full_attention = P; } }",
     "full_attention 71 hnd [0 2]; sliding_window 64 hnd [1 3]"},
    {"a layout may depend on it",
     M "backend P extends ALL { layout = [a when deploy.block_size == 32, b]; }\n"
       "backend Q extends ALL { layout = a; }\n"
       "deploy d { " DEPLOY "backend = P; backend_per_layer { 2 = Q; } }",
     "full_attention 32 a [0 2]; sliding_window 64 b [1 3]"},
    {"an automatic choice agrees with what its group has fixed",
     M "backend P extends ALL { layout = a; }\nbackend Q extends ALL { layout = b; }\n"
       "priority q { order = [P, Q]; }\n"
       "deploy d { " DEPLOY "priority = q; backend_per_layer { 2.decode = Q; } }",
     "full_attention 64 b [0 2]; sliding_window 64 a [1 3]"},
    {"an index row of its own makes a page of its own",
     "model m { " MODEL "layer 1 { index { head_dim = 16; } } layer 2 { index { share = 1; } } }\n"
     "deploy d { " DEPLOY "}",
     "full_attention 64 hnd [0 2 3]; full_attention_2 64 hnd [1]"},
    {"one pool: block sizes differ, pages do not",
     M "backend P extends ALL {}\nmodel n { " MODEL "head_dim = 128; }\n"
       "deploy d { " DEPLOY "pool = unified; kv_dtype_per_kind { sliding_window = int4; } }",
     "full_attention 64 hnd [0 2]; sliding_window 256 hnd [1 3]"},
};

static void groups_are_formed(void) {
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        struct plan plan;
        const char *reported;
        bool good = plan_text(&f, rows[i].text, &plan, &reported);
        is_str(groups_text(&f, &plan), rows[i].groups, rows[i].rule);
        if (!ok(good, "... without an error")) {
            diag("%s", reported);
        }
        fixture_end(&f);
    }
}

static const struct {
    const char *rule, *text, *want;
} errors[] = {
    {"no layout in common",
     M "backend P extends ALL { layout = [a, b]; }\nbackend Q extends ALL { layout = c; }\n"
       "deploy d { " DEPLOY "backend = P; backend_per_layer { 2 = Q; } }",
     "A0504 11:129 backends of group `full_attention` (layers 0, 2) have no layout in common -- "
     "write `2 = P;` -- add `backend_per_kind { full_attention = Q; }`"},
    {"no block size in common",
     M "backend P extends ALL { block_size = 48; }\nbackend Q extends ALL { block_size = 64; }\n"
       "deploy d { " DEPLOY "backend = P; backend_per_layer { 2 = Q; } }",
     "A0505 11:129 backends of group `full_attention` (layers 0, 2) have no block size in common "
     "-- write `2 = P;` -- add `backend_per_kind { full_attention = ALL; }`"},
    {"a cache is shared on one device",
     "model m { " MODEL "layer 1 { kv_share = 0; } }\nbackend N extends ALL { device = npu; }\n"
     "deploy d { " DEPLOY "backend = ALL; backend_per_layer { 1 = N; } }",
     "A0508 10:131 backends of group `full_attention` (layers 0-3) have no device in common -- "
     "write `1 = ALL;` -- add `backend_per_kind { full_attention = N; }`"},
    {"a block size that no backend of the group takes",
     M "backend P extends ALL { kernel_block = 32; }\ndeploy d { " DEPLOY
       "block_size = 48; backend_per_kind { sliding_window = P; } }",
     "A0501 10:145 backend `P` cannot serve `sliding_window` (layers 1, 3): `block_size`: wanted "
     "48, has "
     "{multiple_of 32} -- backends that accept all of it: `ALL` -- write `sliding_window = ALL;` "
     "-- or change a setting: write `block_size = 64;`"},
    {"independent choices conflict later",
     M "backend P extends ALL { layout = a; }\nbackend Q extends ALL { layout = b; }\n"
       "priority q { independent = yes; order = [P when phase == decode, Q]; }\n"
       "deploy d { " DEPLOY "priority = q; backend_per_kind { sliding_window = Q; } }",
     "A0504 12:20 backends of group `full_attention` (layers 0, 2) have no layout in common -- add "
     "`full_attention = Q;` to `backend_per_kind`"},
    {"pages of one group have one size",
     M
     "backend P extends ALL { page_bytes = 1024; }\nbackend Q extends ALL { page_bytes = 2048; }\n"
     "deploy d { " DEPLOY "backend = P; backend_per_layer { 2 = Q; } }",
     "A0506 10:9 pages of group `full_attention` (layers 0, 2) are 1024 bytes for `P` and 2048 for "
     "`Q` -- write `2 = P;` -- add `backend_per_kind { full_attention = Q; }`"},
    {"one pool has one layout",
     M "backend P extends ALL { layout = a; }\nbackend Q extends ALL { layout = b; }\n"
       "deploy d { " DEPLOY
       "pool = unified; backend_per_kind { full_attention = P; sliding_window = Q; } }",
     "A0504 11:99 `pool = unified`: the groups of deployment `d` have no layout in common -- write "
     "`full_attention = "
     "Q;` -- or remove `pool = unified;`"},
    {"one pool has one page size",
     M "deploy d { " DEPLOY
       "block_size = 16; pool = unified; kv_dtype_per_kind { sliding_window = int8; } "
       "}",
     "A0507 9:116 `pool = unified`: the groups of deployment `d` have no page size in common -- "
     "change a setting: "
     "write `block_size = auto;` -- or remove `pool = unified;`"},
};

static void conflicts_are_errors(void) {
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

static void no_backtracking(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              M "backend P extends ALL { layout = a; phases = prefill; }\n"
                "backend Q extends ALL { layout = b; }\npriority q { order = [P, Q]; }\n"
                "deploy d { " DEPLOY "priority = q; }",
              &plan, &reported);
    is_str(backends_text(&f, &plan), "0 P/- 1 P/- 2 P/- 3 P/-",
           "the first that passes is taken, prefill before decode, and what follows has to agree");
    is_str(reported,
           "A0601 12:20 no backend accepts `full_attention` in decode (layers 0, 2) -- backends "
           "that accept "
           "all of it: `Q`, `ALL` -- add `backend_per_kind { full_attention = Q; }`; A0601 12:20 "
           "no backend "
           "accepts `sliding_window` in decode (layers 1, 3) -- backends that accept all of it: "
           "`Q`, `ALL` "
           "-- add `backend_per_kind { sliding_window = Q; }`",
           "... else it is an error");
    fixture_end(&f);
}

static void one_pool_of_a_given_block_size(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f, M "deploy d { " DEPLOY "block_size = 16; pool = unified; }", &plan, &reported);
    is_str(reported, "", "equal pages of the block size that is given");
    is_str(groups_text(&f, &plan), "full_attention 16 hnd [0 2]; sliding_window 16 hnd [1 3]",
           "... need no other");
    fixture_end(&f);
}

static void one_pool_pads_states(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              "model m { " MODEL
              "layer 1 { ssm { type = linear; heads = 2; head_dim = 64; state = 96; } } }\n"
              "deploy d { " DEPLOY "pool = unified; }",
              &plan, &reported);
    is_str(reported, "", "a pool for pages and states");
    is_int(plan.groups.at[0].page_bytes.v, 64 * 2 * 128 * 2, "the page of 64 tokens is the larger");
    is_int(plan.groups.at[1].page_bytes.v, 64 * 2 * 128 * 2, "states are padded to it");
    fixture_end(&f);
}

int main(void) {
    groups_are_formed();
    conflicts_are_errors();
    no_backtracking();
    one_pool_of_a_given_block_size();
    one_pool_pads_states();
    return done_testing();
}
