// SPDX-License-Identifier: Apache-2.0
// Pages: formulas, layouts, and one pool for all groups. In and out: see pages.h.
// A group in which no backend could be chosen keeps the first block size and has no layout.
#include "gen/pages.h"

#include <inttypes.h>
#include <string.h>

#include "gen/groups.h"
#include "gen/ruling.h"

#define SCALE_BYTES 4     // an f32 scale
#define SCALES_PER_SLOT 2 // for K and for V
#define PAGES_SHOWN 4     // of a group that fits no pool

// ---- formulas

static struct size dtype_size(const struct value *dtype, struct size elements) {
    struct rational bytes;
    if (dtype->kind != VALUE_WORD || !dtype_bytes(dtype->text, &bytes)) {
        return size_unknown();
    }
    return size_ratio(elements, bytes);
}

struct size page_formula(const struct operator_attrs *a, int64_t block_size) {
    struct size block = size_of(block_size);
    struct size rows = size_mul(block, size_of(attr_int(a, ATTR_KV_HEADS, 1)));
    int64_t width = attr_int(a, ATTR_K_WIDTH, 0) + attr_int(a, ATTR_V_WIDTH, 0);
    struct size page = dtype_size(&a->at[ATTR_KV_DTYPE], size_mul(rows, size_of(width)));
    const struct value *dtype = &a->at[ATTR_KV_DTYPE];
    if (!attr_given(a, ATTR_MLA) && dtype->kind == VALUE_WORD && strcmp(dtype->text, "int8") == 0) {
        page = size_add(page, size_mul(rows, size_of(SCALES_PER_SLOT * SCALE_BYTES)));
    }
    if (attr_given(a, ATTR_INDEX) && a->at[ATTR_INDEX_SHARE].kind == VALUE_NONE) {
        struct size row = size_mul(block, size_of(attr_int(a, ATTR_INDEX_HEAD_DIM, 0)));
        page = size_add(page, dtype_size(&a->at[ATTR_INDEX_DTYPE], row));
    }
    return page;
}

struct size state_formula(const struct operator_attrs *a) {
    struct size d = size_mul(size_of(attr_int(a, ATTR_SSM_HEADS, 0)),
                             size_of(attr_int(a, ATTR_SSM_HEAD_DIM, 0)));
    int64_t n = attr_int(a, ATTR_SSM_STATE, 0), conv = attr_int(a, ATTR_SSM_CONV, 0);
    struct size kept = size_of(conv > 0 ? conv - 1 : 0);
    struct size groups = size_mul(size_of(2 * attr_int(a, ATTR_SSM_GROUPS, 1)), size_of(n));
    struct size state = size_mul(d, size_of(n));
    const char *type = a->at[ATTR_SSM_TYPE].text;
    struct size elements = state; // linear
    if (strcmp(type, "mamba2") == 0 || strcmp(type, "gated_delta_net") == 0) {
        elements = size_add(state, size_mul(kept, size_add(d, groups)));
    } else if (strcmp(type, "mamba1") == 0) {
        elements = size_add(state, size_mul(kept, d));
    } else if (strcmp(type, "short_conv") == 0) {
        elements = size_mul(kept, d);
    }
    return dtype_size(&a->at[ATTR_SSM_DTYPE], elements);
}

// ---- groups

const char *group_text(const struct decider *c, const struct cache_group *g) {
    struct layer_list layers = {0};
    for (size_t i = 0; i < g->ops.len; i++) {
        VEC_PUSH(c->p->arena, &layers, c->ops.at[g->ops.at[i]].o->layer);
    }
    // Sharers come after the owners; their layers may lie between.
    layers_sort(&layers);
    return arena_printf(c->p->arena, "`%s` (%s)", g->kind->name,
                        layers_text(c->p->arena, layers.at, layers.len));
}

// The choice of a member, for remedies.
static void leave_open(struct decider *c, const struct cache_group *g, const struct ruling *member,
                       struct diag *d) {
    for (size_t i = 0; i < g->ops.len; i++) {
        const struct op *o = &c->ops.at[g->ops.at[i]];
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            if (o->phase[phase].chosen && o->phase[phase].ruling == member) {
                struct open_error error = {.diag = d, .op = o, .phase = (enum phase)phase};
                VEC_PUSH(c->p->arena, &c->open_errors, error);
                return;
            }
        }
    }
}

