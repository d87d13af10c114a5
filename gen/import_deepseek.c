// SPDX-License-Identifier: Apache-2.0
// Multi-head latent attention: DeepSeek V2 to V3.2, Kimi K2, GLM 4.7 Flash and GLM 5. A file
// without kv_lora_rank is a plain decoder of that name. V3.2 and GLM 5 pick keys with a learned
// indexer. MiniCPM3 has such weights but runs as plain attention over expanded heads.
#include "gen/import.h"

struct deepseek_facts {
    bool indexed;
    bool shares_index; // indexer_types: full layers own an indexer, shared ones reuse its choice
    bool expanded;     // run as plain attention
};
static const struct deepseek_facts dense = {false, false, false};
static const struct deepseek_facts indexed = {true, false, false};
static const struct deepseek_facts glm_dsa = {true, true, false};
static const struct deepseek_facts minicpm = {false, false, true};

// ---- indexer

#define TOPK 2048
#define INDEX_DIM 128

const char *import_index(struct import *i) {
    struct import_int topk = import_count(i, "index_topk", TOPK);
    struct import_int heads = import_count(i, "index_n_heads", i->arch->heads / 2);
    struct import_int dim = import_count(i, "index_head_dim", INDEX_DIM);
    return arena_printf(i->arena, "{ topk = %lld; heads = %lld; head_dim = %lld; }",
                        (long long)topk.v, (long long)heads.v, (long long)dim.v);
}

// Whether layer k reuses an earlier choice: by indexer_types, by a pattern of F and S, or by a
// frequency. False after an error.
static bool shares(struct import *i, const struct config_value *types,
                   const struct config_value *pattern, int64_t k, bool *out) {
    if (types) {
        const struct config_value *v = types->members.at[k];
        *out = import_is(v, "shared");
        if (!*out && !import_is(v, "full")) {
            import_wrong(i, v, "`full` or `shared`");
            return false;
        }
    } else if (pattern) {
        *out = pattern->text[k] == 'S';
        if (!*out && pattern->text[k] != 'F') {
            import_wrong(i, pattern, "letters `F` and `S`");
            return false;
        }
    } else {
        struct import_int freq = import_count(i, "index_topk_freq", 1);
        struct import_int skip = import_int(i, "index_skip_topk_offset", 0, IMPORT_MAX_INT, 2);
        int64_t past = k - skip.v + 1;
        *out = past > 0 && past % freq.v != 0;
    }
    return true;
}

static void share_index(struct import *i) {
    const struct config_value *types = import_list(i, "indexer_types", "strings");
    const struct config_value *pattern = types ? NULL : import_find(i, "index_topk_pattern");
    if (!types && import_find(i, "indexer_types")) {
        return;
    }
    if (pattern && (pattern->kind != CONFIG_STRING || pattern->len < (size_t)i->model->n_layers)) {
        import_wrong(i, pattern, "a letter `F` or `S` for each layer");
        return;
    }
    int64_t owner = -1;
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        bool shared;
        if (!shares(i, types, pattern, k, &shared)) {
            return;
        }
        if (!shared) {
            owner = k;
        } else if (owner < 0) {
            import_error(i, DIAG_A0911, import_here(i, types ? types->members.at[k] : NULL),
                         "layer %lld shares the choice of an earlier indexer, and there is none",
                         (long long)k);
            return;
        } else {
            import_at(import_self(i), k, IMPORT_INDEX_SHARE,
                      arena_printf(i->arena, "{ share = %lld; }", (long long)owner));
        }
    }
}

// ---- latent dims

struct latent {
    struct import_int rank, nope, rope, v;
};

// A latent model gives all its dims: none has a default that is safe to take.
static bool read_latent(struct import *i, struct latent *out) {
    static const struct {
        const char *key;
        int64_t low;
    } fields[] = {
        {"kv_lora_rank", 1}, {"qk_nope_head_dim", 0}, {"qk_rope_head_dim", 0}, {"v_head_dim", 1}};
    struct import_int *const to[] = {&out->rank, &out->nope, &out->rope, &out->v};
    bool good = true;
    for (size_t k = 0; k < sizeof to / sizeof *to; k++) {
        *to[k] = import_int(i, fields[k].key, fields[k].low, IMPORT_MAX_INT / 2, 0);
        if (to[k]->bad && k == 0) {
            return false; // what follows from it is not wrong
        }
        good = good && !to[k]->bad;
        bool optional =
            to[k] == &out->v && ((const struct deepseek_facts *)i->arch->facts)->expanded;
        if (!to[k]->given && !optional) {
            import_missing(i, fields[k].key, "a model with `kv_lora_rank` has latent rows of it");
            good = false;
        }
    }
    return good;
}

static void fill_latent(struct import *i, const struct deepseek_facts *facts) {
    struct latent l;
    struct import_int layers = import_layers(i), heads = import_heads(i);
    bool good = read_latent(i, &l);
    if (layers.bad || heads.bad || !good) {
        return;
    }
    int64_t dim = l.nope.v + l.rope.v;
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_dtype_line(i);
    if (facts->expanded) {
        struct import_int own = import_head_dim(i, heads);
        import_set(i, IMPORT_HEAD_DIM, import_number(i, dim),
                   "qk_nope_head_dim + qk_rope_head_dim");
        import_set(i, IMPORT_V_HEAD_DIM, import_number(i, l.v.given ? l.v.v : own.v),
                   l.v.given ? NULL : "hidden_size / num_attention_heads");
        return;
    }
    import_set(i, IMPORT_MLA, import_mla(i, l.rank.v, l.rope.v, l.nope.v, l.v.v), NULL);
    import_yarn_scale(i, dim);
    // Newer files list the layers; all of them are latent, whatever they are called.
    import_layer_types(i, "layer_types", LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_INDEXED),
                       (struct layer_rule){0, 0, LAYER_FULL, LAYER_FULL});
    if (facts->indexed) {
        import_set(i, IMPORT_INDEX, import_index(i), "a learned indexer picks the keys");
    }
    if (facts->shares_index) {
        share_index(i);
    }
}

// Without kv_lora_rank: ordinary heads. head_dim of such files is the RoPE part, so it is not read.
static void import_deepseek(struct import *i) {
    const struct deepseek_facts *facts = i->arch->facts;
    if (import_find(i, "kv_lora_rank")) {
        fill_latent(i, facts);
    } else if (facts->expanded) {
        import_missing(i, "kv_lora_rank", "the heads are expanded from latent rows");
    } else {
        struct import_shape shape;
        import_shape(i, &shape);
    }
}

static const struct import_keys latent_keys = {.head_dim = "attention_head_dim"};

#define ROW(type, outer, n, width, h, what)                                                        \
    {                                                                                              \
        .model_type = type, .wrapper = outer, .layers = n, .hidden = width, .heads = h,            \
        .keys = &latent_keys, .facts = what, .fill = import_deepseek                               \
    }

const struct import_arch import_deepseek_archs[] = {
    ROW("deepseek_v2", NULL, 32, 4096, 32, &dense),
    ROW("deepseek_v3", "kimi_k25", 61, 7168, 128, &dense),
    ROW("kimi_k2", "kimi_k25", 61, 7168, 128, &dense),
    ROW("glm4_moe_lite", NULL, 47, 2048, 20, &dense),
    ROW("deepseek_v32", NULL, 61, 7168, 128, &indexed),
    ROW("glm_moe_dsa", NULL, 78, 6144, 64, &glm_dsa),
    ROW("minicpm3", NULL, 62, 2560, 40, &minicpm),
};
IMPORT_ARCH_COUNT(deepseek);
