// SPDX-License-Identifier: Apache-2.0
// Models: kinds, defaults, legality and the references between layers. In and out: see model.h.
// Work on attributes is done once for each distinct set, never once for each layer.
#include "gen/model.h"

#include <inttypes.h>
#include <string.h>

struct builder {
    struct program *p;
    const struct kinds *kinds;
    struct model *m;
    struct cascade cascade;
    bool good;
    bool missing[ATTR_COUNT]; // already reported as not given
};

int64_t attr_int(const struct operator_attrs *a, enum operator_attr attr, int64_t otherwise) {
    int64_t v;
    return value_is_int(&a->at[attr], &v) ? v : otherwise;
}

bool attr_given(const struct operator_attrs *a, enum operator_attr attr) {
    const struct value *v = &a->at[attr];
    return v->kind != VALUE_NONE && (v->kind != VALUE_BOOL || v->yes);
}

struct span attr_span(const struct model *m, const struct attr_set *set, enum operator_attr attr) {
    const struct given *g = set->given->at[attr];
    if (!g) {
        return m->decl->ast->name.span;
    }
    return g->item->value ? g->item->value->span : g->item->name.span;
}

struct span kind_span(const struct model *m, const struct attr_set *set) {
    static const enum operator_attr deciding[] = {ATTR_SSM,         ATTR_ATTN,  ATTR_MLA,
                                                  ATTR_SINK_TOKENS, ATTR_CHUNK, ATTR_WINDOW};
    for (size_t i = 0; i < sizeof deciding / sizeof *deciding; i++) {
        if (set->given->at[deciding[i]] && attr_given(&set->attrs, deciding[i])) {
            return attr_span(m, set, deciding[i]);
        }
    }
    return m->decl->ast->name.span;
}

// ---- one set

static struct diag *set_error(struct builder *b, const struct attr_set *set, enum diag_code code,
                              enum operator_attr attr, const char *message) {
    b->good = false;
    return diag_add(b->p->diags, code, attr_span(b->m, set, attr), "%s (%s)", message,
                    layers_text(b->p->arena, set->layers.at, set->layers.len));
}

// Once for each attribute of a model: the first set that lacks it speaks for all.
static void require_attr(struct builder *b, const struct attr_set *set, enum operator_attr attr) {
    if (set->attrs.at[attr].kind != VALUE_NONE || b->missing[attr]) {
        return;
    }
    b->missing[attr] = true;
    b->good = false;
    const struct ast_name *name = &b->m->decl->ast->name;
    const char *full = operator_attr_infos[attr].name, *dot = strchr(full, '.');
    const char *layers = layers_text(b->p->arena, set->layers.at, set->layers.len);
    if (dot) { // missing in its block
        const char *block = arena_strndup(b->p->arena, full, (size_t)(dot - full));
        int of = attr_find(operator_attr_infos, ATTR_COUNT, block);
        diag_add(b->p->diags, DIAG_A0452, attr_span(b->m, set, (enum operator_attr)of),
                 "block `%s` does not give `%s` (%s)", block, dot + 1, layers);
        return;
    }
    struct diag *g = diag_add(b->p->diags, DIAG_A0452, name->span, "model `%s` does not give `%s`",
                              name->text, full);
    diag_note(b->p->diags, g, kind_span(b->m, set), "needed by `%s` on %s", set->kind->name,
              layers);
}

static void set_int(struct operator_attrs *a, enum operator_attr attr, int64_t v) {
    a->at[attr] = value_int(v);
}

static void set_default(struct operator_attrs *a, enum operator_attr attr,
                        enum operator_attr from) {
    if (a->at[attr].kind == VALUE_NONE) {
        a->at[attr] = a->at[from];
    }
}

static void default_scale(struct operator_attrs *a) {
    struct number n;
    int64_t dim = attr_int(a, ATTR_HEAD_DIM, 0);
    if (a->at[ATTR_SCALE].kind == VALUE_NONE && dim > 0 &&
        number_rsqrt(number_int(dim), &n) == NUMBER_OK) {
        a->at[ATTR_SCALE] = value_int(0);
        a->at[ATTR_SCALE].number = n;
    }
}

// What was written, with the defaults that need no other attribute.
static void take_given(const struct given_set *given, struct operator_attrs *a) {
    for (int i = 0; i < ATTR_COUNT; i++) {
        a->at[i] = given->at[i] ? given->at[i]->value : value_none();
        if (operator_attr_infos[i].type == TYPE_FLAG && a->at[i].kind == VALUE_NONE) {
            a->at[i] = value_bool(false);
        }
    }
    if (a->at[ATTR_ATTN].kind == VALUE_NONE) {
        a->at[ATTR_ATTN] = value_word("decoder");
    }
}

