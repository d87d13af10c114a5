// SPDX-License-Identifier: Apache-2.0
// GGUF metadata as the configuration that the rules of the families read: each key under the name
// that it has in config.json, with what only llama.cpp's loader knows added. Messages keep the keys
// and places of the GGUF file.
#include "gen/import_gguf.h"

#include <string.h>

#include "gen/number.h"

struct translation {
    struct arena *a;
    struct diags *d;
    const struct gguf *g;
    const struct gguf_arch *arch;
    struct config_value *root;
};

// ---- members of the configuration

static struct config_value *get(const struct translation *t, const char *key) {
    return gguf_get(t->g, t->arch->arch, key);
}

static struct config_value *member(const struct translation *t, const char *key) {
    for (size_t k = 0; k < t->root->members.len; k++) {
        if (strcmp(t->root->members.at[k]->key, key) == 0) {
            return t->root->members.at[k];
        }
    }
    return NULL;
}

// Puts a value of the file under `key`; it keeps its own key and place for messages.
static struct config_value *put(struct translation *t, const char *key,
                                const struct config_value *from) {
    struct config_value *v = ARENA_NEW(t->a, struct config_value);
    *v = *from;
    v->shown = from->shown ? from->shown : from->key;
    v->key = key;
    v->parent = t->root;
    for (size_t k = 0; k < v->members.len; k++) {
        v->members.at[k]->parent = v;
    }
    VEC_PUSH(t->a, &t->root->members, v);
    return v;
}

// Puts a text of our own that follows from `from`.
static struct config_value *put_text(struct translation *t, const char *key, enum config_kind kind,
                                     const char *text, const struct config_value *from) {
    struct config_value v = *from;
    v.kind = kind;
    v.text = text;
    v.len = strlen(text);
    v.members = (struct config_values){0};
    return put(t, key, &v);
}

static void put_int(struct translation *t, const char *key, int64_t n,
                    const struct config_value *from) {
    put_text(t, key, CONFIG_NUMBER, arena_printf(t->a, "%lld", (long long)n), from);
}

// An integer of the file, 0 where it has none.
static int64_t integer(const struct translation *t, const char *key) {
    const struct config_value *v = get(t, key);
    struct number n;
    int64_t i = 0;
    bool fits = v && v->kind == CONFIG_NUMBER && v->text[0] != '-' &&
                number_decimal(v->text, &n) == NUMBER_OK && number_is_int(n, &i);
    return fits && i <= IMPORT_MAX_INT ? i : 0;
}

static bool error(struct translation *t, enum diag_code code, const struct config_value *at,
                  const char *what) {
    diag_add(t->d, code, at->span, "`%s` %s", at->key, what);
    return false;
}

// ---- what does not translate word by word

// A list of the model's layers as words: `yes` where test holds.
static void put_words(struct translation *t, const char *key, const struct config_value *from,
                      const char *(*word)(struct translation *t, size_t k)) {
    struct config_value *list = put_text(t, key, CONFIG_ARRAY, "", from);
    for (size_t k = 0; k < from->members.len; k++) {
        struct config_value *w = ARENA_NEW(t->a, struct config_value);
        *w = *from->members.at[k];
        w->kind = CONFIG_STRING;
        w->text = word(t, k);
        w->len = strlen(w->text);
        w->parent = list;
        VEC_PUSH(t->a, &list->members, w);
    }
}

static const char *sliding_word(struct translation *t, size_t k) {
    const struct config_value *v = get(t, "attention.sliding_window_pattern")->members.at[k];
    bool slides = v->kind == CONFIG_BOOL ? v->yes : strcmp(v->text, "0") != 0;
    return slides ? "sliding_attention" : "full_attention";
}

