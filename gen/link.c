// SPDX-License-Identifier: Apache-2.0
// What stands between a plan and its C. In: a complete plan, and the program for places. Out:
// diagnostics A0811 to A0816. Always: a cause is reported once, with the first operator that has
// it.

#include "gen/link.h"

#include <float.h>
#include <string.h>

#include "gen/kernels.h"
#include "gen/mangle.h"

struct link {
    const struct program *program;
    const struct decl *deploy;
    const struct plan *plan;
    size_t errors; // before
};

static struct diag *at_deploy(const struct link *l, enum diag_code code, const char *message) {
    return diag_add(l->program->diags, code, l->deploy->ast->name.span, "%s", message);
}

static const char *operator_text(const struct link *l, const struct plan_operator *op) {
    return arena_printf(l->program->arena, "`%s` of layer %lld of model `%s`", op->op,
                        (long long)op->layer, op->model);
}

// ---- functions: what backends name in `entry` and `write`
static struct span word_span(const struct link *l, const struct decl *backend, const char *line) {
    struct item_lines lines = decl_lines(l->program->arena, backend, ITEM_SET, line);
    return lines.len > 0 ? lines.at[0]->value->span : backend->ast->name.span;
}

// `line` is "entry" or "write", `word` its answer.
static void check_function(const struct link *l, const char *backend_name, const char *line,
                           const char *word) {
    const struct decl *backend = program_find(l->program, DECL_BACKEND, backend_name);
    struct diags *d = l->program->diags;
    const struct kernel_family *family = kernel_family(word);
    enum kernel_role role = strcmp(line, "write") == 0 ? KERNEL_WRITE : KERNEL_RUN;
    const char *why = family ? NULL : mangle_reserved(word);
    if (family && family->role != role) {
        struct diag *g = diag_add(d, DIAG_A0813, word_span(l, backend, line),
                                  "kernel family `%s` cannot be the `%s` of a backend", word, line);
        diag_help(d, g, "`%s` belongs after `%s =`", word,
                  family->role == KERNEL_WRITE ? "write" : "entry");
    } else if (why) {
        diag_add(d, DIAG_A0812, word_span(l, backend, line),
                 "`%s` cannot be the name of a C function: it is %s", word, why);
    } else if (!family && strcmp(word, mangle(l->program->arena, l->plan->deploy)) == 0) {
        diag_add(d, DIAG_A0812, word_span(l, backend, line),
                 "`%s` cannot be the name of a C function here: the table of the deployment has it",
                 word);
    }
}

static void check_phase(const struct link *l, const struct plan_phase *phase) {
    if (!phase->present || !phase->backend) {
        return;
    }
    if (phase->entry) {
        check_function(l, phase->backend, "entry", phase->entry);
        return;
    }
    const struct decl *backend = program_find(l->program, DECL_BACKEND, phase->backend);
    struct diag *g = at_deploy(
        l, DIAG_A0811,
        arena_printf(l->program->arena, "backend `%s` has no `entry`: it can be checked, not built",
                     phase->backend));
    diag_note(l->program->diags, g, backend->ast->name.span, "`%s` is declared here",
              phase->backend);
}

// What follows only from a missing entry is not reported.
static bool has_entries(const struct plan_operator *op) {
    for (int p = 0; p < PHASE_COUNT; p++) {
        if (op->phase[p].present && !op->phase[p].entry) {
            return false;
        }
    }
    return true;
}

// The writer of an operator's cache is one of its own backends' `write`.
static void check_writer(const struct link *l, const struct plan_operator *op) {
    if (!op->owns_cache || op->has_ssm || !has_entries(op)) {
        return;
    }
    if (!op->write) {
        struct diag *g =
            at_deploy(l, DIAG_A0811,
                      arena_printf(l->program->arena, "no backend of group `%s` has a `write`",
                                   l->plan->groups.at[op->group].name));
        diag_note_plain(l->program->diags, g, "without it nothing fills the cache of %s",
                        operator_text(l, op));
        return;
    }
    for (int p = 0; p < PHASE_COUNT; p++) {
        const char *name = op->phase[p].present ? op->phase[p].backend : NULL;
        const struct decl *backend = name ? program_find(l->program, DECL_BACKEND, name) : NULL;
        struct item_lines lines = {0};
        if (backend) {
            lines = decl_lines(l->program->arena, backend, ITEM_SET, "write");
        }
        if (lines.len > 0) {
            check_function(l, name, "write", op->write);
            return;
        }
    }
}

// ---- operators that attn_params of this ABI cannot describe: X(enumerator, what it lacks)
#define LACKS(X)                                                                                   \
    X(STATE, "the shape of a recurrent state")                                                     \
    X(INDEX, "the index of sparse attention")                                                      \
    X(COMPRESS, "compressed rows")                                                                 \
    X(K_WIDTH, "a `k_width` of its own")                                                           \
    X(DTYPE, "this dtype")                                                                         \
    X(SIZE, "pages of unknown size")

enum lack {
#define LACK(id, text) LACK_##id,
    LACKS(LACK)
#undef LACK
        LACK_COUNT
};

static enum lack lack_of(const struct plan *plan, const struct plan_operator *op) {
    struct kernel_constants k = kernel_constants(plan, op);
    if (op->has_ssm) {
        return LACK_STATE;
    }
    if (op->has_index) {
        return LACK_INDEX;
    }
    if (op->compress.given) {
        return LACK_COMPRESS;
    }
    if (!op->has_mla && k.k_width != k.head_dim) {
        return LACK_K_WIDTH;
    }
    if (!k.dtype || !k.kv_dtype || !runtime_dtype(k.dtype) || !runtime_dtype(k.kv_dtype)) {
        return LACK_DTYPE;
    }
    return op->group != PLAN_NO_INDEX && !plan->groups.at[op->group].page_bytes.given ? LACK_SIZE
                                                                                      : LACK_COUNT;
}

