// SPDX-License-Identifier: Apache-2.0
// A hand-made table with fake kernels, for the tests of the runtime core: six operators of five
// classes over four groups. The kernels record what they get in the `struct seen` that x.stream
// points at, and mark the rows that they own. The table is a copy in memory, so a test may break
// it.
#ifndef TESTS_KERNELS_CORE_FIXTURE_H
#define TESTS_KERNELS_CORE_FIXTURE_H

#include "attn/attn.h"
#include "attn/cache.h"

#include <stdbool.h>
#include <string.h>

enum {
    HEADS = 4,
    KV_HEADS = 2,
    DIM = 8,
    BLOCK = 16,
    PAGES = 12,
    PAGE_BYTES = BLOCK * KV_HEADS * DIM * 2 * 4,
    MAX_SEQS = 4,
    MAX_TOKENS = 128,
    MAX_BATCH = 64,
    MAX_SOURCE = 32,
    DECODE_Q = 2,
    WINDOW = 32,
    CHUNK = 16,
    WORKER_BYTES = 192,
    ROW = HEADS * DIM, // elements of a row of q and out
};

// Operators; SHARED reads FULL's cache.
enum { FULL, WINDOWED, CROSS, ENCODER, SHARED, CHUNKED, OPERATORS };
enum { CLASS_FULL, CLASS_WINDOWED, CLASS_CROSS, CLASS_ENCODER, CLASS_CHUNKED, CLASSES };
enum { GROUP_FULL, GROUP_WINDOWED, GROUP_SOURCE, GROUP_CHUNKED, GROUPS };
enum { ROLE_PREFILL, ROLE_DECODE, ROLE_WRITE, ROLES };

struct call { // what a kernel got
    const attn_params *params;
    attn_batch batch;
    attn_io io;
    attn_exec x;
};

struct seen {
    uint32_t calls;
    struct call call[4];
    uint32_t items, worst_worker; // of the tasks run by a kernel that uses parallel_for
};

struct fake_data { // what a generated NAME_data holds
    attn_header header;
    attn_class classes[CLASSES];
    attn_operator operators[OPERATORS];
    attn_group groups[GROUPS];
};

struct fixture {
    struct fake_data data;
    attn_params params[CLASSES * ROLES];
    attn_kernel kernels[CLASSES * ROLES];
    const attn_kernel *entry[CLASSES * ROLES];
    attn_table table;
    attn_exec x;
    attn_batch batch;
    attn_io io;
    attn_kv kv[OPERATORS];
    attn_block_table tables[GROUPS];
    attn_fault fault;
    struct seen seen;
    int32_t q_start[MAX_SEQS + 1], seq_len[MAX_SEQS], src_start[MAX_SEQS + 1], src_len[MAX_SEQS];
    int32_t ids[GROUPS][MAX_SEQS][MAX_TOKENS / BLOCK];
    float q[MAX_BATCH * ROW], out[MAX_BATCH * ROW], lse[MAX_BATCH * HEADS];
    float k[MAX_BATCH * ROW], v[MAX_BATCH * ROW], extra[HEADS * DIM * 4];
    _Alignas(64) unsigned char workspace[4096];
    _Alignas(64) unsigned char pool[OPERATORS][PAGES * PAGE_BYTES];
};

static inline void fake_record(attn_exec *x, const attn_params *params, const attn_batch *batch,
                               const attn_io *io) {
    struct seen *seen = x->stream;
    if (seen->calls < 4) {
        seen->call[seen->calls] = (struct call){params, *batch, *io, *x};
    }
    seen->calls++;
}

// Fills the rows of its sequences with 1 and their LSE with 2.
static inline attn_status fake_run(attn_exec *x, const attn_params *params, const attn_batch *batch,
                                   const attn_io *io) {
    fake_record(x, params, batch, io);
    uint32_t n = batch->n_decode + batch->n_prefill;
    for (int32_t t = batch->q_start[0]; t < batch->q_start[n]; t++) {
        for (uint32_t h = 0; h < params->heads; h++) {
            for (uint32_t d = 0; d < params->v_head_dim; d++) {
                ((float *)io->out)[t * io->out_token_stride + h * io->out_head_stride + d] = 1;
            }
            if (io->lse) {
                io->lse[t * io->lse_token_stride + h] = 2;
            }
        }
    }
    return ATTN_OK;
}

