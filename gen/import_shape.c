// SPDX-License-Identifier: Apache-2.0
// What nearly every architecture has: layers, query heads, KV heads, head dim and data type, with
// the defaults of its class; and per_layer_config, which changes the shape of single layers.
#include <string.h>

#include "gen/import.h"

static const struct import_keys usual_keys = {
    .layers = "num_hidden_layers",
    .hidden = "hidden_size",
    .heads = "num_attention_heads",
    .kv_heads = "num_key_value_heads",
    .head_dim = "head_dim",
};

static const char *key(const struct import *i, size_t offset) {
    const char *own = NULL;
    if (i->arch->keys) {
        memcpy(&own, (const char *)i->arch->keys + offset, sizeof own);
    }
    if (!own) {
        memcpy(&own, (const char *)&usual_keys + offset, sizeof own);
    }
    return own;
}

#define KEY(i, field) key(i, offsetof(struct import_keys, field))

struct import_int import_layers(struct import *i) {
    return import_int(i, KEY(i, layers), 1, IMPORT_MAX_LAYERS, i->arch->layers);
}

struct import_int import_heads(struct import *i) {
    return import_count(i, KEY(i, heads), i->arch->heads);
}

// Where the key is null, or the class has no default, each head has keys and values of its own.
struct import_int import_kv_heads(struct import *i, struct import_int heads) {
    const char *keys = KEY(i, kv_heads);
    bool null = !strchr(keys, '|') && config_member(i->text, keys) && !i->arch->kv_null_defaults;
    bool as_heads = null || i->arch->kv_heads == 0;
    struct import_int kv = import_count(i, keys, as_heads ? heads.v : i->arch->kv_heads);
    if (!heads.bad && !kv.bad && heads.v % kv.v != 0) {
        const struct config_value *at = kv.at ? kv.at : heads.at;
        import_error(i, DIAG_A0909, import_here(i, at),
                     "%lld query heads (`num_attention_heads`%s) are not a multiple of %lld "
                     "key-value heads (`num_key_value_heads`%s)",
                     (long long)heads.v, heads.given ? "" : ", default", (long long)kv.v,
                     kv.given ? "" : ", default");
        kv.bad = true;
    }
    return kv;
}

struct import_int import_head_dim(struct import *i, struct import_int heads) {
    struct import_int dim = import_count(i, KEY(i, head_dim), i->arch->head_dim);
    if (dim.given || i->arch->head_dim) {
        return dim;
    }
    struct import_int hidden = import_count(i, KEY(i, hidden), i->arch->hidden);
    if (hidden.bad || heads.bad) {
        dim.bad = true;
    } else if (hidden.v % heads.v != 0) {
        const struct config_value *at = hidden.at ? hidden.at : heads.at;
        import_error(i, DIAG_A0909, import_here(i, at),
                     "without `head_dim`, `hidden_size` %lld must be a multiple of "
                     "`num_attention_heads` %lld",
                     (long long)hidden.v, (long long)heads.v);
        dim.bad = true;
    }
    dim.v = dim.bad ? 1 : hidden.v / heads.v;
    return dim;
}

// ---- data type

// Two spellings of the key, and the outer object of a nested file counts too.
static const struct config_value *dtype_field(const struct import *i) {
    static const char *const keys[] = {"dtype", "torch_dtype"};
    const struct config_value *parts[] = {i->text, i->root};
    for (size_t p = 0; p < 2; p++) {
        for (size_t k = 0; k < 2; k++) {
            const struct config_value *v = config_get(parts[p], keys[k]);
            if (v) {
                return v;
            }
        }
    }
    return NULL;
}

const char *import_dtype(struct import *i, const struct config_value *v) {
    static const char *const names[][2] = {
        {"bfloat16", "bf16"}, {"float16", "f16"}, {"float32", "f32"}};
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        if (import_is(v, names[k][0])) {
            return names[k][1];
        }
    }
    struct diag *g = diag_add(i->diags, v->kind == CONFIG_NONFINITE ? DIAG_A0908 : DIAG_A0906,
                              v->span, "`%s` must be a data type, has %s", config_path(i->arena, v),
                              config_shown(i->arena, i->diags, v));
    diag_note_plain(i->diags, g, "known data types: `bfloat16`, `float16`, `float32`");
    i->failed = true;
    return NULL;
}

