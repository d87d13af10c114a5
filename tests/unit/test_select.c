// SPDX-License-Identifier: Apache-2.0
// The choice of backends: precedence, explicit choices that are validated and never replaced,
// automatic ones by priority, and errors of choice: one for each cause, with remedies that work
// (cases B02, B08, B10, B11).
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

// Layers 0 and 2 full, 1 a window, 3 full with cross-attention beside it; encoder on layer 4.
#define MIX                                                                                        \
    "model m { layers = 5; heads = 8; kv_heads = 2; head_dim = 64; dtype = bf16;\n"                \
    "  layer 1 { window = 64; } layer 3 as cross { attn = encoder_decoder; }\n"                    \
    "  layer 4 { attn = encoder; } }\n"
#define BACKENDS "backend A extends ALL {}\nbackend B extends ALL {}\nbackend C extends ALL {}\n"
#define MIX_DEPLOY "deploy d { " DEPLOY "max_source_tokens = 100; "

struct chosen {
    struct fixture f;
    struct plan plan;
    const char *reported;
    bool good;
};

static void choose(struct chosen *c, const char *text) {
    c->good = plan_text(&c->f, text, &c->plan, &c->reported);
}

static const struct {
    const char *rule, *text, *backends;
} choices[] = {
    {"without a line the priority decides", MIX BACKENDS MIX_DEPLOY "}",
     "0 ALL/ALL 1 ALL/ALL 2 ALL/ALL 3 ALL/ALL 3 ALL/ALL 4 ALL/."},
    {"`backend` is for all", MIX BACKENDS MIX_DEPLOY "backend = A; }",
     "0 A/A 1 A/A 2 A/A 3 A/A 3 A/A 4 A/."},
    {"a kind counts before `backend`",
     MIX BACKENDS MIX_DEPLOY "backend = A; backend_per_kind { sliding_window = B; } }",
     "0 A/A 1 B/B 2 A/A 3 A/A 3 A/A 4 A/."},
    {"a kind's phase counts before the kind",
     MIX BACKENDS MIX_DEPLOY
     "backend_per_kind { full_attention = A; full_attention.decode = B; } }",
     "0 A/B 1 ALL/ALL 2 A/B 3 A/B 3 ALL/ALL 4 ALL/."},
    {"a layer counts before its kind",
     MIX BACKENDS MIX_DEPLOY "backend_per_kind { full_attention = A; full_attention.decode = B; } "
                             "backend_per_layer { 2 = C; } }",
     "0 A/B 1 ALL/ALL 2 C/C 3 A/B 3 ALL/ALL 4 ALL/."},
    {"a range without `as` is for every operator of the layer",
     MIX BACKENDS MIX_DEPLOY "backend_per_layer { 3 = C; } }",
     "0 ALL/ALL 1 ALL/ALL 2 ALL/ALL 3 C/C 3 C/C 4 ALL/."},
    {"`as` picks an operator, `.PHASE` a phase",
     MIX BACKENDS MIX_DEPLOY
     "backend_per_layer { 3 as cross = C; 0..2 step 2 .decode = A; 3 as self.prefill = B; } }",
     "0 ALL/A 1 ALL/ALL 2 ALL/A 3 B/ALL 3 C/C 4 ALL/."},
    {"the more special line of a layer counts",
     MIX BACKENDS MIX_DEPLOY "backend_per_layer { 3 = A; 3.decode = B; 3 as cross = C; } }",
     "0 ALL/ALL 1 ALL/ALL 2 ALL/ALL 3 A/B 3 C/C 4 ALL/."},
    {"`auto` stops the search for a kind",
     MIX BACKENDS MIX_DEPLOY "backend = A; backend_per_kind { sliding_window = auto; } }",
     "0 A/A 1 ALL/ALL 2 A/A 3 A/A 3 A/A 4 A/."},
    {"... for a layer",
     MIX BACKENDS MIX_DEPLOY "backend = A; backend_per_layer { 0 = auto; 3 as cross = auto; } }",
     "0 ALL/ALL 1 A/A 2 A/A 3 A/A 3 ALL/ALL 4 A/."},
    {"... and for everything", MIX BACKENDS MIX_DEPLOY "backend = auto; }",
     "0 ALL/ALL 1 ALL/ALL 2 ALL/ALL 3 ALL/ALL 3 ALL/ALL 4 ALL/."},
    {"a priority of a condition is for those that meet it",
     MIX BACKENDS "priority q { when = layer.kind == sliding_window; order = [B]; }\n" MIX_DEPLOY
                  "priority = [q, own]; }",
     "0 ALL/ALL 1 ALL/ALL 2 ALL/ALL 3 ALL/ALL 3 ALL/ALL 4 ALL/."},
    {"lists are joined in order of declaration; the deployment admits some",
     MIX BACKENDS "priority q { order = [B when phase == decode, C]; }\n" MIX_DEPLOY
                  "priority = q; }",
     "0 C/B 1 C/B 2 C/B 3 C/B 3 C/B 4 C/."},
    {"the first order line that holds counts",
     MIX BACKENDS "priority q { let full = layer.window == none; order = [A] when full; order = "
                  "[C]; }\n" MIX_DEPLOY "priority = [q]; }",
     "0 A/A 1 C/C 2 A/A 3 A/A 3 A/A 4 A/."},
    {"the next entry is tried where one does not pass",
     MIX BACKENDS "backend D extends ALL { kinds = { sliding_window }; phases = decode; }\n"
                  "priority q { order = [D, C]; }\n" MIX_DEPLOY "priority = q; }",
     "0 C/C 1 C/D 2 C/C 3 C/C 3 C/C 4 C/."},
};

