// SPDX-License-Identifier: Apache-2.0
// Import of a Hugging Face config.json. `import_hf` reads the JSON, finds the architecture by its
// model_type and lets its function fill one model, or two (encoder and decoder); `import_write`
// prints them as .attn text. A new architecture is a row in its family's file (import_FAMILY.c)
// and, where its rule is new, a function there.
#ifndef GEN_IMPORT_H
#define GEN_IMPORT_H

#include "gen/config.h"

#define IMPORT_MAX_LAYERS 4096
#define IMPORT_MAX_INT INT32_MAX // of head counts, dims, windows

// Attributes of an operator in the order in which they are written.
// X(enumerator, name in .attn, what stands where it is not given, place)
// SHAPE: the usual value stands at model level; MASK: at model level when all layers agree, else in
// a `layer all`; LINK: only on the layers that have it.
#define IMPORT_ATTRS(X)                                                                            \
    X(HEADS, "heads", "none", SHAPE)                                                               \
    X(KV_HEADS, "kv_heads", "none", SHAPE)                                                         \
    X(HEAD_DIM, "head_dim", "none", SHAPE)                                                         \
    X(V_HEAD_DIM, "v_head_dim", "none", SHAPE)                                                     \
    X(DTYPE, "dtype", "none", SHAPE)                                                               \
    X(SCALE, "scale", "none", SHAPE)                                                               \
    X(SOFTCAP, "softcap", "none", SHAPE)                                                           \
    X(ALIBI, "alibi", "no", SHAPE)                                                                 \
    X(SINK_LOGITS, "sink_logits", "no", SHAPE)                                                     \
    X(SINK_TOKENS, "sink_tokens", "none", MASK)                                                    \
    X(MLA, "mla", "none", SHAPE)                                                                   \
    X(SSM, "ssm", "none", MASK)                                                                    \
    X(ATTN, "attn", "decoder", MASK)                                                               \
    X(WINDOW, "window", "none", MASK)                                                              \
    X(WINDOW_LEFT, "window_left", "none", MASK)                                                    \
    X(WINDOW_RIGHT, "window_right", "none", MASK)                                                  \
    X(CHUNK, "chunk", "none", MASK)                                                                \
    X(COMPRESS, "compress", "none", MASK)                                                          \
    X(INDEX, "index", "none", MASK)                                                                \
    X(KV_SHARE, "kv_share", "none", LINK)                                                          \
    X(INDEX_SHARE, "index", "none", LINK)

enum import_attr {
#define IMPORT_ATTR(id, name, absent, place) IMPORT_##id,
    IMPORT_ATTRS(IMPORT_ATTR)
#undef IMPORT_ATTR
        IMPORT_ATTR_COUNT
};

// One operator on one layer. Values are .attn text: "512", "rsqrt(256)", "{ latent = 512; ... }".
struct import_layer {
    bool present;
    const char *v[IMPORT_ATTR_COUNT]; // NULL: that of the model
};

struct import_op {
    const char *name; // NULL: self
    struct import_layer *layers;
    const char *comments[IMPORT_ATTR_COUNT]; // where the values in `layers` come from, or NULL
};

struct import_model {
    const char *suffix; // of its name: "", "_encoder", "_decoder"
    int64_t n_layers;
    const char *layers_comment;
    const char *level[IMPORT_ATTR_COUNT];    // of the model, NULL where not given
    const char *comments[IMPORT_ATTR_COUNT]; // of `level`
    VEC(struct import_op *) ops;             // `self` first
};

struct import_models {
    const char *name;       // in .attn: a plain identifier
    const char *source;     // base name of the JSON file, any bytes
    const char *model_type; // of the architecture
    const char *format;     // "hf" or "gguf"
    VEC(struct import_model *) list;
};

struct import_arch;

// What a rule works with.
struct import {
    struct arena *arena;
    struct diags *diags;
    const struct import_arch *arch;
    const struct config_value *root; // the whole text
    const struct config_value *text; // the part that holds the attention fields
    struct import_models *out;
    struct import_model *model; // the one that is filled; NULL before its layer count is known
    bool failed;
};

