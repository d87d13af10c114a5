// SPDX-License-Identifier: Apache-2.0
// The models that an import fills: their operators and attributes, and the values of attributes
// that are blocks. Values are .attn text; nothing is checked here.
#include "gen/import.h"
#include "gen/text.h"

const char *import_default_comment(struct import *i) {
    return arena_printf(i->arena, "default of %s", i->arch->model_type);
}

const char *import_number(struct import *i, int64_t v) {
    return arena_printf(i->arena, "%lld", (long long)v);
}

struct import_op *import_operator(struct import *i, const char *name) {
    struct import_op *op = ARENA_NEW(i->arena, struct import_op);
    op->name = name;
    op->layers = ARENA_ARRAY(i->arena, struct import_layer, i->model->n_layers);
    VEC_PUSH(i->arena, &i->model->ops, op);
    return op;
}

void import_begin(struct import *i, const char *suffix, struct import_int layers) {
    struct import_model *m = ARENA_NEW(i->arena, struct import_model);
    m->suffix = suffix;
    m->n_layers = layers.v;
    m->layers_comment = layers.given ? NULL : import_default_comment(i);
    i->model = m;
    VEC_PUSH(i->arena, &i->out->list, m);
    struct import_op *self = import_operator(i, NULL);
    for (int64_t k = 0; k < m->n_layers; k++) {
        self->layers[k].present = true;
    }
}

struct import_op *import_self(struct import *i) {
    return i->model->ops.at[0];
}

void import_set(struct import *i, enum import_attr attr, const char *value, const char *comment) {
    i->model->level[attr] = value;
    i->model->comments[attr] = comment;
}

void import_set_int(struct import *i, enum import_attr attr, struct import_int v) {
    import_set(i, attr, import_number(i, v.v), v.given ? NULL : import_default_comment(i));
}

void import_at(struct import_op *op, int64_t layer, enum import_attr attr, const char *value) {
    op->layers[layer].present = true;
    op->layers[layer].v[attr] = value;
}

const char *import_mla(struct import *i, int64_t latent, int64_t rope, int64_t nope, int64_t v) {
    return arena_printf(i->arena, "{ latent = %lld; rope = %lld; nope = %lld; v = %lld; }",
                        (long long)latent, (long long)rope, (long long)nope, (long long)v);
}

const char *import_ssm(struct import *i, struct import_ssm s) {
    struct text t = text_of(i->arena);
    if (s.heads > IMPORT_MAX_INT) {
        import_error(i, DIAG_A0907, import_here(i, NULL),
                     "the recurrence is %lld wide, limit is %d", (long long)s.heads,
                     IMPORT_MAX_INT);
    }
    text_addf(&t, "{ type = %s; heads = %lld; head_dim = %lld;", s.type, (long long)s.heads,
              (long long)s.head_dim);
    if (s.state) {
        text_addf(&t, " state = %lld;", (long long)s.state);
    }
    if (s.groups > 1) { // the default
        text_addf(&t, " groups = %lld;", (long long)s.groups);
    }
    if (s.conv) {
        text_addf(&t, " conv = %lld;", (long long)s.conv);
    }
    const struct config_value *dtype = import_find(i, "mamba_ssm_dtype|mamba_ssm_cache_dtype");
    const char *own = dtype && !import_is(dtype, "auto") ? import_dtype(i, dtype) : NULL;
    if (own) {
        text_addf(&t, " dtype = %s;", own);
    }
    text_add(&t, " }");
    return text_string(&t);
}
