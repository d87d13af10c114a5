// SPDX-License-Identifier: Apache-2.0
// `attnc import vllm --resolve`: cache block, kernel block and layouts of lists of backends, a line
// each; and the same for a deployment, so that it holds what vLLM settles on. In: lists, a model, a
// platform. Out: text, JSON, or lines of a deployment.
#include <inttypes.h>
#include <string.h>

#include "gen/import_file.h"
#include "gen/import_vllm_resolve.h"
#include "gen/import_vllm_text.h"
#include "gen/json.h"
#include "gen/planner.h"

#define BACKENDS_MAX 32 // in one list

struct resolver {
    const struct vllm_served *s;
    struct arena *a;
    struct json json;
    struct text text;
};

// ---- what a backend is asked about

static bool takes_kind(const struct subject *s, const struct decl *backend,
                       const struct attr_set *set) {
    struct value kinds = backend_answer(s, backend, "kinds");
    struct value word = value_word(set->kind->name);
    return value_in(&word, &kinds);
}

// The first operator of a kind that the backend takes; without one, the first.
static struct subject subject_for(const struct vllm_served *s, const struct decl *backend) {
    struct subject first = {0};
    for (size_t i = 0; i < s->deployment.models.len; i++) {
        const struct deployed_model *m = s->deployment.models.at[i];
        for (size_t k = 0; k < m->model.sets.len; k++) {
            const struct attr_set *set = m->model.sets.at[k];
            if (set->absent || !s->choices[i][k].attention) {
                continue;
            }
            struct subject subject = vllm_subject(s->program, m, set);
            if (takes_kind(&subject, backend, set)) {
                return subject;
            }
            first = first.program ? first : subject;
        }
    }
    return first;
}

// ---- one list

static const char *parties_text(struct arena *a, const struct vllm_parties *list) {
    const char *text = "";
    for (size_t i = 0; i < list->len; i++) {
        text = arena_printf(a, "%s%s%s", text, i ? "," : "", list->at[i].backend->ast->name.text);
    }
    return text;
}

// Why no block is found: what each of them takes.
static void explain_blocks(const struct vllm_served *s, struct diag *g,
                           const struct vllm_parties *list) {
    for (size_t i = 0; i < list->len; i++) {
        diag_note_plain(s->command->diags, g, "`%s` has kernel blocks of %s",
                        list->at[i].backend->ast->name.text,
                        vllm_blocks_text(s->command->arena, &list->at[i]));
    }
}

static void settle_kernel(const struct vllm_served *s, const struct vllm_parties *list,
                          struct vllm_settled *r) {
    if (!r->block || vllm_kernel_block(s->command->arena, list, r->block, &r->kernel)) {
        return;
    }
    struct diag *g =
        diag_add_global(s->command->diags, DIAG_A0935,
                        "vLLM finds no kernel block for %s in cache blocks of %" PRId64,
                        parties_text(s->command->arena, list), r->block);
    explain_blocks(s, g, list);
}

// Cache block (`block` is the user's, or 0) and layouts of backends that serve one model.
static struct vllm_settled settle(const struct vllm_served *s, const struct vllm_parties *list,
                                  int64_t block) {
    struct arena *a = s->command->arena;
    struct diags *d = s->command->diags;
    const struct options *o = &s->command->options;
    int64_t start = o->given[OPTION_START_BLOCK]             ? o->numbers[OPTION_START_BLOCK]
                    : vllm_has_device(&s->deployment, "cpu") ? VLLM_START_BLOCK_CPU
                                                             : VLLM_START_BLOCK;
    struct vllm_settled r = {.block = block};
    if (list->len == 0) {
        return r;
    }
    if (!block && !vllm_cache_block(a, list, start, &r.block)) {
        struct diag *g = diag_add_global(d, DIAG_A0935, "vLLM finds no cache block for %s",
                                         parties_text(a, list));
        explain_blocks(s, g, list);
    }
    r.layouts = vllm_layouts(a, list);
    if (r.layouts.len == 0) {
        diag_add_global(d, DIAG_A0935, "vLLM finds no cache layout for %s", parties_text(a, list));
    }
    return r;
}

// ---- lists