// A page that backends state themselves, or the formula. Backends that state different sizes are an
// error, reported where `report`.
static struct size page_at(struct decider *c, struct cache_group *g, int64_t block, bool report) {
    if (g->kind->cache == CACHE_STATE) {
        return state_formula(g->attrs);
    }
    struct size page = page_formula(g->attrs, block);
    const struct ruling *stated = NULL;
    for (size_t i = 0; i < g->members.len; i++) {
        const struct ruling *r = g->members.at[i];
        struct subject s = subject_of(c, r->m, r->set, r->phase);
        s.block_size = block;
        struct value v = backend_answer(&s, r->backend, "page_bytes");
        int64_t bytes;
        if (v.kind == VALUE_BOOL) { // not stated
            continue;
        }
        struct size own = value_is_int(&v, &bytes) && bytes > 0 ? size_of(bytes) : size_unknown();
        if (stated && report && (own.state != page.state || own.v != page.v)) {
            struct diag *d = diag_add(c->p->diags, DIAG_A0506, r->backend->ast->name.span,
                                      "pages of group %s are %" PRId64
                                      " bytes for `%s` and %" PRId64 " for `%s`",
                                      group_text(c, g), page.v, stated->backend->ast->name.text,
                                      own.v, r->backend->ast->name.text);
            diag_note(c->p->diags, d, stated->backend->ast->name.span, "the other backend is here");
            leave_open(c, g, r, d);
            c->good = false;
            g->broken = true;
            return page;
        }
        stated = r;
        page = own;
    }
    return page;
}

// The first layout of the first operator's list that all accept; `hnd` where nobody minds.
static const char *pick_layout(struct decider *c, const struct cache_group *g,
                               const struct value *common) {
    for (size_t i = 0; i < g->ops.len; i++) {
        const struct op *o = &c->ops.at[g->ops.at[i]];
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            struct ruling *r = o->phase[phase].ruling;
            if (!o->phase[phase].chosen) {
                continue;
            }
            struct value list = ruling_layout(c, r, g->block_size);
            bool several = list.kind == VALUE_LIST || list.kind == VALUE_SET;
            for (size_t j = 0, n = several ? list.elems.len : 1; j < n; j++) {
                const struct value *word = several ? &list.elems.at[j] : &list;
                if (word->kind == VALUE_WORD &&
                    (common->kind == VALUE_ANY || value_in(word, common))) {
                    return word->text;
                }
            }
            if (list.kind != VALUE_ANY) {
                return NULL; // none in common, reported where it was found
            }
        }
    }
    return common->kind == VALUE_ANY ? "hnd" : common->elems.len ? common->elems.at[0].text : NULL;
}

static void settle_group(struct decider *c, struct cache_group *g, int64_t block) {
    g->block_size = block;
    g->page = page_at(c, g, block, true);
    if (g->kind->cache != CACHE_STATE && g->members.len > 0) {
        g->layout = pick_layout(c, g, &g->layouts);
    }
}

// ---- one pool

// A unified page is not below the largest page of the first block size: 64 tokens, or as many as
// the deployment says.
struct pool {
    struct decider *c;
    VEC(struct cache_group *) paged;
    struct size **pages; // of each paged group, by candidate
    struct size least;   // the smallest page that may be used
    bool least_is_state;
};

static bool all_take(struct pool *pool, size_t group, uint32_t candidate) {
    struct cache_group *g = pool->paged.at[group];
    int64_t block = block_candidate(g->m, candidate);
    for (size_t i = 0; i < g->members.len; i++) {
        if (!ruling_takes_block(pool->c, g->members.at[i], block)) {
            return false;
        }
    }
    return true;
}

// The candidate of a group at which its page has `bytes` and its backends agree.
static bool candidate_for(struct pool *pool, size_t group, int64_t bytes, uint32_t *candidate) {
    const struct cache_group *g = pool->paged.at[group];
    for (uint32_t i = 0; i < block_candidates(g->m); i++) {
        const struct size *page = &pool->pages[group][i];
        if (page->state == SIZE_KNOWN && page->v == bytes && all_take(pool, group, i)) {
            *candidate = i;
            return true;
        }
    }
    return false;
}

static bool pool_page(struct pool *pool, int64_t *bytes, uint32_t *candidates) {
    bool found = false;
    uint32_t *mine = ARENA_ARRAY(pool->c->p->arena, uint32_t, pool->paged.len);
    for (uint32_t i = 0; i < block_candidates(pool->paged.at[0]->m); i++) {
        struct size page = pool->pages[0][i];
        bool usable =
            page.state == SIZE_KNOWN && page.v >= pool->least.v && (!found || page.v < *bytes);
        for (size_t g = 0; usable && g < pool->paged.len; g++) {
            usable = candidate_for(pool, g, page.v, &mine[g]);
        }
        if (usable) {
            found = true;
            *bytes = page.v;
            memcpy(candidates, mine, sizeof *mine * pool->paged.len);
        }
    }
    return found;
}

static void fill_pool(struct pool *pool) {
    struct decider *c = pool->c;
    for (size_t i = 0; i < c->groups.len; i++) {
        struct cache_group *g = c->groups.at[i];
        struct size floor = page_at(c, g, block_candidate(g->m, 0), false);
        if (pool->least.state == SIZE_KNOWN &&
            (floor.state != SIZE_KNOWN || floor.v > pool->least.v)) {
            pool->least = floor;
            pool->least_is_state = g->kind->cache == CACHE_STATE;
        }
        if (g->kind->cache != CACHE_STATE) {
            VEC_PUSH(c->p->arena, &pool->paged, g);
        }
    }
    pool->pages = ARENA_ARRAY(c->p->arena, struct size *, pool->paged.len);
    for (size_t g = 0; g < pool->paged.len; g++) {
        uint32_t n = block_candidates(pool->paged.at[g]->m);
        pool->pages[g] = ARENA_ARRAY(c->p->arena, struct size, n);
        for (uint32_t i = 0; i < n; i++) {
            int64_t block = block_candidate(pool->paged.at[g]->m, i);
            pool->pages[g][i] = page_at(c, pool->paged.at[g], block, false);
        }
    }
}