void import_dtype_line(struct import *i) {
    const struct config_value *v = dtype_field(i);
    if (!v || import_is(v, "auto")) {
        import_set(i, IMPORT_DTYPE, "bf16", "not in the file: bf16 is assumed");
    } else {
        import_set(i, IMPORT_DTYPE, import_dtype(i, v), NULL);
    }
}

// ---- all of it

bool import_shape(struct import *i, struct import_shape *out) {
    struct import_int layers = import_layers(i);
    struct import_int heads = import_heads(i);
    struct import_int kv_heads = import_kv_heads(i, heads);
    struct import_int dim = import_head_dim(i, heads);
    *out = (struct import_shape){layers, heads, kv_heads, dim};
    if (layers.bad) {
        return false;
    }
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_set_int(i, IMPORT_KV_HEADS, kv_heads);
    if (!kv_heads.given && (kv_heads.v == heads.v)) {
        import_set(i, IMPORT_KV_HEADS, NULL, NULL); // the language has the same default
    }
    import_set_int(i, IMPORT_HEAD_DIM, dim);
    if (!dim.given && !i->arch->head_dim) {
        import_set(i, IMPORT_HEAD_DIM, import_number(i, dim.v),
                   "hidden_size / num_attention_heads");
    }
    import_dtype_line(i);
    return !i->failed;
}

// ---- per_layer_config: {"05": {"head_dim": 512}, ...}, read after all else

static const struct {
    const char *key;
    enum import_attr attr;
} layer_fields[] = {
    {"num_attention_heads", IMPORT_HEADS},
    {"num_key_value_heads", IMPORT_KV_HEADS},
    {"head_dim", IMPORT_HEAD_DIM},
    {"sliding_window", IMPORT_WINDOW},
};

// The number that a key spells, or -1.
static int64_t layer_number(const char *text) {
    int64_t v = *text ? 0 : -1;
    for (const char *c = text; *c && v >= 0; c++) {
        v = *c >= '0' && *c <= '9' && v < IMPORT_MAX_LAYERS ? v * 10 + *c - '0' : -1;
    }
    return v;
}

static void one_layer(struct import *i, int64_t layer, const struct config_value *own) {
    for (size_t k = 0; k < own->members.len; k++) {
        const struct config_value *v = own->members.at[k];
        size_t f = 0, n = sizeof layer_fields / sizeof *layer_fields;
        while (f < n && strcmp(layer_fields[f].key, v->key) != 0) {
            f++;
        }
        if (f == n) {
            import_error(i, DIAG_A0913, v,
                         "attnc does not read `%s`, which differs from layer to "
                         "layer",
                         config_path(i->arena, v));
        } else if (v->kind != CONFIG_NULL) {
            struct import_int x = import_int_at(i, v, 1, IMPORT_MAX_INT, 1);
            import_at(import_self(i), layer, layer_fields[f].attr, import_number(i, x.v));
        }
    }
}

void import_per_layer(struct import *i) {
    const struct config_value *all = import_find(i, "per_layer_config");
    if (!all || !i->model) {
        return;
    }
    if (i->out->list.len > 1 || i->model->level[IMPORT_MLA] ||
        import_self(i)->layers[0].v[IMPORT_MLA]) {
        import_error(i, DIAG_A0913, all, "attnc does not read `%s` of a %s",
                     config_path(i->arena, all), i->arch->model_type);
        return;
    }
    if (all->kind != CONFIG_OBJECT) {
        import_wrong(i, all, "an object");
        return;
    }
    for (size_t k = 0; k < all->members.len; k++) {
        const struct config_value *own = all->members.at[k];
        int64_t layer = layer_number(own->key);
        if (own->kind != CONFIG_OBJECT) {
            import_wrong(i, own, "an object");
        } else if (layer < 0 || layer >= i->model->n_layers) {
            import_error(i, DIAG_A0913, own, "`%s` is no layer of %lld", config_path(i->arena, own),
                         (long long)i->model->n_layers);
        } else {
            one_layer(i, layer, own);
        }
    }
}