static bool read_list(struct resolver *r, const char *line, size_t len, struct vllm_parties *list) {
    struct command *c = r->s->command;
    for (size_t at = 0; at < len; at++) {
        size_t n = 0;
        while (at + n < len && !strchr(",+ \t\r", line[at + n])) {
            n++;
        }
        const char *given = arena_strndup(r->a, line + at, n);
        const char *name = n ? vllm_backend_named(r->a, r->s->program, given) : NULL;
        if (n && !name) {
            size_t all;
            const char *const *names = vllm_backend_names(r->a, r->s->program, &all);
            struct diag *g =
                diag_add_global(c->diags, DIAG_A0932, "vLLM has no backend `%s`", given);
            program_suggest(r->s->program, g, "backend", given, names, all);
            return false;
        }
        if (name) {
            const struct decl *d = program_find(r->s->program, DECL_BACKEND, name);
            VEC_PUSH(r->a, list, ((struct vllm_party){d, subject_for(r->s, d)}));
        }
        at += n;
    }
    if (list->len > BACKENDS_MAX) {
        diag_add_global(c->diags, DIAG_A0936, "a list names %zu backends, limit is %d", list->len,
                        BACKENDS_MAX);
        return false;
    }
    return true;
}

static void add_int(struct resolver *r, const char *key, int64_t v) {
    if (v) {
        json_int(&r->json, key, v);
        text_addf(&r->text, "\t%s=%" PRId64, key, v);
    } else {
        json_null(&r->json, key);
        text_addf(&r->text, "\t%s=none", key);
    }
}

static void add_result(struct resolver *r, const struct vllm_parties *list,
                       const struct vllm_settled *v) {
    json_open(&r->json, NULL, '{', false);
    json_open(&r->json, "backends", '[', true);
    for (size_t i = 0; i < list->len; i++) {
        json_string(&r->json, NULL, list->at[i].backend->ast->name.text);
    }
    json_close(&r->json, ']');
    text_add(&r->text, parties_text(r->a, list));
    add_int(r, "cache_block", v->block);
    add_int(r, "kernel_block", v->kernel);
    json_open(&r->json, "layouts", '[', true);
    text_add(&r->text, v->layouts.len ? "\tlayouts=" : "\tlayouts=none");
    for (size_t i = 0; i < v->layouts.len; i++) {
        json_string(&r->json, NULL, v->layouts.at[i]);
        text_addf(&r->text, "%s%s", i ? ">" : "", v->layouts.at[i]);
    }
    json_close(&r->json, ']');
    json_close(&r->json, '}');
    text_add(&r->text, "\n");
}

static bool resolve_line(struct resolver *r, const char *line, size_t len) {
    struct vllm_parties list = {0};
    const struct options *o = &r->s->command->options;
    if (!read_list(r, line, len, &list)) {
        return false;
    }
    if (list.len) {
        int64_t block = o->given[OPTION_BLOCK_SIZE] ? o->numbers[OPTION_BLOCK_SIZE] : 0;
        struct vllm_settled v = settle(r->s, &list, block);
        settle_kernel(r->s, &list, &v);
        add_result(r, &list, &v);
    }
    return true;
}

// A list, or @FILE with one a line; what follows `#` does not count.
static bool resolve_given(struct resolver *r, const char *given) {
    uint32_t len = (uint32_t)strlen(given);
    const char *text = given;
    if (*given == '@') {
        text = import_read_file(r->s->command, given + 1,
                                options_map_path(&r->s->command->options, given + 1), &len);
    }
    bool good = text != NULL;
    for (uint32_t at = 0; good && at < len;) {
        const char *end = memchr(text + at, '\n', len - at);
        uint32_t n = end ? (uint32_t)(end - (text + at)) : len - at;
        const char *comment = memchr(text + at, '#', n);
        good = resolve_line(r, text + at, comment ? (size_t)(comment - (text + at)) : n);
        at += n + 1;
    }
    return good;
}

int import_vllm_resolve(const struct vllm_served *s) {
    struct command *c = s->command;
    struct resolver r = {
        .s = s, .a = c->arena, .json = json_of(c->arena), .text = text_of(c->arena)};
    json_open(&r.json, NULL, '[', false);
    for (size_t i = 0; i < c->options.resolve.len; i++) {
        if (!resolve_given(&r, c->options.resolve.at[i])) {
            return EXIT_STATUS_INPUT;
        }
    }
    json_close(&r.json, ']');
    size_t len = 0;
    const char *json = json_finish(&r.json, &len);
    return c->options.given[OPTION_JSON]
               ? import_deliver(c, json, len)
               : import_deliver(c, text_string(&r.text), r.text.bytes.len);
}