// "pages of 32768 bytes (16 tokens), 65536 (32)": the smallest that the backends of a group accept.
static const char *pages_text(struct pool *pool, size_t group) {
    struct arena *a = pool->c->p->arena;
    const struct cache_group *g = pool->paged.at[group];
    const char *text = "";
    int64_t block = 0;
    for (int shown = 0; shown <= PAGES_SHOWN; shown++) {
        const struct size *page = NULL;
        int64_t next = INT64_MAX;
        for (uint32_t i = 0; i < block_candidates(g->m); i++) {
            int64_t b = block_candidate(g->m, i);
            if (b > block && b < next && all_take(pool, group, i)) {
                next = b;
                page = &pool->pages[group][i];
            }
        }
        if (!page) {
            return *text ? text : "no pages";
        }
        block = next;
        text =
            shown == PAGES_SHOWN ? arena_printf(a, "%s ...", text)
            : shown == 0
                ? arena_printf(a, "pages of %" PRId64 " bytes (%" PRId64 " tokens)", page->v, block)
                : arena_printf(a, "%s, %" PRId64 " (%" PRId64 ")", text, page->v, block);
    }
    return text;
}

static void no_pool(struct pool *pool, enum diag_code code, const char *what) {
    struct decider *c = pool->c;
    const struct setting_line *line = &c->d->scope->attr[DEPLOY_POOL];
    struct diag *d =
        diag_add(c->p->diags, code, line->item->value->span,
                 "`pool = unified`: the groups of deployment `%s` have no %s in common",
                 c->d->decl->ast->name.text, what);
    struct open_error error = {.diag = d};
    VEC_PUSH(c->p->arena, &c->open_errors, error);
    for (size_t i = 0; i < pool->paged.len; i++) {
        struct cache_group *g = pool->paged.at[i];
        diag_note_plain(c->p->diags, d, "group %s accepts %s", group_text(c, g),
                        code == DIAG_A0504 ? arena_printf(c->p->arena, "layouts %s",
                                                          value_text(c->p->arena, &g->layouts))
                                           : pages_text(pool, i));
    }
    if (code == DIAG_A0507) {
        diag_note_plain(c->p->diags, d,
                        "a page has at least %" PRId64 " bytes, what the largest group needs "
                        "for %s",
                        pool->least.v,
                        pool->least_is_state
                            ? "a state"
                            : arena_printf(c->p->arena, "%" PRId64 " tokens",
                                           block_candidate(c->groups.at[0]->m, 0)));
    }
    c->good = false;
}

// One layout for all groups: what is left of the intersection.
static void pool_layout(struct pool *pool) {
    struct value common = {.kind = VALUE_ANY};
    for (size_t i = 0; i < pool->paged.len; i++) {
        common = layouts_meet(pool->c->p->arena, &common, &pool->paged.at[i]->layouts);
    }
    if (common.kind != VALUE_ANY && common.elems.len == 0) {
        no_pool(pool, DIAG_A0504, "layout");
        return;
    }
    const char *layout = NULL;
    for (size_t i = 0; i < pool->paged.len; i++) {
        struct cache_group *g = pool->paged.at[i];
        bool decided = g->members.len > 0 && !g->broken;
        layout = layout || !decided ? layout : pick_layout(pool->c, g, &common);
        g->layout = decided ? layout : NULL;
    }
}

static void settle_pool(struct decider *c) {
    struct pool pool = {.c = c, .least = size_of(0)};
    fill_pool(&pool);
    int64_t bytes = pool.least.v;
    if (pool.paged.len > 0 && pool.least.state == SIZE_KNOWN) {
        uint32_t *candidates = ARENA_ARRAY(c->p->arena, uint32_t, pool.paged.len);
        if (!pool_page(&pool, &bytes, candidates)) {
            no_pool(&pool, DIAG_A0507, "page size");
            return;
        }
        for (size_t g = 0; g < pool.paged.len; g++) {
            settle_group(c, pool.paged.at[g], block_candidate(pool.paged.at[g]->m, candidates[g]));
        }
    }
    for (size_t i = 0; i < c->groups.len && pool.least.state == SIZE_KNOWN; i++) {
        c->groups.at[i]->page = size_of(bytes);
    }
    pool_layout(&pool);
}

void pages_settle(struct decider *c) {
    for (size_t i = 0; i < c->groups.len; i++) {
        struct cache_group *g = c->groups.at[i];
        settle_group(c, g, block_candidate(g->m, g->candidate));
    }
    bool broken = false;
    for (size_t i = 0; i < c->groups.len; i++) {
        broken = broken || c->groups.at[i]->broken;
    }
    if (c->d->unified && !broken && c->groups.len > 0) {
        settle_pool(c);
    }
}