// No KV heads: no attention. Without a feed-forward part such a layer, or that of a model whose
// layers have both, is recurrent.
static const char *recurrent_word(struct translation *t, size_t k) {
    const struct config_value *ffn = get(t, "feed_forward_length");
    if (strcmp(get(t, "attention.head_count_kv")->members.at[k]->text, "0") != 0) {
        return "full_attention";
    }
    bool mlp = t->arch->recurrence == NEMOTRON && ffn && ffn->kind == CONFIG_ARRAY &&
               k < ffn->members.len && strcmp(ffn->members.at[k]->text, "0") != 0;
    return mlp ? "mlp" : "linear_attention";
}

static void put_pattern(struct translation *t) {
    const struct config_value *p = get(t, "attention.sliding_window_pattern");
    if (p && p->kind == CONFIG_ARRAY) {
        put_words(t, "layer_types", p, sliding_word);
    } else if (p) {
        put(t, "sliding_window_pattern", p);
    }
}

// One number for all layers: that of the layers which have any. Lists that differ otherwise are
// those of Gemma 4 (its full layers) or are refused.
static bool flatten(struct translation *t, const char *gguf_key, const char *key) {
    struct config_value *list = member(t, key);
    const struct config_value *one = NULL, *other = NULL;
    if (!list || list->kind != CONFIG_ARRAY) {
        return true;
    }
    if ((int64_t)list->members.len < integer(t, "block_count")) {
        return error(t, DIAG_A0909, get(t, gguf_key), "has fewer entries than there are layers");
    }
    for (size_t k = 0; k < list->members.len; k++) {
        const struct config_value *v = list->members.at[k];
        bool same = one && strcmp(v->text, one->text) == 0;
        if (strcmp(v->text, "0") == 0 || same) {
            continue;
        }
        if (one && other && strcmp(v->text, other->text) != 0) {
            return error(t, DIAG_A0913, get(t, gguf_key), "has more than two values");
        }
        *(one ? &other : &one) = v;
    }
    if (other && (strcmp(key, "num_key_value_heads") != 0 ||
                  strcmp(t->arch->model_type, "gemma4_text") != 0)) {
        return error(t, DIAG_A0913, get(t, gguf_key), "differs from layer to layer");
    }
    if (!one) {
        return error(t, DIAG_A0907, get(t, gguf_key), "has no layer with attention");
    }
    if (other) {
        put_text(t, "num_global_key_value_heads", CONFIG_NUMBER, other->text, get(t, gguf_key));
    }
    list->kind = CONFIG_NUMBER;
    list->text = one->text;
    list->len = strlen(one->text);
    return true;
}

// In latent models key_length is that of the cached row; the head's own are key_length_mla, or, in
// files of before, key_length itself.
static void put_latent(struct translation *t) {
    const struct config_value *k = get(t, "attention.key_length_mla");
    const struct config_value *v = get(t, "attention.value_length_mla");
    bool old = !k;
    k = k ? k : get(t, "attention.key_length");
    if (!get(t, "attention.kv_lora_rank") || !k) {
        return;
    }
    int64_t dim = integer(t, old ? "attention.key_length" : "attention.key_length_mla");
    put_int(t, "qk_nope_head_dim", dim - integer(t, "rope.dimension_count"), k);
    if (!v && get(t, "attention.value_length")) {
        put(t, "v_head_dim", get(t, "attention.value_length"));
    }
}

// yarn_log_multiplier is 0.1 * mscale_all_dim.
static void put_yarn(struct translation *t) {
    const struct config_value *type = get(t, "rope.scaling.type");
    const struct config_value *factor = get(t, "rope.scaling.factor");
    const struct config_value *log = get(t, "rope.scaling.yarn_log_multiplier");
    struct number n, ten;
    char text[32];
    if (!type || !factor || !log || log->kind != CONFIG_NUMBER || log->text[0] == '-' ||
        number_decimal(log->text, &n) != NUMBER_OK ||
        number_mul(n, number_int(10), &ten) != NUMBER_OK) {
        return;
    }
    number_print_double(number_to_double(ten), text);
    struct config_value *rope = put_text(t, "rope_scaling", CONFIG_OBJECT, "", type);
    struct translation inner = *t;
    inner.root = rope;
    put(&inner, "rope_type", type);
    put(&inner, "factor", factor);
    put_text(&inner, "mscale_all_dim", CONFIG_NUMBER, arena_strdup(t->a, text), log);
}

