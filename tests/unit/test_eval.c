// SPDX-License-Identifier: Apache-2.0
// Evaluation: each expression is a let of a backend, asked about one operator, and its value is
// compared as text. Then what the static check of rules says about names.
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/program_fixture.h"

static const char *const machine =
    "platform base { device = cuda; fact inherited = 3; }\n"
    "platform here extends base { cc = 8.10; fact fw = 2.10; fact unset = none; fact on = yes;\n"
    "    fact brand = acme; fact list = { 1.2, 3 }; fact replaced = 1; }\n"
    "deploy d { fact replaced = 2; }\n";

struct asked {
    struct operator_attrs layer, model;
    struct deploy_attrs deploy;
    struct value kinds;
    struct subject subject;
    bool read_block;
};

// 8 query heads on 2 KV heads of 96, window 512, no soft cap.
static void ask_about(struct fixture *f, struct asked *q) {
    memset(q, 0, sizeof *q);
    for (int i = 0; i < ATTR_COUNT; i++) {
        q->layer.at[i] = value_none();
        q->model.at[i] = value_none();
    }
    for (int i = 0; i < DEPLOY_ATTR_COUNT; i++) {
        q->deploy.at[i] = value_none();
    }
    q->layer.at[ATTR_HEADS] = value_int(8);
    q->layer.at[ATTR_KV_HEADS] = value_int(2);
    q->layer.at[ATTR_HEAD_DIM] = value_int(96);
    q->layer.at[ATTR_WINDOW] = value_int(512);
    q->layer.at[ATTR_DTYPE] = value_word("bf16");
    q->layer.at[ATTR_KV_DTYPE] = value_word("int8");
    q->layer.at[ATTR_KIND] = value_word("sliding_window");
    q->layer.at[ATTR_SINK_LOGITS] = value_bool(false);
    q->layer.at[ATTR_ALIBI] = value_bool(true);
    q->model.at[ATTR_HEAD_DIM] = value_int(128);
    q->deploy.at[DEPLOY_DCP] = value_int(1);
    q->deploy.platform = program_find(&f->program, DECL_PLATFORM, "here");
    q->deploy.facts =
        decl_lines(&f->arena, program_find(&f->program, DECL_DEPLOY, "d"), ITEM_FACT, "replaced");
    struct value kinds[] = {value_word("mamba"), value_word("sliding_window")};
    q->kinds = value_set(&f->arena, kinds, 2);
    q->subject = (struct subject){.program = &f->program,
                                  .layer = &q->layer,
                                  .model = &q->model,
                                  .model_kinds = &q->kinds,
                                  .deploy = &q->deploy,
                                  .phase = PHASE_DECODE,
                                  .has_phase = true,
                                  .read_block = &q->read_block};
}

// Rows of an expression and its value; a failure is "! " and what was missing.
struct row {
    const char *expression, *want;
};

static void values(const char *lets, const struct row *rows, size_t n) {
    struct fixture f;
    struct asked q;
    fixture_start(&f);
    const char *text = arena_printf(&f.arena, "%sbackend T { family = yes; %s\n", machine, lets);
    for (size_t i = 0; i < n; i++) {
        text = arena_printf(&f.arena, "%slet r%zu = %s;\n", text, i, rows[i].expression);
    }
    fixture_write(&f, "main.attn", arena_printf(&f.arena, "%s}\n", text));
    fixture_load(&f, "main.attn");
    is_str(fixture_reported(&f), "", "the rows parse");
    ask_about(&f, &q);
    const struct decl *t = program_find(&f.program, DECL_BACKEND, "T");
    for (size_t i = 0; i < n; i++) {
        struct item_lines lines =
            decl_lines(&f.arena, t, ITEM_LET, arena_printf(&f.arena, "r%zu", i));
        struct value v = eval(&q.subject, t, lines.at[0]->value, VOCAB_NONE);
        const char *got = value_text(&f.arena, &v);
        is_str(v.kind == VALUE_FAILURE ? arena_printf(&f.arena, "! %s", got) : got, rows[i].want,
               rows[i].expression);
    }
    fixture_end(&f);
}

#define VALUES(lets, ...)                                                                          \
    values(lets, (const struct row[]){__VA_ARGS__},                                                \
           sizeof((const struct row[]){__VA_ARGS__}) / sizeof(struct row))

