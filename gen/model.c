// SPDX-License-Identifier: Apache-2.0
// Models: operators and the references between their layers. In and out: see model.h.
#include "gen/model.h"

#include <inttypes.h>
#include <string.h>

#include "gen/attr_set.h"

struct builder {
    struct set_resolver sets;
    struct model *m;
    struct cascade cascade;
};

// ---- references between layers

uint32_t model_find(const struct model *m, int64_t layer, const char *op) {
    size_t low = 0, high = m->operators.len;
    while (low < high) {
        size_t mid = low + (high - low) / 2;
        const struct model_operator *o = &m->operators.at[mid];
        int order = operator_order(o->layer, o->op, layer, op);
        if (order == 0) {
            return (uint32_t)mid;
        }
        if (order < 0) {
            low = mid + 1;
        } else {
            high = mid;
        }
    }
    return UINT32_MAX;
}

static bool same_attr(const struct attr_set *x, const struct attr_set *y, enum operator_attr attr) {
    return value_equal(&x->attrs.at[attr], &y->attrs.at[attr]);
}

// What is wrong with sharing the cache of operator `t`, or NULL.
static const char *share_fault(const struct builder *b, const struct attr_set *set, uint32_t t) {
    static const enum operator_attr equal[] = {ATTR_KV_HEADS, ATTR_K_WIDTH,  ATTR_V_WIDTH,
                                               ATTR_DTYPE,    ATTR_COMPRESS, ATTR_WINDOW,
                                               ATTR_CHUNK};
    if (t == UINT32_MAX) {
        return "which has no such operator";
    }
    const struct attr_set *target = b->m->sets.at[b->m->operators.at[t].set];
    if (attr_given(&target->attrs, ATTR_KV_SHARE)) {
        return "which shares a cache itself";
    }
    if (target->kind->cache == CACHE_NONE || target->kind->cache == CACHE_STATE) {
        return "which has no K and V cache";
    }
    if (target->kind != set->kind) {
        return arena_printf(b->sets.p->arena, "whose kind is `%s`, not `%s`", target->kind->name,
                            set->kind->name);
    }
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
        if (!same_attr(set, target, equal[i])) {
            return arena_printf(b->sets.p->arena, "whose `%s` is %s, not %s",
                                operator_attr_infos[equal[i]].name,
                                value_text(b->sets.p->arena, &target->attrs.at[equal[i]]),
                                value_text(b->sets.p->arena, &set->attrs.at[equal[i]]));
        }
    }
    return NULL;
}

static void link_share(struct builder *b, struct model_operator *o) {
    struct attr_set *set = b->m->sets.at[o->set];
    int64_t layer = attr_int(&set->attrs, ATTR_KV_SHARE, -1);
    if (layer < 0) {
        return;
    }
    uint32_t target = layer < o->layer ? model_find(b->m, layer, o->op) : UINT32_MAX;
    const char *fault =
        layer < o->layer ? share_fault(b, set, target) : "which is not an earlier layer";
    if (!fault) {
        o->owner = target;
    } else if (!set->share_said) { // operators of one set share the mistake
        set->share_said = true;
        set_error(&b->sets, set, DIAG_A0458, ATTR_KV_SHARE,
                  arena_printf(b->sets.p->arena, "`kv_share` of `%s` names layer %" PRId64 ", %s",
                               o->op, layer, fault));
    }
}

static void check_index_share(struct builder *b, const struct model_operator *o) {
    struct attr_set *set = b->m->sets.at[o->set];
    int64_t layer = attr_int(&set->attrs, ATTR_INDEX_SHARE, -1);
    if (layer < 0) {
        return;
    }
    uint32_t t = layer < o->layer ? model_find(b->m, layer, o->op) : UINT32_MAX;
    const struct attr_set *target =
        t == UINT32_MAX ? NULL : b->m->sets.at[b->m->operators.at[t].set];
    const char *fault = layer >= o->layer                         ? "which is not an earlier layer"
                        : !target                                 ? "which has no such operator"
                        : !attr_given(&target->attrs, ATTR_INDEX) ? "which has no index"
                        : attr_given(&target->attrs, ATTR_INDEX_SHARE)
                            ? "which shares an index itself"
                            : NULL;
    if (fault && !set->share_said) {
        set->share_said = true;
        set_error(&b->sets, set, DIAG_A0459, ATTR_INDEX_SHARE,
                  arena_printf(b->sets.p->arena, "`share` of the index names layer %" PRId64 ", %s",
                               layer, fault));
    }
}

// ---- the model

static void resolve_sets(struct builder *b) {
    struct arena *a = b->sets.p->arena;
    for (size_t i = 0; i < b->cascade.sets.len; i++) {
        struct attr_set *set = ARENA_NEW(a, struct attr_set);
        set->given = b->cascade.sets.at[i];
        set->absent = set_absent(set->given);
        VEC_PUSH(a, &b->m->sets, set);
    }
    for (size_t i = 0; i < b->cascade.operators.len; i++) {
        const struct cascade_operator *c = &b->cascade.operators.at[i];
        struct attr_set *set = b->m->sets.at[c->set];
        if (!set->absent) {
            VEC_PUSH(a, &set->layers, c->layer);
            uint32_t index = (uint32_t)b->m->operators.len;
            struct model_operator o = {c->layer, c->op, c->set, index};
            VEC_PUSH(a, &b->m->operators, o);
        }
    }
    for (size_t i = 0; i < b->m->sets.len; i++) {
        if (!b->m->sets.at[i]->absent) {
            set_resolve(&b->sets, b->m->sets.at[i]);
        }
    }
}

static void list_kinds(struct builder *b) {
    struct arena *a = b->sets.p->arena;
    bool *occurs = ARENA_ARRAY(a, bool, b->sets.kinds->rows.len);
    for (size_t i = 0; i < b->m->sets.len; i++) {
        if (b->m->sets.at[i]->kind) {
            occurs[b->m->sets.at[i]->kind->index] = true;
        }
    }
    struct values words = {0};
    for (size_t i = 0; i < b->sets.kinds->rows.len; i++) {
        if (occurs[i]) {
            struct value w = value_word(b->sets.kinds->rows.at[i].name);
            VEC_PUSH(a, &words, w);
        }
    }
    b->m->kinds = value_set(a, words.at, words.len);
    b->m->kinds_len = b->sets.kinds->rows.len;
}

bool model_build(struct program *p, const struct kinds *kinds, struct decl *decl,
                 struct model *out) {
    struct builder b = {.sets = {.p = p, .kinds = kinds, .m = out, .good = true}, .m = out};
    memset(out, 0, sizeof *out);
    out->decl = decl;
    if (decl->poisoned) {
        return false;
    }
    if (!cascade_read(p, decl, &b.cascade)) {
        decl->poisoned = true;
        return false;
    }
    out->layers = b.cascade.layers;
    resolve_sets(&b);
    level_resolve(&b.cascade.level, &out->level);
    list_kinds(&b);
    if (b.sets.good && out->operators.len == 0) {
        diag_add(p->diags, DIAG_A0461, decl->ast->name.span, "model `%s` has no operators",
                 decl->ast->name.text);
        b.sets.good = false;
    }
    for (size_t i = 0, n = b.sets.good ? out->operators.len : 0; i < n; i++) {
        link_share(&b, &out->operators.at[i]);
        check_index_share(&b, &out->operators.at[i]);
    }
    decl->poisoned = !b.sets.good;
    return b.sets.good;
}
