// SPDX-License-Identifier: Apache-2.0
// The text of `attnc explain`. In: a plan with candidates, complete or not. Out: tables of
// operators, kernels, groups and memory, then the reasons. Always: operators that differ in nothing
// shown are one row.

#include "gen/explain.h"

#include <string.h>

#include "gen/columns.h"
#include "gen/names.h"

// Operators of one model and name that agree in all that is shown.
struct row {
    const struct plan_operator *first;
    const char *why;   // the reasons of its phases, as text
    const char *chain; // the lines that speak for it, as text; "" unless one is looked at
    VEC(int64_t) layers;
};

struct explanation {
    struct arena *arena;
    const struct plan *plan;
    struct text *out;
    VEC(struct row) rows;
};

bool explain_matches(const struct explain_filter *f, const struct plan_operator *op) {
    return (!f->has_layer || op->layer == f->layer) && (!f->kind || strcmp(op->kind, f->kind) == 0);
}

const char *explain_layers(struct arena *a, const int64_t *layers, size_t n) {
    struct text t = text_of(a);
    for (size_t i = 0; i < n;) {
        int64_t step = i + 1 < n ? layers[i + 1] - layers[i] : 1;
        size_t last = i;
        while (last + 1 < n && layers[last + 1] - layers[last] == step) {
            last++;
        }
        text_add(&t, i ? ", " : "");
        if (step > 1 && last < i + 2) { // two layers make no series
            last = i;
        }
        text_addf(&t, "%lld", (long long)layers[i]);
        if (last > i) {
            text_addf(&t, "..%lld", (long long)layers[last]);
            if (step > 1) {
                text_addf(&t, " step %lld", (long long)step);
            }
        }
        i = last + 1;
    }
    return text_string(&t);
}

const char *explain_bytes(struct arena *a, struct plan_int bytes) {
    static const char *const units[] = {"KiB", "MiB", "GiB", "TiB"};
    if (!bytes.given) {
        return "unknown";
    }
    int64_t scaled = bytes.v, rest = 0;
    int unit = -1;
    while (scaled >= 1024 && unit < 3) {
        rest = scaled % 1024;
        scaled /= 1024;
        unit++;
    }
    if (unit < 0) {
        return arena_printf(a, "%lld", (long long)bytes.v);
    }
    int64_t hundredths = rest * 100 / 1024;
    const char *fraction = hundredths == 0 ? ""
                           : hundredths % 10 == 0
                               ? arena_printf(a, ".%lld", (long long)hundredths / 10)
                               : arena_printf(a, ".%02lld", (long long)hundredths);
    return arena_printf(a, "%lld (%lld%s %s)", (long long)bytes.v, (long long)scaled, fraction,
                        units[unit]);
}

// ---- reasons
// What is said of a candidate, line by line. On a device that the platform lacks nothing else
// matters.
static const char *candidate_text(struct arena *a, const struct plan_candidate *c) {
    struct text t = text_of(a);
    for (size_t i = 0; i < c->reasons.len; i++) {
        if (c->texts.at[i] && strcmp(c->reasons.at[i], "device") == 0) {
            return c->texts.at[i];
        }
        if (c->texts.at[i]) {
            text_addf(&t, "%s%s", t.bytes.len ? "\n" : "", c->texts.at[i]);
        }
    }
    if (c->misfit) {
        return arena_printf(a, "would do, but its %s %s not agree with its group's", c->misfit,
                            strcmp(c->misfit, "device") == 0 ? "does" : "do");
    }
    if (t.bytes.len == 0) {
        return c->ok ? "would do too" : "serves another kind";
    }
    return text_string(&t);
}

// The text of `backend` in a phase; NULL for the one that serves it.
static const char *phase_text(struct arena *a, const struct plan_phase *phase,
                              const char *backend) {
    for (size_t i = 0; phase->present && i < phase->candidates.len; i++) {
        const struct plan_candidate *c = &phase->candidates.at[i];
        if (strcmp(c->backend, backend) == 0) {
            bool serves = phase->backend && strcmp(phase->backend, backend) == 0;
            return serves ? NULL : candidate_text(a, c);
        }
    }
    return NULL;
}