static void check_lacks(const struct link *l) {
    static const char *const texts[LACK_COUNT] = {
#define LACK(id, text) text,
        LACKS(LACK)
#undef LACK
    };
    bool seen[LACK_COUNT + 1] = {[LACK_COUNT] = true};
    for (size_t i = 0; i < l->plan->operators.len; i++) {
        const struct plan_operator *op = &l->plan->operators.at[i];
        enum lack lack = has_entries(op) ? lack_of(l->plan, op) : LACK_COUNT;
        if (seen[lack]) {
            continue;
        }
        seen[lack] = true;
        struct diag *g =
            at_deploy(l, DIAG_A0814,
                      arena_printf(l->program->arena, "ABI %d of the runtime has no place for %s",
                                   ATTN_ABI, texts[lack]));
        diag_note_plain(l->program->diags, g, "needed first by %s, kind `%s`, kv_dtype `%s`",
                        operator_text(l, op), op->kind, op->kv_dtype ? op->kv_dtype : "none");
    }
}

// ---- numbers that the table's fields cannot hold
static void check_limit(const struct link *l, const char *what, int64_t v, int64_t limit) {
    if (v > limit) {
        at_deploy(l, DIAG_A0815,
                  arena_printf(l->program->arena, "%s: %lld; limit is %lld", what, (long long)v,
                               (long long)limit));
    }
}

// A scale that rounds to 0 would make all keys alike, a soft cap that does so would be none.
static bool fits_binary32(float positive) {
    return positive > 0 && positive <= FLT_MAX;
}

static void check_operator_limits(const struct link *l, const struct plan_operator *op) {
    struct kernel_constants k = kernel_constants(l->plan, op);
    check_limit(l, "layer", op->layer, INT32_MAX);
    check_limit(l, "max_tokens", op->max_tokens, INT32_MAX - 1);
    check_limit(l, "max_batch_tokens", op->max_batch_tokens, INT32_MAX - 1);
    check_limit(l, "heads", k.heads, INT32_MAX);
    check_limit(l, "head_dim", k.head_dim, INT32_MAX);
    check_limit(l, "v_head_dim", k.v_head_dim, INT32_MAX);
    check_limit(l, "k_width", k.k_width, INT32_MAX);
    check_limit(l, "v_width", k.v_width, INT32_MAX);
    check_limit(l, "window", k.window_left, INT32_MAX - 1);
    check_limit(l, "window_right", k.window_right, INT32_MAX - 1);
    check_limit(l, "chunk", k.chunk, INT32_MAX);
    check_limit(l, "sink_tokens", k.sink_tokens, INT32_MAX);
    // Kernels count their items, a row of a head each, in 32 bits.
    check_limit(l, "max_batch_tokens times heads", op->max_batch_tokens * k.heads, UINT32_MAX);
    if ((op->has_scale && !fits_binary32(k.scale)) ||
        (op->has_softcap && !fits_binary32(k.softcap))) {
        struct diag *g = at_deploy(l, DIAG_A0815, "a scale or softcap fits no binary32");
        diag_note_plain(l->program->diags, g, "it is that of %s", operator_text(l, op));
    }
}

static void check_limits(const struct link *l) {
    const struct plan *plan = l->plan;
    check_limit(l, "operators", (int64_t)plan->operators.len, ATTN_MAX_OPERATORS);
    check_limit(l, "distinct kernels", (int64_t)plan->kernels.len, ATTN_NO_ENTRY - 1);
    check_limit(l, "max_seqs", plan->max_seqs, INT32_MAX - 1);
    check_limit(l, "decode_q", plan->decode_q, INT32_MAX);
    check_limit(l, "cores", plan->cores.given ? plan->cores.v : 0, UINT16_MAX);
    check_limit(l, "max_source_tokens",
                plan->max_source_tokens.given ? plan->max_source_tokens.v : 0, INT32_MAX - 1);
    for (size_t i = 0; i < plan->groups.len; i++) {
        const struct plan_group *g = &plan->groups.at[i];
        check_limit(l, "blocks of a group", g->blocks.given ? g->blocks.v : 0, INT32_MAX);
        check_limit(l, "tokens of a sequence", g->max_length, INT32_MAX - 1);
    }
    for (size_t i = 0; i < plan->operators.len; i++) {
        check_operator_limits(l, &plan->operators.at[i]);
    }
}

static void check_fingerprints(const struct link *l) {
    uint32_t a, b;
    if (kernels_collide(l->program->arena, l->plan, &a, &b)) {
        struct diag *g =
            at_deploy(l, DIAG_A0816, "two different kernels have the same fingerprint");
        diag_note_plain(l->program->diags, g, "%s", l->plan->kernels.at[a].key);
        diag_note_plain(l->program->diags, g, "%s", l->plan->kernels.at[b].key);
    }
}

bool link_check(const struct program *p, const struct decl *deploy, const struct plan *plan) {
    struct link l = {.program = p, .deploy = deploy, .plan = plan, .errors = p->diags->errors};
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *op = &plan->operators.at[i];
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            check_phase(&l, &op->phase[phase]);
        }
        check_writer(&l, op);
    }
    check_lacks(&l);
    check_limits(&l);
    check_fingerprints(&l);
    return p->diags->errors == l.errors;
}