static void precedence(void) {
    for (size_t i = 0; i < sizeof choices / sizeof *choices; i++) {
        struct chosen c;
        choose(&c, choices[i].text);
        is_str(backends_text(&c.f, &c.plan), choices[i].backends, choices[i].rule);
        is_str(c.reported, "", "... without a word");
        fixture_end(&c.f);
    }
}

static void what_decided_is_told(void) {
    struct chosen c;
    choose(&c, MIX BACKENDS MIX_DEPLOY
           "backend = A; backend_per_kind { full_attention = A; full_attention.decode = B; }\n"
           "  backend_per_layer { 1 = C; 4 = auto; } }");
    static const struct {
        int64_t layer;
        const char *op;
        enum phase phase;
        const char *decided_by, *decided_at;
    } rows[] = {{0, "self", PHASE_PREFILL, "kind", "main.attn:14"},
                {0, "self", PHASE_DECODE, "kind.phase", "main.attn:14"},
                {1, "self", PHASE_DECODE, "layer", "main.attn:15"},
                {3, "cross", PHASE_DECODE, "backend", "main.attn:14"},
                {4, "self", PHASE_PREFILL, "auto", NULL}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct plan_phase *p =
            &operator_at(&c.plan, rows[i].layer, rows[i].op)->phase[rows[i].phase];
        is_str(decision_text(p->decided_by), rows[i].decided_by, "decided_by");
        is_str(p->decided_at, rows[i].decided_at, "... and where");
    }
    ok(!operator_at(&c.plan, 4, "self")->phase[PHASE_DECODE].present, "encoder_only has no decode");
    fixture_end(&c.f);
}

// ---- errors

#define NARROW                                                                                     \
    "backend NARROW extends ALL { head_dim = { 96, 128 };\n"                                       \
    "  require layer.head_dim != 64 : \"64 is too small\" as small; }\n"

