// SPDX-License-Identifier: Apache-2.0
// Generated C compiles everywhere that is promised, lies in .rodata, holds what the plan says, and
// refuses a runtime of another ABI. Runs the compilers of the machine on plans made by hand; the
// working directory is the source tree's root.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "gen/emit.h"
#include "tests/tap.h"
#include "tests/unit/plan_fixture.h"

#define FLAGS "-std=c11 -O2 -Wall -Wextra -Werror -pedantic -I runtime/include"

static const char *dir; // where the outputs go

static const char *in_dir(struct arena *a, const char *name) {
    return arena_printf(a, "%s/%s", dir, name);
}

static void save(struct arena *a, const char *name, struct emitted e) {
    FILE *f = fopen(in_dir(a, name), "w");
    if (!f || fwrite(e.text, 1, e.len, f) != e.len || fclose(f) != 0) {
        abort();
    }
}

static void save_text(struct arena *a, const char *name, const char *text) {
    save(a, name, (struct emitted){.text = text, .len = strlen(text)});
}

// Runs a shell command with $D the outputs' folder and $F the usual flags.
static bool run(struct arena *a, const char *command) {
    const char *line = arena_printf(a, "D='%s' F='%s'; { %s; } >$D/log 2>&1", dir, FLAGS, command);
    bool good = system(line) == 0;
    if (!good) {
        system(arena_printf(a, "head -20 %s/log | sed 's/^/# /'", dir));
    }
    return good;
}

static struct emitted table_of(struct plan_fixture *f) {
    return emit_table(&f->arena, &f->plan, emit_json(&f->arena, &f->plan, false));
}

static void save_all(struct plan_fixture *f, const char *name) {
    struct arena *a = &f->arena;
    save(a, arena_printf(a, "%s.h", name), emit_header(a, &f->plan));
    save(a, arena_printf(a, "%s.c", name), table_of(f));
    save(a, arena_printf(a, "%s_kernels.c", name), emit_kernels(a, &f->plan));
}

// A program's own kernels, so that a table links without the runtime.
static void save_stubs(struct plan_fixture *f, bool with_abi) {
    struct text t = text_of(&f->arena);
    text_add(&t, "#include \"attn/abi.h\"\n");
    for (size_t i = 0; i < f->plan.kernels.len; i++) {
        text_addf(&t, "extern const attn_kernel %s;\nconst attn_kernel %s = {.abi = %zu};\n",
                  f->plan.kernels.at[i].symbol, f->plan.kernels.at[i].symbol, i);
    }
    text_add(&t, with_abi ? "const uint32_t attn_abi_1 = 1;\n" : "");
    save_text(&f->arena, with_abi ? "stubs.c" : "stubs_without_abi.c", text_string(&t));
}

