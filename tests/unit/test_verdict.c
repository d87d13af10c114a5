// SPDX-License-Identifier: Apache-2.0
// Verdicts: which capabilities and rules fail for an operator, in which order and with which texts
// (cases B07, B08, B10); block sizes; the checks of backends, priorities and of the library.
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/program_fixture.h"

struct asked {
    struct operator_attrs layer;
    struct deploy_attrs deploy;
    struct subject subject;
};

// A full-attention operator: 8 query heads on 2 KV heads of 96, bf16, nothing else.
static void ask_about(struct fixture *f, struct asked *q) {
    memset(q, 0, sizeof *q);
    for (int i = 0; i < ATTR_COUNT; i++) {
        q->layer.at[i] = value_none();
    }
    for (int i = 0; i < DEPLOY_ATTR_COUNT; i++) {
        q->deploy.at[i] = value_none();
    }
    q->layer.at[ATTR_HEADS] = value_int(8);
    q->layer.at[ATTR_KV_HEADS] = value_int(2);
    q->layer.at[ATTR_HEAD_DIM] = value_int(96);
    q->layer.at[ATTR_V_HEAD_DIM] = value_int(96);
    q->layer.at[ATTR_K_WIDTH] = value_int(96);
    q->layer.at[ATTR_DTYPE] = value_word("bf16");
    q->layer.at[ATTR_KV_DTYPE] = value_word("bf16");
    q->layer.at[ATTR_KIND] = value_word("full_attention");
    q->layer.at[ATTR_SINK_LOGITS] = value_bool(false);
    q->layer.at[ATTR_ALIBI] = value_bool(false);
    q->deploy.at[DEPLOY_DCP] = value_int(1);
    q->deploy.at[DEPLOY_PCP] = value_int(1);
    q->deploy.at[DEPLOY_DETERMINISTIC] = value_bool(false);
    q->deploy.platform = program_find(&f->program, DECL_PLATFORM, "h200");
    q->subject = (struct subject){.program = &f->program,
                                  .layer = &q->layer,
                                  .deploy = &q->deploy,
                                  .phase = PHASE_DECODE,
                                  .has_phase = true};
}

// A backend that serves the operator; `more` comes before its lines, so that it can answer first.
static const char *backend_text(struct fixture *f, const char *more) {
    return arena_printf(
        &f->arena,
        "backend BASE { family = yes; device = { cuda, rocm }; phases = any;\n"
        "  kinds = { full_attention, sliding_window }; dtype = { f16, bf16 };\n"
        "  kv_dtype = { bf16, int8 }; head_dim = { 64, 96 }; v_head_dim = 8..128 step 8;\n"
        "  group = 1..8; kernel_block = { 16, 24 }; flags = { window, usual };\n"
        "  let usual = { lse }; }\n"
        "backend T extends BASE {\n%s\n}\n",
        more);
}

static const char *verdict_text(struct fixture *f, const struct verdict *v) {
    const char *text = v->ok ? "ok" : "";
    for (size_t i = 0; i < v->reasons.len; i++) {
        const struct reason *r = &v->reasons.at[i];
        text = arena_printf(&f->arena, "%s%s%s%s: %s / %s%s%s", text, i ? "; " : "",
                            r->quiet ? "(quiet) " : "", r->name, r->wanted, r->has,
                            r->missing ? " ! " : "", r->missing ? r->missing : "");
    }
    return text;
}

// `change` makes the operator another one.
static void judges(const char *more, void (*change)(struct asked *q), const char *want,
                   const char *name) {
    struct fixture f;
    struct asked q;
    fixture_start(&f);
    fixture_text(&f, backend_text(&f, more));
    is_str(fixture_reported(&f), "", "the declarations are sound");
    ask_about(&f, &q);
    if (change) {
        change(&q);
    }
    struct verdict v = verdict_of(&q.subject, program_find(&f.program, DECL_BACKEND, "T"));
    is_str(verdict_text(&f, &v), want, name);
    fixture_end(&f);
}

static void make_window(struct asked *q) {
    q->layer.at[ATTR_KIND] = value_word("sliding_window");
    q->layer.at[ATTR_WINDOW] = value_int(512);
}

static void make_mla(struct asked *q) {
    q->layer.at[ATTR_KIND] = value_word("sliding_window_mla");
    q->layer.at[ATTR_MLA] = value_bool(true);
    q->layer.at[ATTR_WINDOW] = value_int(128);
}

