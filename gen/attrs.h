// SPDX-License-Identifier: Apache-2.0
// The closed schema: every attribute of an operator, of a deployment and of a platform, once.
// Rules read them as layer.NAME, deploy.NAME and platform.NAME. Everything that lists attributes
// (parsing of models, look-up in rules, suggestions, the test of the schema) comes from here.
#ifndef GEN_ATTRS_H
#define GEN_ATTRS_H

// Vocabularies: which words a place takes.
#define VOCABULARIES(X)                                                                            \
    X(NONE)                                                                                        \
    X(DTYPE)                                                                                       \
    X(KV_DTYPE)                                                                                    \
    X(ATTN)                                                                                        \
    X(SSM_TYPE)                                                                                    \
    X(KIND)                                                                                        \
    X(PHASE)                                                                                       \
    X(DEVICE)                                                                                      \
    X(ISA)                                                                                         \
    X(LAYOUT)                                                                                      \
    X(POOL)                                                                                        \
    X(FLAG)                                                                                        \
    X(BACKEND)                                                                                     \
    X(FREE) /* any word */

enum vocabulary {
#define VOCABULARY(id) VOCAB_##id,
    VOCABULARIES(VOCABULARY)
#undef VOCABULARY
        VOCAB_COUNT
};

// Types: INT (an integer of at least 1), INT0 (at least 0), NUM (number), FLAG (yes/no), WORD (a
// word of the vocabulary beside it), SET (words), BLOCK (yes when given), BYTES (integer, at least
// 1), VERSION. Where it may be written: ML model level and layer block, B inside its own block;
// DERIVED nowhere.
// X(enumerator, "name in rules", type, vocabulary, where)
#define OPERATOR_ATTRS(X)                                                                          \
    X(HEADS, "heads", INT, NONE, ML)                                                               \
    X(KV_HEADS, "kv_heads", INT, NONE, ML)                                                         \
    X(HEAD_DIM, "head_dim", INT, NONE, ML)                                                         \
    X(V_HEAD_DIM, "v_head_dim", INT, NONE, ML)                                                     \
    X(DTYPE, "dtype", WORD, DTYPE, ML)                                                             \
    X(SCALE, "scale", NUM, NONE, ML)                                                               \
    X(SOFTCAP, "softcap", NUM, NONE, ML)                                                           \
    X(ALIBI, "alibi", FLAG, NONE, ML)                                                              \
    X(SINK_LOGITS, "sink_logits", FLAG, NONE, ML)                                                  \
    X(WINDOW, "window", INT, NONE, ML)                                                             \
    X(WINDOW_LEFT, "window_left", INT0, NONE, ML)                                                  \
    X(WINDOW_RIGHT, "window_right", INT0, NONE, ML)                                                \
    X(CHUNK, "chunk", INT, NONE, ML)                                                               \
    X(SINK_TOKENS, "sink_tokens", INT, NONE, ML)                                                   \
    X(ATTN, "attn", WORD, ATTN, ML)                                                                \
    X(MLA, "mla", BLOCK, NONE, ML)                                                                 \
    X(MLA_LATENT, "mla.latent", INT, NONE, B)                                                      \
    X(MLA_ROPE, "mla.rope", INT0, NONE, B)                                                         \
    X(MLA_NOPE, "mla.nope", INT0, NONE, B)                                                         \
    X(MLA_V, "mla.v", INT, NONE, B)                                                                \
    X(SSM, "ssm", BLOCK, NONE, ML)                                                                 \
    X(SSM_TYPE, "ssm.type", WORD, SSM_TYPE, B)                                                     \
    X(SSM_HEADS, "ssm.heads", INT, NONE, B)                                                        \
    X(SSM_HEAD_DIM, "ssm.head_dim", INT, NONE, B)                                                  \
    X(SSM_STATE, "ssm.state", INT0, NONE, B)                                                       \
    X(SSM_GROUPS, "ssm.groups", INT, NONE, B)                                                      \
    X(SSM_CONV, "ssm.conv", INT0, NONE, B)                                                         \
    X(SSM_DTYPE, "ssm.dtype", WORD, DTYPE, B)                                                      \
    X(INDEX, "index", BLOCK, NONE, ML)                                                             \
    X(INDEX_TOPK, "index.topk", INT, NONE, B)                                                      \
    X(INDEX_HEADS, "index.heads", INT, NONE, B)                                                    \
    X(INDEX_HEAD_DIM, "index.head_dim", INT, NONE, B)                                              \
    X(INDEX_DTYPE, "index.dtype", WORD, KV_DTYPE, B)                                               \
    X(INDEX_SHARE, "index.share", INT0, NONE, B)                                                   \
    X(COMPRESS, "compress", INT, NONE, ML)                                                         \
    X(KV_SHARE, "kv_share", INT0, NONE, ML)                                                        \
    X(K_WIDTH, "k_width", INT, NONE, ML)                                                           \
    X(V_WIDTH, "v_width", INT0, NONE, DERIVED)                                                     \
    X(DEMAND, "demand", SET, FLAG, ML)                                                             \
    X(KIND, "kind", WORD, KIND, DERIVED)                                                           \
    X(KV_DTYPE, "kv_dtype", WORD, KV_DTYPE, DERIVED)