static void arithmetic(void) {
    VALUES("", {"1 + 2 * 3", "7"}, {"7 / 2", "7/2"}, {"-7 % 2 + 10 % 4", "3"},
           {"2 * (3 - 5)", "-4"}, {"0.1 + 0.2 == 0.3", "yes"}, {"rsqrt(256)", "1/16"},
           {"rsqrt(96) * rsqrt(96) == 1 / layer.head_dim", "yes"}, {"roundup(97, 16)", "112"},
           {"roundup(96, 16)", "96"}, {"bytes(bf16) + bytes(int4)", "5/2"},
           {"bytes(layer.kv_dtype)", "1"},
           {"bytes(fp8_ds_mla)", "! the size of `fp8_ds_mla` is not known"},
           {"1 / 0", "! division by zero"},
           {"9223372036854775807 + 1", "! overflow of 64-bit numbers"},
           {"2G * 2G * 2G", "! overflow of 64-bit numbers"},
           {"1.5 % 1", "! remainder of a number that is not an integer"},
           {"rsqrt(-1)", "! rsqrt(-1): root of a negative number"},
           {"starts(layer.kv_dtype, \"in\")", "yes"}, {"1K", "1024"}, {"0x10", "16"});
}

static void logic(void) {
    VALUES("", {"no and platform.nothing", "no"}, {"yes or platform.nothing", "yes"},
           {"no implies platform.nothing", "yes"},
           {"platform.nothing and no", "! the platform does not state `nothing`"},
           {"yes and platform.nothing", "! the platform does not state `nothing`"},
           {"not platform.nothing", "! the platform does not state `nothing`"},
           {"yes implies no", "no"}, {"no or yes and no", "no"}, {"not no and no", "no"},
           {"not layer.window == 3", "yes"}, {"layer.sink_logits", "no"},
           {"not layer.sink_logits and layer.alibi", "yes"},
           {"layer.heads and yes", "! `layer.heads` is 8, not yes or no"},
           {"not platform.unset", "yes"});
}

static void none(void) {
    VALUES("", {"layer.softcap", "none"}, {"layer.softcap == none", "yes"},
           {"layer.softcap != none", "no"}, {"layer.softcap == 0", "no"},
           {"layer.softcap in { 1, 2 }", "no"}, {"layer.softcap in { 1, none }", "yes"},
           {"layer.softcap in 1..any", "no"},
           {"layer.softcap < 3", "! `layer.softcap` is none, which has no order"},
           {"layer.softcap + 1", "! `layer.softcap` is none, not a number"},
           {"layer.window == none or layer.window % 32 == 0", "yes"}, {"layer.mla.rope == 0", "no"},
           {"platform.unset == no", "no"}, {"platform.unset != none", "no"});
}

static void versions(void) {
    VALUES("", {"platform.fw >= 2.9", "yes"}, {"platform.fw == 2.1", "no"},
           {"platform.cc == 8.10", "yes"}, {"platform.cc >= 8.9", "yes"},
           {"platform.cc.major == 8", "yes"}, {"platform.cc.major in { 8, 9 }", "yes"},
           {"platform.cc in 8.0..12.1", "yes"}, {"platform.cc in { 8.0..8.9 }", "no"},
           {"platform.cc in { 8.1, 8.10 }", "yes"}, {"platform.fw.major", "2"},
           {"platform.cc > 8", "yes"}, {"platform.cc + 1", "! `platform.cc` is 8.10, not a number"},
           {"platform.inherited + 1", "4"}, {"platform.replaced", "2"},
           {"platform.brand == acme", "yes"}, {"platform.list has 1.20", "no"},
           {"platform.list has 3", "yes"}, {"platform.sms", "none"});
}

static void sets(void) {
    VALUES("let half = { f16, bf16 }; let dims = { 64, 128 };", {"layer.dtype in half", "yes"},
           {"layer.dtype in { half, f32 }", "yes"}, {"layer.kv_dtype in { half, f32 }", "no"},
           {"{ 1, { 2, 1 }, dims }", "{1, 2, 64, 128}"},
           {"{ 1 when no, 2 when layer.alibi, 3 when platform.nothing }", "{2}"},
           {"[2, [1, 2]]", "[2, 1, 2]"},
           {"{ 1, platform.nothing }", "! the platform does not state `nothing`"},
           {"8..512 step 8", "8..512 step 8"}, {"12 in { 8..16 step 4, 99 }", "yes"},
           {"13 in { 8..16 step 4, 99 }", "no"}, {"40 in 32..any", "yes"}, {"40 in any..32", "no"},
           {"48 in { multiple_of 16 }", "yes"}, {"model.kinds has mamba", "yes"},
           {"model.kinds has full_attention", "no"}, {"platform.device has cuda", "yes"},
           {"{ cuda, cpu } has platform.device", "yes"}, {"9..8", "! range 9..8 is empty"},
           {"{ }", "{}"}, {"phase == decode", "yes"}, {"phase", "decode"});
}