static void add_lines(struct columns *c, const char *backend, const char *text) {
    for (bool first = true; *text; first = false) {
        size_t len = strcspn(text, "\n");
        columns_add(c, first ? backend : NULL);
        columns_add(c, arena_strndup(c->arena, text, len));
        text += len + (text[len] == '\n');
    }
}

// Which candidates a section lists: those of which both phases say the same, or those of which
// only `phase` says this.
static void add_section(struct text *t, const struct plan_operator *op, enum phase phase, bool both,
                        const char *title) {
    const struct plan_phase *mine = &op->phase[phase], *other = &op->phase[!phase];
    struct columns c = columns_of(t->arena, 2);
    for (size_t i = 0; mine->present && i < mine->candidates.len; i++) {
        const char *backend = mine->candidates.at[i].backend;
        const char *text = phase_text(t->arena, mine, backend);
        const char *elsewhere = phase_text(t->arena, other, backend);
        bool same = text && elsewhere && strcmp(text, elsewhere) == 0;
        if (text && same == both) {
            add_lines(&c, backend, text);
        }
    }
    if (c.cells.len > 0) {
        text_addf(t, "  %s\n", title);
        columns_write(&c, 4, t);
    }
}

// The candidates that were not taken; "" when there are none.
static const char *operator_why(struct arena *a, const struct plan_operator *op) {
    struct text t = text_of(a);
    add_section(&t, op, PHASE_PREFILL, false, phase_names[PHASE_PREFILL]);
    add_section(&t, op, PHASE_DECODE, false, phase_names[PHASE_DECODE]);
    add_section(&t, op, PHASE_PREFILL, true, "prefill and decode");
    return text_string(&t);
}

// Which lines speak for an operator and which one counts, by phase.
static const char *operator_chain(struct arena *a, const struct plan_operator *op) {
    struct columns c = columns_of(a, 5);
    for (int p = 0; p < PHASE_COUNT; p++) {
        const struct plan_phase *phase = &op->phase[p];
        for (size_t i = 0; i < phase->lines.len; i++) {
            const struct plan_line *line = &phase->lines.at[i];
            columns_add(&c, i ? NULL : phase_names[p]);
            columns_add(&c, decision_text(line->level));
            columns_add(&c, line->text);
            columns_add(&c, line->at);
            columns_add(&c, i ? "does not count" : "counts");
        }
        if (phase->present && phase->lines.len == 0) {
            columns_add(&c, phase_names[p]);
            columns_add(&c, decision_text(DECIDED_AUTO));
            columns_add(&c, "no line speaks for it");
            columns_add(&c, NULL);
            columns_add(&c, NULL);
        }
    }
    struct text t = text_of(a);
    columns_write(&c, 2, &t);
    return text_string(&t);
}

// ---- rows
static const char *decided_text(struct arena *a, const struct plan_phase *phase) {
    const char *by = decision_text(phase->decided_by);
    return phase->decided_at ? arena_printf(a, "%s, %s", by, phase->decided_at) : by;
}

static const char *shape_text(struct arena *a, const struct plan_operator *op) {
    struct text t = text_of(a);
    if (op->has_ssm) {
        text_addf(&t, "%s, %lld heads of %lld, state %lld", op->ssm_type,
                  (long long)op->ssm_heads.v, (long long)op->ssm_head_dim.v,
                  (long long)op->ssm_state.v);
        return text_string(&t);
    }
    text_addf(&t, "%lld heads, %lld for KV, dim %lld", (long long)op->heads.v,
              (long long)op->kv_heads.v, (long long)op->head_dim.v);
    if (op->v_head_dim.v != op->head_dim.v) {
        text_addf(&t, " and %lld", (long long)op->v_head_dim.v);
    }
    if (op->window.given) {
        text_addf(&t, ", window %lld", (long long)op->window.v);
    }
    if (op->chunk.given) {
        text_addf(&t, ", chunk %lld", (long long)op->chunk.v);
    }
    text_addf(&t, ", %s", op->dtype);
    return text_string(&t);
}

