// SPDX-License-Identifier: Apache-2.0
// Which words a place takes. Fixed lists stand here; kinds, flags and backends are what the program
// declares; devices, layouts and instruction sets are open: a word is known when the library lists
// it or some declaration states it. Words come in the order of declaration, each once.
#include <string.h>

#include "gen/eval.h"
#include "gen/names.h"

// X(name, numerator, denominator): bytes of one element; 0 = not known, can be checked only.
#define CACHE_DTYPES(X)                                                                            \
    X("f32", 4, 1)                                                                                 \
    X("bf16", 2, 1)                                                                                \
    X("f16", 2, 1)                                                                                 \
    X("fp8_e4m3", 1, 1)                                                                            \
    X("int8", 1, 1)                                                                                \
    X("fp8_e5m2", 1, 1)                                                                            \
    X("int4", 1, 2)                                                                                \
    X("nvfp4", 1, 2)                                                                               \
    X("fp8", 1, 1)                                                                                 \
    X("fp8_inc", 0, 1)                                                                             \
    X("fp8_ds_mla", 0, 1)                                                                          \
    X("fp8_per_token_head", 0, 1)                                                                  \
    X("int8_per_token_head", 0, 1)                                                                 \
    X("int4_per_token_head", 0, 1)                                                                 \
    X("nvfp4_4over6", 0, 1)                                                                        \
    X("nvfp4_ds_mla", 0, 1)                                                                        \
    X("turboquant_k8v4", 0, 1)                                                                     \
    X("turboquant_4bit_nc", 0, 1)                                                                  \
    X("turboquant_k3v4_nc", 0, 1)                                                                  \
    X("turboquant_3bit_nc", 0, 1)                                                                  \
    X("octave_k3v4", 0, 1)                                                                         \
    X("octave_k3v3", 0, 1)                                                                         \
    X("octave_k3v3_compact", 0, 1)                                                                 \
    X("ultraquant_4bit", 0, 1)

#define COUNT(array) (sizeof(array) / sizeof *(array))

static const struct {
    const char *name;
    struct rational bytes;
} cache_dtypes[] = {
#define CACHE_DTYPE(name, num, den) {name, {num, den}},
    CACHE_DTYPES(CACHE_DTYPE)
#undef CACHE_DTYPE
};

static const char *const kv_dtypes[] = {
#define CACHE_DTYPE(name, num, den) name,
    CACHE_DTYPES(CACHE_DTYPE)
#undef CACHE_DTYPE
};
static const char *const dtypes[] = {"f32", "bf16", "f16"};
static const char *const attns[] = {"decoder", "encoder_only", "encoder", "encoder_decoder"};
static const char *const ssm_types[] = {"mamba1", "mamba2", "gated_delta_net", "linear",
                                        "short_conv"};
static const char *const pools[] = {"unified"};
static const char *const layouts[] = {"hnd", "hnd_pair", "latent"}; // page formats of the runtime
static const char *const devices[] = {"cpu", "cuda"};

bool dtype_bytes(const char *dtype, struct rational *bytes) {
    for (size_t i = 0; i < COUNT(cache_dtypes); i++) {
        if (strcmp(cache_dtypes[i].name, dtype) == 0) {
            *bytes = cache_dtypes[i].bytes;
            return bytes->num != 0;
        }
    }
    return false;
}

// ---- words of a program, gathered once for each vocabulary

struct gathered {
    bool ready;
    struct words words;
    struct name_table table; // word -> itself
};

struct vocab_cache {
    struct arena *arena; // the program's: a cache may be filled while a scratch arena is in use
    struct gathered at[VOCAB_COUNT];
};

struct vocab_cache *vocab_cache_new(struct arena *a) {
    struct vocab_cache *c = ARENA_NEW(a, struct vocab_cache);
    c->arena = a;
    return c;
}

static void meet(struct gathered *g, const char *word) {
    if (!name_get(&g->table, word)) {
        name_set(&g->table, word, (void *)word);
        VEC_PUSH(g->table.arena, &g->words, word);
    }
}

static void meet_list(struct gathered *g, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        meet(g, words[i]);
    }
}

// Words of a constant: bare names, also inside sets and lists.
static void meet_expr(struct gathered *g, const struct ast_expr *e) {
    if (e->kind == EXPR_NAME && e->path.len == 1) {
        meet(g, e->path.at[0].text);
    }
    for (size_t i = 0; i < e->elems.len; i++) {
        meet_expr(g, e->elems.at[i].value);
    }
}

