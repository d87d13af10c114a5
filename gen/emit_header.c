// SPDX-License-Identifier: Apache-2.0
// NAME.h: what a program needs to use the table. In: a linkable plan. Out: constants (counts,
// limits, memory plan, groups, operators) and the declaration of the table.
// Always: macros and one declaration only, so that it is C11 and C++17; nothing is initialised
// here.

#include "gen/emit.h"

#include "gen/mangle.h"

static void define(struct text *t, const char *name, const char *suffix, int64_t v) {
    text_addf(t, "#define %s_%s %lld\n", name, suffix, (long long)v);
}

static void define_bytes(struct text *t, const char *name, const char *suffix, struct plan_int n) {
    text_addf(t, "#define %s_%s UINT64_C(%lld)\n", name, suffix, (long long)(n.given ? n.v : 0));
}

static void add_counts(struct text *t, const struct plan *plan, const char *name) {
    text_add(t, "\n/* counts */\n");
    define(t, name, "MODELS", (int64_t)plan->models.len);
    define(t, name, "OPERATORS", (int64_t)plan->operators.len);
    define(t, name, "CLASSES", (int64_t)plan->classes.len);
    define(t, name, "GROUPS", (int64_t)plan->groups.len);
    define(t, name, "KERNELS", (int64_t)plan->kernels.len);
    text_add(t,
             "\n/* limits: sequences, tokens of a sequence, new tokens of a step, source rows of a "
             "sequence,\n   and new tokens with which a sequence still decodes */\n");
    define(t, name, "MAX_SEQS", plan->max_seqs);
    define(t, name, "MAX_TOKENS", emit_max_tokens(plan));
    define(t, name, "MAX_BATCH_TOKENS", emit_max_batch_tokens(plan));
    define(t, name, "MAX_SOURCE_TOKENS",
           plan->max_source_tokens.given ? plan->max_source_tokens.v : 0);
    define(t, name, "DECODE_Q", plan->decode_q);
}

static void add_memory(struct text *t, const struct plan *plan, const char *name) {
    text_addf(t, "\n/* the memory plan; WORKSPACE_BYTES is for %u worker%s */\n",
              (unsigned)kernels_workers(plan), kernels_workers(plan) == 1 ? "" : "s");
    define_bytes(t, name, "KV_BYTES", plan->kv_bytes);
    define_bytes(t, name, "STATE_BYTES", plan->state_bytes);
    define_bytes(t, name, "WORKSPACE_BYTES", plan->workspace_bytes);
    define_bytes(t, name, "TOTAL_BYTES", plan->total_bytes);
}

static void add_groups(struct text *t, const struct plan *plan, const char *name) {
    for (size_t i = 0; i < plan->groups.len; i++) {
        const struct plan_group *g = &plan->groups.at[i];
        text_addf(t, "\n/* group %u: %s, %u operator%s with pages of their own */\n", (unsigned)i,
                  g->kind, (unsigned)g->owners, g->owners == 1 ? "" : "s");
        text_addf(t, "#define %s_GROUP_%s %u\n", name, g->name, (unsigned)i);
        text_addf(t, "#define %s_GROUP_%s_PAGE_BYTES UINT64_C(%lld)\n", name, g->name,
                  (long long)(g->page_bytes.given ? g->page_bytes.v : 0));
        text_addf(t, "#define %s_GROUP_%s_BLOCKS UINT64_C(%lld)\n", name, g->name,
                  (long long)(g->blocks.given ? g->blocks.v : 0));
        text_addf(t, "#define %s_GROUP_%s_BLOCK_SIZE %lld\n", name, g->name,
                  (long long)(g->has_block_size ? g->block_size : 0));
        text_addf(t, "#define %s_GROUP_%s_OPERATORS %u\n", name, g->name, (unsigned)g->owners);
    }
}

// NAME_OP_5_self, and with several models NAME_OP_5_self_OF_MODEL.
static void add_operators(struct text *t, const struct plan *plan, const char *name) {
    text_addf(t, "\n/* operators, by layer and name%s */\n",
              plan->models.len > 1 ? ", of a model" : "");
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *op = &plan->operators.at[i];
        text_addf(t, "#define %s_OP_%lld_%s", name, (long long)op->layer,
                  mangle_part(t->arena, op->op));
        if (plan->models.len > 1) {
            text_addf(t, "_OF_%s", mangle_part(t->arena, op->model));
        }
        text_addf(t, " %u\n", (unsigned)i);
    }
}

static void add_phase(struct text *t, const struct plan_phase *phase) {
    text_addf(t, ", \"%s\", \"%s\"", phase->present ? phase->backend : "none",
              phase->present ? decision_text(phase->decided_by) : "none");
}

// The layer map as an X-macro, for programs that show it.
static void add_rows(struct text *t, const struct plan *plan, const char *name) {
    text_add(t, "\n/* X(operator, model, layer, name, kind, window or 0, prefill's backend, what "
                "decided it,\n"
                "   decode's backend, what decided it) */\n");
    text_addf(t, "#define %s_OPERATOR_ROWS(X)", name);
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *op = &plan->operators.at[i];
        text_addf(t, " \\\n    X(%u, \"%s\", %lld, \"%s\", \"%s\", %lld", (unsigned)i, op->model,
                  (long long)op->layer, op->op, op->kind,
                  (long long)(op->window.given ? op->window.v : 0));
        add_phase(t, &op->phase[PHASE_PREFILL]);
        add_phase(t, &op->phase[PHASE_DECODE]);
        text_add(t, ")");
    }
    text_add(t, "\n");
}

struct emitted emit_header(struct arena *a, const struct plan *plan) {
    const char *name = mangle(a, plan->deploy);
    struct text t = text_of(a);
    emit_banner(&t, plan, "Constants and declaration of an attention dispatch table.");
    text_addf(&t, "#ifndef ATTN_TABLE_%s_H\n#define ATTN_TABLE_%s_H\n\n", name, name);
    text_add(&t, "#include \"attn/abi.h\"\n\n");
    emit_abi_check(&t, plan);
    add_counts(&t, plan, name);
    add_memory(&t, plan, name);
    add_groups(&t, plan, name);
    add_operators(&t, plan, name);
    add_rows(&t, plan, name);
    text_add(&t, "\n#ifdef __cplusplus\nextern \"C\" {\n#endif\n\n");
    text_addf(&t, "extern const attn_table %s;\n", name);
    text_add(&t, "\n#ifdef __cplusplus\n}\n#endif\n#endif\n");
    return emit_finish(&t);
}