static void lets(void) {
    VALUES("let a = 1 when layer.window == none; let a = 2 when platform.nothing; let a = 3;\n"
           "let b = 4 when no;\n"
           "let c = d; let d = c;\n"
           "let t0 = 1; let t1 = t0 + t0; let t2 = t1 + t1; let t3 = t2 + t2;\n"
           "let e0 = { 1 }; let e1 = { e0, e0, e0 }; let e2 = { e1, e1, e1 };",
           {"a", "3"}, {"b", "no"}, {"c", "! `let c` reaches itself"}, {"t3", "8"}, {"e2", "{1}"},
           {"undeclared", "! unknown name `undeclared`"});
}

static void attributes(void) {
    VALUES("", {"layer.heads / layer.kv_heads", "4"}, {"model.head_dim", "128"},
           {"layer.kind == sliding_window", "yes"}, {"deploy.dcp > 1", "no"},
           {"deploy.block_size", "auto"},
           {"deploy.block_size % 16 == 0", "! `deploy.block_size` is auto, not a number"},
           {"layer.demand has window", "yes"}, {"layer.demand", "{window, alibi}"},
           {"layer.nope", "! unknown name `layer.nope`"});
}

static void block_size(void) {
    struct fixture f;
    struct asked q;
    fixture_start(&f);
    fixture_write(
        &f, "main.attn",
        arena_printf(&f.arena, "%sbackend T { let r = deploy.block_size %% 48 == 0; }", machine));
    fixture_load(&f, "main.attn");
    ask_about(&f, &q);
    const struct decl *t = program_find(&f.program, DECL_BACKEND, "T");
    const struct ast_expr *e = decl_lines(&f.arena, t, ITEM_LET, "r").at[0]->value;
    q.subject.block_size = 96;
    ok(eval_holds(&q.subject, t, e) && q.read_block, "a candidate is substituted, and noted");
    q.subject.block_size = 64;
    ok(!eval_holds(&q.subject, t, e), "another candidate gives another answer");
    is_str(eval_names_text(&q.subject, t, e), "deploy.block_size is 64", "names show their values");
    fixture_end(&f);
}

// The static check.
static void reports(const char *backend, const char *want, const char *name) {
    struct fixture f;
    fixture_start(&f);
    fixture_text(&f,
                 arena_printf(&f.arena, "backend T { family = yes; %s }\n%s", backend, machine));
    is_str(fixture_reported(&f), want, name);
    fixture_end(&f);
}

static void static_check(void) {
    reports("require layer.hed_dim == 3 : \"x\";",
            "A0301 1:35 unknown name `layer.hed_dim` -- an attribute named `layer.head_dim` exists",
            "an unknown attribute, with the nearest");
    reports("require layer.dtype == bf61 : \"x\";",
            "A0301 1:50 unknown dtype `bf61` -- a dtype named `bf16` exists",
            "an unknown word, of the type that stands beside it");
    reports("require platform.fww == 2 : \"x\";",
            "A0301 1:35 unknown name `platform.fww`: no platform has such an attribute or states "
            "such a fact -- an attribute named `platform.fw` exists",
            "a fact that no platform states");
    reports("let used = 1; require usd == 1 : \"x\";",
            "A0301 1:49 unknown name `usd` -- a let named `used` exists", "an unknown let");
    reports("let a = b; let b = a; require a : \"x\";",
            "A0310 1:46 `let a` reaches itself: a -> b -> a", "a let that reaches itself, once");
    reports("let bf16 = 3; require layer.dtype == bf16 : \"x\";",
            "A0311 1:31 `let bf16` is used where a dtype stands, and is named like one",
            "a let named like a word of the type it is used as");
    reports("let softcap = 3; require layer.heads == softcap : \"x\";", "",
            "the same name used as a number is no word");
    reports("require bites(bf16) == 2 and rsqrt(1, 2) == 1 : \"x\";",
            "A0301 1:35 unknown function `bites` -- a function named `bytes` exists; "
            "A0401 1:56 `rsqrt` takes 1 values, has 2",
            "calls are checked");
    reports("require platform.cc.minor == 1 : \"x\";",
            "A0301 1:35 unknown name `platform.cc.minor`"
            " -- an attribute named `platform.cc.major` exists",
            "a version has `major` alone");
    reports(
        "require layer.dtype == \"bf16\" and layer.kind in { 3 } and layer.heads == \"8\" : \"x\";",
        "A0401 1:50 comparison of a string with a dtype -- words stand without quotes: `bf16`; "
        "A0401 1:77 comparison of a number with a kind; "
        "A0401 1:100 comparison of a string with what is no string",
        "comparisons that can never hold");
    reports("require no implies layer.heads == 9..2 : \"x\";",
            "A0401 1:61 range is empty: it ends before it begins",
            "what is never evaluated is checked too");
}

