/* SPDX-License-Identifier: Apache-2.0
 * The contract between generated tables, kernels and the programs that use them: C11 and C++17,
 * freestanding. Structures are plain data; callers own all memory; the runtime neither allocates
 * nor keeps state of its own. Public structures that a caller fills begin with their size, so that
 * fields can be added: set them with ATTN_INIT(type) and then the fields you need.
 *
 * Units: strides are in elements of the tensor's own type unless a name says bytes; positions and
 * lengths are in tokens; token rows are ragged (all sequences of a step one after the other).
 */
#ifndef ATTN_ABI_H
#define ATTN_ABI_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define ATTN_ABI 1
extern const uint32_t attn_abi_1; /* in the runtime: a table of another ABI fails to link */

#ifdef __cplusplus
#define ATTN_INIT(type)                                                                            \
    ([] {                                                                                          \
        type fresh = type();                                                                       \
        fresh.size = (uint32_t)sizeof(type);                                                       \
        return fresh;                                                                              \
    }())
#else
#define ATTN_INIT(type) ((type){.size = (uint32_t)sizeof(type)})
#endif

/* ---- status: pinned values, 0 is success; outputs are untouched unless the call returns ATTN_OK
   X(name, value, text) */
#define ATTN_STATUSES(X)                                                                           \
    X(ATTN_OK, 0, "success")                                                                       \
    /* the call */                                                                                 \
    X(ATTN_E_NULL, 10, "a required pointer is null")                                               \
    X(ATTN_E_SIZE, 11, "a structure's size field does not fit this runtime")                       \
    X(ATTN_E_ABI, 12, "a table or kernel of another ABI, or a table that is not one")              \
    X(ATTN_E_OPERATOR, 13, "no such operator")                                                     \
    X(ATTN_E_STRIDE, 14,                                                                           \
      "rows overlap, or a stride is negative, too large or smaller than a page")                   \
    X(ATTN_E_ALIGN, 15, "a pointer is not aligned to its element")                                 \
    X(ATTN_E_STEP, 16,                                                                             \
      "calls are out of order: no attn_step for this table and batch, or a step that is not over") \
    X(ATTN_E_KEY, 17, "the kernel was not made for this operator's class")                         \
    X(ATTN_E_KIND, 18, "the kernel does not serve this kind")                                      \
    X(ATTN_E_NO_WRITE, 19, "this operator owns no cache (kv_share, encoder_only)")                 \
    X(ATTN_E_NO_PHASE, 20, "the operator has no kernel for this phase")                            \
    X(ATTN_E_HEADS, 21, "query heads are no multiple of the KV heads, or a dimension is 0")        \
    /* the batch */                                                                                \
    X(ATTN_E_BATCH, 30, "counts or starts do not fit together")                                    \
    X(ATTN_E_LIMIT, 31, "beyond max_seqs, max_tokens, max_batch_tokens or max_source_tokens")      \
    X(ATTN_E_LENGTH, 32,                                                                           \
      "a sequence is negative, shorter than its new tokens, or for encoder_only not equal to "     \
      "them")                                                                                      \
    X(ATTN_E_BLOCK, 33, "a block id outside the pool (checked executions); see attn_fault")        \
    X(ATTN_E_TABLE, 34, "a block table is missing or too narrow")                                  \
    /* resources */                                                                                \
    X(ATTN_E_WORKSPACE, 50, "the workspace is missing, misaligned or too small")                   \
    X(ATTN_E_CACHE, 51,                                                                            \
      "the cache manager is out of blocks, or a sequence is not in the state that the call needs") \
    X(ATTN_E_ISA, 52, "this processor lacks what the kernel was built for")                        \
    X(ATTN_E_DEVICE, 53, "a device call failed")

typedef enum attn_status {
#define ATTN_STATUS_ROW(name, value, text) name = value,
    ATTN_STATUSES(ATTN_STATUS_ROW)
#undef ATTN_STATUS_ROW
} attn_status;
const char *attn_status_text(attn_status status); /* one line, never NULL */

/* ---- words: values are pinned, they stand in tables */
typedef enum attn_kind {
    ATTN_FULL_ATTENTION = 0,
    ATTN_SLIDING_WINDOW = 1,
    ATTN_CHUNKED_LOCAL_ATTENTION = 2,
    ATTN_SINK_FULL_ATTENTION = 3,
    ATTN_ENCODER_ONLY_ATTENTION = 4,
    ATTN_CROSS_ATTENTION = 5,
    ATTN_MLA_ATTENTION = 6,
    ATTN_SLIDING_WINDOW_MLA = 7,
    ATTN_MAMBA = 8
} attn_kind;

