// SPDX-License-Identifier: Apache-2.0
// The architectures that can be imported, one row each, and what all of them have in common: which
// part of the file holds the fields, layers, heads, head size and dtype. Defaults are those of the
// configuration classes of transformers 5.24.
#include <string.h>

#include "gen/import.h"

const struct import_arch import_archs[] = {
    {
        .model_type = "gemma2",
        .layers = 26,
        .heads = 8,
        .kv_heads = 4,
        .head_dim = 256,
        .sliding_window = 4096,
        .full_every = 2, // layer 0 slides
        .reads_softcap = true,
        .softcap = "50.0",
        .scalar = 256,
        .fill = import_gemma,
    },
    {
        .model_type = "gemma3_text",
        .wrapper = "gemma3",
        .layers = 26,
        .heads = 8,
        .kv_heads = 4,
        .head_dim = 256,
        .sliding_window = 4096,
        .full_every = 6,
        .reads_pattern = true,
        .reads_softcap = true,
        .scalar = 256,
        .reads_bidirectional = true,
        .fill = import_gemma,
    },
    {
        .model_type = "gemma3n_text",
        .wrapper = "gemma3n",
        .layers = 35,
        .heads = 8,
        .kv_heads = 2,
        .head_dim = 256,
        .sliding_window = 512,
        .full_every = 5,
        .scale = "1",
        .reads_sharing = true,
        .kv_shared = 15,
        .fill = import_gemma,
    },
};
const size_t import_arch_count = sizeof import_archs / sizeof *import_archs;

// ---- which architecture

static const char *known_types(struct arena *a) {
    const char *list = "";
    for (size_t k = 0; k < import_arch_count; k++) {
        const struct import_arch *r = &import_archs[k];
        const char *both = r->wrapper ? arena_printf(a, "`%s`, `%s`", r->wrapper, r->model_type)
                                      : arena_printf(a, "`%s`", r->model_type);
        list = k ? arena_printf(a, "%s, %s", list, both) : both;
    }
    return list;
}

static bool is_type(const struct config_value *v, const char *name) {
    return name && strlen(name) == v->len && strcmp(name, v->text) == 0;
}

// model_type of an object as a string; NULL after an error.
static const struct config_value *model_type(struct import *i, const struct config_value *in) {
    const struct config_value *v = config_get(in, "model_type");
    if (!v) {
        const struct config_value *null = config_member(in, "model_type");
        struct diag *g = diag_add(
            i->diags, DIAG_A0905,
            null ? null->span : (struct span){in->span.file, in->span.begin, in->span.begin + 1},
            "`model_type` is missing: it says which architecture this is");
        diag_note_plain(i->diags, g, "known model types: %s", known_types(i->arena));
    } else if (v->kind != CONFIG_STRING) {
        diag_add(i->diags, v->kind == CONFIG_NONFINITE ? DIAG_A0908 : DIAG_A0906, v->span,
                 "`%s` must be a string, has %s", config_path(i->arena, v),
                 config_kind_text(v->kind));
    } else {
        return v;
    }
    return NULL;
}

// The fields stand in text_config where the file nests them, else at the top.
static bool find_text(struct import *i, const struct config_value *type) {
    const struct config_value *text = config_get(i->root, "text_config");
    bool wraps = is_type(type, i->arch->wrapper);
    i->text = i->root;
    if (!wraps) {
        return true;
    }
    if (!text && config_get(i->root, "num_hidden_layers")) {
        diag_add(i->diags, DIAG_A0922, type->span,
                 "a `%s` keeps its attention fields in `text_config`, which is missing; those at "
                 "the top are read",
                 i->arch->wrapper);
        return true;
    }
    if (!text) {
        diag_add(i->diags, DIAG_A0905, type->span,
                 "`text_config` is missing: a `%s` keeps its attention fields there",
                 i->arch->wrapper);
        return false;
    }
    if (text->kind != CONFIG_OBJECT) {
        diag_add(i->diags, DIAG_A0906, text->span, "`text_config` must be an object, has %s",
                 config_kind_text(text->kind));
        return false;
    }
    i->text = text;
    if (!config_get(text, "model_type")) {
        return true;
    }
    const struct config_value *inner = model_type(i, text);
    if (inner && !is_type(inner, i->arch->model_type)) {
        diag_add(i->diags, DIAG_A0904, inner->span, "`%s` of a `%s` must be `%s`, has %s",
                 config_path(i->arena, inner), i->arch->wrapper, i->arch->model_type,
                 config_shown(i->arena, i->diags, inner));
        return false;
    }
    return inner != NULL;
}

static bool find_arch(struct import *i) {
    const struct config_value *type = model_type(i, i->root);
    for (size_t k = 0; type && k < import_arch_count; k++) {
        if (is_type(type, import_archs[k].model_type) || is_type(type, import_archs[k].wrapper)) {
            i->arch = &import_archs[k];
            return find_text(i, type);
        }
    }
    if (type) {
        struct diag *g = diag_add(i->diags, DIAG_A0904, type->span,
                                  "`model_type` is %s, which attnc cannot import",
                                  config_shown(i->arena, i->diags, type));
        diag_note_plain(i->diags, g, "known model types: %s", known_types(i->arena));
    }
    return false;
}