static void make_mamba(struct asked *q) {
    for (int i = 0; i < ATTR_COUNT; i++) {
        q->layer.at[i] = value_none();
    }
    q->layer.at[ATTR_SSM] = value_bool(true);
    q->layer.at[ATTR_KIND] = value_word("mamba");
}

static void make_sinks(struct asked *q) {
    q->layer.at[ATTR_SINK_LOGITS] = value_bool(true);
    q->layer.at[ATTR_SOFTCAP] = value_int(50);
    q->deploy.at[DEPLOY_DETERMINISTIC] = value_bool(true);
}

static void make_encoder(struct asked *q) {
    q->layer.at[ATTR_KIND] = value_word("encoder_only_attention");
    q->layer.at[ATTR_ATTN] = value_word("encoder_only");
}

static void make_odd_group(struct asked *q) {
    q->layer.at[ATTR_HEADS] = value_int(71);
    q->layer.at[ATTR_KV_HEADS] = value_int(1);
    q->layer.at[ATTR_HEAD_DIM] = value_int(88);
}

static void make_sparse(struct asked *q) {
    q->layer.at[ATTR_INDEX] = value_bool(true);
}

static void leave_dtype(struct asked *q) {
    q->layer.kv_dtype_left = true;
}

static void capabilities(void) {
    judges("", NULL, "ok", "all answers hold");
    judges("", make_odd_group, "head_dim: 88 / {64, 96}; group: 71 / 1..8",
           "what fails is told as wanted and has, in order of declaration");
    judges("phases = { prefill };", NULL, "phases: decode / {prefill}", "phases");
    judges("device = rocm;", NULL, "device: cuda / rocm", "device");
    judges("dtype = f16; k_width = 128;", NULL, "dtype: bf16 / f16; k_width: 96 / 128",
           "answers of the child come first");
    judges("head_dim = 64 when layer.heads == 9; head_dim = 128 when platform.sms == 7;\n"
           "  head_dim = { 32, 96 when platform.cc == 9.0 };",
           NULL, "ok", "the first line whose `when` holds counts");
    judges("", make_sparse, "sparse: yes / no", "sparse is no where nothing is said");
    judges("sparse = any;", make_sparse, "ok", "`any` answers both ways");
    judges("sparse = yes;", NULL, "sparse: no / yes", "equals goes both ways");
}

static void kinds(void) {
    judges("", make_window, "ok", "B08: a window, demanded and listed");
    judges("flags = { lse };", make_window, "window: 512 / no",
           "B08: a kernel without the flag may not serve a window");
    judges("", make_encoder, "kinds: encoder_only_attention / {full_attention, sliding_window}",
           "B10: a kind is served only where it is listed");
    judges("flags = { lse };", make_mla,
           "kinds: sliding_window_mla / {full_attention, sliding_window}; "
           "(quiet) mla: yes / no; (quiet) window: 128 / no",
           "what only restates the kind keeps quiet");
    judges("kinds = any; flags = { lse };", make_mla, "mla: yes / no; window: 128 / no",
           "and is told where the kind is served");
    judges("", make_mamba,
           "kinds: mamba / {full_attention, sliding_window}; (quiet) dtype: none / {f16, bf16}; "
           "(quiet) kv_dtype: none / {bf16, int8}; (quiet) head_dim: none / {64, 96}; "
           "(quiet) v_head_dim: none / 8..128 step 8; "
           "(quiet) group: `layer.heads` is none, not a number / 1..8 ! `layer.heads` is none, not "
           "a number",
           "so does what the kind does not have");
    judges("kinds = mamba; dtype = any; kv_dtype = any; head_dim = any; v_head_dim = any;\n"
           "  group = any;",
           make_mamba, "ok", "`any` accepts none");
}

static void flags(void) {
    judges("", make_sinks, "sink_logits: yes / no; softcap: 50 / no; deterministic: yes / no",
           "B07: every flag demanded must be listed");
    judges("flags = { usual, sink_logits when platform.cc.major == 9, softcap, deterministic };",
           make_sinks, "ok", "B07: a flag may depend on the device");
    judges("flags = { usual, sink_logits when platform.cc.major == 8, softcap, deterministic };",
           make_sinks, "sink_logits: yes / no", "B07: and be absent on another");
    judges("flags = { usual when platform.cc < 9.0 };", NULL, "ok", "a flag not demanded is free");
}

