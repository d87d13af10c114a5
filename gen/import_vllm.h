// SPDX-License-Identifier: Apache-2.0
// What vLLM 0.33.0 does with an --attention-config: how it reads the JSON, which key each attention
// layer asks for, and where a platform or a model decides by itself. The rules of its backends are
// not here but in std/vllm.attn. import_vllm_config.c reads the JSON, import_vllm_choice.c applies
// it to operators, import_vllm_deploy.c writes the deployment, import_vllm_resolve.c settles block
// sizes and layouts; export_vllm.c goes the other way.
#ifndef GEN_IMPORT_VLLM_H
#define GEN_IMPORT_VLLM_H

#include "gen/command.h"
#include "gen/config.h"
#include "gen/settings.h"
#include "gen/text.h"
#include "gen/verdict.h"

#define VLLM_LIBRARY "std/vllm.attn"
#define VLLM_DEPLOYMENT "serve" // name of the deployment that is written

// What vLLM makes of a null in backend_per_kind: the name that a plugin registers.
#define VLLM_CUSTOM "CUSTOM"

// The groups that vLLM knows, by their names in backend_per_kind.
// X(enumerator, name, whether a layer asks for it, else why none does)
#define VLLM_KINDS(X)                                                                              \
    X(FULL, "full_attention", true, NULL)                                                          \
    X(SLIDING, "sliding_window", true, NULL)                                                       \
    X(MLA, "mla_attention", true, NULL)                                                            \
    X(SLIDING_MLA, "sliding_window_mla", false,                                                    \
      "layers with a latent cache ask for `mla_attention`, windowed or not")                       \
    X(ENCODER_ONLY, "encoder_only_attention", true, NULL)                                          \
    X(CROSS, "cross_attention", true, NULL)                                                        \
    X(MAMBA, "mamba", false, "recurrent layers choose by their type, not by this map")             \
    X(CHUNKED, "chunked_local_attention", false, "chunked layers ask for `full_attention`")        \
    X(SINK, "sink_full_attention", false,                                                          \
      "layers with static sink tokens ask for `full_attention`")                                   \
    X(UNKNOWN, "unknown", false, "no layer is of this kind")

enum vllm_kind {
#define VLLM_KIND(id, name, asked, why) VLLM_KIND_##id,
    VLLM_KINDS(VLLM_KIND)
#undef VLLM_KIND
        VLLM_KIND_COUNT
};

struct vllm_kind_info {
    const char *name;
    bool asked;
    const char *why;
};
extern const struct vllm_kind_info vllm_kinds[VLLM_KIND_COUNT];

// ---- the JSON

// Types of the fields of vLLM's AttentionConfig.
enum vllm_type { VLLM_REQUEST, VLLM_MAP, VLLM_INT, VLLM_FLAG, VLLM_WORD, VLLM_OBJECT };

// X(enumerator, key, type, null is its default, default as .attn text or NULL for null, words or
// range, what it becomes in a deployment: a fact of this name, NULL: not a fact)
#define VLLM_FIELDS(X)                                                                             \
    X(BACKEND, "backend", REQUEST, true, NULL, NULL, NULL)                                         \
    X(PER_KIND, "backend_per_kind", MAP, false, NULL, NULL, NULL)                                  \
    X(MSA, "minimax_m3_msa_decode_backend", WORD, false, "triton", "triton cutlass",               \
      "minimax_m3_msa_decode_backend")                                                             \
    X(FA_VERSION, "flash_attn_version", INT, true, NULL, "2 3 4", "fa_version")                    \
    X(TRTLLM, "use_trtllm_attention", FLAG, true, NULL, NULL, "use_trtllm")                        \
    X(NON_CAUSAL, "use_non_causal", FLAG, false, "no", NULL, NULL)                                 \
    X(FA_SPLITS, "flash_attn_max_num_splits_for_cuda_graph", INT, false, "32", NULL,               \
      "flash_attn_max_num_splits_for_cuda_graph")                                                  \
    X(TQ_SPLITS, "tq_max_kv_splits_for_cuda_graph", INT, false, "32", NULL,                        \
      "tq_max_kv_splits_for_cuda_graph")                                                           \
    X(NO_Q_QUANT, "disable_flashinfer_q_quantization", FLAG, false, "no", NULL,                    \
      "disable_flashinfer_q_quantization")                                                         \
    X(MLA_PREFILL, "mla_prefill_backend", WORD, true, NULL, NULL, "mla_prefill_backend")           \
    X(PREFILL_QUANT, "use_prefill_query_quantization", FLAG, false, "no", NULL,                    \
      "use_prefill_query_quantization")                                                            \
    X(FP4_INDEXER, "use_fp4_indexer_cache", FLAG, true, NULL, NULL, "use_fp4_indexer_cache")       \
    X(INDEXER_DTYPE, "indexer_kv_dtype", WORD, false, "auto", "auto bf16 fp8 mxfp4 nvfp4",         \
      "indexer_kv_dtype")                                                                          \
    X(SPARSE_LOGITS, "indexer_sparse_logits", FLAG, false, "no", NULL, "indexer_sparse_logits")    \
    X(NO_PCP, "disable_pcp", FLAG, false, "no", NULL, "disable_pcp")                               \
    X(FORCE_MQA, "sparse_mla_force_mqa", FLAG, false, "no", NULL, "sparse_mla_force_mqa")          \
    X(FLEX_M, "flex_attn_block_m", INT, true, NULL, NULL, "flex_attn_block_m")                     \
    X(FLEX_N, "flex_attn_block_n", INT, true, NULL, NULL, "flex_attn_block_n")                     \
    X(FLEX_Q, "flex_attn_q_block_size", INT, true, NULL, NULL, "flex_attn_q_block_size")           \
    X(FLEX_KV, "flex_attn_kv_block_size", INT, true, NULL, NULL, "flex_attn_kv_block_size")        \
    X(HISPARSE, "hisparse_config", OBJECT, true, NULL, NULL, "hisparse_config")