// ---- what every architecture has

static void int_line(struct import *i, const char *name, struct import_int v) {
    import_line(i, name, arena_printf(i->arena, "%lld", (long long)v.v),
                v.given ? NULL : import_default_comment(i));
}

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

static void dtype_line(struct import *i) {
    static const char *const names[][2] = {
        {"bfloat16", "bf16"}, {"float16", "f16"}, {"float32", "f32"}};
    const struct config_value *v = dtype_field(i);
    if (!v || (v->kind == CONFIG_STRING && strcmp(v->text, "auto") == 0)) {
        import_line(i, "dtype", "bf16", "not in the file: that of the published weights");
        return;
    }
    for (size_t k = 0; v->kind == CONFIG_STRING && k < sizeof names / sizeof *names; k++) {
        if (strlen(names[k][0]) == v->len && strcmp(v->text, names[k][0]) == 0) {
            import_line(i, "dtype", names[k][1], NULL);
            return;
        }
    }
    struct diag *g = diag_add(i->diags, v->kind == CONFIG_NONFINITE ? DIAG_A0908 : DIAG_A0906,
                              v->span, "`%s` must be a data type, has %s", config_path(i->arena, v),
                              config_shown(i->arena, i->diags, v));
    diag_note_plain(i->diags, g, "known data types: `bfloat16`, `float16`, `float32`");
    i->failed = true;
}

static void make_layers(struct import *i, int64_t n) {
    i->model->n_layers = n;
    i->model->layers = ARENA_ARRAY(i->arena, struct import_layer, n);
    for (int64_t k = 0; k < n; k++) {
        for (size_t t = 0; t < IMPORT_LAYER_ATTR_COUNT; t++) {
            i->model->layers[k].v[t] = IMPORT_ABSENT;
        }
    }
}

static void common_lines(struct import *i) {
    const struct import_arch *r = i->arch;
    struct import_int layers = import_int(i, "num_hidden_layers", 1, IMPORT_MAX_LAYERS, r->layers);
    if (!layers.bad) {
        make_layers(i, layers.v);
    }
    struct import_int heads = import_int(i, "num_attention_heads", 1, IMPORT_MAX_INT, r->heads);
    struct import_int kv_heads =
        import_int(i, "num_key_value_heads", 1, IMPORT_MAX_INT, r->kv_heads);
    struct import_int dim = import_int(i, "head_dim", 1, IMPORT_MAX_INT, r->head_dim);
    if (!heads.bad && !kv_heads.bad && heads.v % kv_heads.v != 0) {
        const struct config_value *at = kv_heads.at ? kv_heads.at : heads.at;
        diag_add(i->diags, DIAG_A0909, at->span,
                 "%lld query heads (`num_attention_heads`%s) are not a multiple of %lld "
                 "key-value heads (`num_key_value_heads`%s)",
                 (long long)heads.v, heads.given ? "" : ", default", (long long)kv_heads.v,
                 kv_heads.given ? "" : ", default");
        i->failed = true;
    }
    int_line(i, "layers", layers);
    int_line(i, "heads", heads);
    int_line(i, "kv_heads", kv_heads);
    int_line(i, "head_dim", dim);
    dtype_line(i);
}

// ---- NaN and Infinity that nobody read

static size_t count_nonfinite(const struct config_value *v, const struct config_value **first) {
    size_t n = v->kind == CONFIG_NONFINITE;
    if (n && !*first) {
        *first = v;
    }
    for (size_t k = 0; k < v->members.len; k++) {
        n += count_nonfinite(v->members.at[k], first);
    }
    return n;
}

// Every field that was read is finite once the import has succeeded.
static void warn_nonfinite(struct import *i) {
    const struct config_value *first = NULL;
    size_t n = count_nonfinite(i->root, &first);
    if (n == 1) {
        diag_add(i->diags, DIAG_A0921, first->span,
                 "`%s` is %s, which is not JSON; the field is not used",
                 config_path(i->arena, first), first->text);
    } else if (n > 1) {
        diag_add(i->diags, DIAG_A0921, first->span,
                 "`%s` is the first of %zu values that are NaN or Infinity, which is not JSON; the "
                 "fields are not used",
                 config_path(i->arena, first), n);
    }
}

bool import_hf(struct arena *a, struct diags *d, uint32_t file, struct import_model *out) {
    struct import i = {.arena = a, .diags = d, .model = out};
    i.root = config_read(a, d, file);
    if (!i.root || !find_arch(&i)) {
        return false;
    }
    out->model_type = i.arch->model_type;
    common_lines(&i);
    i.arch->fill(&i);
    if (i.failed) {
        return false;
    }
    warn_nonfinite(&i);
    return true;
}