static void cache_dtype(void) {
    judges("kv_dtype = { auto, int8 };", NULL, "kv_dtype: bf16 / {auto, int8}",
           "`auto` is not the dtype that was asked for");
    judges("kv_dtype = { auto, int8 };", leave_dtype, "ok",
           "`auto` accepts the dtype that was left to the model");
    judges("kv_dtype = int8;", leave_dtype, "kv_dtype: bf16 / int8",
           "a dtype left to the model must still be listed");
}

static void rules(void) {
    judges("require layer.head_dim == 64 : \"heads of 64\";\n"
           "require layer.heads < layer.kv_heads : \"odd\" as odd;",
           NULL,
           "main.attn:7: heads of 64 / layer.head_dim is 96; "
           "odd: odd / layer.heads is 8, layer.kv_heads is 2",
           "a rule shows its names, and is called by its label or its place");
    judges("require layer.window % 32 == 0 : \"whole tiles\" as tiles;", NULL,
           "tiles: whole tiles / layer.window is none ! `layer.window` is none, not a number",
           "arithmetic on none fails the rule");
    judges("require layer.window == none or layer.window % 32 == 0 : \"whole tiles\";", NULL, "ok",
           "unless it is not evaluated");
    judges("require layer.head_dim <= 64 : \"small\" as small;", make_mamba,
           "kinds: mamba / {full_attention, sliding_window}; (quiet) dtype: none / {f16, bf16}; "
           "(quiet) kv_dtype: none / {bf16, int8}; (quiet) head_dim: none / {64, 96}; "
           "(quiet) v_head_dim: none / 8..128 step 8; "
           "(quiet) group: `layer.heads` is none, not a number / 1..8 ! `layer.heads` is none, not "
           "a number; "
           "(quiet) small: small / layer.head_dim is none ! `layer.head_dim` is none, which has no "
           "order",
           "a rule about what a refused kind does not have keeps quiet");
    struct fixture f;
    struct asked q;
    fixture_start(&f);
    fixture_text(
        &f, "backend P { family = yes; let limit = 8; let big = limit * 2;\n"
            "  require layer.heads > big : \"p\" as parent; }\n"
            "backend C extends P { family = yes; require no : \"c\" as child; let limit = 64; }");
    is_str(fixture_reported(&f), "", "a family may leave answers to its children");
    ask_about(&f, &q);
    struct verdict v = verdict_of(&q.subject, program_find(&f.program, DECL_BACKEND, "C"));
    size_t n = v.reasons.len;
    ok(n >= 2 && strcmp(v.reasons.at[n - 2].name, "parent") == 0 &&
           strcmp(v.reasons.at[n - 1].name, "child") == 0,
       "the parent's rules come before the child's");
    is_str(v.reasons.at[n - 2].has, "layer.heads is 8, big is 128",
           "a child can redefine what a parent's rule uses");
    fixture_end(&f);
}

static void blocks(void) {
    struct fixture f;
    struct asked q;
    fixture_start(&f);
    fixture_text(&f, arena_printf(&f.arena,
                                  "%sbackend U extends T { require deploy.block_size %% 32 == 0 : "
                                  "\"x\" as whole; }\n"
                                  "backend V extends T { block_size = { 64, 128 }; }\n"
                                  "backend W extends T { kernel_block = multiple_of 16; }\n"
                                  "backend X extends T { kernel_block = any; }",
                                  backend_text(&f, "")));
    is_str(fixture_reported(&f), "", "the declarations are sound");
    ask_about(&f, &q);
    const struct decl *t = program_find(&f.program, DECL_BACKEND, "T");
    const struct decl *u = program_find(&f.program, DECL_BACKEND, "U");
    const struct decl *v = program_find(&f.program, DECL_BACKEND, "V");
    const struct decl *w = program_find(&f.program, DECL_BACKEND, "W");
    const struct decl *x = program_find(&f.program, DECL_BACKEND, "X");
    ok(backend_takes_block(&q.subject, t, 48) && backend_takes_block(&q.subject, t, 72) &&
           !backend_takes_block(&q.subject, t, 40),
       "a cache block is any multiple of a kernel block");
    ok(backend_takes_block(&q.subject, v, 128) && !backend_takes_block(&q.subject, v, 256),
       "where block_size is answered, it alone counts");
    ok(backend_takes_block(&q.subject, w, 80) && !backend_takes_block(&q.subject, w, 24),
       "multiples of multiples");
    ok(backend_takes_block(&q.subject, x, 7), "any kernel block takes any block");
    ok(backend_takes_block(&q.subject, u, 96) && !backend_takes_block(&q.subject, u, 48),
       "rules see the candidate");
    struct verdict undecided = verdict_of(&q.subject, t);
    ok(undecided.ok && !undecided.read_block, "a block size that is not decided is not asked for");
    undecided = verdict_of(&q.subject, u);
    ok(!undecided.ok && undecided.read_block, "but a rule that reads it says so");
    q.deploy.at[DEPLOY_BLOCK_SIZE] = value_int(40);
    struct verdict asked = verdict_of(&q.subject, t);
    is_str(verdict_text(&f, &asked), "block_size: 40 / {multiple_of 16, multiple_of 24}",
           "a block size that was asked for is judged");
    fixture_end(&f);
}