static void limits(void) {
    struct fixture f;
    fixture_start(&f);
    const char *text = "backend T { family = yes; let a0 = 1;";
    for (int i = 1; i < 3000; i++) {
        text = arena_printf(&f.arena, "%s\nlet a%d = a%d;", text, i, i - 1);
    }
    fixture_text(&f, arena_printf(&f.arena, "%s\nrequire a2999 == 1 : \"x\"; }", text));
    ok(f.diags.errors >= 1 && f.diags.list.at[0]->code == DIAG_A0404,
       "a chain of lets is bounded, with a message");
    fixture_end(&f);
    fixture_start(&f);
    text = "backend T { family = yes; let a0 = 1;";
    for (int i = 1; i < 64; i++) {
        text = arena_printf(&f.arena, "%s\nlet a%d = a%d + a%d;", text, i, i - 1, i - 1);
    }
    fixture_text(&f, arena_printf(&f.arena, "%s\nrequire a63 == 1 : \"x\"; }", text));
    is_str(fixture_reported(&f), "", "64 lets in a chain are allowed, each looked at once");
    struct asked q = {.subject.program = &f.program};
    const struct decl *t = program_find(&f.program, DECL_BACKEND, "T");
    struct value v =
        eval(&q.subject, t, decl_lines(&f.arena, t, ITEM_LET, "a62").at[0]->value, VOCAB_NONE);
    is_str(value_text(&f.arena, &v), "4611686018427387904", "and evaluated once");
    fixture_end(&f);
}

// Constants of models and deployments.
static void constant(const char *expression, enum vocabulary words, const char *want,
                     const char *reported) {
    struct fixture f;
    struct value v;
    fixture_start(&f);
    fixture_write(&f, "m.attn", arena_printf(&f.arena, "model M { heads = %s; }", expression));
    fixture_load(&f, "m.attn");
    const struct decl *m = program_find(&f.program, DECL_MODEL, "M");
    bool good = eval_constant(&f.program, m->ast->items.at[0]->value, words, &v);
    is_str(good ? value_text(&f.arena, &v) : "", want, expression);
    is_str(fixture_reported(&f), reported, "and what is reported");
    fixture_end(&f);
}

static void constants(void) {
    constant("2 * 4", VOCAB_NONE, "8", "");
    constant("2147483647+1", VOCAB_NONE, "2147483648", "");
    constant("8 / 0", VOCAB_NONE, "", "A0402 1:19 division by zero");
    constant("1e400", VOCAB_NONE, "", "A0402 1:19 number `1e400` is out of range");
    constant("layer.heads", VOCAB_NONE, "", "A0403 1:19 `layer.heads` has no value in a constant");
    constant("bf61", VOCAB_DTYPE, "",
             "A0301 1:19 unknown dtype `bf61` -- a dtype named `bf16` exists");
    constant("CPU", VOCAB_BACKEND, "", "A0301 1:19 unknown backend `CPU`");
    constant("{ window, softcap }", VOCAB_FLAG, "{window, softcap}", "");
}

int main(void) {
    arithmetic();
    logic();
    none();
    versions();
    sets();
    lets();
    attributes();
    block_size();
    static_check();
    limits();
    constants();
    return done_testing();
}