enum vllm_field {
#define VLLM_FIELD(id, key, type, null, value, words, fact) VLLM_FIELD_##id,
    VLLM_FIELDS(VLLM_FIELD)
#undef VLLM_FIELD
        VLLM_FIELD_COUNT
};

struct vllm_field_info {
    const char *key;
    enum vllm_type type;
    bool null_ok;
    const char *value; // the default
    const char *words;
    const char *fact;
};
extern const struct vllm_field_info vllm_fields[VLLM_FIELD_COUNT];

struct vllm_request {
    const char *backend; // NULL: automatic, or not given
    const struct config_value *at;
};

struct vllm_config {
    const struct config_value *root;
    struct vllm_request backend;
    const char *msa;                            // minimax_m3_msa_decode_backend after aliases
    struct vllm_request kinds[VLLM_KIND_COUNT]; // `at` NULL: not in the map
    const struct config_value *fields[VLLM_FIELD_COUNT]; // given, and not the default; or NULL
};

// Names that stand in vLLM's registry: the backends of std/vllm.attn, placeholders too.
const char *const *vllm_backend_names(struct arena *a, const struct program *library, size_t *n);
// The registered name that vLLM reads in `text` (case does not count); NULL when there is none.
const char *vllm_backend_named(struct arena *a, const struct program *library, const char *text);
// Reads the registered text. False after errors.
bool vllm_config_read(struct command *c, const struct program *library, uint32_t file,
                      struct vllm_config *out);
// What vLLM makes of it, as JSON in one line: backend, backend_per_kind, msa decode kernel.
void vllm_config_print(const struct vllm_config *v, struct text *t);

// ---- operators

enum vllm_origin {
    VLLM_BY_KEY,      // an entry of backend_per_kind
    VLLM_BY_BACKEND,  // the global backend
    VLLM_AUTOMATIC,   // vLLM's priority list
    VLLM_BY_PLATFORM, // whatever was asked for
    VLLM_BY_MODEL     // the model names a class
};

struct vllm_choice {
    bool attention;      // a recurrence has no kind and asks for nothing
    enum vllm_kind kind; // that vLLM derives from latent, window and type
    bool asks;           // the layer looks into the map
    enum vllm_kind key;  // what it looks for
    const char *backend; // NULL: automatic
    enum vllm_origin origin;
    const char *refused;           // vLLM raises: why; or NULL
    const char *ignored;           // a request that does not count: its name
    const struct config_value *at; // the setting that decided, or that is ignored
};

#define VLLM_MODELS 3 // an encoder, a decoder and a drafter

// What is served, as read from the text that was composed.
struct vllm_served {
    struct command *command;
    struct program *program;
    struct deployment deployment;
    struct vllm_config config;
    const char *model_types[VLLM_MODELS]; // of each model; NULL: not known
    bool draft[VLLM_MODELS];              // the model drafts for the first one
    struct vllm_request draft_backend;
    bool forced_version;                      // the model sets flash_attn_version 4
    struct vllm_choice *choices[VLLM_MODELS]; // of each model, by attribute set
};

// The choice for one attribute set of a model.
struct vllm_choice vllm_choose(const struct vllm_served *s, const struct deployed_model *m,
                               const struct attr_set *set);
// The key that the layer class of an operator with attention looks for.
enum vllm_kind vllm_asked_kind(const struct operator_attrs *a);
struct subject vllm_subject(const struct program *p, const struct deployed_model *m,
                            const struct attr_set *set);
// A fact of the platform, or of the deployment, that is `yes`.
bool vllm_fact(const struct subject *s, const char *name);
// The same of a `let` of a backend.
bool vllm_let(const struct subject *s, const struct decl *backend, const char *name);
bool vllm_has_device(const struct deployment *d, const char *device);

int import_vllm(struct command *c);

#endif