enum operator_attr {
#define OPERATOR_ATTR(id, name, type, vocabulary, where) ATTR_##id,
    OPERATOR_ATTRS(OPERATOR_ATTR)
#undef OPERATOR_ATTR
        ATTR_COUNT
};

// X(enumerator, "name", type, vocabulary)
#define DEPLOY_ATTRS(X)                                                                            \
    X(MAX_SEQS, "max_seqs", INT, NONE)                                                             \
    X(MAX_TOKENS, "max_tokens", INT, NONE)                                                         \
    X(MAX_BATCH_TOKENS, "max_batch_tokens", INT, NONE)                                             \
    X(MAX_SOURCE_TOKENS, "max_source_tokens", INT, NONE)                                           \
    X(MAX_CACHED_TOKENS, "max_cached_tokens", INT, NONE)                                           \
    X(DECODE_Q, "decode_q", INT, NONE)                                                             \
    X(KV_DTYPE, "kv_dtype", WORD, KV_DTYPE)                                                        \
    X(BLOCK_SIZE, "block_size", INT, NONE)                                                         \
    X(MEMORY, "memory", BYTES, NONE)                                                               \
    X(FLASH, "flash", BYTES, NONE)                                                                 \
    X(TP, "tp", INT, NONE)                                                                         \
    X(DCP, "dcp", INT, NONE)                                                                       \
    X(PCP, "pcp", INT, NONE)                                                                       \
    X(POOL, "pool", WORD, POOL)                                                                    \
    X(LAYOUT, "layout", WORD, LAYOUT)                                                              \
    X(DETERMINISTIC, "deterministic", FLAG, NONE)                                                  \
    X(DEMAND, "demand", SET, FLAG)                                                                 \
    X(UNCHECKED, "unchecked", FLAG, NONE)

enum deploy_attr {
#define DEPLOY_ATTR(id, name, type, vocabulary) DEPLOY_##id,
    DEPLOY_ATTRS(DEPLOY_ATTR)
#undef DEPLOY_ATTR
        DEPLOY_ATTR_COUNT
};

#define PLATFORM_ATTRS(X)                                                                          \
    X(DEVICE, "device", SET, DEVICE)                                                               \
    X(ISA, "isa", WORD, ISA)                                                                       \
    X(CC, "cc", VERSION, NONE)                                                                     \
    X(SMS, "sms", INT, NONE)                                                                       \
    X(SMEM, "smem", BYTES, NONE)                                                                   \
    X(CORES, "cores", INT, NONE)                                                                   \
    X(MEMORY, "memory", BYTES, NONE)                                                               \
    X(FLASH, "flash", BYTES, NONE)

enum platform_attr {
#define PLATFORM_ATTR(id, name, type, vocabulary) PLATFORM_##id,
    PLATFORM_ATTRS(PLATFORM_ATTR)
#undef PLATFORM_ATTR
        PLATFORM_ATTR_COUNT
};

enum attr_type {
    TYPE_INT,
    TYPE_INT0,
    TYPE_NUM,
    TYPE_FLAG,
    TYPE_WORD,
    TYPE_SET,
    TYPE_BLOCK,
    TYPE_BYTES,
    TYPE_VERSION
};
enum attr_where { WHERE_ML, WHERE_B, WHERE_DERIVED };

struct attr_info {
    const char *name;
    enum attr_type type;
    enum vocabulary vocabulary;
    enum attr_where where;
};
extern const struct attr_info operator_attr_infos[ATTR_COUNT];
extern const struct attr_info deploy_attr_infos[DEPLOY_ATTR_COUNT];
extern const struct attr_info platform_attr_infos[PLATFORM_ATTR_COUNT];
// Index of a name, or -1.
int attr_find(const struct attr_info *infos, int n, const char *name);

enum phase { PHASE_PREFILL, PHASE_DECODE, PHASE_COUNT };
extern const char *const phase_names[PHASE_COUNT]; // "prefill", "decode"

#endif
