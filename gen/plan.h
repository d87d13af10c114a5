// SPDX-License-Identifier: Apache-2.0
// The plan: everything that was decided about one deployment, and the only thing that emitters
// read. Strings and numbers, no syntax. Operators sort by model, layer, op (`self` first, then by
// bytes).
#ifndef GEN_PLAN_H
#define GEN_PLAN_H

#include "gen/attrs.h"
#include "gen/number.h"
#include "grammar/arena.h"

#define PLAN_NO_INDEX UINT32_MAX

// How a phase's backend was decided; the names stand in JSON.
#define DECISIONS(X)                                                                               \
    X(LAYER, "layer")                                                                              \
    X(KIND_PHASE, "kind.phase")                                                                    \
    X(KIND, "kind")                                                                                \
    X(BACKEND, "backend")                                                                          \
    X(AUTO, "auto")

enum decision {
#define DECISION(id, name) DECIDED_##id,
    DECISIONS(DECISION)
#undef DECISION
};
const char *decision_text(enum decision d);

struct plan_candidate {
    const char *backend;
    bool ok;
    const char *misfit; // ok, but does not agree with the rest of its group: in what; or NULL
    VEC(const char *) reasons; // names, in order
    VEC(const char *) texts;   // one for each: "head_dim: wanted 88, has {64, 128}"; NULL = quiet
};

struct plan_line { // of a deployment, that speaks for an operator and phase
    enum decision level;
    const char *text; // as it was written
    const char *at;   // "file:line"
};

struct plan_phase {
    bool present;        // the operator has this phase
    const char *backend; // NULL: none could be chosen
    enum decision decided_by;
    const char *entry; // kernel family or external function; NULL when it cannot be linked
    uint32_t kernel;   // index into plan.kernels; PLAN_NO_INDEX when there is none
    VEC(struct plan_candidate) candidates; // filled only when asked for
    VEC(struct plan_line) lines;           // the same; the first counts
    const char *decided_at;                // "file:line" of the setting that decided; NULL for auto
};

// An integer that may be absent.
struct plan_int {
    bool given;
    int64_t v;
};

struct plan_operator {
    const char *model, *op; // op: "self", "cross", ...
    uint32_t model_index;
    int64_t layer;
    const char *kind;
    struct plan_int heads, kv_heads, head_dim, v_head_dim; // one rank's; absent for ssm
    bool has_mla;
    struct plan_int mla_latent, mla_rope, mla_nope, mla_v;
    struct plan_int window, window_left, window_right, chunk, sink_tokens;
    bool sink_logits, alibi;
    bool has_softcap;
    struct number softcap;
    bool has_scale;
    struct number scale;
    struct plan_int kv_share; // layer, as written
    uint32_t owner;           // operator whose cache it reads (itself, or the kv_share target)
    bool has_ssm;
    const char *ssm_type, *ssm_dtype;
    struct plan_int ssm_heads, ssm_head_dim, ssm_state, ssm_groups, ssm_conv;
    bool has_index;
    struct plan_int index_topk, index_heads, index_head_dim, index_share;
    const char *index_dtype;
    struct plan_int compress;
    VEC(const char *) demand; // every flag demanded, in declaration order of the capabilities
    const char *dtype;        // NULL for ssm
    const char *kv_dtype;     // NULL without attention
    struct plan_int k_width, v_width;
    bool owns_cache; // false for encoder_only and kv_share
    bool deterministic;
    uint32_t group; // index into groups; PLAN_NO_INDEX without a cache
    struct plan_phase phase[PHASE_COUNT];
    const char *write;     // writer family or function of the group; NULL when there is none
    uint32_t write_kernel; // index into plan.kernels
    uint32_t class_index;  // index into plan.classes
    int64_t max_tokens, max_batch_tokens; // of its model
};

struct plan_group {
    const char *name; // unique in the plan: KIND, or KIND_2 ... in order
    const char *kind;
    uint32_t model_index;
    bool has_block_size; // false for states
    int64_t block_size;
    const char *layout;                        // NULL for states
    struct plan_int page_bytes, blocks, bytes; // absent: a dtype of unknown size
    struct plan_int window, chunk;
    int64_t max_length; // tokens of a longest sequence in it
    const char *kv_dtype;
    VEC(uint32_t) operators; // cache owners, then sharers
    uint32_t owners;
};

// One kernel instance: a distinct specialisation of a family, or an external function.
enum kernel_role { KERNEL_RUN, KERNEL_WRITE };
struct plan_kernel {
    const char *symbol; // DEPLOY__key
    const char *key;    // spells the specialisation
    uint64_t fingerprint;
    const char *entry; // family or external function
    bool external;
    enum kernel_role role;
    uint32_t op; // an operator that it serves: geometry comes from there
};

struct plan_class {                  // operators that share geometry, kernels and cache format
    uint32_t op;                     // its first operator
    uint32_t prefill, decode, write; // kernels, or PLAN_NO_INDEX
};

struct plan {
    const char *deploy, *platform;
    const char *isa; // or NULL
    struct plan_int cores;
    VEC(const char *) models;
    VEC(struct plan_operator) operators;
    VEC(struct plan_group) groups;
    VEC(struct plan_kernel) kernels;
    VEC(struct plan_class) classes;
    bool has_deploy; // false: models only, everything that needs a deployment is null
    int64_t max_seqs, max_tokens, max_batch_tokens, decode_q;
    struct plan_int max_source_tokens;
    struct plan_int kv_bytes, state_bytes, workspace_bytes, total_bytes; // absent: unknown sizes
    struct plan_int budget_bytes;
    bool complete; // every phase has a backend
    bool linkable; // every backend has an entry
};

#endif