// Capabilities of other library files: answered `any`; they see the demands declared before them.
static void other_capabilities(void) {
    static const char text[] = "capability early : flag when layer.demand has late;\n"
                               "capability late  : flag when layer.heads == 8;\n"
                               "capability after : flag when layer.demand has late;\n"
                               "capability odd   : flag when layer.softcap > 3;\n"
                               "capability limit : within layer.heads;\n";
    struct library_file files[16];
    struct fixture f;
    struct asked q;
    fixture_start(&f);
    memcpy(files, library_files, library_file_count * sizeof *files);
    files[library_file_count] =
        (struct library_file){"std/more.attn", text, (uint32_t)sizeof text - 1};
    f.options.library = files;
    f.options.n_library = library_file_count + 1;
    fixture_text(&f, arena_printf(&f.arena, "import \"std/more.attn\";\n%s", backend_text(&f, "")));
    is_str(fixture_reported(&f), "", "a library file adds capabilities");
    ask_about(&f, &q);
    struct verdict v = verdict_of(&q.subject, program_find(&f.program, DECL_BACKEND, "T"));
    is_str(verdict_text(&f, &v), "late: yes / no; after: yes / no",
           "a `when` sees what was demanded before it; one that fails demands nothing");
    struct value words[] = {value_word("late")};
    q.layer.at[ATTR_DEMAND] = value_set(&f.arena, words, 1);
    struct value demand = demands_of(&q.subject);
    is_str(value_text(&f.arena, &demand), "{early, late, after}",
           "settings are seen by every capability");
    fixture_end(&f);
}

static void parts(void) {
    struct fixture f;
    fixture_start(&f);
    fixture_text(&f, arena_printf(&f.arena, "%sbackend U extends T { device = cuda; }",
                                  backend_text(&f, "entry = f; write = g;")));
    const struct decl *t = program_find(&f.program, DECL_BACKEND, "T");
    const struct decl *u = program_find(&f.program, DECL_BACKEND, "U");
    is_str(backend_word(t, "entry"), "f", "entry");
    is_str(backend_word(u, "entry"), NULL, "entry is not inherited");
    ok(!backend_is_family(t) && backend_is_family(t->parent), "nor is family");
    fixture_end(&f);
}

// ---- the declarations themselves

static void reports(const char *text, const char *want, const char *name) {
    struct fixture f;
    fixture_start(&f);
    fixture_text(&f, text);
    is_str(fixture_reported(&f), want, name);
    fixture_end(&f);
}

#define ANSWERS                                                                                    \
    "device = cpu; kinds = any; phases = any; dtype = any; kv_dtype = any; head_dim = any;\n"      \
    "v_head_dim = any; group = any; block_size = any;\n"

