// SPDX-License-Identifier: Apache-2.0
// Import of a Hugging Face config.json. `import_hf` reads the JSON, finds the architecture by its
// model_type and lets its function fill an import_model; `import_write` prints that as .attn text.
// A new architecture is a row in import_arch.c and, where its rule is new, a function.
#ifndef GEN_IMPORT_H
#define GEN_IMPORT_H

#include "gen/config.h"

#define IMPORT_MAX_LAYERS 4096
#define IMPORT_MAX_INT INT32_MAX // of head counts, dims, windows
#define IMPORT_ABSENT (-1)       // a per-layer attribute that is not given

// Attributes that may differ from layer to layer: X(enumerator, name in .attn).
#define IMPORT_LAYER_ATTRS(X)                                                                      \
    X(WINDOW, "window")                                                                            \
    X(WINDOW_LEFT, "window_left")                                                                  \
    X(WINDOW_RIGHT, "window_right")                                                                \
    X(KV_SHARE, "kv_share")

enum import_layer_attr {
#define IMPORT_LAYER_ATTR(id, name) IMPORT_##id,
    IMPORT_LAYER_ATTRS(IMPORT_LAYER_ATTR)
#undef IMPORT_LAYER_ATTR
        IMPORT_LAYER_ATTR_COUNT
};

struct import_layer {
    int64_t v[IMPORT_LAYER_ATTR_COUNT]; // IMPORT_ABSENT where not given
};

// A line of the model: NAME = VALUE; with a comment that says where the value comes from.
struct import_line {
    const char *name, *value;
    const char *comment; // or NULL
};

struct import_model {
    const char *name;       // of the model in .attn: a plain identifier
    const char *source;     // base name of the JSON file, any bytes
    const char *model_type; // of the architecture
    VEC(struct import_line) lines;
    int64_t n_layers;
    struct import_layer *layers;
    const char *comments[IMPORT_LAYER_ATTR_COUNT]; // where the attribute's usual value comes from
};

struct import_arch;

// What a rule works with.
struct import {
    struct arena *arena;
    struct diags *diags;
    const struct import_arch *arch;
    const struct config_value *root; // the whole text
    const struct config_value *text; // the part that holds the attention fields
    struct import_model *model;
    bool failed;
};

// A per-layer type, in the words of config.json.
enum layer_type { LAYER_FULL, LAYER_SLIDING };
const char *import_layer_type_text(enum layer_type type);

// One architecture: class defaults of transformers, and the rules.
struct import_arch {
    const char *model_type; // of the part that holds the fields
    const char *wrapper;    // model_type of a file that nests that part in text_config, or NULL
    int64_t layers, heads, kv_heads, head_dim, sliding_window;
    int64_t full_every;            // layer i is full iff (i + 1) % full_every == 0
    bool reads_pattern;            // sliding_window_pattern replaces full_every
    bool reads_softcap;            // attn_logit_softcapping counts
    const char *softcap;           // its default, or NULL
    const char *scale;             // fixed, or NULL: rsqrt(query_pre_attn_scalar)
    int64_t scalar;                // default of query_pre_attn_scalar
    bool reads_sharing;            // num_kv_shared_layers counts
    int64_t kv_shared;             // its default
    bool reads_bidirectional;      // use_bidirectional_attention counts
    void (*fill)(struct import *); // everything but layers, heads and dtype
};

extern const struct import_arch import_archs[];
extern const size_t import_arch_count;

void import_gemma(struct import *i);

// Reads the registered JSON text into *out. False after errors.
bool import_hf(struct arena *a, struct diags *d, uint32_t file, struct import_model *out);
// The model as .attn text.
const char *import_write(struct arena *a, const struct import_model *m, size_t *len);
// A plain identifier from a file name: its stem, mangled; `fallback` for a stem without a say
// ("config") or without a letter.
const char *import_name(struct arena *a, const char *path, const char *fallback);
const char *import_base_name(const char *path);
bool import_name_ok(const char *name);

// ---- fields: null counts as absent; what is wrong is reported at the field and sets i->failed.

struct import_int {
    int64_t v;
    bool given; // by the file
    bool bad;   // reported; v is the fallback
    const struct config_value *at;
};

// An integer in low..high; `fallback` where the file is silent.
struct import_int import_int(struct import *i, const char *key, int64_t low, int64_t high,
                             int64_t fallback);
bool import_flag(struct import *i, const char *key, bool fallback);
// A number in .attn spelling, greater than 0 or, where zero is allowed, not less. NULL when absent.
const char *import_decimal(struct import *i, const char *key, bool zero_allowed, bool *is_zero);
// layer_types of the file or, without it, `rule`: types of all layers. NULL after an error.
enum layer_type *import_layer_types(struct import *i, int64_t full_every);
// Adds a line to the model.
void import_line(struct import *i, const char *name, const char *value, const char *comment);
// The comment for a value that the file does not give.
const char *import_default_comment(struct import *i);

#endif