typedef enum attn_dtype {
    ATTN_F32 = 0,
    ATTN_BF16 = 1,
    ATTN_F16 = 2,
    ATTN_FP8_E4M3 = 3,
    ATTN_INT8 = 4
} attn_dtype;

typedef enum attn_layout {
    ATTN_LAYOUT_NONE = 0,     /* no cache of its own */
    ATTN_LAYOUT_HND = 1,      /* K[head][slot][D], V[head][slot][Dv] */
    ATTN_LAYOUT_HND_PAIR = 2, /* K[head][D/2][slot][2], V[head][slot/2][Dv][2] */
    ATTN_LAYOUT_LATENT = 3,   /* [slot][latent + rope] */
    ATTN_LAYOUT_STATE = 4,    /* one recurrent state */
    ATTN_LAYOUT_VENDOR = 255  /* an external kernel's own */
} attn_layout;

typedef enum attn_phase { ATTN_PREFILL = 0, ATTN_DECODE = 1 } attn_phase;

/* Instruction sets that a kernel instance may need (attn_kernel.caps), a bit each. */
#define ATTN_CAP_X86_64_V3 (1u << 0) /* AVX2, FMA, F16C, BMI2 */
#define ATTN_CAP_X86_64_V4 (1u << 1) /* AVX-512 F, BW, CD, DQ, VL */
#define ATTN_CAP_AVX512_BF16 (1u << 2)

/* ---- what a kernel instance has baked in; public so that external kernels get the same */
#define ATTN_UNBOUNDED (-1) /* window_left, window_right: no bound on that side */

typedef struct attn_params {
    uint32_t size;
    uint8_t kind, dtype, kv_dtype, layout; /* attn_kind, attn_dtype, attn_dtype, attn_layout */
    uint32_t heads, kv_heads;              /* one rank's; heads is a multiple of kv_heads */
    uint32_t head_dim, v_head_dim;         /* what Q.K and P.V see */
    uint32_t k_width, v_width;         /* widths of a cached K and V row (MLA: latent + rope, 0) */
    uint32_t block_size;               /* tokens in a page; 0 without a cache */
    uint64_t page_bytes;               /* one page of one operator; 0 without a cache */
    float scale;                       /* multiplies q.k before all else */
    float softcap;                     /* s <- cap tanh(s / cap); 0 = none */
    int32_t window_left, window_right; /* keys p - left .. p + right; ATTN_UNBOUNDED = no bound.
                                          A causal operator has window_right 0; a causal window
                                          of W keys, its own counted, has window_left W - 1. */
    uint32_t chunk;                    /* same chunk of this many positions only; 0 = none */
    uint32_t sink_tokens;              /* rows of io.sink_k / io.sink_v, always visible */
    uint8_t sink_logits;               /* 1: io.sink_logits joins the denominator */
    uint8_t alibi;                     /* 1: io.alibi_slopes times (key - query) is added */
    uint8_t deterministic;             /* 1: same bits for every chunking, batch and split */
    uint8_t reserved;
    uint32_t decode_q; /* a sequence with at most this many new tokens decodes */
} attn_params;

/* ---- tensors and pages of one call */
typedef struct attn_cache_view { /* of one operator; filled by the runtime for a kernel */
    void *base;                  /* page 0 of this operator */
    int64_t page_stride;         /* bytes from a page to the next; at least page_bytes */
    uint32_t n_pages;            /* block ids are below this */
    uint32_t cols;               /* columns of the block table: block b is in column b mod cols */
    const int32_t *table;        /* [sequence][cols] block ids of the first sequence of the call */
    int64_t table_stride;        /* elements from a sequence's row to the next */
} attn_cache_view;