// Marks the first byte of the first sequence's last page.
static inline attn_status fake_write(attn_exec *x, const attn_params *params,
                                     const attn_batch *batch, const attn_io *io) {
    fake_record(x, params, batch, io);
    uint32_t last = (uint32_t)(batch->seq_len[0] - 1) / params->block_size;
    int32_t id = io->cache.table[last % io->cache.cols];
    *((unsigned char *)io->cache.base + id * io->cache.page_stride) = 1;
    return ATTN_OK;
}

static inline void fixture_kernels(struct fixture *f) {
    for (uint32_t i = 0; i < CLASSES * ROLES; i++) {
        attn_class *c = &f->data.classes[i / ROLES];
        f->params[i] = (attn_params){
            .size = sizeof(attn_params),
            .kind = c->kind,
            .layout = c->layout,
            .heads = HEADS,
            .kv_heads = KV_HEADS,
            .head_dim = DIM,
            .v_head_dim = DIM,
            .k_width = DIM,
            .v_width = DIM,
            .block_size = BLOCK,
            .page_bytes = PAGE_BYTES,
            .scale = 1,
            .window_left = c->kind == ATTN_SLIDING_WINDOW ? WINDOW - 1 : ATTN_UNBOUNDED,
            .window_right = c->causal ? 0 : ATTN_UNBOUNDED,
            .chunk = c->kind == ATTN_CHUNKED_LOCAL_ATTENTION ? CHUNK : 0,
            .decode_q = DECODE_Q,
        };
        f->kernels[i] = (attn_kernel){
            .abi = ATTN_ABI,
            .key = 100 + i,
            .workspace = WORKER_BYTES,
            .params = &f->params[i],
            .run = i % ROLES == ROLE_WRITE ? fake_write : fake_run,
        };
        f->entry[i] = &f->kernels[i];
    }
}

static inline void fixture_table(struct fixture *f) {
    static const uint8_t kind[CLASSES] = {ATTN_FULL_ATTENTION, ATTN_SLIDING_WINDOW,
                                          ATTN_CROSS_ATTENTION, ATTN_ENCODER_ONLY_ATTENTION,
                                          ATTN_CHUNKED_LOCAL_ATTENTION};
    static const uint16_t group[CLASSES] = {GROUP_FULL, GROUP_WINDOWED, GROUP_SOURCE, ATTN_NO_ENTRY,
                                            GROUP_CHUNKED};
    static const uint16_t class_of[OPERATORS] = {CLASS_FULL,    CLASS_WINDOWED, CLASS_CROSS,
                                                 CLASS_ENCODER, CLASS_FULL,     CLASS_CHUNKED};
    for (uint16_t c = 0; c < CLASSES; c++) {
        bool encoder = c == CLASS_ENCODER;
        uint16_t first = (uint16_t)(c * ROLES);
        f->data.classes[c] = (attn_class){
            .prefill_key = 100u + first,
            .decode_key = encoder ? 0 : 101u + first,
            .write_key = encoder ? 0 : 102u + first,
            .prefill_entry = first,
            .decode_entry = encoder ? ATTN_NO_ENTRY : (uint16_t)(first + 1),
            .write_entry = encoder ? ATTN_NO_ENTRY : (uint16_t)(first + 2),
            .kind = kind[c],
            .layout = encoder ? ATTN_LAYOUT_NONE : ATTN_LAYOUT_HND,
            .group = group[c],
            .heads = HEADS,
            .kv_heads = KV_HEADS,
            .head_dim = DIM,
            .v_head_dim = DIM,
            .k_width = DIM,
            .v_width = DIM,
            .causal = !encoder && c != CLASS_CROSS,
        };
    }
    for (uint16_t o = 0; o < OPERATORS; o++) {
        f->data.operators[o] = (attn_operator){.class_index = class_of[o],
                                               .owner = o == SHARED ? FULL : o,
                                               .layer = o,
                                               .max_tokens = MAX_TOKENS,
                                               .max_batch_tokens = MAX_BATCH};
        f->kv[o] = (attn_kv){f->pool[o], PAGE_BYTES, PAGES};
    }
    f->kv[SHARED].base = NULL; // its owner's entry is read
    for (uint32_t g = 0; g < GROUPS; g++) {
        bool source = g == GROUP_SOURCE;
        f->data.groups[g] = (attn_group){
            .page_bytes = PAGE_BYTES,
            .blocks = PAGES,
            .block_size = BLOCK,
            .cols = (source ? MAX_SOURCE : MAX_TOKENS) / BLOCK,
            .window_left = g == GROUP_WINDOWED ? WINDOW - 1 : ATTN_UNBOUNDED,
            .chunk = g == GROUP_CHUNKED ? CHUNK : 0,
            .source = source,
            .layout = ATTN_LAYOUT_HND,
            .max_length = source ? MAX_SOURCE : MAX_TOKENS,
        };
    }
    f->data.header = (attn_header){
        .abi = ATTN_ABI,
        .size = sizeof(attn_header),
        .fingerprint = 77,
        .n_classes = CLASSES,
        .n_operators = OPERATORS,
        .n_groups = GROUPS,
        .n_entries = CLASSES * ROLES,
        .classes = offsetof(struct fake_data, classes),
        .operators = offsetof(struct fake_data, operators),
        .groups = offsetof(struct fake_data, groups),
        .max_seqs = MAX_SEQS,
        .max_tokens = MAX_TOKENS,
        .max_batch_tokens = MAX_BATCH,
        .max_source_tokens = MAX_SOURCE,
        .decode_q = DECODE_Q,
        .workers = 1,
        .step_bytes = ATTN_STEP_BYTES(CLASSES, MAX_SEQS),
        .worker_bytes = WORKER_BYTES,
    };
    f->table = (attn_table){&f->data.header, f->entry};
}

