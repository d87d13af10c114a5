// SPDX-License-Identifier: Apache-2.0
// Attribute sets: from what was written to what holds, and every rule about one operator. In and
// out: see attr_set.h. Work is done once for each distinct set, never once for each layer.
#include "gen/attr_set.h"

#include <inttypes.h>
#include <string.h>

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

struct diag *set_error(struct set_resolver *b, const struct attr_set *set, enum diag_code code,
                       enum operator_attr attr, const char *message) {
    b->good = false;
    return diag_add(b->p->diags, code, attr_span(b->m, set, attr), "%s (%s)", message,
                    layers_text(b->p->arena, set->layers.at, set->layers.len));
}

// Once for each attribute of a model: the first set that lacks it speaks for all.
static void require_attr(struct set_resolver *b, const struct attr_set *set,
                         enum operator_attr attr) {
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
static void check_excluded(struct set_resolver *b, struct attr_set *set) {
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

static void check_heads(struct set_resolver *b, const struct attr_set *set) {
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
static void mla_dim(struct set_resolver *b, struct attr_set *set, enum operator_attr attr,
                    int64_t v, const char *formula) {
    const struct given *g = set->given->at[attr];
    if (g && g->from_layer && attr_int(&set->attrs, attr, v) != v) {
        set_error(b, set, DIAG_A0464, attr,
                  arena_printf(b->p->arena, "`%s` is %" PRId64 ", for MLA it is %s, %" PRId64,
                               operator_attr_infos[attr].name, attr_int(&set->attrs, attr, v),
                               formula, v));
    }
    set_int(&set->attrs, attr, v);
}

static void resolve_mla(struct set_resolver *b, struct attr_set *set) {
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

static void resolve_attention(struct set_resolver *b, struct attr_set *set) {
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

static void resolve_ssm(struct set_resolver *b, struct attr_set *set) {
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
static void check_numbers(struct set_resolver *b, struct attr_set *set) {
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

bool set_absent(const struct given_set *g) {
    const struct given *attn = g->at[ATTR_ATTN], *ssm = g->at[ATTR_SSM];
    if (!attn || attn->value.kind != VALUE_NONE) {
        return false;
    }
    bool has_ssm = ssm && ssm->value.kind != VALUE_NONE;
    return attn->from_layer || (g->is_self && !has_ssm);
}

void set_resolve(struct set_resolver *b, struct attr_set *set) {
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

void level_resolve(const struct given_set *given, struct operator_attrs *a) {
    take_given(given, a);
    set_default(a, ATTR_KV_HEADS, ATTR_HEADS);
    set_default(a, ATTR_V_HEAD_DIM, ATTR_HEAD_DIM);
    default_scale(a);
}
