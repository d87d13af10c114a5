// SPDX-License-Identifier: Apache-2.0
// Memory: LANGUAGE.md "Memory", formula by formula. In and out: see memory.h.
// Names as there: S max_seqs, M max_tokens, T max_batch_tokens, C max_cached_tokens, B block size,
// W window or chunk, N = min(T, M).
#include "gen/memory.h"

#include <inttypes.h>

#include "gen/pages.h"

// ---- blocks

static int64_t at_most(int64_t a, int64_t b) {
    return a < b ? a : b;
}

// S ceil(n / B) and the like: `each` blocks for each of S sequences.
static struct size for_each(int64_t seqs, int64_t each) {
    return size_mul(size_of(seqs), size_of(each));
}

// The key range behind a query: the window, the chunk, or the shorter of both; 0 = all.
static int64_t reach_of(const struct operator_attrs *a) {
    int64_t window = attr_int(a, ATTR_WINDOW, 0), chunk = attr_int(a, ATTR_CHUNK, 0);
    return window && chunk ? at_most(window, chunk) : window + chunk;
}

static struct size windowed(const struct deployed_model *m, int64_t M, int64_t T, int64_t W,
                            int64_t B) {
    int64_t S = m->max_seqs, N = at_most(T, M);
    struct size whole = for_each(S, ceil_div(M, B));
    struct size step = for_each(S, ceil_div(W + N - 2, B) + 1);
    struct size kept = size_add(for_each(S, ceil_div(W - 1, B) + 2), size_of(ceil_div(T, B)));
    return size_min(whole, size_min(step, kept));
}

struct size memory_blocks(const struct cache_group *g, int64_t max_tokens) {
    const struct deployed_model *m = g->m;
    int64_t S = m->max_seqs, B = g->block_size;
    if (g->kind->cache == CACHE_STATE) {
        return size_of(S);
    }
    if (g->kind->cache == CACHE_SOURCE) {
        return for_each(S, ceil_div(m->max_source_tokens, B));
    }
    int64_t compress = attr_int(g->attrs, ATTR_COMPRESS, 1);
    int64_t M = ceil_div(ceil_div(max_tokens, m->dcp), compress);
    int64_t T = ceil_div(m->max_batch_tokens, compress);
    int64_t W = ceil_div(reach_of(g->attrs), compress);
    if (W > 0) {
        return windowed(m, M, T, W, B);
    }
    struct size whole = for_each(S, ceil_div(M, B));
    if (!m->has_cached) { // C is S M: the pool of whole sequences is never larger
        return whole;
    }
    return size_min(whole, size_add(size_of(ceil_div(m->max_cached_tokens, B)), size_of(S)));
}

static struct size group_bytes(const struct cache_group *g, int64_t max_tokens) {
    return size_mul(size_mul(g->page, memory_blocks(g, max_tokens)), size_of(g->owners));
}

// Totals when no sequence is longer than `cap` tokens.
static struct memory_total totals(const struct decider *c, int64_t cap) {
    struct memory_total t = {size_of(0), size_of(0)};
    for (size_t i = 0; i < c->groups.len; i++) {
        const struct cache_group *g = c->groups.at[i];
        struct size *part = g->kind->cache == CACHE_STATE ? &t.state : &t.kv;
        *part = size_add(*part, group_bytes(g, at_most(g->m->max_tokens, cap)));
    }
    return t;
}

// ---- the plan

static void warn_unknown(struct decider *c, const struct cache_group *g) {
    const struct setting_line *own = g->m->own ? &g->m->own->attr[DEPLOY_KV_DTYPE] : NULL;
    struct span span =
        own && own->item ? own->item->value->span : setting_span(c->d, g->m, DEPLOY_KV_DTYPE);
    struct diag *d = diag_add(
        c->p->diags, DIAG_A0860, span,
        "the page size of group %s is not known, so its memory is not planned", group_text(c, g));
    const struct value *dtype = &g->attrs->at[ATTR_KV_DTYPE];
    if (dtype->kind == VALUE_WORD) {
        diag_note_plain(c->p->diags, d, "its cache dtype is `%s`", dtype->text);
    }
}

struct memory_total memory_plan(struct decider *c) {
    for (size_t i = 0; i < c->groups.len; i++) {
        struct cache_group *g = c->groups.at[i];
        g->blocks = memory_blocks(g, g->m->max_tokens);
        g->bytes = group_bytes(g, g->m->max_tokens);
        if (g->bytes.state == SIZE_BEYOND || g->page.state == SIZE_BEYOND) {
            diag_add(c->p->diags, DIAG_A0851, c->d->decl->ast->name.span,
                     "the caches of group %s exceed 2^63 - 1 bytes", group_text(c, g));
            c->good = false;
        } else if (g->page.state == SIZE_UNKNOWN && c->good) { // else an error comes first
            warn_unknown(c, g);
        }
    }
    struct memory_total t = totals(c, INT64_MAX);
    if (c->good && (t.kv.state == SIZE_BEYOND || t.state.state == SIZE_BEYOND)) {
        diag_add(c->p->diags, DIAG_A0851, c->d->decl->ast->name.span,
                 "all caches together exceed 2^63 - 1 bytes");
        c->good = false;
    }
    return t;
}