static const char *signature(struct explanation *e, const struct plan_operator *op,
                             const char *why) {
    struct text t = text_of(e->arena);
    text_addf(&t, "%s\n%s\n%s\n%s\n", op->model, op->op, op->kind, shape_text(e->arena, op));
    for (int p = 0; p < PHASE_COUNT; p++) {
        const struct plan_phase *phase = &op->phase[p];
        text_addf(&t, "%d %s %s %u\n", phase->present, phase->backend ? phase->backend : "",
                  decided_text(e->arena, phase), (unsigned)phase->kernel);
    }
    text_add(&t, why);
    return text_string(&t);
}

static void collect_rows(struct explanation *e, const struct explain_filter *f) {
    struct name_table seen = {.arena = e->arena}; // signature -> number of its row
    for (size_t i = 0; i < e->plan->operators.len; i++) {
        const struct plan_operator *op = &e->plan->operators.at[i];
        if (!explain_matches(f, op)) {
            continue;
        }
        const char *why = operator_why(e->arena, op);
        const char *chain = f->has_layer || f->kind ? operator_chain(e->arena, op) : "";
        const char *key = arena_printf(e->arena, "%s%s", signature(e, op, why), chain);
        size_t *number = name_get(&seen, key);
        if (!number) {
            number = ARENA_NEW(e->arena, size_t);
            *number = e->rows.len;
            name_set(&seen, key, number);
            struct row row = {.first = op, .why = why, .chain = chain};
            VEC_PUSH(e->arena, &e->rows, row);
        }
        VEC_PUSH(e->arena, &e->rows.at[*number].layers, op->layer);
    }
}

static const char *row_layers(const struct explanation *e, const struct row *row) {
    return explain_layers(e->arena, row->layers.at, row->layers.len);
}

static void add_cells(struct columns *c, const char *const *cells, size_t n) {
    for (size_t i = 0; i < n; i++) {
        columns_add(c, cells[i]);
    }
}
#define ADD_ROW(c, ...)                                                                            \
    add_cells((c), (const char *const[]){__VA_ARGS__},                                             \
              sizeof((const char *const[]){__VA_ARGS__}) / sizeof(const char *))

static const char *kernel_label(struct arena *a, uint32_t kernel) {
    return kernel == PLAN_NO_INDEX ? "-" : arena_printf(a, "k%u", (unsigned)kernel);
}

static void write_operators(struct explanation *e) {
    struct columns c = columns_of(e->arena, 7);
    ADD_ROW(&c, "layers", "operator", "kind", "phase", "backend", "decided by", "kernel");
    for (size_t i = 0; i < e->rows.len; i++) {
        const struct plan_operator *op = e->rows.at[i].first;
        const char *name = e->plan->models.len > 1
                               ? arena_printf(e->arena, "%s of %s", op->op, op->model)
                               : op->op;
        bool first = true;
        for (int p = 0; p < PHASE_COUNT; p++) {
            const struct plan_phase *phase = &op->phase[p];
            if (phase->present) {
                ADD_ROW(&c, first ? row_layers(e, &e->rows.at[i]) : NULL, first ? name : NULL,
                        first ? op->kind : NULL, phase_names[p],
                        phase->backend ? phase->backend : "none", decided_text(e->arena, phase),
                        kernel_label(e->arena, phase->kernel));
                first = false;
            }
        }
    }
    columns_write(&c, 0, e->out);
}

// Models alone: shapes in place of choices.
static void write_shapes(struct explanation *e) {
    struct columns c = columns_of(e->arena, 5);
    ADD_ROW(&c, "model", "layers", "operator", "kind", "shape");
    for (size_t i = 0; i < e->rows.len; i++) {
        const struct plan_operator *op = e->rows.at[i].first;
        ADD_ROW(&c, op->model, row_layers(e, &e->rows.at[i]), op->op, op->kind,
                shape_text(e->arena, op));
    }
    columns_write(&c, 0, e->out);
}