static const struct {
    const char *rule, *text, *want;
} errors[] = {
    {"B08: a window needs a backend that has windows",
     MIX "backend X extends ALL { flags = { softcap }; }\n" MIX_DEPLOY
         "backend_per_kind { sliding_window = X; } }",
     "A0501 12:153 backend `X` cannot serve `sliding_window` (layer 1): `window`: wanted 64, has "
     "no -- "
     "backends that accept all of it: `ALL` -- write `sliding_window = ALL;`"},
    {"B10: an encoder needs a backend that has the kind",
     MIX "backend X extends ALL { kinds = full_attention; }\n" MIX_DEPLOY
         "backend_per_kind { encoder_only_attention = X; } }",
     "A0501 12:161 backend `X` cannot serve `encoder_only_attention` (layer 4): `kinds`: wanted "
     "encoder_only_attention, has full_attention -- backends that accept all of it: `ALL` -- write "
     "`encoder_only_attention = ALL;`"},
    {"B02: an explicit choice is not replaced where the cache dtype does not fit",
     MIX "backend X extends ALL { kv_dtype = bf16; }\n" MIX_DEPLOY
         "kv_dtype = fp8_e5m2; backend_per_layer { 0..2 = X; } }",
     "A0501 12:165 backend `X` cannot serve `full_attention` (layers 0, 2): `kv_dtype`: wanted "
     "fp8_e5m2, has bf16 -- backends that accept all of it: `ALL` -- write `0..2 = ALL;` -- or "
     "change a setting: write `kv_dtype = bf16;`; A0501 "
     "12:165 "
     "backend `X` cannot serve `sliding_window` (layer 1): `kv_dtype`: wanted fp8_e5m2, has bf16 "
     "-- "
     "backends that accept all of it: `ALL` -- write `0..2 = ALL;` -- or change a setting: write "
     "`kv_dtype = bf16;`"},
    {"all reasons are one error, for all layers of the line",
     MIX NARROW MIX_DEPLOY "backend_per_layer { 0, 2, 3 as self = NARROW; } }",
     "A0501 13:155 backend `NARROW` cannot serve `full_attention` (layers 0, 2-3): `head_dim`: "
     "wanted 64, "
     "has {96, 128} -- backends that accept all of it: `ALL` -- write `0, 2, 3 as self = ALL;`"},
    {"a bare kind whose backend lacks a phase proposes kind.PHASE",
     MIX "backend X extends ALL { phases = decode; }\n" MIX_DEPLOY
         "backend_per_kind { full_attention = X; } }",
     "A0502 12:153 backend `X` cannot serve `full_attention` in prefill (layers 0, 2-3): `phases`: "
     "wanted prefill, has decode -- write `full_attention.decode = X;` -- backends that accept all "
     "of "
     "it: `ALL` -- write `full_attention = ALL;`"},
    {"... and so does a layer",
     MIX "backend X extends ALL { phases = decode; }\n" MIX_DEPLOY
         "backend_per_layer { 0..2 = X; } }",
     "A0502 12:144 backend `X` cannot serve `full_attention` in prefill (layers 0, 2): `phases`: "
     "wanted "
     "prefill, has decode -- write `0..2.decode = X;` -- backends that accept all of it: `ALL` -- "
     "write "
     "`0..2 = ALL;`; A0502 12:144 backend `X` cannot serve `sliding_window` in prefill (layer 1): "
     "`phases`: wanted prefill, has decode -- write `0..2.decode = X;` -- backends that accept all "
     "of "
     "it: `ALL` -- write `0..2 = ALL;`"},
    {"a backend of a device that the platform lacks",
     MIX "backend X extends ALL { device = cuda; }\n" MIX_DEPLOY
         "backend_per_kind { sliding_window = X; } }",
     "A0701 12:153 backend `X` cannot serve `sliding_window` (layer 1): `device`: wanted {cpu, "
     "npu}, has "
     "cuda -- backends that accept all of it: `ALL` -- write `sliding_window = ALL;`"},
    {"phases of an operator share a device",
     MIX "backend X extends ALL { device = npu; }\n" MIX_DEPLOY
         "backend_per_kind { sliding_window = X; sliding_window.decode = ALL; } }",
     "A0503 12:180 backend `ALL` for decode and `X` for prefill of `sliding_window` run on "
     "different "
     "devices -- write `sliding_window.decode = X;` -- write `sliding_window = ALL;`"},
    {"no priority applies",
     MIX "priority q { when = layer.kind == mamba; order = [ALL]; }\n" MIX_DEPLOY
         "priority = q; backend = ALL; backend_per_kind { sliding_window = auto; } }",
     "A0602 12:182 no priority applies to `sliding_window` (layer 1), so nothing can be chosen "
     "automatically -- backends that accept all of it: `ALL` -- write `sliding_window = ALL;`"},
    {"no backend of the priority accepts",
     MIX NARROW "priority q { order = [NARROW]; }\n" MIX_DEPLOY
                "priority = q; backend = ALL; backend_per_kind { sliding_window.decode = auto; } }",
     "A0601 14:189 no backend accepts `sliding_window` in decode (layer 1) -- backends that accept "
     "all "
     "of it: `ALL` -- write `sliding_window.decode = ALL;`"},
};

static void errors_of_choice(void) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct chosen c;
        choose(&c, errors[i].text);
        is_str(c.reported, errors[i].want, errors[i].rule);
        ok(!c.good && !c.plan.complete, "... and the plan is not complete");
        fixture_end(&c.f);
    }
}

static void a_refused_choice_is_null(void) {
    struct chosen c;
    choose(&c, MIX NARROW BACKENDS MIX_DEPLOY
           "backend = A; backend_per_kind { full_attention = NARROW; } }");
    is_str(backends_text(&c.f, &c.plan), "0 -/- 1 A/A 2 -/- 3 -/- 3 A/A 4 A/.",
           "refused operators have no backend, the others keep theirs");
    is_str(decision_text(operator_at(&c.plan, 0, "self")->phase[0].decided_by), "kind",
           "... and it is told what decided");
    fixture_end(&c.f);
}

static void notes_name_every_reason(void) {
    struct chosen c;
    choose(&c, MIX NARROW MIX_DEPLOY "backend_per_kind { full_attention = NARROW; } }");
    const struct diag *g = c.f.diags.list.at[0];
    static const char *const notes[] = {
        "model `m` makes layers 0, 2-3 `full_attention`", "`head_dim`: wanted 64, has {96, 128}",
        "rule `small` fails: 64 is too small; layer.head_dim is 64"};
    is_int((long long)g->notes.len, 3, "where the layers come from, then each reason");
    for (size_t i = 0; i < 3 && i < g->notes.len; i++) {
        is_str(g->notes.at[i].text, notes[i], "... with what was wanted and what there is");
        ok(g->notes.at[i].has_span, "... and its place");
    }
    fixture_end(&c.f);
}