#define GEMMA3_27B_LAYERS 62
#define GEMMA2_27B_LAYERS 46

// What llama.cpp's loader knows of the Gemma models: the scale of the 27B ones is that of
// hidden / heads, of the others that of the head dim.
static void put_gemma(struct translation *t) {
    const char *type = t->arch->model_type;
    bool third = strcmp(type, "gemma3_text") == 0;
    const struct config_value *dim = get(t, "attention.key_length"),
                              *heads = get(t, "attention.head_count");
    if ((third || strcmp(type, "gemma2") == 0) && dim && heads) {
        bool large = integer(t, "block_count") == (third ? GEMMA3_27B_LAYERS : GEMMA2_27B_LAYERS);
        int64_t n = integer(t, "attention.head_count");
        put_int(t, "query_pre_attn_scalar",
                large && n ? integer(t, "embedding_length") / n
                           : integer(t, "attention.key_length"),
                dim);
    }
    const struct config_value *sliding = get(t, "attention.key_length_swa");
    if (strcmp(type, "gemma4_text") == 0 && sliding && dim) {
        member(t, "head_dim")->key = "global_head_dim";
        put(t, "head_dim", sliding);
    }
    if (strcmp(t->arch->arch, "gemma-embedding") == 0) {
        put_text(t, "use_bidirectional_attention", CONFIG_BOOL, "true", heads ? heads : dim)->yes =
            true;
    }
}

// ---- recurrences

// X(GGUF key, key of Mamba 1, of Mamba 2 beside attention, of Mamba alone, of Nemotron-H, of the
// delta net)
static const char *const ssm_names[][6] = {
    {"ssm.conv_kernel", "mamba_d_conv", "mamba_d_conv", "conv_kernel", "conv_kernel",
     "linear_conv_kernel_dim"},
    {"ssm.state_size", "mamba_d_state", "mamba_d_state", "state_size", "ssm_state_size",
     "linear_key_head_dim"},
    {"ssm.group_count", NULL, "mamba_n_groups", "n_groups", "n_groups", "linear_num_key_heads"},
};

static void put_ssm(struct translation *t) {
    static const size_t column[] = {0, 1, 3, 2, 3, 4, 5};
    enum recurrence kind = t->arch->recurrence;
    size_t c = column[kind];
    for (size_t k = 0; k < sizeof ssm_names / sizeof *ssm_names && c; k++) {
        const struct config_value *v = get(t, ssm_names[k][0]);
        if (v && ssm_names[k][c]) {
            put(t, ssm_names[k][c], v);
        }
    }
    const struct config_value *inner = get(t, "ssm.inner_size"),
                              *rank = get(t, "ssm.time_step_rank");
    int64_t width = integer(t, "ssm.inner_size"), heads = integer(t, "ssm.time_step_rank");
    int64_t hidden = integer(t, "embedding_length");
    if (!inner || !c) {
        return;
    }
    if (kind == MAMBA1_ALONE) {
        put(t, "intermediate_size", inner);
    } else if (kind == MAMBA1) {
        if (hidden) {
            put_int(t, "mamba_expand", width / hidden, inner);
        }
    } else if (rank && heads) {
        static const char *const head_keys[][2] = {
            [MAMBA2] = {"mamba_n_heads", "mamba_d_head"},
            [MAMBA2_ALONE] = {"num_heads", "head_dim"},
            [NEMOTRON] = {"mamba_num_heads", "mamba_head_dim"},
            [DELTA_NET] = {"linear_num_value_heads", "linear_value_head_dim"},
        };
        put(t, head_keys[kind][0], rank);
        put_int(t, head_keys[kind][1], width / heads, inner);
    }
}

// ---- the whole