// ---- architectures

// Keys of the shape where an architecture has its own; `a|b`: the first that is there.
struct import_keys {
    const char *layers, *hidden, *heads, *kv_heads, *head_dim;
};

// One architecture: class defaults of transformers, and the rule.
struct import_arch {
    const char *model_type; // of the part that holds the fields
    const char *wrapper;    // model_types of files that nest that part, `a|b`, or NULL
    int64_t layers, hidden, heads;
    int64_t kv_heads;               // 0: as many as heads
    int64_t head_dim;               // 0: hidden / heads
    bool kv_null_defaults;          // a null for kv_heads means kv_heads, else heads
    const struct import_keys *keys; // or NULL
    const void *facts;              // what the family's function knows of its members
    void (*fill)(struct import *);
};

// X(family): import_FAMILY.c has the table import_FAMILY_archs of import_FAMILY_count rows.
#define IMPORT_FAMILIES(X)                                                                         \
    X(gemma)                                                                                       \
    X(gemma4)                                                                                      \
    X(llama)                                                                                       \
    X(llama4)                                                                                      \
    X(qwen)                                                                                        \
    X(deepseek)                                                                                    \
    X(latent)                                                                                      \
    X(mimo)                                                                                        \
    X(falcon)                                                                                      \
    X(hybrid)                                                                                      \
    X(recurrent)                                                                                   \
    X(encoder)                                                                                     \
    X(phi3small)                                                                                   \
    X(pangu)

#define IMPORT_FAMILY(family)                                                                      \
    extern const struct import_arch import_##family##_archs[];                                     \
    extern const size_t import_##family##_count;
IMPORT_FAMILIES(IMPORT_FAMILY)
#undef IMPORT_FAMILY

// Defines the count beside a table.
#define IMPORT_ARCH_COUNT(family)                                                                  \
    const size_t import_##family##_count =                                                         \
        sizeof import_##family##_archs / sizeof *import_##family##_archs

// ---- the whole

// Reads the registered JSON text into *out. False after errors.
bool import_hf(struct arena *a, struct diags *d, uint32_t file, struct import_models *out);
// The same from a configuration that was read already.
bool import_config(struct arena *a, struct diags *d, const struct config_value *root,
                   struct import_models *out);
// The models as .attn text.
const char *import_write(struct arena *a, const struct import_models *m, size_t *len);
// A plain identifier from a file name: its stem, mangled; `fallback` for a stem without a say
// ("config") or without a letter.
const char *import_name(struct arena *a, const char *path, const char *fallback);
const char *import_base_name(const char *path);
bool import_name_ok(const char *name);

// ---- fields (import_field.c): null counts as absent; what is wrong is reported at the field and
// sets i->failed. A key `a|b` is the first of them that is there.

struct import_int {
    int64_t v;
    bool given; // by the file
    bool bad;   // reported; v is the fallback
    const struct config_value *at;
};

const struct config_value *import_find(const struct import *i, const char *keys);
// An integer in low..high; `fallback` where the file is silent.
struct import_int import_int(struct import *i, const char *keys, int64_t low, int64_t high,
                             int64_t fallback);
// A count, dim or window: 1..IMPORT_MAX_INT.
struct import_int import_count(struct import *i, const char *keys, int64_t fallback);
// The same for a value that may stand outside i->text; NULL is silent.
struct import_int import_int_at(struct import *i, const struct config_value *at, int64_t low,
                                int64_t high, int64_t fallback);
bool import_flag(struct import *i, const char *keys, bool fallback);
// A number in .attn spelling, greater than 0 or, where zero is allowed, not less. NULL when absent.
const char *import_decimal(struct import *i, const char *keys, bool zero_allowed, bool *is_zero);
// An array with an entry for each of the model's layers, or more; NULL when absent or wrong.
const struct config_value *import_list(struct import *i, const char *keys, const char *of);
// Whether a value is the string `word`.
bool import_is(const struct config_value *v, const char *word);
// A type or range error at a field.
void import_wrong(struct import *i, const struct config_value *at, const char *wanted);
void import_error(struct import *i, enum diag_code code, const struct config_value *at,
                  const char *format, ...) __attribute__((format(printf, 4, 5)));