typedef struct attn_io {
    uint32_t size;
    uint32_t partial; /* 1: out is f32, lse is required, sink logits are left to attn_merge */
    /* Rows of all tokens of the batch, [token][head][dim]; the last dimension is contiguous. */
    const void *q; /* dtype, heads x head_dim */
    int64_t q_token_stride, q_head_stride;
    void *out; /* dtype (f32 when partial), heads x v_head_dim */
    int64_t out_token_stride, out_head_stride;
    float *
        lse; /* optional, [token][head]: natural log, without the sink logit; -inf for empty rows */
    int64_t lse_token_stride;
    /* attn_kv_write: the new rows of the step. encoder_only: the dense K and V that attn_run reads.
     */
    const void *k; /* dtype, kv_heads x head_dim */
    int64_t k_token_stride, k_head_stride;
    const void *v; /* dtype, kv_heads x v_head_dim */
    int64_t v_token_stride, v_head_stride;
    const void *sink_k, *sink_v; /* dtype, [sink_tokens][kv_heads][head_dim or v_head_dim], dense */
    const float *sink_logits;    /* [heads] */
    const float *alibi_slopes;   /* [heads] */
    float k_scale, v_scale; /* fp8 caches: stored value times scale is the true one; 0 reads as 1 */
    const uint64_t *tree_mask; /* optional: bit j of row i of a sequence's q_len x q_len mask over
                                  its newest keys, rows of tree_mask_stride words, [token] rows */
    int64_t tree_mask_stride;
    attn_cache_view cache; /* set by the runtime on the way to a kernel; ignored from callers */
} attn_io;

typedef struct attn_block_table { /* of one group */
    const int32_t *ids;           /* [sequence][cols] */
    int64_t stride;               /* elements from a sequence to the next; at least cols */
    uint32_t cols;
} attn_block_table;

typedef struct attn_fault { /* where a checked execution met its first bad block id */
    uint32_t sequence;      /* index in the batch */
    uint32_t column;        /* column of the block table */
    int32_t id;             /* what stood there */
} attn_fault;

typedef struct attn_batch {
    uint32_t size;
    uint32_t n_decode;      /* the first sequences: q_len <= decode_q */
    uint32_t n_prefill;     /* the others */
    uint32_t n_tokens;      /* rows of q, out, k, v: at least q_start[n_decode + n_prefill] */
    const int32_t *q_start; /* [n + 1] first new token of each sequence; q_start[0] = 0 */
    const int32_t *seq_len; /* [n] tokens of the sequence after this step's */
    const int32_t
        *src_start;         /* cross: [n + 1] first new source row of each sequence (io.k / io.v) */
    const int32_t *src_len; /* cross: [n] source rows of the sequence after this step's */
    const attn_block_table *tables; /* [groups of the table] */
    attn_fault *fault;              /* optional */
} attn_batch;

typedef struct attn_kv { /* where one operator's pages are; several may share a base */
    void *base;
    int64_t page_stride; /* bytes */
    uint32_t n_pages;
} attn_kv;

typedef void attn_task(void *arg, uint32_t item, uint32_t worker);

#define ATTN_EXEC_CHECKED 1u /* look at every block id that a call may read or write */

typedef struct attn_exec {
    uint32_t size;
    uint32_t flags;  /* ATTN_EXEC_CHECKED */
    void *workspace; /* 64-byte aligned; one for each concurrent stream */
    size_t workspace_bytes;
    const attn_kv *kv; /* [n_kv], by operator; entries of operators without a cache are unused. A
                          kv_share operator reads its owner's entry. */
    uint32_t n_kv;     /* operators of the table */
    uint32_t workers;  /* how many tasks parallel_for may run at once; 0 reads as 1 */
    /* Runs task(arg, item, worker) for every item below n and returns when all are done; worker is
       below `workers` and no two tasks at a time share it. Null: items run one after another. */
    void (*parallel_for)(void *ctx, uint32_t n, attn_task *task, void *arg);
    void *parallel_ctx;
    void *stream; /* CUDA: CUstream */
    void *device; /* CUDA: the handle of attn_cuda_open */
} attn_exec;

/* ---- kernels */
/* One phase's sequences of a step, for one operator. `batch` holds just these sequences: q_start
   starts at the first of them (not 0), and rows of io are indexed by q_start as it stands. Its
   `tables` and `fault` are null: io.cache is the block table, from the first of these sequences on.
   A writer gets all sequences in one call and appends rows [q_start[i], q_start[i + 1]) of io.k and
   io.v at the end of seq_len[i]; for cross attention these two are the source's (src_start,
   src_len). Worker w owns x.workspace + w * ATTN_ROUND_UP(workspace, 64) onwards. */
typedef attn_status attn_kernel_fn(attn_exec *x, const attn_params *params, const attn_batch *batch,
                                   const attn_io *io);