static void clear_attr(struct operator_attrs *a, int attr) {
    const struct attr_info *info = &operator_attr_infos[attr];
    size_t n = strlen(info->name);
    a->at[attr] = info->type == TYPE_FLAG ? value_bool(false) : value_none();
    for (int i = 0; info->type == TYPE_BLOCK && i < ATTR_COUNT; i++) {
        if (strncmp(operator_attr_infos[i].name, info->name, n) == 0 &&
            operator_attr_infos[i].name[n] == '.') {
            a->at[i] = value_none();
        }
    }
}

// Attributes that the kind excludes: an error where they are the operator's own, else ignored.
static void check_excluded(struct builder *b, struct attr_set *set) {
    for (int i = 0; i < ATTR_COUNT; i++) {
        const struct given *g = set->given->at[i];
        if (!set->kind->excludes[i]) {
            continue;
        }
        bool own = g && (g->from_layer || (set->given->is_self && !set->kind->ignores_inherited));
        if (own && attr_given(&set->attrs, (enum operator_attr)i)) {
            struct diag *d = set_error(b, set, DIAG_A0454, (enum operator_attr)i,
                                       arena_printf(b->p->arena, "`%s` does not apply to kind `%s`",
                                                    operator_attr_infos[i].name, set->kind->name));
            struct span why = kind_span(b->m, set);
            if (why.begin != b->m->decl->ast->name.span.begin) {
                diag_note(b->p->diags, d, why, "this makes the kind `%s`", set->kind->name);
            }
            if (set->kind->because) {
                diag_note_plain(b->p->diags, d, "%s", set->kind->because);
            }
        }
        clear_attr(&set->attrs, i);
    }
}

static void check_heads(struct builder *b, const struct attr_set *set) {
    int64_t heads = attr_int(&set->attrs, ATTR_HEADS, 1);
    int64_t kv_heads = attr_int(&set->attrs, ATTR_KV_HEADS, 1);
    if (heads >= 1 && kv_heads >= 1 && heads % kv_heads == 0) {
        return;
    }
    enum operator_attr at = set->given->at[ATTR_KV_HEADS] ? ATTR_KV_HEADS : ATTR_HEADS;
    const char *rule = heads < 1 || kv_heads < 1 ? "both must be at least 1"
                       : kv_heads > heads        ? "there are no more KV heads than heads"
                                                 : "heads must be a multiple of kv_heads";
    struct diag *d = set_error(
        b, set, DIAG_A0453, at,
        arena_printf(b->p->arena, "`heads` is %" PRId64 " and `kv_heads` is %" PRId64 ", %s", heads,
                     kv_heads, rule));
    if (at == ATTR_KV_HEADS && set->given->at[ATTR_HEADS]) {
        diag_note(b->p->diags, d, attr_span(b->m, set, ATTR_HEADS), "`heads` is given here");
    }
}

// For MLA the dims of Q.K and P.V follow from the block; a layer that says otherwise is wrong.
static void mla_dim(struct builder *b, struct attr_set *set, enum operator_attr attr, int64_t v,
                    const char *formula) {
    const struct given *g = set->given->at[attr];
    if (g && g->from_layer && attr_int(&set->attrs, attr, v) != v) {
        set_error(b, set, DIAG_A0464, attr,
                  arena_printf(b->p->arena, "`%s` is %" PRId64 ", for MLA it is %s, %" PRId64,
                               operator_attr_infos[attr].name, attr_int(&set->attrs, attr, v),
                               formula, v));
    }
    set_int(&set->attrs, attr, v);
}

