// SPDX-License-Identifier: Apache-2.0
// NAME_selftest.c: a program that tests the table. In: a linkable plan. Out: C11 for a hosted
// library; all it does stands in attn/selftest.h. Always: a row for each entry of the table, in
// their order.

#include "gen/emit.h"

#include <string.h>

#include "gen/mangle.h"

static bool demands_lse(const struct plan *plan, uint32_t op) {
    const struct plan_operator *o = &plan->operators.at[op];
    for (size_t i = 0; i < o->demand.len; i++) {
        if (strcmp(o->demand.at[i], "lse") == 0) {
            return true;
        }
    }
    return false;
}

struct emitted emit_selftest(struct arena *a, const struct plan *plan) {
    struct text t = text_of(a);
    const char *name = mangle(a, plan->deploy);
    emit_banner(&t, plan, "A test of an attention dispatch table: prints TAP, exits with 0 or 1.");
    text_addf(&t, "#include \"%s.h\"\n#include \"attn/selftest.h\"\n\n", plan->deploy);
    text_add(&t, "/* Each entry of the table, and whether it writes the LSE. */\n"
                 "static const attn_selftest_kernel kernels[] = {\n");
    for (size_t i = 0; i < plan->kernels.len; i++) {
        const struct plan_kernel *k = &plan->kernels.at[i];
        text_addf(&t, "    {\"%s\", %d},\n", k->key, !k->external || demands_lse(plan, k->op));
    }
    text_addf(&t, "};\n\nint main(void) {\n    return attn_selftest(&%s, kernels);\n}\n", name);
    return emit_finish(&t);
}