static const char checker[] =
    "#include <string.h>\n"
    "#include \"g.h\"\n"
    "#define ROW(i, m, l, o, k, w, p, pb, d, db) \\\n"
    "    #i \" \" m \" \" #l \" \" o \" \" k \" \" #w \" \" p \" \" pb \" \" d \" \" db,\n"
    "static const char *const rows[] = {g_OPERATOR_ROWS(ROW)};\n"
    "#define PART(type, field) ((const type *)((const char *)g.data + g.data->field))\n"
    "int main(void) {\n"
    "    const attn_header *h = g.data;\n"
    "    const attn_class *c = PART(attn_class, classes);\n"
    "    const attn_operator *o = PART(attn_operator, operators);\n"
    "    const attn_group *p = PART(attn_group, groups);\n"
    "    const char *s = (const char *)h + h->strings;\n"
    "    if (h->abi != 1 || h->size != sizeof *h || h->n_operators != 26 || h->n_classes != 2) "
    "return 1;\n"
    "    if (h->n_groups != 2 || h->n_entries != 4 || h->max_seqs != 2 || h->max_tokens != 1024) "
    "return 2;\n"
    "    if (h->max_batch_tokens != 128 || h->decode_q != 1 || h->workers != 2) return 3;\n"
    "    if (h->kv_bytes != g_KV_BYTES || h->workspace_bytes != g_WORKSPACE_BYTES) return 4;\n"
    "    if (h->step_bytes + 2 * h->worker_bytes != h->workspace_bytes) return 5;\n"
    "    if (h->classes % 8 || h->operators % 8 || h->groups % 8 || h->fingerprint == 0) return "
    "6;\n"
    "    for (uint32_t i = 0; i < 26; i++) {\n"
    "        char name[16] = \"m.\";\n"
    "        name[2] = (char)(i < 10 ? '0' + i : '0' + i / 10);\n"
    "        strcpy(name + 3, i < 10 ? \".self\" : \"x.self\");\n"
    "        if (i >= 10) name[3] = (char)('0' + i % 10);\n"
    "        if (strcmp(s + o[i].name, name) != 0 || o[i].layer != i || o[i].owner != i) return "
    "7;\n"
    "        if (o[i].class_index != (i % 6 == 5) || o[i].model != 0) return 8;\n"
    "        if (o[i].slot != (i % 6 == 5 ? i / 6 : i - i / 6)) return 9;\n"
    "        if (o[i].max_tokens != 1024 || o[i].max_batch_tokens != 128) return 10;\n"
    "    }\n"
    "    if (g_OP_5_self != 5 || g_GROUP_full_attention != 1 || g_GROUP_sliding_window_BLOCKS != "
    "24) return 11;\n"
    "    if (c[0].kind != ATTN_SLIDING_WINDOW || c[1].kind != ATTN_FULL_ATTENTION) return 12;\n"
    "    if (c[0].prefill_entry != 0 || c[0].decode_entry != 0 || c[0].write_entry != 1) return "
    "13;\n"
    "    if (c[1].prefill_entry != 2 || c[1].write_entry != 3 || c[1].group != 1) return 14;\n"
    "    if (c[0].heads != 4 || c[0].kv_heads != 1 || c[0].head_dim != 256 || c[0].v_width != 256) "
    "return 15;\n"
    "    if (c[0].dtype != ATTN_BF16 || c[0].layout != ATTN_LAYOUT_HND || !c[0].causal) return "
    "16;\n"
    "    if (p[0].window_left != 511 || p[1].window_left != ATTN_UNBOUNDED || p[0].cols != 16) "
    "return 17;\n"
    "    if (p[0].page_bytes != 65536 || p[0].blocks != 24 || p[0].block_size != 64) return 18;\n"
    "    if (p[0].operators != 22 || p[1].operators != 4 || p[0].max_length != 1024) return 19;\n"
    "    if (strcmp(s + p[1].name, \"full_attention\") != 0) return 20;\n"
    "    if (strcmp(rows[5], \"5 m 5 self full_attention 0 CPU_REF kind CPU_REF kind\") != 0) "
    "return 22;\n"
    "    for (uint32_t i = 0; i < 4; i++) if (g.entry[i]->abi != i) return 21;\n"
    "    return 0;\n"
    "}\n";

static void test_compilers(struct plan_fixture *f) {
    struct arena *a = &f->arena;
    save_all(f, "g");
    ok(run(a, "gcc $F -c -o $D/g.o $D/g.c"), "gcc takes the table as pedantic C11");
    ok(run(a, "gcc $F -c -o $D/k.o $D/g_kernels.c"), "and the kernel instances");
    ok(run(a, "gcc $F -ffreestanding -c -o $D/f.o $D/g.c"), "the table is freestanding");
    ok(run(a, "gcc -O2 -I runtime/include -std=c11 -Wconversion -Werror -c -o $D/f.o $D/g.c"),
       "no conversion in it loses a bit");
    if (system("command -v clang >/dev/null 2>&1") == 0) {
        ok(run(a, "clang $F -c -o $D/c.o $D/g.c"), "clang takes the table");
        ok(run(a, "clang $F -c -o $D/c.o $D/g_kernels.c"), "and the kernel instances");
    } else {
        skip("no clang", "clang takes the table");
    }
    save_text(a, "h.cc", "#include \"g.h\"\n#include \"g.h\"\nconst attn_table *t = &g;\n");
    ok(run(a, "g++ -std=c++17 -Wall -Wextra -Werror -pedantic -I runtime/include -fsyntax-only "
              "$D/h.cc"),
       "the header is C++17, and may be included twice");
    ok(run(a, "! gcc $F -DATTN_ABI=2 -fsyntax-only $D/g.h"), "a header of another ABI is refused");
    save_text(a, "other.c",
              "#include \"attn/abi.h\"\n#undef ATTN_ABI\n#define ATTN_ABI 2\n"
              "#include \"g.h\"\n");
    ok(run(a, "! gcc $F -fsyntax-only $D/other.c && gcc $F -fsyntax-only $D/other.c 2>&1 | "
              "grep -q 'built for ABI 1'"),
       "and says for which ABI it was built");
}

static void test_contents(struct plan_fixture *f) {
    struct arena *a = &f->arena;
    save_stubs(f, true);
    save_stubs(f, false);
    save_text(a, "check.c", checker);
    ok(run(a, "gcc $F -o $D/check $D/check.c $D/g.c $D/stubs.c && $D/check"),
       "the table holds what the plan says");
    const char *link = "gcc $F -ffunction-sections -fdata-sections -Wl,--gc-sections -o $D/check "
                       "$D/check.c $D/g.c";
    ok(run(a, arena_printf(a, "%s $D/stubs.c && $D/check", link)),
       "also with unused sections gone");
    ok(run(a, arena_printf(a,
                           "! %s $D/stubs_without_abi.c && %s $D/stubs_without_abi.c 2>&1 | "
                           "grep -q attn_abi_1",
                           link, link)),
       "a runtime of another ABI fails to link, whatever is collected");
}