static void resolve_mla(struct builder *b, struct attr_set *set) {
    static const enum operator_attr needed[] = {ATTR_MLA_LATENT, ATTR_MLA_ROPE, ATTR_MLA_NOPE,
                                                ATTR_MLA_V};
    struct operator_attrs *a = &set->attrs;
    bool whole = true;
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        require_attr(b, set, needed[i]);
        whole = whole && a->at[needed[i]].kind != VALUE_NONE;
    }
    if (!whole) {
        return;
    }
    int64_t rope = attr_int(a, ATTR_MLA_ROPE, 0), nope = attr_int(a, ATTR_MLA_NOPE, 0);
    int64_t latent = attr_int(a, ATTR_MLA_LATENT, 0);
    if (nope + rope < 1 || nope + rope > ATTR_INT_MAX || latent + rope > ATTR_INT_MAX) {
        set_error(b, set, DIAG_A0450, ATTR_MLA,
                  arena_printf(b->p->arena,
                               "widths of `mla`: nope + rope is %" PRId64
                               ", latent + rope is %" PRId64 ", each must be 1 to %d",
                               nope + rope, latent + rope, ATTR_INT_MAX));
        return;
    }
    mla_dim(b, set, ATTR_HEAD_DIM, nope + rope, "nope + rope");
    mla_dim(b, set, ATTR_V_HEAD_DIM, attr_int(a, ATTR_MLA_V, 0), "v");
    mla_dim(b, set, ATTR_KV_HEADS, 1, "one latent row");
    if (a->at[ATTR_K_WIDTH].kind == VALUE_NONE) {
        set_int(a, ATTR_K_WIDTH, latent + rope);
    }
    set_int(a, ATTR_V_WIDTH, 0);
}

static void resolve_attention(struct builder *b, struct attr_set *set) {
    struct operator_attrs *a = &set->attrs;
    require_attr(b, set, ATTR_HEADS);
    require_attr(b, set, ATTR_DTYPE);
    if (attr_given(a, ATTR_MLA)) {
        resolve_mla(b, set);
    } else {
        require_attr(b, set, ATTR_HEAD_DIM);
        set_default(a, ATTR_KV_HEADS, ATTR_HEADS);
        set_default(a, ATTR_V_HEAD_DIM, ATTR_HEAD_DIM);
        set_default(a, ATTR_K_WIDTH, ATTR_HEAD_DIM);
        a->at[ATTR_V_WIDTH] = a->at[ATTR_V_HEAD_DIM];
    }
    check_heads(b, set);
    default_scale(a);
    if (attr_given(a, ATTR_INDEX) && a->at[ATTR_INDEX_SHARE].kind == VALUE_NONE) {
        require_attr(b, set, ATTR_INDEX_HEAD_DIM);
    }
}

// Which shape a recurrence needs beside its heads: X(type, state, conv)
#define SSM_SHAPES(X)                                                                              \
    X("mamba1", true, true)                                                                        \
    X("mamba2", true, true)                                                                        \
    X("gated_delta_net", true, true)                                                               \
    X("linear", true, false)                                                                       \
    X("short_conv", false, true)

static void resolve_ssm(struct builder *b, struct attr_set *set) {
    static const struct {
        const char *type;
        bool state, conv;
    } shapes[] = {
#define SSM_SHAPE(type, state, conv) {type, state, conv},
        SSM_SHAPES(SSM_SHAPE)
#undef SSM_SHAPE
    };
    struct operator_attrs *a = &set->attrs;
    set_default(a, ATTR_SSM_DTYPE, ATTR_DTYPE);
    static const enum operator_attr needed[] = {ATTR_SSM_TYPE, ATTR_SSM_HEADS, ATTR_SSM_HEAD_DIM,
                                                ATTR_SSM_DTYPE};
    for (size_t i = 0; i < sizeof needed / sizeof *needed; i++) {
        require_attr(b, set, needed[i]);
    }
    for (size_t i = 0; i < sizeof shapes / sizeof *shapes; i++) {
        const struct value *type = &a->at[ATTR_SSM_TYPE];
        if (type->kind != VALUE_WORD || strcmp(type->text, shapes[i].type) != 0) {
            continue;
        }
        if (shapes[i].state) {
            require_attr(b, set, ATTR_SSM_STATE);
        }
        if (shapes[i].conv) {
            require_attr(b, set, ATTR_SSM_CONV);
        }
    }
    if (a->at[ATTR_SSM_GROUPS].kind == VALUE_NONE) {
        set_int(a, ATTR_SSM_GROUPS, 1);
    }
}

// `softcap = 0` is off, as everywhere in the field; what is off has one form.
static void check_numbers(struct builder *b, struct attr_set *set) {
    struct value *cap = &set->attrs.at[ATTR_SOFTCAP];
    struct value *scale = &set->attrs.at[ATTR_SCALE];
    int sign = cap->kind == VALUE_NUMBER ? number_compare(cap->number, number_int(0)) : 1;
    char text[80];
    if (sign < 0) {
        number_print(cap->number, text);
        set_error(b, set, DIAG_A0450, ATTR_SOFTCAP,
                  arena_printf(b->p->arena, "`softcap` is %s, must not be negative", text));
    } else if (sign == 0) {
        *cap = value_none();
    }
    if (scale->kind == VALUE_NUMBER && number_compare(scale->number, number_int(0)) <= 0) {
        number_print(scale->number, text);
        set_error(b, set, DIAG_A0450, ATTR_SCALE,
                  arena_printf(b->p->arena, "`scale` is %s, must be above 0", text));
    }
}

