// SPDX-License-Identifier: Apache-2.0
// The text of explain: ranges of layers, sizes, aligned tables, reasons.
#include "gen/columns.h"
#include "gen/explain.h"
#include "tests/tap.h"
#include "tests/unit/plan_fixture.h"

static void test_layers(struct arena *a) {
    static const struct {
        int64_t layers[8];
        size_t n;
        const char *text;
    } rows[] = {
        {{0}, 1, "0"},
        {{0, 1}, 2, "0..1"},
        {{0, 2}, 2, "0, 2"},
        {{5, 11, 17, 23}, 4, "5..23 step 6"},
        {{0, 1, 2, 4, 5, 6}, 6, "0..2, 4..6"},
        {{0, 3, 4, 5, 9}, 5, "0, 3..5, 9"},
        {{0, 2, 4, 5, 6, 7}, 6, "0..4 step 2, 5..7"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_str(explain_layers(a, rows[i].layers, rows[i].n), rows[i].text, rows[i].text);
    }
}

static void test_bytes(struct arena *a) {
    is_str(explain_bytes(a, given(1023)), "1023", "below a KiB");
    is_str(explain_bytes(a, given(65536)), "65536 (64 KiB)", "whole units");
    is_str(explain_bytes(a, given(1610612736)), "1610612736 (1.5 GiB)", "with a tenth");
    is_str(explain_bytes(a, given(1107296256)), "1107296256 (1.03 GiB)", "or hundredths");
    is_str(explain_bytes(a, given(INT64_MAX)), "9223372036854775807 (8388607.99 TiB)",
           "the last unit goes on");
    is_str(explain_bytes(a, (struct plan_int){0}), "unknown", "a size that is not known");
}

static void test_columns(struct arena *a) {
    struct columns c = columns_of(a, 3);
    static const char *const cells[] = {"a", "bb", "c", "\xc3\xa4\xc3\xa4", "", "d", "x", "y", ""};
    for (size_t i = 0; i < sizeof cells / sizeof *cells; i++) {
        columns_add(&c, cells[i]);
    }
    struct text t = text_of(a);
    columns_write(&c, 1, &t);
    is_str(text_string(&t), " a   bb  c\n \xc3\xa4\xc3\xa4      d\n x   y\n",
           "columns are two blanks apart, without trailing blanks, by code points");
}

static void add_candidates(struct plan_fixture *f, struct plan_operator *op) {
    for (int p = 0; p < PHASE_COUNT; p++) {
        struct plan_candidate chosen = {.backend = op->phase[p].backend, .ok = true};
        struct plan_candidate bad = {.backend = "CUDA_FLASH"};
        VEC_PUSH(&f->arena, &bad.reasons, "device");
        VEC_PUSH(&f->arena, &bad.texts, "device: wanted cpu, has {cuda}");
        VEC_PUSH(&f->arena, &bad.reasons, "kinds");
        VEC_PUSH(&f->arena, &bad.texts, NULL);
        VEC_PUSH(&f->arena, &op->phase[p].candidates, chosen);
        VEC_PUSH(&f->arena, &op->phase[p].candidates, bad);
    }
}

static void test_text(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 26, 6);
    for (size_t i = 0; i < 26; i++) {
        add_candidates(&f, &f.plan.operators.at[i]);
    }
    struct text t = text_of(&f.arena);
    explain_text(&t, &f.plan, &(struct explain_filter){0});
    const char *text = text_string(&t);
    ok(strstr(text, "deployment g on host\n\n"), "the deployment and its platform");
    ok(strstr(text, "\n5..23 step 6                         self      full_attention  prefill  "
                    "CPU_REF    kind, g.attn:7  k2\n"
                    "                                                               decode   "
                    "CPU_REF    kind, g.attn:7  k2\n"),
       "equal layers are one row, both phases under each other");
    ok(strstr(text, "  k3  g__cpu_kv__full_attention__"), "kernels by their symbols");
    ok(strstr(text, "sliding_window  22         hnd     64     65536       24"), "groups");
    ok(strstr(text, "\nother backends\nsliding_window, self of layers 0..4, 6..10, 12..16, 18..22, "
                    "24..25\n  prefill and decode\n    CUDA_FLASH  device: wanted cpu, has {cuda}\n"
                    "full_attention"),
       "reasons once for both phases, the chosen one and quiet ones left out");
    t = text_of(&f.arena);
    explain_text(&t, &f.plan, &(struct explain_filter){.has_layer = true, .layer = 5});
    text = text_string(&t);
    ok(strstr(text, "\n5       self") && !strstr(text, "sliding_window") && !strstr(text, "memory"),
       "a filter leaves one layer, and no sums");
    f.plan.has_deploy = false;
    t = text_of(&f.arena);
    explain_text(&t, &f.plan, &(struct explain_filter){.kind = "full_attention"});
    is_str(text_string(&t),
           "model  layers        operator  kind            shape\n"
           "m      5..23 step 6  self      full_attention  4 heads, 1 for KV, dim 256, bf16\n",
           "models alone: shapes");
    plan_fixture_free(&f);
}

int main(void) {
    jmp_buf out_of_memory;
    struct arena a;
    arena_init(&a, &out_of_memory);
    test_layers(&a);
    test_bytes(&a);
    test_columns(&a);
    arena_free(&a);
    test_text();
    return done_testing();
}