// B11: the line that is printed is put in, and all is well.
static void a_printed_remedy_works(void) {
    static const char model[] =
        "model m { layers = 3; heads = 8; head_dim = 64; dtype = bf16; layer 1 { attn = "
        "encoder_decoder; } }\nbackend X extends ALL { kinds = full_attention; }\n"
        "deploy d { " DEPLOY "max_source_tokens = 100; backend = X; ";
    struct chosen c;
    struct fixture text;
    fixture_start(&text);
    choose(&c, arena_printf(&text.arena, "%s}", model));
    is_str(c.reported,
           "A0501 10:127 backend `X` cannot serve `cross_attention` (layer 1): `kinds`: wanted "
           "cross_attention, has full_attention -- backends that accept all of it: `ALL` -- add "
           "`backend_per_kind { cross_attention = ALL; }`",
           "B11: a default that cannot serve a layer names layer, kind and the line to write");
    fixture_end(&c.f);
    choose(&c, arena_printf(&text.arena, "%sbackend_per_kind { cross_attention = ALL; } }", model));
    ok(c.good, "the line works");
    is_str(backends_text(&c.f, &c.plan), "0 X/X 1 ALL/ALL 2 X/X",
           "... and leaves the others alone");
    fixture_end(&c.f);
    fixture_end(&text);
}

static void unchecked_choices_are_warnings(void) {
    struct chosen c;
    choose(&c, MIX NARROW MIX_DEPLOY
           "unchecked = yes; backend_per_kind { full_attention = NARROW; } }");
    is_str(
        c.reported,
        "A0550 13:170 backend `NARROW` cannot serve `full_attention` (layers 0, 2-3): `head_dim`: "
        "wanted 64, has {96, 128}",
        "`unchecked` makes failing rules of explicit choices warnings");
    ok(c.good, "... that are no errors");
    is_str(operator_at(&c.plan, 0, "self")->phase[0].backend, "NARROW", "... and keep the choice");
    fixture_end(&c.f);
}

static void candidates_are_listed(void) {
    struct chosen c;
    choose(&c, MIX NARROW BACKENDS "priority q { order = [C, NARROW]; }\n" MIX_DEPLOY
                                   "priority = q; }");
    const struct plan_phase *p = &operator_at(&c.plan, 0, "self")->phase[PHASE_DECODE];
    static const char *const names[] = {"C", "NARROW", "ALL", "A", "B"};
    is_int((long long)p->candidates.len, 5, "every backend is a candidate, families are not");
    for (size_t i = 0; i < 5 && i < p->candidates.len; i++) {
        is_str(p->candidates.at[i].backend, names[i], "priority order, then order of declaration");
        ok(p->candidates.at[i].ok == (i != 1), "... with the verdict");
    }
    const struct plan_candidate *narrow = &p->candidates.at[1];
    is_int((long long)narrow->reasons.len, 2, "all reasons");
    is_str(narrow->reasons.at[0], "head_dim", "a capability");
    is_str(narrow->reasons.at[1], "small", "a rule by its name");
    is_str(narrow->texts.at[1], "rule `small` fails: 64 is too small; layer.head_dim is 64",
           "... with its text");
    fixture_end(&c.f);
}

static void the_library_comes_last(void) {
    struct chosen c;
    fixture_start(&c.f);
    planner_fixture_plan(&c.f,
                         "import \"std/cpu.attn\";\n"
                         "model m { " MODEL
                         "}\nbackend MINE extends CPU_REF { phases = prefill; }\n"
                         "priority mine { order = [MINE]; }\n"
                         "deploy d { model = m; platform = x86_64_v3; " LIMITS "}",
                         "d", &c.plan);
    is_str(fixture_reported(&c.f), "", "a backend of the user beside the library's");
    is_str(backends_text(&c.f, &c.plan),
           "0 MINE/CPU_FLASH 1 MINE/CPU_FLASH 2 MINE/CPU_FLASH 3 MINE/CPU_FLASH",
           "lists of files outside the library come first");
    fixture_end(&c.f);
}

int main(void) {
    precedence();
    what_decided_is_told();
    errors_of_choice();
    a_refused_choice_is_null();
    notes_name_every_reason();
    a_printed_remedy_works();
    unchecked_choices_are_warnings();
    candidates_are_listed();
    the_library_comes_last();
    return done_testing();
}
