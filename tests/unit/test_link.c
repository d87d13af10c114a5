// SPDX-License-Identifier: Apache-2.0
// What has no form in C is refused before anything is written: one diagnostic for each cause, at a
// place. Plans are made by hand, backends come from a text.
#define _POSIX_C_SOURCE 200809L
#include "gen/link.h"
#include "tests/tap.h"
#include "tests/unit/plan_fixture.h"
#include "tests/unit/program_fixture.h"

static const char text[] = "backend CPU_FLASH { entry = cpu_flash; write = cpu_kv; }\n"
                           "backend SWAPPED { entry = cpu_kv; write = cpu_flash; }\n"
                           "backend VENDOR { entry = while; write = fine; }\n"
                           "backend SAME { entry = g; write = cpu_kv; }\n"
                           "backend NOTHING { device = cpu; }\n"
                           "deploy g { }\n";

struct world {
    struct fixture program;
    struct plan_fixture plan;
    const struct decl *deploy;
};

static void begin(struct world *w) {
    fixture_start(&w->program);
    fixture_write(&w->program, "main.attn", text);
    fixture_load(&w->program, "main.attn");
    w->program.diags.list.len = w->program.diags.errors = 0;
    plan_fixture_make(&w->plan, "g", 3, 0);
    w->deploy = program_find(&w->program.program, DECL_DEPLOY, "g");
}

static void end(struct world *w) {
    plan_fixture_free(&w->plan);
    fixture_end(&w->program);
}

// Checks the plan: the first diagnostic, as "A0812 3:27 message", or "" when all is well.
static const char *verdict(struct world *w) {
    const struct diags *d = &w->program.diags;
    bool good = link_check(&w->program.program, w->deploy, &w->plan.plan);
    if (good != (d->list.len == 0)) {
        return "the result does not say what was reported";
    }
    diag_finish(&w->program.diags);
    if (good) {
        return "";
    }
    const struct diag *g = d->list.at[0];
    struct position at = source_position(&w->program.sources, g->span.file, g->span.begin);
    return arena_printf(&w->program.arena, "%s %u:%u %s (%zu)", diag_infos[g->code].id,
                        (unsigned)at.line, (unsigned)at.column, g->message, d->list.len);
}

static void set_backend(struct world *w, const char *backend, const char *entry,
                        const char *write) {
    for (uint32_t i = 0; i < 3; i++) {
        struct plan_operator *op = &w->plan.plan.operators.at[i];
        for (int p = 0; p < PHASE_COUNT; p++) {
            op->phase[p].backend = backend;
            op->phase[p].entry = entry;
        }
        op->write = write;
    }
}

static void test_functions(void) {
    static const struct {
        const char *backend, *entry, *write, *want;
    } rows[] = {
        {"CPU_FLASH", "cpu_flash", "cpu_kv", ""},
        {"SWAPPED", "cpu_kv", "cpu_flash",
         "A0813 2:27 kernel family `cpu_kv` cannot be the `entry` of a backend (2)"},
        {"VENDOR", "while", "fine",
         "A0812 3:26 `while` cannot be the name of a C function: it is a keyword of C (1)"},
        {"SAME", "g", "cpu_kv",
         "A0812 4:24 `g` cannot be the name of a C function here: the table of the deployment has "
         "it (1)"},
        {"NOTHING", NULL, NULL,
         "A0811 6:8 backend `NOTHING` has no `entry`: it can be checked, not built (1)"},
        {"CPU_FLASH", "cpu_flash", NULL,
         "A0811 6:8 no backend of group `sliding_window` has a `write` (1)"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        begin(&w);
        set_backend(&w, rows[i].backend, rows[i].entry, rows[i].write);
        is_str(verdict(&w), rows[i].want,
               *rows[i].want ? rows[i].want : "families in their places can be linked");
        end(&w);
    }
}

// ---- what ABI 1 has no place for
static void lack_state(struct plan_operator *op) {
    op->has_ssm = true;
}
static void lack_index(struct plan_operator *op) {
    op->has_index = true;
}
static void lack_compress(struct plan_operator *op) {
    op->compress = given(4);
}
static void lack_k_width(struct plan_operator *op) {
    op->k_width = given(300);
}
static void lack_dtype(struct plan_operator *op) {
    op->kv_dtype = "int4";
}

static void test_lacks(void) {
    static const struct {
        void (*edit)(struct plan_operator *op);
        const char *what;
    } rows[] = {
        {lack_state, "the shape of a recurrent state"},
        {lack_index, "the index of sparse attention"},
        {lack_compress, "compressed rows"},
        {lack_k_width, "a `k_width` of its own"},
        {lack_dtype, "this dtype"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct world w;
        begin(&w);
        rows[i].edit(&w.plan.plan.operators.at[1]);
        rows[i].edit(&w.plan.plan.operators.at[2]);
        const char *want =
            arena_printf(&w.program.arena, "A0814 6:8 ABI 1 of the runtime has no place for %s (1)",
                         rows[i].what);
        is_str(verdict(&w), want, rows[i].what);
        is_str(w.program.diags.list.at[0]->notes.at[0].text,
               arena_printf(&w.program.arena,
                            "needed first by `self` of layer 1 of model `m`, kind "
                            "`sliding_window`, kv_dtype `%s`",
                            w.plan.plan.operators.at[1].kv_dtype),
               "... with the first operator that needs it");
        end(&w);
    }
}

// ---- numbers at their limits, and one beyond
static void test_limits(void) {
    struct world w;
    begin(&w);
    w.plan.plan.operators.at[2].layer = INT32_MAX;
    w.plan.plan.max_seqs = INT32_MAX - 1;
    is_str(verdict(&w), "", "numbers at their limits fit");
    w.plan.plan.operators.at[2].layer = INT64_C(1) << 31;
    is_str(verdict(&w), "A0815 6:8 layer: 2147483648; limit is 2147483647 (1)", "a layer beyond");
    end(&w);
    begin(&w);
    w.plan.plan.max_seqs = INT32_MAX;
    is_str(verdict(&w), "A0815 6:8 max_seqs: 2147483647; limit is 2147483646 (1)",
           "max_seqs beyond");
    end(&w);
    begin(&w);
    number_decimal("1e300", &w.plan.plan.operators.at[1].scale);
    is_str(verdict(&w), "A0815 6:8 a scale or softcap fits no binary32 (1)",
           "a scale beyond binary32");
    number_decimal("1e-60", &w.plan.plan.operators.at[1].scale);
    is_str(verdict(&w), "A0815 6:8 a scale or softcap fits no binary32 (1)",
           "a scale that rounds to 0");
    end(&w);
    begin(&w);
    w.plan.plan.operators.at[1].has_softcap = true;
    number_decimal("1e-60", &w.plan.plan.operators.at[1].softcap);
    is_str(verdict(&w), "A0815 6:8 a scale or softcap fits no binary32 (1)",
           "a soft cap that rounds to 0, which would be none");
    end(&w);
    begin(&w);
    w.plan.plan.operators.at[1].max_batch_tokens = 1 << 30;
    is_str(verdict(&w),
           "A0815 6:8 max_batch_tokens times heads: 4294967296; limit is 4294967295 (1)",
           "more rows of heads than a kernel counts");
    end(&w);
    begin(&w);
    w.plan.plan.kernels.at[1].fingerprint = w.plan.plan.kernels.at[0].fingerprint;
    is_str(verdict(&w), "A0816 6:8 two different kernels have the same fingerprint (1)",
           "fingerprints that collide");
    end(&w);
}

int main(void) {
    test_functions();
    test_lacks();
    test_limits();
    return done_testing();
}