static void write_kernels(struct explanation *e) {
    struct columns c = columns_of(e->arena, 2);
    for (uint32_t i = 0; i < e->plan->kernels.len; i++) {
        ADD_ROW(&c, kernel_label(e->arena, i), e->plan->kernels.at[i].symbol);
    }
    if (e->plan->kernels.len > 0) {
        text_add(e->out, "\nkernels\n");
        columns_write(&c, 2, e->out);
    }
}

static const char *int_text(struct arena *a, bool given, int64_t v) {
    return given ? arena_printf(a, "%lld", (long long)v) : "-";
}

static void write_groups(struct explanation *e) {
    if (e->plan->groups.len == 0) {
        return;
    }
    struct columns c = columns_of(e->arena, 7);
    ADD_ROW(&c, "group", "operators", "layout", "block", "page bytes", "blocks", "bytes");
    for (size_t i = 0; i < e->plan->groups.len; i++) {
        const struct plan_group *g = &e->plan->groups.at[i];
        ADD_ROW(&c, g->name, int_text(e->arena, true, (int64_t)g->operators.len),
                g->layout ? g->layout : "-", int_text(e->arena, g->has_block_size, g->block_size),
                int_text(e->arena, g->page_bytes.given, g->page_bytes.v),
                int_text(e->arena, g->blocks.given, g->blocks.v),
                explain_bytes(e->arena, g->bytes));
    }
    text_add(e->out, "\n");
    columns_write(&c, 0, e->out);
}

static void write_memory(struct explanation *e) {
    struct columns c = columns_of(e->arena, 2);
    ADD_ROW(&c, "caches", explain_bytes(e->arena, e->plan->kv_bytes));
    ADD_ROW(&c, "states", explain_bytes(e->arena, e->plan->state_bytes));
    ADD_ROW(&c, "workspace", explain_bytes(e->arena, e->plan->workspace_bytes));
    ADD_ROW(&c, "total", explain_bytes(e->arena, e->plan->total_bytes));
    ADD_ROW(&c, "budget",
            e->plan->budget_bytes.given ? explain_bytes(e->arena, e->plan->budget_bytes) : "none");
    text_add(e->out, "\nmemory\n");
    columns_write(&c, 2, e->out);
}

static void write_title(struct explanation *e, const struct row *row) {
    text_addf(e->out, "%s, %s of layer%s %s\n", row->first->kind, row->first->op,
              row->layers.len > 1 ? "s" : "", row_layers(e, row));
}

static void write_chains(struct explanation *e) {
    text_add(e->out, "\nsettings, from the narrowest\n");
    for (size_t i = 0; i < e->rows.len; i++) {
        write_title(e, &e->rows.at[i]);
        text_add(e->out, e->rows.at[i].chain);
    }
}

static void write_reasons(struct explanation *e) {
    bool title = false;
    for (size_t i = 0; i < e->rows.len; i++) {
        const struct row *row = &e->rows.at[i];
        if (*row->why) {
            text_add(e->out, title ? "" : "\nother backends\n");
            write_title(e, row);
            text_add(e->out, row->why);
            title = true;
        }
    }
}

void explain_text(struct text *t, const struct plan *plan, const struct explain_filter *f) {
    struct explanation e = {.arena = t->arena, .plan = plan, .out = t};
    collect_rows(&e, f);
    if (!plan->has_deploy && plan->operators.len == 0) {
        text_add(t, "no model and no deployment\n");
        return;
    }
    if (!plan->has_deploy) {
        write_shapes(&e);
        return;
    }
    text_addf(t, "deployment %s on %s\n\n", plan->deploy, plan->platform);
    write_operators(&e);
    if (f->has_layer || f->kind) {
        write_chains(&e);
    } else {
        write_kernels(&e);
        write_groups(&e);
        write_memory(&e);
    }
    write_reasons(&e);
}