// ---- budgets

static struct size total_at(const struct decider *c, int64_t cap, struct size workspace) {
    struct memory_total t = totals(c, cap);
    return size_add(size_add(t.kv, t.state), workspace);
}

static bool fits(const struct decider *c, int64_t cap, struct size workspace) {
    struct size total = total_at(c, cap, workspace);
    return total.state == SIZE_KNOWN && total.v <= c->d->memory.v;
}

// The largest max_tokens within the budget, or 0. Sizes never fall as sequences grow.
static int64_t largest_fit(const struct decider *c, struct size workspace) {
    int64_t low = 0, high = 0;
    for (size_t i = 0; i < c->d->models.len; i++) {
        int64_t own = c->d->models.at[i]->max_tokens;
        high = own > high ? own : high;
    }
    while (low < high) {
        int64_t mid = high - (high - low) / 2;
        if (fits(c, mid, workspace)) {
            low = mid;
        } else {
            high = mid - 1;
        }
    }
    return low;
}

static void over_budget(struct decider *c, struct size total, struct size workspace) {
    struct arena *a = c->p->arena;
    const struct deployed_model *m = c->d->models.at[0];
    struct diag *d = diag_add(c->p->diags, DIAG_A0850, setting_span(c->d, m, DEPLOY_MEMORY),
                              "memory of deployment `%s` is %s (%" PRId64
                              " bytes), budget is %s (%" PRId64 " bytes)",
                              c->d->decl->ast->name.text, size_text(a, total.v), total.v,
                              size_text(a, c->d->memory.v), c->d->memory.v);
    for (size_t i = 0; i < c->groups.len; i++) {
        const struct cache_group *g = c->groups.at[i];
        const char *page = g->kind->cache == CACHE_STATE
                               ? "states"
                               : arena_printf(a, "blocks of %" PRId64 " tokens", g->block_size);
        diag_note_plain(c->p->diags, d,
                        "group %s takes %s: %" PRId64 " %s, %" PRId64
                        " bytes each, for %u operator%s",
                        group_text(c, g), size_text(a, g->bytes.v), g->blocks.v, page, g->page.v,
                        (unsigned)g->owners, g->owners == 1 ? "" : "s");
    }
    diag_note_plain(c->p->diags, d, "the workspace takes %s", size_text(a, workspace.v));
    int64_t tokens = largest_fit(c, workspace);
    if (tokens > 0) {
        diag_help(c->p->diags, d, "the largest `max_tokens` that fits is %" PRId64, tokens);
    } else {
        struct size least = total_at(c, 1, workspace);
        diag_note_plain(c->p->diags, d, "no `max_tokens` fits: with 1 it is still %s",
                        size_text(a, least.v));
    }
    c->good = false;
}

// A budget against what the platform has.
static void check_platform(struct decider *c, enum deploy_attr attr, const char *name,
                           struct plan_int budget, bool warn) {
    if (!budget.given) {
        return;
    }
    struct span span = setting_span(c->d, c->d->models.at[0], attr);
    struct item_lines lines = decl_lines(c->p->arena, c->d->platform, ITEM_SET, name);
    const char *platform = c->d->platform->ast->name.text;
    struct value v;
    int64_t has;
    if (lines.len == 0) {
        if (warn) {
            struct diag *d = diag_add(c->p->diags, DIAG_A0711, span,
                                      "platform `%s` does not state its `%s`, so the budget is not "
                                      "compared with it",
                                      platform, name);
            diag_help(c->p->diags, d, "give `%s` in a platform that extends `%s`", name, platform);
        }
    } else if (eval_constant(c->p, lines.at[0]->value, VOCAB_NONE, &v) && value_is_int(&v, &has) &&
               budget.v > has) {
        struct diag *d =
            diag_add(c->p->diags, DIAG_A0702, span, "budget `%s` is %s, platform `%s` has %s", name,
                     size_text(c->p->arena, budget.v), platform, size_text(c->p->arena, has));
        diag_note(c->p->diags, d, lines.at[0]->value->span, "the platform states it here");
        c->good = false;
    }
}

void memory_check(struct decider *c, struct memory_total total, uint64_t workspace_bytes) {
    check_platform(c, DEPLOY_MEMORY, "memory", c->d->memory, true);
    // What lies in flash is known only when the program is linked; the budget itself is checked.
    check_platform(c, DEPLOY_FLASH, "flash", c->d->flash, false);
    struct size workspace = workspace_bytes > INT64_MAX ? (struct size){SIZE_BEYOND, 0}
                                                        : size_of((int64_t)workspace_bytes);
    struct size all = size_add(size_add(total.kv, total.state), workspace);
    if (c->good && c->d->memory.given && all.state == SIZE_KNOWN && all.v > c->d->memory.v) {
        over_budget(c, all, workspace);
    }
}