static const struct config_value *architecture(const struct gguf *g, struct diags *d,
                                               struct arena *a, const struct gguf_arch **out) {
    const struct config_value *v = gguf_get(g, NULL, "general.architecture");
    if (!v) {
        diag_add(d, DIAG_A0905, (struct span){g->file, 0, 0},
                 "`general.architecture` is missing: it says which architecture this is");
        return NULL;
    }
    const char *known = "";
    for (size_t k = 0; k < gguf_arch_count; k++) {
        if (import_is(v, gguf_archs[k].arch)) {
            *out = &gguf_archs[k];
            return v;
        }
        known = arena_printf(a, "%s%s`%s`", known, k ? ", " : "", gguf_archs[k].arch);
    }
    struct diag *n =
        diag_add(d, DIAG_A0904, v->span, "`general.architecture` is %s, which attnc cannot import",
                 config_shown(a, d, v));
    diag_note_plain(d, n, "known architectures: %s", known);
    return NULL;
}

static void put_dtype(struct translation *t) {
    static const char *const types[][2] = {{"0", "float32"}, {"1", "float16"}, {"32", "bfloat16"}};
    const struct config_value *v = gguf_get(t->g, NULL, "general.file_type");
    for (size_t k = 0; v && k < sizeof types / sizeof *types; k++) {
        if (v->kind == CONFIG_NUMBER && strcmp(v->text, types[k][0]) == 0) {
            put_text(t, "dtype", CONFIG_STRING, types[k][1], v);
        }
    }
}

// What a file may have that its architecture is not known for is refused: keys after the query, and
// sink logits, which are tensors without a key.
static bool check_unknown(struct translation *t, const struct config_value *type) {
    const struct config_value *v = get(t, "attention.causal");
    bool encoder = strstr(t->arch->model_type, "bert") || strstr(t->arch->arch, "embedding");
    if (v && v->kind == CONFIG_BOOL && !v->yes && !encoder) {
        return error(t, DIAG_A0913, v, "is false, which this architecture is not known for");
    }
    if (t->g->has_sinks && strcmp(t->arch->model_type, "gpt_oss") != 0) {
        return error(t, DIAG_A0913, type,
                     "is not known for sink logits, but the file has tensors `blk.N.attn_sinks`");
    }
    return true;
}

const struct config_value *import_gguf_config(struct arena *a, struct diags *d,
                                              const struct gguf *g) {
    struct translation t = {.a = a, .d = d, .g = g};
    const struct config_value *type = architecture(g, d, a, &t.arch);
    if (!type) {
        return NULL;
    }
    t.root = ARENA_NEW(a, struct config_value);
    t.root->kind = CONFIG_OBJECT;
    t.root->span = type->span;
    put_text(&t, "model_type", CONFIG_STRING, t.arch->model_type, type);
    const struct config_value *kv = get(&t, "attention.head_count_kv");
    if (t.arch->layer_words && kv && kv->kind == CONFIG_ARRAY) {
        put_words(&t, t.arch->layer_words, kv, recurrent_word);
    }
    for (size_t k = 0; k < gguf_name_count; k++) {
        const struct config_value *v = get(&t, gguf_names[k][0]);
        if (v) {
            put(&t, gguf_names[k][1], v);
        }
    }
    int64_t more = integer(&t, "nextn_predict_layers");
    if (more && more < integer(&t, "block_count")) {
        struct config_value *n = member(&t, "num_hidden_layers");
        n->text = arena_printf(a, "%lld", (long long)(integer(&t, "block_count") - more));
        n->len = strlen(n->text);
    }
    if (strcmp(t.arch->arch, "exaone4") == 0 && !get(&t, "attention.sliding_window")) {
        put_text(&t, "sliding_window", CONFIG_NULL, "", type); // here silence means none
    }
    put_pattern(&t);
    put_latent(&t);
    put_yarn(&t);
    put_gemma(&t);
    put_ssm(&t);
    put_dtype(&t);
    bool good = flatten(&t, "attention.head_count", "num_attention_heads");
    good = flatten(&t, "attention.head_count_kv", "num_key_value_heads") && good;
    return check_unknown(&t, type) && good ? t.root : NULL;
}
