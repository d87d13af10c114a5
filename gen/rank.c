// SPDX-License-Identifier: Apache-2.0
// One rank's attributes. In and out: see rank.h.
// tp divides heads; KV heads become max(1, kv_heads / tp), one of the two dividing the other.
#include "gen/rank.h"

#include <inttypes.h>

struct refusal { // one value of one attribute that tp does not divide
    enum operator_attr attr;
    int64_t n;
    const struct attr_set *first;
    struct layer_list layers;
};

struct divider {
    const struct deployment *d;
    struct deployed_model *m;
    VEC(struct refusal) refusals;
};

static void refuse(struct divider *v, const struct attr_set *set, enum operator_attr attr,
                   int64_t n) {
    struct arena *a = v->d->program->arena;
    size_t i = 0;
    while (i < v->refusals.len && (v->refusals.at[i].attr != attr || v->refusals.at[i].n != n)) {
        i++;
    }
    if (i == v->refusals.len) {
        struct refusal r = {.attr = attr, .n = n, .first = set};
        VEC_PUSH(a, &v->refusals, r);
    }
    struct layer_list *layers = &v->refusals.at[i].layers;
    for (size_t j = 0; j < set->layers.len; j++) {
        VEC_PUSH(a, layers, set->layers.at[j]);
    }
}

static void report(const struct divider *v, struct refusal *r) {
    struct program *p = v->d->program;
    const char *name = operator_attr_infos[r->attr].name;
    layers_sort(&r->layers);
    struct diag *g =
        diag_add(p->diags, DIAG_A0463, setting_span(v->d, v->m, DEPLOY_TP),
                 "`tp` is %" PRId64 ", which does not divide `%s` %" PRId64 " of model `%s` (%s)",
                 v->m->tp, name, r->n, v->m->model.decl->ast->name.text,
                 layers_text(p->arena, r->layers.at, r->layers.len));
    diag_note(p->diags, g, attr_span(&v->m->model, r->first, r->attr), "`%s` is given here", name);
}

static void divide(struct divider *v, struct attr_set *set, enum operator_attr attr, bool shared) {
    int64_t n;
    if (!value_is_int(&set->attrs.at[attr], &n)) {
        return;
    }
    if (n % v->m->tp == 0) {
        set->attrs.at[attr] = value_int(n / v->m->tp);
    } else if (shared && v->m->tp % n == 0) {
        set->attrs.at[attr] = value_int(1); // ranks hold copies
    } else {
        refuse(v, set, attr, n);
    }
}

static void settle_kv_dtype(const struct deployed_model *m, struct attr_set *set) {
    struct operator_attrs *a = &set->attrs;
    const struct value *setting = &m->kind_kv_dtype[set->kind->index];
    if (set->kind->cache == CACHE_STATE) {
        a->at[ATTR_KV_DTYPE] = value_none();
        return;
    }
    a->kv_dtype_left = setting->kind == VALUE_NONE;
    a->at[ATTR_KV_DTYPE] = a->kv_dtype_left ? a->at[ATTR_DTYPE] : *setting;
    if (attr_given(a, ATTR_INDEX) && a->at[ATTR_INDEX_DTYPE].kind == VALUE_NONE) {
        a->at[ATTR_INDEX_DTYPE] = a->at[ATTR_KV_DTYPE];
    }
}

bool rank_apply(const struct deployment *d, struct deployed_model *m) {
    struct divider v = {.d = d, .m = m};
    for (size_t i = 0; i < m->model.sets.len; i++) {
        struct attr_set *set = m->model.sets.at[i];
        if (set->absent) {
            continue;
        }
        divide(&v, set, ATTR_HEADS, false);
        divide(&v, set, ATTR_KV_HEADS, true);
        divide(&v, set, ATTR_SSM_HEADS, false);
        divide(&v, set, ATTR_SSM_GROUPS, true);
        settle_kv_dtype(m, set);
    }
    for (size_t i = 0; i < v.refusals.len; i++) {
        report(&v, &v.refusals.at[i]);
    }
    return v.refusals.len == 0;
}
