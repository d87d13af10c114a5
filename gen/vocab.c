// SPDX-License-Identifier: Apache-2.0
// Which words a place takes. Fixed lists stand here; kinds, flags and backends are what the program
// declares; devices, layouts and instruction sets are open: a word is known when the library lists
// it or some declaration states it. Words come in the order of declaration, each once.
#include <string.h>

#include "gen/eval.h"

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

// ---- collecting: a visitor that either gathers words or looks for one

struct search {
    struct arena *arena;
    const char *wanted; // look for this word; NULL = gather all
    bool found;
    struct words words;
};

static void meet(struct search *s, const char *word) {
    if (s->wanted) {
        s->found = s->found || strcmp(s->wanted, word) == 0;
        return;
    }
    for (size_t i = 0; i < s->words.len; i++) {
        if (strcmp(s->words.at[i], word) == 0) {
            return;
        }
    }
    VEC_PUSH(s->arena, &s->words, word);
}

static void meet_list(struct search *s, const char *const *words, size_t n) {
    for (size_t i = 0; i < n; i++) {
        meet(s, words[i]);
    }
}

// Words of a constant: bare names, also inside sets and lists.
static void meet_expr(struct search *s, const struct ast_expr *e) {
    if (e->kind == EXPR_NAME && e->path.len == 1) {
        meet(s, e->path.at[0].text);
    }
    for (size_t i = 0; i < e->elems.len; i++) {
        meet_expr(s, e->elems.at[i].value);
    }
}

static void meet_lines(struct search *s, const struct program *p, enum decl_kind kind,
                       const char *attribute) {
    for (size_t i = 0; i < p->decls[kind].len; i++) {
        const struct ast_items *items = &p->decls[kind].at[i]->ast->items;
        for (size_t j = 0; j < items->len; j++) {
            const struct ast_item *item = items->at[j];
            if (item->kind == ITEM_SET && item->value && strcmp(item->name.text, attribute) == 0) {
                meet_expr(s, item->value);
            }
        }
    }
}

static bool is_flag(const struct decl *d) {
    return d->ast->relation.text && strcmp(d->ast->relation.text, "flag") == 0;
}

static void meet_decls(struct search *s, const struct program *p, enum decl_kind kind) {
    for (size_t i = 0; i < p->decls[kind].len; i++) {
        const struct decl *d = p->decls[kind].at[i];
        if (kind != DECL_CAPABILITY || is_flag(d)) {
            meet(s, d->ast->name.text);
        }
    }
}

static void meet_all(struct search *s, const struct program *p, enum vocabulary v) {
    switch (v) {
    case VOCAB_DTYPE:
        meet_list(s, dtypes, COUNT(dtypes));
        break;
    case VOCAB_KV_DTYPE:
        meet_list(s, kv_dtypes, COUNT(kv_dtypes));
        break;
    case VOCAB_ATTN:
        meet_list(s, attns, COUNT(attns));
        break;
    case VOCAB_SSM_TYPE:
        meet_list(s, ssm_types, COUNT(ssm_types));
        break;
    case VOCAB_POOL:
        meet_list(s, pools, COUNT(pools));
        break;
    case VOCAB_PHASE:
        meet_list(s, phase_names, PHASE_COUNT);
        break;
    case VOCAB_KIND:
        meet_decls(s, p, DECL_KIND);
        break;
    case VOCAB_FLAG:
        meet_decls(s, p, DECL_CAPABILITY);
        break;
    case VOCAB_BACKEND:
        meet_decls(s, p, DECL_BACKEND);
        break;
    case VOCAB_DEVICE:
        meet_list(s, devices, COUNT(devices));
        meet_lines(s, p, DECL_PLATFORM, "device");
        meet_lines(s, p, DECL_BACKEND, "device");
        break;
    case VOCAB_ISA:
        meet_lines(s, p, DECL_PLATFORM, "isa");
        break;
    case VOCAB_LAYOUT:
        meet_list(s, layouts, COUNT(layouts));
        meet_lines(s, p, DECL_BACKEND, "layout");
        break;
    case VOCAB_NONE:
    case VOCAB_FREE:
        break;
    }
}

bool vocab_has(const struct program *p, enum vocabulary v, const char *word) {
    switch (v) { // names have a table
    case VOCAB_FREE:
        return true;
    case VOCAB_KIND:
        return program_find(p, DECL_KIND, word) != NULL;
    case VOCAB_BACKEND:
        return program_find(p, DECL_BACKEND, word) != NULL;
    case VOCAB_FLAG: {
        const struct decl *d = program_find(p, DECL_CAPABILITY, word);
        return d && is_flag(d);
    }
    default: {
        struct search s = {.wanted = word};
        meet_all(&s, p, v);
        return s.found;
    }
    }
}

struct words vocab_words(const struct program *p, enum vocabulary v) {
    struct search s = {.arena = p->arena};
    meet_all(&s, p, v);
    return s.words;
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