// Two decoding sequences (20 and 33 tokens, the second with a source of 3 rows, all new) and a
// prefill of 5 tokens that ends at 40.
static inline void fixture_batch(struct fixture *f) {
    static const int32_t q_start[] = {0, 1, 3, 8}, seq_len[] = {20, 33, 40};
    static const int32_t src_start[] = {0, 0, 3, 3}, src_len[] = {0, 3, 0};
    memcpy(f->q_start, q_start, sizeof q_start);
    memcpy(f->seq_len, seq_len, sizeof seq_len);
    memcpy(f->src_start, src_start, sizeof src_start);
    memcpy(f->src_len, src_len, sizeof src_len);
    for (uint32_t g = 0; g < GROUPS; g++) {
        for (int32_t s = 0; s < MAX_SEQS; s++) {
            for (int32_t b = 0; b < MAX_TOKENS / BLOCK; b++) {
                f->ids[g][s][b] = (3 * s + b) % PAGES;
            }
        }
        f->tables[g] = (attn_block_table){f->ids[g][0], MAX_TOKENS / BLOCK, MAX_TOKENS / BLOCK};
    }
    f->batch = (attn_batch){.size = sizeof(attn_batch),
                            .n_decode = 2,
                            .n_prefill = 1,
                            .n_tokens = 8,
                            .q_start = f->q_start,
                            .seq_len = f->seq_len,
                            .src_start = f->src_start,
                            .src_len = f->src_len,
                            .tables = f->tables,
                            .fault = &f->fault};
}

static inline void fixture_init(struct fixture *f) {
    memset(f, 0, sizeof *f);
    fixture_table(f);
    fixture_kernels(f);
    fixture_batch(f);
    f->io = (attn_io){.size = sizeof(attn_io),
                      .q = f->q,
                      .q_token_stride = ROW,
                      .q_head_stride = DIM,
                      .out = f->out,
                      .out_token_stride = ROW,
                      .out_head_stride = DIM,
                      .lse = f->lse,
                      .lse_token_stride = HEADS,
                      .k = f->k,
                      .k_token_stride = KV_HEADS * DIM,
                      .k_head_stride = DIM,
                      .v = f->v,
                      .v_token_stride = KV_HEADS * DIM,
                      .v_head_stride = DIM};
    f->x = (attn_exec){.size = sizeof(attn_exec),
                       .workspace = f->workspace,
                       .workspace_bytes = sizeof f->workspace,
                       .kv = f->kv,
                       .n_kv = OPERATORS,
                       .stream = &f->seen};
}

// A batch of one sequence: `fresh` new tokens, `length` after them.
static inline void fixture_one(struct fixture *f, int32_t fresh, int32_t length) {
    f->q_start[1] = fresh;
    f->seq_len[0] = length;
    f->src_start[1] = 0;
    f->batch.n_decode = fresh <= DECODE_Q;
    f->batch.n_prefill = fresh > DECODE_Q;
    f->batch.n_tokens = (uint32_t)fresh;
}

static inline attn_status fixture_step(struct fixture *f) {
    return attn_step(&f->x, &f->table, &f->batch);
}

static inline attn_status fixture_run(struct fixture *f, uint32_t op) {
    return attn_run(&f->x, &f->table, op, &f->batch, &f->io);
}

static inline attn_status fixture_write(struct fixture *f, uint32_t op) {
    return attn_kv_write(&f->x, &f->table, op, &f->batch, &f->io);
}

#endif