typedef struct attn_kernel {
    uint32_t abi;
    uint32_t caps;      /* ATTN_CAP_* that the processor must have */
    uint64_t key;       /* fingerprint of its specialisation; equals its class's */
    uint64_t workspace; /* bytes for each worker */
    const attn_params *params;
    attn_kernel_fn *run;
} attn_kernel;

/* ---- table: pointer-free, position-independent, all of it constant */
#define ATTN_NO_ENTRY 0xffffu

typedef struct attn_class { /* operators that share geometry, kernels and cache format */
    uint64_t prefill_key, decode_key, write_key;       /* keys of the kernels; 0 = none */
    uint16_t prefill_entry, decode_entry, write_entry; /* in NAME_entry; ATTN_NO_ENTRY = none */
    uint8_t kind, dtype, kv_dtype, layout;
    uint16_t group; /* ATTN_NO_ENTRY without a cache */
    uint32_t heads, kv_heads, head_dim, v_head_dim, k_width, v_width;
    uint32_t sink_tokens;
    uint8_t sink_logits, alibi, causal, reserved;
} attn_class;

#define ATTN_MAX_OPERATORS 0xffffffu

typedef struct attn_operator {
    uint16_t class_index;
    uint16_t model; /* in the deployment's list */
    uint32_t slot;  /* its place among the cache owners of its group; a sharer has its owner's */
    uint32_t owner; /* operator whose pages it reads; itself but for kv_share */
    uint32_t layer;
    uint32_t name;                         /* offset of "MODEL.LAYER.OP" in the string blob */
    uint32_t max_tokens, max_batch_tokens; /* its model's limits */
} attn_operator;

typedef struct attn_group { /* operators that share block tables */
    uint64_t page_bytes;    /* of one operator */
    uint64_t blocks;        /* that the memory plan holds */
    uint32_t block_size;
    uint32_t cols;       /* columns of an ordinary block table: every block of a longest sequence */
    int32_t window_left; /* keys behind a query that may still be read; ATTN_UNBOUNDED = all */
    uint32_t chunk;      /* 0 = none */
    uint32_t operators;  /* cache owners */
    uint8_t kind, layout, kv_dtype, source; /* source 1: holds source rows (cross) */
    uint32_t name;                          /* offset in the string blob */
    uint32_t max_length; /* tokens of a longest sequence: max_tokens, or max_source_tokens */
} attn_group;

typedef struct attn_header {
    uint32_t abi, size;
    uint64_t fingerprint; /* of the whole plan */
    uint32_t n_classes, n_operators, n_groups, n_entries;
    uint32_t classes, operators, groups, strings; /* byte offsets from the header */
    uint32_t strings_bytes;
    uint32_t max_seqs, max_tokens, max_batch_tokens, max_source_tokens, decode_q;
    uint32_t workers; /* that workspace_bytes was planned for */
    uint32_t reserved;
    uint64_t step_bytes;   /* workspace of attn_step */
    uint64_t worker_bytes; /* workspace of the hungriest kernel, for one worker */
    uint64_t kv_bytes, state_bytes, workspace_bytes; /* the memory plan */
} attn_header;

typedef struct attn_table {
    const attn_header *data;
    const attn_kernel *const *entry; /* [n_entries] */
} attn_table;

/* ---- workspace, as the compiler plans it and the runtime lays it out */
#define ATTN_WORKSPACE_ALIGN 64u
#define ATTN_ROUND_UP(n, to) (((n) + (to)-1u) / (to) * (to))
/* attn_step keeps a header and, for each class, its verdicts (one word) and the first block that
   each sequence still reads. */
#define ATTN_STEP_HEADER_BYTES 128u
#define ATTN_STEP_BYTES(n_classes, max_seqs)                                                       \
    ATTN_ROUND_UP((uint64_t)ATTN_STEP_HEADER_BYTES +                                               \
                      (uint64_t)(n_classes)*4u * ((uint64_t)(max_seqs) + 1u),                      \
                  64u)
/* The whole workspace: one slice for each worker behind the step's part. */
#define ATTN_WORKSPACE_BYTES(step_bytes, worker_bytes, workers)                                    \
    ((uint64_t)(step_bytes) + ATTN_ROUND_UP((uint64_t)(worker_bytes), 64u) * (uint64_t)(workers))

#ifdef __cplusplus
}
#endif
#endif