static void meet_lines(struct gathered *g, const struct program *p, enum decl_kind kind,
                       const char *attribute) {
    for (size_t i = 0; i < p->decls[kind].len; i++) {
        const struct ast_items *items = &p->decls[kind].at[i]->ast->items;
        for (size_t j = 0; j < items->len; j++) {
            const struct ast_item *item = items->at[j];
            if (item->kind == ITEM_SET && item->value && strcmp(item->name.text, attribute) == 0) {
                meet_expr(g, item->value);
            }
        }
    }
}

static void meet_decls(struct gathered *g, const struct program *p, enum decl_kind kind) {
    for (size_t i = 0; i < p->decls[kind].len; i++) {
        const struct ast_decl *d = p->decls[kind].at[i]->ast;
        bool flag = d->relation.text && strcmp(d->relation.text, "flag") == 0;
        if (kind != DECL_CAPABILITY || flag) {
            meet(g, d->name.text);
        }
    }
}

static void gather(struct gathered *g, const struct program *p, enum vocabulary v) {
    switch (v) {
    case VOCAB_DTYPE:
        meet_list(g, dtypes, COUNT(dtypes));
        break;
    case VOCAB_KV_DTYPE:
        meet_list(g, kv_dtypes, COUNT(kv_dtypes));
        break;
    case VOCAB_ATTN:
        meet_list(g, attns, COUNT(attns));
        break;
    case VOCAB_SSM_TYPE:
        meet_list(g, ssm_types, COUNT(ssm_types));
        break;
    case VOCAB_POOL:
        meet_list(g, pools, COUNT(pools));
        break;
    case VOCAB_PHASE:
        meet_list(g, phase_names, PHASE_COUNT);
        break;
    case VOCAB_KIND:
        meet_decls(g, p, DECL_KIND);
        break;
    case VOCAB_FLAG:
        meet_decls(g, p, DECL_CAPABILITY);
        break;
    case VOCAB_BACKEND:
        meet_decls(g, p, DECL_BACKEND);
        break;
    case VOCAB_DEVICE:
        meet_list(g, devices, COUNT(devices));
        meet_lines(g, p, DECL_PLATFORM, "device");
        meet_lines(g, p, DECL_BACKEND, "device");
        break;
    case VOCAB_ISA:
        meet_lines(g, p, DECL_PLATFORM, "isa");
        break;
    case VOCAB_LAYOUT:
        meet_list(g, layouts, COUNT(layouts));
        meet_lines(g, p, DECL_BACKEND, "layout");
        break;
    case VOCAB_NONE:
    case VOCAB_FREE:
    case VOCAB_COUNT:
        break;
    }
}

static const struct gathered *words_of(const struct program *p, enum vocabulary v) {
    struct gathered *g = &p->vocab->at[v];
    if (!g->ready) {
        g->table.arena = p->vocab->arena;
        gather(g, p, v);
        g->ready = true;
    }
    return g;
}

bool vocab_has(const struct program *p, enum vocabulary v, const char *word) {
    return v == VOCAB_FREE || name_get(&words_of(p, v)->table, word);
}

// The caller may add to the copy: it has no room to spare, so that its first push moves it.
struct words vocab_words(const struct program *p, enum vocabulary v) {
    struct words words = words_of(p, v)->words;
    words.cap = words.len;
    return words;
}

const char *vocab_noun(enum vocabulary v) {
    static const char *const nouns[] = {[VOCAB_NONE] = "name",
                                        [VOCAB_DTYPE] = "dtype",
                                        [VOCAB_KV_DTYPE] = "cache dtype",
                                        [VOCAB_ATTN] = "attention type",
                                        [VOCAB_SSM_TYPE] = "ssm type",
                                        [VOCAB_KIND] = "kind",
                                        [VOCAB_PHASE] = "phase",
                                        [VOCAB_DEVICE] = "device",
                                        [VOCAB_ISA] = "instruction set",
                                        [VOCAB_LAYOUT] = "layout",
                                        [VOCAB_POOL] = "pool",
                                        [VOCAB_FLAG] = "flag",
                                        [VOCAB_BACKEND] = "backend",
                                        [VOCAB_FREE] = "word"};
    return nouns[v];
}