// ---- a deployment

static void add_party(struct arena *a, struct vllm_parties *list, struct vllm_party p) {
    for (size_t i = 0; i < list->len; i++) {
        if (list->at[i].backend == p.backend && list->at[i].subject.layer == p.subject.layer) {
            return;
        }
    }
    VEC_PUSH(a, list, p);
}

// The backends that the plan gives to operators with pages: of all groups, or of one.
static struct vllm_parties parties_of(const struct vllm_served *s, const struct plan *plan,
                                      uint32_t group, bool all) {
    struct vllm_parties list = {0};
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *o = &plan->operators.at[i];
        const char *name = o->phase[PHASE_PREFILL].backend;
        if (o->has_ssm || o->group == PLAN_NO_INDEX || !name || (!all && o->group != group)) {
            continue;
        }
        const struct deployed_model *m = s->deployment.models.at[o->model_index];
        const struct model_operator *op =
            &m->model.operators.at[model_find(&m->model, o->layer, o->op)];
        struct vllm_party p = {program_find(s->program, DECL_BACKEND, name),
                               vllm_subject(s->program, m, m->model.sets.at[op->set])};
        add_party(s->command->arena, &list, p);
    }
    return list;
}

// Do all groups have pages of one size at one block size, and no group a state?
static bool same_pages(const struct plan *plan) {
    const struct plan_group *first = NULL;
    for (size_t i = 0; i < plan->groups.len; i++) {
        const struct plan_group *g = &plan->groups.at[i];
        if (!g->has_block_size || !g->page_bytes.given) {
            return false;
        }
        first = first ? first : g;
        if (g->page_bytes.v * first->block_size != first->page_bytes.v * g->block_size) {
            return false;
        }
    }
    return first != NULL;
}

// Whether one pool can serve the plan's groups is for the planner to say.
static bool pool_fits(const struct vllm_served *s, const struct vllm_models *m,
                      struct vllm_serving v) {
    struct vllm_served trial = *s;
    struct plan plan;
    v.settled = "pool = unified;\n";
    return vllm_plan_quietly(&trial, vllm_compose(s->command->arena, s, m, &v), &plan);
}

// The kernel block of each group; 0 where they differ.
static int64_t kernel_blocks(const struct vllm_served *s, const struct plan *plan, int64_t block) {
    int64_t one = 0;
    for (uint32_t i = 0; i < plan->groups.len; i++) {
        struct vllm_parties list = parties_of(s, plan, i, false);
        struct vllm_settled r = {.block = block};
        if (list.len) {
            settle_kernel(s, &list, &r);
            one = i == 0 || one == r.kernel ? r.kernel : 0;
        }
    }
    return one;
}

static void add_block(struct text *t, const struct vllm_served *s, const struct plan *plan,
                      int64_t block) {
    if (same_pages(plan)) {
        int64_t kernel = kernel_blocks(s, plan, block);
        text_addf(t, "block_size = %" PRId64 "; // where vLLM settles", block);
        if (kernel && kernel != block) {
            text_addf(t, "; its kernels walk blocks of %" PRId64, kernel);
        }
        text_add(t, "\n");
    } else {
        text_addf(t,
                  "// block_size: vLLM begins with %" PRId64
                  " and scales blocks until pages have one size\n",
                  block);
    }
}

const char *vllm_settled_lines(const struct vllm_served *s, const struct vllm_models *m,
                               const struct vllm_serving *v) {
    struct vllm_served decided = *s;
    struct plan plan;
    struct text t = text_of(s->command->arena);
    if (!vllm_plan_quietly(&decided, vllm_compose(s->command->arena, s, m, v), &plan) ||
        !plan.complete) {
        return NULL; // `check` says why
    }
    struct vllm_parties all = parties_of(&decided, &plan, 0, true);
    struct vllm_settled r = settle(&decided, &all, v->block_size);
    if (!v->block_size && r.block) {
        add_block(&t, &decided, &plan, r.block);
    }
    if (r.layouts.len) {
        text_addf(&t, "layout = %s;\n", r.layouts.at[0]);
    }
    if (plan.groups.len > 1 && (!r.layouts.len || pool_fits(s, m, *v))) {
        text_add(&t, "pool = unified;\n");
    }
    return text_string(&t);
}