static void backends(void) {
    reports("backend T { device = cpu; kinds = any; phases = any; dtype = any; }",
            "A0511 1:9 backend `T` does not answer `kv_dtype`, `head_dim`, `v_head_dim`, `group`, "
            "`block_size` -- `any` accepts everything; `family = yes;` marks a family, which may "
            "leave answers to its children",
            "every capability of the library must be answered");
    reports("backend T {" ANSWERS "hed_dim = 3; softcap = yes; }",
            "A0312 3:1 a backend has no attribute `hed_dim` -- an attribute named `head_dim` "
            "exists; A0312 3:14 a backend has no attribute `softcap` -- `softcap` is a flag: list "
            "it in `flags = { ... }`",
            "unknown attributes");
    reports("backend T {" ANSWERS "flags = { windw }; }",
            "A0301 3:11 unknown flag `windw` -- a flag named `window` exists", "unknown flags");
    reports("backend T {" ANSWERS "group = 3; }", "A0313 3:1 `group` is given twice",
            "an answer given twice");
    reports("backend T {" ANSWERS "group = 3 when layer.heads == 2; }",
            "A0512 3:1 this line of `group` can never count", "a line after one without `when`");
    reports("backend T { family = yes; head_dim = { 64, f16 }; dtype = { f16, 3 }; mla = 3;\n"
            "k_width = yes; dtype = auto; }",
            "A0301 1:44 unknown name `f16`; A0401 1:66 `dtype` takes words; "
            "A0401 1:77 `mla` takes `yes`, `no` or `any`; A0401 2:11 `k_width` takes numbers; "
            "A0313 2:16 `dtype` is given twice; A0401 2:24 `dtype` takes words",
            "answers of the wrong type");
    reports("backend T {" ANSWERS "entry = f when layer.heads == 1; write = 3; family = f; }",
            "A0405 3:16 `entry` takes no `when`; A0401 3:42 `write` takes the name of a kernel "
            "family or of a function; A0401 3:54 `family` takes `yes` or `no`",
            "entry, write and family are constants");
    reports("backend T {" ANSWERS "device = cdua; }\nbackend U extends T { k_width = x; }",
            "A0313 3:1 `device` is given twice", "what only follows from an error is not reported");
}

static void priorities(void) {
    reports("import \"std/cpu.attn\";\npriority P { when = platform.device has cpu; order = "
            "[CPU_RFE, h200]; }",
            "A0301 2:55 unknown backend `CPU_RFE` -- a backend named `CPU_REF` exists; "

            "A0301 2:64 unknown backend `h200`; `h200` is a platform",
            "an order names backends");
    reports("priority P { when = yes; }", "A0515 1:10 priority `P` has no `order`",
            "a priority has an order");
}

static void platforms(void) {
    reports(
        "platform P { device = cpu; cores = 0; smem = yes; cc = f16; cors = 4; cores = 4;\n"
        "fact cc = 3; fact x = layer.heads; sms = 3 when yes; }",
        "A0450 1:36 `cores` is 0, must be 1 to 2147483647; "
        "A0451 1:46 `smem` takes a number of bytes, not `yes`; A0301 1:56 unknown name `f16`; "
        "A0312 1:61 a platform has no attribute `cors` -- an attribute named `cores` exists -- "
        "what only rules read is a fact: `fact cors = ...;`; A0313 1:71 `cores` is given twice; "
        "A0302 2:6 fact `cc` has the name of an attribute of platforms; "
        "A0403 2:23 `layer.heads` has no value in a constant; "
        "A0405 2:49 a platform's lines take no `when`",
        "attributes of platforms are known, of the right type and constant");
}

// The schema is closed.
static void library(void) {
    struct library_file files[16];
    struct fixture f;
    fixture_start(&f);
    size_t n = 0;
    for (size_t i = 0; i < library_file_count; i++) {
        files[n] = library_files[i];
        if (strcmp(files[n].name, "std/capabilities.attn") == 0) {
            static const char cut[] = "capability device : one_of platform.device;\n"
                                      "capability wrong : near layer.heads;\n"
                                      "capability flat  : within;\n";
            files[n] = (struct library_file){files[n].name, cut, (uint32_t)sizeof cut - 1};
        }
        n += strcmp(files[n].name, "std/cpu.attn") != 0;
    }
    f.options.library = files;
    f.options.n_library = n;
    fixture_write(&f, "main.attn", "");
    fixture_load(&f, "main.attn");
    check_library(&f.program);
    const char *text = fixture_reported(&f);
    ok(strstr(text, "no capability and no kind of the library reads `layer.softcap`") &&
           !strstr(text, "`layer.scale`") && !strstr(text, "`layer.window`"),
       "an attribute that nothing reads is an error of the library");
    ok(strstr(text, "A0513 2:20 capability `wrong` has no relation") &&
           strstr(text, "A0513 3:20 capability `flat`: `within` takes one expression"),
       "capabilities are well formed");
    fixture_end(&f);
    reports("import \"std/cpu.attn\";", "", "the library itself is sound");
}

int main(void) {
    capabilities();
    kinds();
    flags();
    cache_dtype();
    rules();
    blocks();
    other_capabilities();
    parts();
    backends();
    priorities();
    platforms();
    library();
    return done_testing();
}