static bool is_absent(const struct given_set *g) {
    const struct given *attn = g->at[ATTR_ATTN], *ssm = g->at[ATTR_SSM];
    if (!attn || attn->value.kind != VALUE_NONE) {
        return false;
    }
    bool has_ssm = ssm && ssm->value.kind != VALUE_NONE;
    return attn->from_layer || (g->is_self && !has_ssm);
}

static void resolve_set(struct builder *b, struct attr_set *set) {
    take_given(set->given, &set->attrs);
    set->kind = kind_of(b->kinds, b->p, &set->attrs);
    if (!set->kind) { // only a broken table leaves an operator without a kind
        set_error(b, set, DIAG_A0362, ATTR_ATTN, "no kind matches the operator");
        return;
    }
    set->attrs.at[ATTR_KIND] = value_word(set->kind->name);
    check_excluded(b, set);
    if (set->kind->cache == CACHE_STATE) {
        resolve_ssm(b, set);
    } else {
        resolve_attention(b, set);
    }
    check_numbers(b, set);
}

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
        return arena_printf(b->p->arena, "whose kind is `%s`, not `%s`", target->kind->name,
                            set->kind->name);
    }
    for (size_t i = 0; i < sizeof equal / sizeof *equal; i++) {
        if (!same_attr(set, target, equal[i])) {
            return arena_printf(b->p->arena, "whose `%s` is %s, not %s",
                                operator_attr_infos[equal[i]].name,
                                value_text(b->p->arena, &target->attrs.at[equal[i]]),
                                value_text(b->p->arena, &set->attrs.at[equal[i]]));
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
        set_error(b, set, DIAG_A0458, ATTR_KV_SHARE,
                  arena_printf(b->p->arena, "`kv_share` of `%s` names layer %" PRId64 ", %s", o->op,
                               layer, fault));
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
        set_error(b, set, DIAG_A0459, ATTR_INDEX_SHARE,
                  arena_printf(b->p->arena, "`share` of the index names layer %" PRId64 ", %s",
                               layer, fault));
    }
}

// ---- the model

static void resolve_sets(struct builder *b) {
    struct arena *a = b->p->arena;
    for (size_t i = 0; i < b->cascade.sets.len; i++) {
        struct attr_set *set = ARENA_NEW(a, struct attr_set);
        set->given = b->cascade.sets.at[i];
        set->absent = is_absent(set->given);
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
            resolve_set(b, b->m->sets.at[i]);
        }
    }
}

static void resolve_level(struct builder *b) {
    struct operator_attrs *a = &b->m->level;
    take_given(&b->cascade.level, a);
    set_default(a, ATTR_KV_HEADS, ATTR_HEADS);
    set_default(a, ATTR_V_HEAD_DIM, ATTR_HEAD_DIM);
    default_scale(a);
}

static void list_kinds(struct builder *b) {
    struct arena *a = b->p->arena;
    bool *occurs = ARENA_ARRAY(a, bool, b->kinds->rows.len);
    for (size_t i = 0; i < b->m->sets.len; i++) {
        if (b->m->sets.at[i]->kind) {
            occurs[b->m->sets.at[i]->kind->index] = true;
        }
    }
    struct values words = {0};
    for (size_t i = 0; i < b->kinds->rows.len; i++) {
        if (occurs[i]) {
            struct value w = value_word(b->kinds->rows.at[i].name);
            VEC_PUSH(a, &words, w);
        }
    }
    b->m->kinds = value_set(a, words.at, words.len);
    b->m->kinds_len = b->kinds->rows.len;
}

bool model_build(struct program *p, const struct kinds *kinds, struct decl *decl,
                 struct model *out) {
    struct builder b = {.p = p, .kinds = kinds, .m = out, .good = true};
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
    resolve_level(&b);
    list_kinds(&b);
    if (b.good && out->operators.len == 0) {
        diag_add(p->diags, DIAG_A0461, decl->ast->name.span, "model `%s` has no operators",
                 decl->ast->name.text);
        b.good = false;
    }
    for (size_t i = 0, n = b.good ? out->operators.len : 0; i < n; i++) {
        link_share(&b, &out->operators.at[i]);
        check_index_share(&b, &out->operators.at[i]);
    }
    decl->poisoned = !b.good;
    return b.good;
}