static void test_sections(struct plan_fixture *f) {
    struct arena *a = &f->arena;
    static const char *const modes[] = {"-fno-pie", "-fPIE", "-fPIC"};
    for (int i = 0; i < 3; i++) {
        ok(run(a, arena_printf(a, "gcc $F -fdata-sections %s -c -o $D/p.o $D/g.c", modes[i])),
           "compiled with %s", modes[i]);
        ok(run(a, "readelf -SW $D/p.o | grep -q '\\.rodata\\.g_data'"), "the data lie in .rodata");
        ok(run(a, "! readelf -rW $D/p.o | grep '^Relocation section' | grep -q g_data"),
           "without relocations");
        ok(run(a, "test $(readelf -rW $D/p.o | grep -c R_X86_64_64) = 7"),
           "four kernels, the ABI symbol and the table's two pointers are all that is relocated");
        ok(run(a, "size -A $D/p.o | awk '/^\\.(data|bss)/ && !/rel\\.ro/ && $2 > 0 { bad = 1 } "
                  "END { exit bad }'"),
           "nothing is writable");
    }
}

static void test_odd_plans(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "int", 400, 0);
    f.plan.operators.at[7].op = "__x";
    f.plan.operators.at[8].op = "asm";
    save_all(&f, "int");
    ok(run(&f.arena, "gcc $F -c -o $D/g.o $D/int.c && gcc $F -c -o $D/g.o $D/int_kernels.c"),
       "a deployment called int with 400 operators: strings beyond the limit of a literal");
    plan_fixture_free(&f);

    plan_fixture_make(&f, "e", 2, 0);
    for (uint32_t i = 0; i < 2; i++) {
        struct plan_operator *op = &f.plan.operators.at[i];
        op->kind = "encoder_only_attention";
        op->group = PLAN_NO_INDEX;
        op->owns_cache = false;
        op->window = (struct plan_int){0};
        op->phase[PHASE_DECODE] = (struct plan_phase){.kernel = PLAN_NO_INDEX};
    }
    f.plan.groups.len = 0;
    kernels_assign(&f.arena, &f.plan);
    save_all(&f, "e");
    ok(run(&f.arena, "gcc $F -c -o $D/g.o $D/e.c && gcc $F -c -o $D/g.o $D/e_kernels.c"),
       "a plan without caches: no groups, no writers");
    plan_fixture_free(&f);

    plan_fixture_make(&f, "x", 2, 0);
    for (uint32_t i = 0; i < 2; i++) {
        f.plan.operators.at[i].phase[PHASE_PREFILL].entry = "acme_attn";
        f.plan.operators.at[i].phase[PHASE_DECODE].entry = "acme_attn";
        f.plan.operators.at[i].write = "acme_write";
    }
    f.plan.operators.at[1].window = given(17);
    f.plan.groups.at[0].layout = "acme_tile";
    kernels_assign(&f.arena, &f.plan);
    save_all(&f, "x");
    ok(run(&f.arena,
           "gcc $F -c -o $D/g.o $D/x.c && gcc $F -c -o $D/g.o $D/x_kernels.c && nm $D/g.o "
           "| test $(grep -c ' U acme_attn') = 1"),
       "two instances of one vendor's function");
    plan_fixture_free(&f);
}

static void test_order(void) {
    struct plan_fixture f, g;
    plan_fixture_make(&f, "g", 26, 6);
    plan_fixture_make(&g, "g", 26, 6);
    struct emitted a = table_of(&f), b = table_of(&g);
    ok(a.len == b.len && memcmp(a.text, b.text, a.len) == 0, "equal plans give equal bytes");
    g.plan.operators.at[3].phase[PHASE_DECODE].decided_by = DECIDED_AUTO;
    b = table_of(&g);
    ok(a.len == b.len && memcmp(a.text, b.text, a.len) != 0,
       "the fingerprint in the table sees every change of the plan");
    plan_fixture_free(&f);
    plan_fixture_free(&g);
}

int main(void) {
    char name[] = "/tmp/attnc-emit.XXXXXX";
    dir = mkdtemp(name);
    if (!dir) {
        return 1;
    }
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 26, 6);
    test_compilers(&f);
    test_contents(&f);
    test_sections(&f);
    test_odd_plans();
    test_order();
    ok(system(arena_printf(&f.arena, "rm -rf '%s'", dir)) == 0, "nothing is left behind");
    plan_fixture_free(&f);
    return done_testing();
}