void import_note(struct import *i, const struct config_value *at, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
// The same for a field that is not there: the error stands where the model type does.
void import_missing(struct import *i, const char *key, const char *why);
// `at`, or where the file says its model type when a default is to blame.
const struct config_value *import_here(const struct import *i, const struct config_value *at);

// ---- the model (import_model.c)

// Begins a model of n layers with an operator `self` on all of them.
void import_begin(struct import *i, const char *suffix, struct import_int layers);
// Sets an attribute for all operators of the model.
void import_set(struct import *i, enum import_attr attr, const char *value, const char *comment);
void import_set_int(struct import *i, enum import_attr attr, struct import_int v);
struct import_op *import_self(struct import *i);
struct import_op *import_operator(struct import *i, const char *name);
// Sets an attribute of an operator on a layer, which has that operator from now on.
void import_at(struct import_op *op, int64_t layer, enum import_attr attr, const char *value);
// The comment for a value that the file does not give.
const char *import_default_comment(struct import *i);
const char *import_number(struct import *i, int64_t v);

// ---- shape (import_shape.c): layers, heads, dims, dtype

struct import_shape {
    struct import_int layers, heads, kv_heads, head_dim;
};

const char *import_dtype(struct import *i, const struct config_value *v);
void import_dtype_line(struct import *i);
// Begins the model and sets its heads, KV heads, head dim and dtype. False after an error.
bool import_shape(struct import *i, struct import_shape *out);
// The same in parts.
struct import_int import_layers(struct import *i);
struct import_int import_heads(struct import *i);
struct import_int import_kv_heads(struct import *i, struct import_int heads);
// hidden / heads where the file and the class give no head dim.
struct import_int import_head_dim(struct import *i, struct import_int heads);
// Applies per_layer_config: the shape of single layers.
void import_per_layer(struct import *i);

// ---- types of layers (import_types.c), in the words of config.json

enum layer_type {
    LAYER_FULL,
    LAYER_INDEXED, // full, with a learned indexer
    LAYER_SLIDING,
    LAYER_CHUNKED,
    LAYER_RECURRENT,
    LAYER_HYBRID, // attention and a recurrence
    LAYER_MLP     // neither
};
#define LAYER_BIT(type) (1u << (type))

// Layer k is `at` where k % period == offset, else `otherwise`. Period 0: all are `otherwise`.
struct layer_rule {
    int64_t period, offset;
    enum layer_type at, otherwise;
};
const char *import_layer_type_text(enum layer_type type);
enum layer_type import_rule_type(struct layer_rule rule, int64_t k);
// Types of the model's layers: those of the file's list, whose words must be among `allowed`
// (LAYER_BITs), else by the rule. NULL after an error.
enum layer_type *import_layer_types(struct import *i, const char *keys, unsigned allowed,
                                    struct layer_rule rule);
// By a list of 0 and 1, one for each layer. NULL after an error.
enum layer_type *import_mask(struct import *i, const char *keys, enum layer_type zero,
                             enum layer_type one);
bool import_has_type(const struct import *i, const enum layer_type *types, enum layer_type type);

// The sliding_window of the file or the class; v 0: none.
struct import_int import_window(struct import *i, const char *keys, int64_t fallback);
// Puts the window on the sliding layers.
void import_set_window(struct import *i, const enum layer_type *types, struct import_int w);

// ---- rules that several families share

const char *import_mla(struct import *i, int64_t latent, int64_t rope, int64_t nope, int64_t v);
const char *import_index(struct import *i);
// scale = 1 / sqrt(dim), with the square of YaRN's attention factor where the file asks for it.
void import_yarn_scale(struct import *i, int64_t dim);
// 0.1 * mscale * ln(factor) + 1, in binary64; factor > 1.
double import_yarn_mscale(double mscale, double factor);

// A recurrence as the value of `ssm`; groups or conv 0: left out.
struct import_ssm {
    const char *type;
    int64_t heads, head_dim, state, groups, conv;
};
const char *import_ssm(struct import *i, struct import_ssm s);

#endif
