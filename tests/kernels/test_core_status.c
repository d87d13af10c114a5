// SPDX-License-Identifier: Apache-2.0
// Every refusal of attn_step, attn_run and attn_kv_write: one fault is put into a working call, the
// status names it, no kernel runs and outputs, pages and fault stay as they were. In: the fixture.
// Out: TAP.
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

#include <limits.h>

enum when { BEFORE_STEP, AFTER_STEP };
enum what { STEP, RUN, WRITE };

struct refusal {
    const char *rule;
    enum when when;
    enum what what;
    uint32_t op;
    void (*spoil)(struct fixture *f);
    attn_status status;
};

#define SPOIL(name, action)                                                                        \
    static void name(struct fixture *f) {                                                          \
        action;                                                                                    \
    }

// ---- the table
SPOIL(no_data, f->table.data = NULL)
SPOIL(no_entries, f->table.entry = NULL)
SPOIL(other_abi, f->data.header.abi = ATTN_ABI + 1)
SPOIL(small_header, f->data.header.size = 8)
SPOIL(wild_classes, f->data.header.classes = 3)
SPOIL(wild_groups, f->data.header.groups = UINT32_MAX - 7)
SPOIL(endless_operators, f->data.header.n_operators = UINT32_MAX)
SPOIL(no_sequences, f->data.header.max_seqs = 0)
SPOIL(small_step, f->data.header.step_bytes = 64)
SPOIL(empty_block, f->data.groups[GROUP_FULL].block_size = 0)
SPOIL(wild_group, f->data.classes[CLASS_FULL].group = 900)
SPOIL(wild_class, f->data.operators[FULL].class_index = 900)
// B13: 33/2, 3/2, 8/16, 8/0, 0/0
static void set_heads(struct fixture *f, uint32_t heads, uint32_t kv_heads) {
    f->data.classes[CLASS_FULL].heads = heads;
    f->data.classes[CLASS_FULL].kv_heads = kv_heads;
    for (int role = 0; role < ROLES; role++) {
        f->params[CLASS_FULL * ROLES + role].heads = heads;
        f->params[CLASS_FULL * ROLES + role].kv_heads = kv_heads;
    }
}
SPOIL(heads_33_2, set_heads(f, 33, 2))
SPOIL(heads_3_2, set_heads(f, 3, 2))
SPOIL(heads_8_16, set_heads(f, 8, 16))
SPOIL(heads_8_0, set_heads(f, 8, 0))
SPOIL(heads_0_0, set_heads(f, 0, 0))
SPOIL(kernel_heads_3_2, f->params[CLASS_FULL * ROLES].heads = 3)
SPOIL(no_dim, f->data.classes[CLASS_FULL].head_dim = 0)

// ---- kernels
SPOIL(other_key, f->kernels[CLASS_FULL * ROLES + ROLE_DECODE].key++)
SPOIL(other_dim, f->params[CLASS_FULL * ROLES].head_dim = 2 * DIM)
// B10: {kind = cross_attention, kernel = decoder}
SPOIL(cross_by_decoder, f->params[CLASS_CROSS * ROLES].kind = ATTN_FULL_ATTENTION)
SPOIL(encoder_by_causal, f->params[CLASS_ENCODER * ROLES].kind = ATTN_FULL_ATTENTION)
SPOIL(cross_writer, f->params[CLASS_FULL * ROLES + ROLE_WRITE].kind = ATTN_CROSS_ATTENTION)
SPOIL(mamba, f->data.classes[CLASS_FULL].kind = ATTN_MAMBA)
SPOIL(no_decode, f->data.classes[CLASS_FULL].decode_entry = ATTN_NO_ENTRY)
SPOIL(no_writer, f->data.classes[CLASS_FULL].write_entry = ATTN_NO_ENTRY)
SPOIL(no_kernel, f->entry[CLASS_FULL * ROLES] = NULL)
SPOIL(no_function, f->kernels[CLASS_FULL * ROLES].run = NULL)
SPOIL(kernel_abi, f->kernels[CLASS_FULL * ROLES].abi = 0)
SPOIL(kernel_params, f->params[CLASS_FULL * ROLES].size = 4)
SPOIL(kernel_isa, f->kernels[CLASS_FULL * ROLES].caps = 1u << 31)

// ---- the execution context
SPOIL(x_size, f->x.size = 8)
SPOIL(no_workspace, f->x.workspace = NULL)
SPOIL(odd_workspace, f->x.workspace = f->workspace + 8)
SPOIL(short_workspace, f->x.workspace_bytes = f->data.header.step_bytes - 1)
SPOIL(no_slice, f->x.workspace_bytes = f->data.header.step_bytes + WORKER_BYTES - 1)
SPOIL(no_kv, f->x.kv = NULL)
SPOIL(few_kv, f->x.n_kv = FULL)
SPOIL(no_base, f->kv[FULL].base = NULL)
SPOIL(odd_base, f->kv[FULL].base = f->pool[FULL] + 2)
SPOIL(close_pages, f->kv[FULL].page_stride = PAGE_BYTES - 4)
SPOIL(odd_pages, f->kv[FULL].page_stride = PAGE_BYTES + 2)
SPOIL(back_pages, f->kv[FULL].page_stride = -PAGE_BYTES)
SPOIL(far_pages, f->kv[FULL].page_stride = INT64_MAX - 3)

// ---- the batch
SPOIL(batch_size, f->batch.size = 0)
SPOIL(many_sequences, f->batch.n_prefill = UINT32_MAX)
SPOIL(many_tokens, f->batch.n_tokens = MAX_BATCH + 1)
SPOIL(no_starts, f->batch.q_start = NULL)
SPOIL(no_lengths, f->batch.seq_len = NULL)
SPOIL(late_start, f->q_start[0] = 1)
SPOIL(back_start, f->q_start[2] = 0)
SPOIL(few_rows, f->batch.n_tokens = 7)
SPOIL(slow_decode, (f->batch.n_decode = 3, f->batch.n_prefill = 0))
SPOIL(short_sequence, f->seq_len[2] = 4)
SPOIL(negative_length, f->seq_len[0] = -1)
SPOIL(long_sequence, f->seq_len[2] = MAX_TOKENS + 1)
SPOIL(long_source, f->src_len[0] = MAX_SOURCE + 1)
SPOIL(short_source, f->src_len[1] = 2)
SPOIL(back_source, f->src_start[3] = 2)
SPOIL(no_source_lengths, f->batch.src_len = NULL)
SPOIL(narrow_table, f->tables[GROUP_FULL].cols = 2)
SPOIL(narrow_ring, f->tables[GROUP_WINDOWED].cols = 2)
SPOIL(overlapping_table, f->tables[GROUP_FULL].stride = 7)
SPOIL(far_table, f->tables[GROUP_FULL].stride = INT64_MAX / 2)
// An address off by two bytes.
static const int32_t *askew(const int32_t *array) {
    return (const int32_t *)(const void *)((const char *)array + 2);
}
SPOIL(odd_table, f->tables[GROUP_FULL].ids = askew(f->ids[GROUP_FULL][0]))
SPOIL(odd_starts, f->batch.q_start = askew(f->q_start))
SPOIL(odd_lengths, f->batch.seq_len = askew(f->seq_len))
SPOIL(odd_source_starts, f->batch.src_start = askew(f->src_start))
SPOIL(odd_source_lengths, f->batch.src_len = askew(f->src_len))
SPOIL(no_tables, f->batch.tables = NULL)
SPOIL(no_table, f->tables[GROUP_FULL].ids = NULL)
SPOIL(no_columns, f->tables[GROUP_FULL].cols = 0)
SPOIL(no_sources, (f->batch.src_len = NULL, f->batch.src_start = NULL))
SPOIL(model_tokens, f->data.operators[FULL].max_tokens = 39)
SPOIL(model_batch, f->data.operators[FULL].max_batch_tokens = 7)
SPOIL(other_batch, f->batch.n_tokens = 9)
SPOIL(other_lengths, f->batch.seq_len = f->src_len)
SPOIL(other_fingerprint, f->data.header.fingerprint++)
SPOIL(fresh_workspace, memset(f->workspace, 0xa5, sizeof f->workspace))

// ---- operands
SPOIL(io_size, f->io.size = 0)
SPOIL(no_q, f->io.q = NULL)
SPOIL(no_out, f->io.out = NULL)
SPOIL(odd_q, f->io.q = (const char *)f->q + 2)
SPOIL(odd_out, f->io.out = (char *)f->out + 1)
SPOIL(odd_lse, f->io.lse = (float *)(void *)((char *)f->lse + 2))
SPOIL(back_q, f->io.q_token_stride = -ROW)
SPOIL(far_q, f->io.q_token_stride = INT64_MAX / 2)
SPOIL(out_tokens_meet, f->io.out_token_stride = ROW - 1)
SPOIL(out_heads_meet, f->io.out_head_stride = DIM - 1)
SPOIL(out_is_one_row, f->io.out_token_stride = 0)
SPOIL(lse_rows_meet, f->io.lse_token_stride = HEADS - 1)
SPOIL(far_lse, f->io.lse_token_stride = INT64_MAX / 2)
SPOIL(partial_without_lse, (f->io.partial = 1, f->io.lse = NULL))
SPOIL(no_k, f->io.k = NULL)
SPOIL(no_v, f->io.v = NULL)
SPOIL(back_k, f->io.k_head_stride = -1)
static void set_params(struct fixture *f, uint32_t sink_tokens, uint8_t logits, uint8_t alibi) {
    attn_class *c = &f->data.classes[CLASS_FULL];
    c->sink_tokens = sink_tokens;
    c->sink_logits = logits;
    c->alibi = alibi;
    for (int role = 0; role < ROLES; role++) {
        attn_params *p = &f->params[CLASS_FULL * ROLES + role];
        p->sink_tokens = sink_tokens;
        p->sink_logits = logits;
        p->alibi = alibi;
    }
}
SPOIL(no_sink_logits, set_params(f, 0, 1, 0))
SPOIL(no_slopes, set_params(f, 0, 0, 1))
SPOIL(no_sink_k, (set_params(f, 4, 0, 0), f->io.sink_v = f->extra))
SPOIL(no_sink_v, (set_params(f, 4, 0, 0), f->io.sink_k = f->extra))
static const uint64_t tree[MAX_BATCH];
SPOIL(tree_for_cross, (f->io.tree_mask = tree, f->io.tree_mask_stride = 1))
SPOIL(narrow_tree, f->io.tree_mask = tree)
SPOIL(far_tree, (f->io.tree_mask = tree, f->io.tree_mask_stride = INT64_MAX / 2))
SPOIL(encoder_lengths, (void)f)

static const struct refusal refusals[] = {
    {"a table without data", BEFORE_STEP, STEP, 0, no_data, ATTN_E_NULL},
    {"a table without entries", BEFORE_STEP, STEP, 0, no_entries, ATTN_E_NULL},
    {"a table of another ABI", BEFORE_STEP, STEP, 0, other_abi, ATTN_E_ABI},
    {"a table of another ABI, at run", AFTER_STEP, RUN, FULL, other_abi, ATTN_E_ABI},
    {"a header that is too small", BEFORE_STEP, STEP, 0, small_header, ATTN_E_SIZE},
    {"classes at an odd offset", BEFORE_STEP, STEP, 0, wild_classes, ATTN_E_ABI},
    {"groups beyond the offsets", BEFORE_STEP, STEP, 0, wild_groups, ATTN_E_ABI},
    {"more operators than indexes", BEFORE_STEP, STEP, 0, endless_operators, ATTN_E_ABI},
    {"a table for no sequences", BEFORE_STEP, STEP, 0, no_sequences, ATTN_E_ABI},
    {"a step area that is too small", BEFORE_STEP, STEP, 0, small_step, ATTN_E_ABI},
    {"blocks of no tokens", BEFORE_STEP, RUN, FULL, empty_block, ATTN_E_ABI},
    {"a class of no group", BEFORE_STEP, RUN, FULL, wild_group, ATTN_E_ABI},
    {"an operator of no class", AFTER_STEP, RUN, FULL, wild_class, ATTN_E_OPERATOR},
    {"an operator beyond the table", AFTER_STEP, RUN, OPERATORS, NULL, ATTN_E_OPERATOR},
    {"B13: 33 heads over 2", BEFORE_STEP, RUN, FULL, heads_33_2, ATTN_E_HEADS},
    {"B13: 3 heads over 2", BEFORE_STEP, RUN, FULL, heads_3_2, ATTN_E_HEADS},
    {"B13: 8 heads over 16", BEFORE_STEP, RUN, FULL, heads_8_16, ATTN_E_HEADS},
    {"B13: 8 heads over 0", BEFORE_STEP, RUN, FULL, heads_8_0, ATTN_E_HEADS},
    {"B13: no heads", BEFORE_STEP, RUN, FULL, heads_0_0, ATTN_E_HEADS},
    {"B13: no heads, writer", BEFORE_STEP, WRITE, FULL, heads_0_0, ATTN_E_HEADS},
    {"B13: a kernel of 3 heads over 2", BEFORE_STEP, RUN, FULL, kernel_heads_3_2, ATTN_E_HEADS},
    {"a head dimension of 0", BEFORE_STEP, RUN, FULL, no_dim, ATTN_E_HEADS},
    {"a kernel with another key", BEFORE_STEP, RUN, FULL, other_key, ATTN_E_KEY},
    {"a kernel of another head_dim", BEFORE_STEP, RUN, FULL, other_dim, ATTN_E_KEY},
    {"B10: cross by a decoder's kernel", BEFORE_STEP, RUN, CROSS, cross_by_decoder, ATTN_E_KIND},
    {"B10: encoder by a causal kernel", BEFORE_STEP, RUN, ENCODER, encoder_by_causal, ATTN_E_KIND},
    {"B10: a source's writer on a decoder", BEFORE_STEP, WRITE, FULL, cross_writer, ATTN_E_KIND},
    {"a state, which io cannot hold", BEFORE_STEP, RUN, FULL, mamba, ATTN_E_KIND},
    {"no kernel for decode", BEFORE_STEP, RUN, FULL, no_decode, ATTN_E_NO_PHASE},
    {"no kernel for write", BEFORE_STEP, WRITE, FULL, no_writer, ATTN_E_NO_PHASE},
    {"a null kernel", BEFORE_STEP, RUN, FULL, no_kernel, ATTN_E_NULL},
    {"a kernel without function", BEFORE_STEP, RUN, FULL, no_function, ATTN_E_NULL},
    {"a kernel of another ABI", BEFORE_STEP, RUN, FULL, kernel_abi, ATTN_E_ABI},
    {"parameters of another size", BEFORE_STEP, RUN, FULL, kernel_params, ATTN_E_SIZE},
    {"an instruction set that is not there", BEFORE_STEP, RUN, FULL, kernel_isa, ATTN_E_ISA},
    {"an execution context's size", BEFORE_STEP, STEP, 0, x_size, ATTN_E_SIZE},
    {"an execution context's size, at run", AFTER_STEP, RUN, FULL, x_size, ATTN_E_SIZE},
    {"no workspace", BEFORE_STEP, STEP, 0, no_workspace, ATTN_E_WORKSPACE},
    {"no workspace, at run", AFTER_STEP, RUN, FULL, no_workspace, ATTN_E_WORKSPACE},
    {"a workspace that is not aligned", BEFORE_STEP, STEP, 0, odd_workspace, ATTN_E_WORKSPACE},
    {"a workspace below the step's", BEFORE_STEP, STEP, 0, short_workspace, ATTN_E_WORKSPACE},
    {"a workspace below one worker's", BEFORE_STEP, RUN, FULL, no_slice, ATTN_E_WORKSPACE},
    {"no pages", AFTER_STEP, RUN, FULL, no_kv, ATTN_E_NULL},
    {"fewer page pools than operators", AFTER_STEP, RUN, FULL, few_kv, ATTN_E_NULL},
    {"a page pool without base", AFTER_STEP, RUN, FULL, no_base, ATTN_E_NULL},
    {"a page pool that is not aligned", AFTER_STEP, RUN, FULL, odd_base, ATTN_E_ALIGN},
    {"pages that overlap", AFTER_STEP, RUN, FULL, close_pages, ATTN_E_STRIDE},
    {"pages that overlap, write", AFTER_STEP, WRITE, FULL, close_pages, ATTN_E_STRIDE},
    {"a page stride that is not aligned", AFTER_STEP, RUN, FULL, odd_pages, ATTN_E_STRIDE},
    {"a negative page stride", AFTER_STEP, RUN, FULL, back_pages, ATTN_E_STRIDE},
    {"a pool beyond pointers", AFTER_STEP, RUN, FULL, far_pages, ATTN_E_STRIDE},
    {"a batch's size", BEFORE_STEP, STEP, 0, batch_size, ATTN_E_SIZE},
    {"more sequences than max_seqs", BEFORE_STEP, STEP, 0, many_sequences, ATTN_E_LIMIT},
    {"more tokens than max_batch_tokens", BEFORE_STEP, STEP, 0, many_tokens, ATTN_E_LIMIT},
    {"no starts", BEFORE_STEP, STEP, 0, no_starts, ATTN_E_NULL},
    {"no lengths", BEFORE_STEP, STEP, 0, no_lengths, ATTN_E_NULL},
    {"a first start that is not 0", BEFORE_STEP, STEP, 0, late_start, ATTN_E_BATCH},
    {"a start that goes back", BEFORE_STEP, STEP, 0, back_start, ATTN_E_BATCH},
    {"fewer rows than starts say", BEFORE_STEP, STEP, 0, few_rows, ATTN_E_BATCH},
    {"a decode of more than decode_q", BEFORE_STEP, STEP, 0, slow_decode, ATTN_E_BATCH},
    {"a sequence below its new tokens", BEFORE_STEP, STEP, 0, short_sequence, ATTN_E_LENGTH},
    {"a negative length", BEFORE_STEP, STEP, 0, negative_length, ATTN_E_LENGTH},
    {"a sequence beyond its group", BEFORE_STEP, STEP, 0, long_sequence, ATTN_E_LIMIT},
    {"a source beyond its group", BEFORE_STEP, STEP, 0, long_source, ATTN_E_LIMIT},
    {"a source below its new rows", BEFORE_STEP, STEP, 0, short_source, ATTN_E_LENGTH},
    {"a source start that goes back", BEFORE_STEP, STEP, 0, back_source, ATTN_E_BATCH},
    {"source rows without lengths", BEFORE_STEP, STEP, 0, no_source_lengths, ATTN_E_NULL},
    {"a block table that is too narrow", BEFORE_STEP, STEP, 0, narrow_table, ATTN_E_TABLE},
    {"a ring below the window", BEFORE_STEP, STEP, 0, narrow_ring, ATTN_E_TABLE},
    {"rows of a block table that overlap", BEFORE_STEP, STEP, 0, overlapping_table, ATTN_E_TABLE},
    {"rows of a block table beyond pointers", BEFORE_STEP, STEP, 0, far_table, ATTN_E_TABLE},
    {"a block table that is not aligned", BEFORE_STEP, RUN, FULL, odd_table, ATTN_E_ALIGN},
    {"starts that are not aligned", BEFORE_STEP, STEP, 0, odd_starts, ATTN_E_ALIGN},
    {"lengths that are not aligned", BEFORE_STEP, STEP, 0, odd_lengths, ATTN_E_ALIGN},
    {"source starts that are not aligned", BEFORE_STEP, STEP, 0, odd_source_starts, ATTN_E_ALIGN},
    {"source lengths that are not aligned", BEFORE_STEP, STEP, 0, odd_source_lengths, ATTN_E_ALIGN},
    {"no block tables", BEFORE_STEP, RUN, FULL, no_tables, ATTN_E_TABLE},
    {"no block table for the group", BEFORE_STEP, RUN, FULL, no_table, ATTN_E_TABLE},
    {"no block table for the group, write", BEFORE_STEP, WRITE, FULL, no_table, ATTN_E_TABLE},
    {"a block table without columns", BEFORE_STEP, WRITE, FULL, no_columns, ATTN_E_TABLE},
    {"cross attention without sources", BEFORE_STEP, RUN, CROSS, no_sources, ATTN_E_NULL},
    {"beyond the model's max_tokens", AFTER_STEP, RUN, FULL, model_tokens, ATTN_E_LIMIT},
    {"beyond the model's max_batch_tokens", AFTER_STEP, RUN, FULL, model_batch, ATTN_E_LIMIT},
    {"a batch that was not planned", AFTER_STEP, RUN, FULL, other_batch, ATTN_E_STEP},
    {"lengths that were not planned", AFTER_STEP, WRITE, FULL, other_lengths, ATTN_E_STEP},
    {"a table that was not planned", AFTER_STEP, RUN, FULL, other_fingerprint, ATTN_E_STEP},
    {"a workspace without a step", AFTER_STEP, RUN, FULL, fresh_workspace, ATTN_E_STEP},
    {"operands of another size", AFTER_STEP, RUN, FULL, io_size, ATTN_E_SIZE},
    {"no q", AFTER_STEP, RUN, FULL, no_q, ATTN_E_NULL},
    {"no out", AFTER_STEP, RUN, FULL, no_out, ATTN_E_NULL},
    {"a q that is not aligned", AFTER_STEP, RUN, FULL, odd_q, ATTN_E_ALIGN},
    {"an out that is not aligned", AFTER_STEP, RUN, FULL, odd_out, ATTN_E_ALIGN},
    {"an LSE that is not aligned", AFTER_STEP, RUN, FULL, odd_lse, ATTN_E_ALIGN},
    {"a negative stride of q", AFTER_STEP, RUN, FULL, back_q, ATTN_E_STRIDE},
    {"a stride of q beyond pointers", AFTER_STEP, RUN, FULL, far_q, ATTN_E_STRIDE},
    {"tokens of out that overlap", AFTER_STEP, RUN, FULL, out_tokens_meet, ATTN_E_STRIDE},
    {"heads of out that overlap", AFTER_STEP, RUN, FULL, out_heads_meet, ATTN_E_STRIDE},
    {"all tokens of out in one place", AFTER_STEP, RUN, FULL, out_is_one_row, ATTN_E_STRIDE},
    {"rows of the LSE that overlap", AFTER_STEP, RUN, FULL, lse_rows_meet, ATTN_E_STRIDE},
    {"rows of the LSE beyond pointers", AFTER_STEP, RUN, FULL, far_lse, ATTN_E_STRIDE},
    {"a partial result without LSE", AFTER_STEP, RUN, FULL, partial_without_lse, ATTN_E_NULL},
    {"a write without K", AFTER_STEP, WRITE, FULL, no_k, ATTN_E_NULL},
    {"a write without V", AFTER_STEP, WRITE, FULL, no_v, ATTN_E_NULL},
    {"a negative stride of K", AFTER_STEP, WRITE, FULL, back_k, ATTN_E_STRIDE},
    {"no sink logits", BEFORE_STEP, RUN, FULL, no_sink_logits, ATTN_E_NULL},
    {"no ALiBi slopes", BEFORE_STEP, RUN, FULL, no_slopes, ATTN_E_NULL},
    {"no sink K", BEFORE_STEP, RUN, FULL, no_sink_k, ATTN_E_NULL},
    {"no sink V", BEFORE_STEP, RUN, FULL, no_sink_v, ATTN_E_NULL},
    {"a tree mask for cross attention", AFTER_STEP, RUN, CROSS, tree_for_cross, ATTN_E_KIND},
    {"rows of a tree mask too narrow", AFTER_STEP, RUN, FULL, narrow_tree, ATTN_E_STRIDE},
    {"rows of a tree mask beyond pointers", AFTER_STEP, RUN, FULL, far_tree, ATTN_E_STRIDE},
    {"an encoder with older tokens", BEFORE_STEP, RUN, ENCODER, encoder_lengths, ATTN_E_LENGTH},
    {"a write for an encoder", AFTER_STEP, WRITE, ENCODER, NULL, ATTN_E_NO_WRITE},
    {"a write for a kv_share operator", AFTER_STEP, WRITE, SHARED, NULL, ATTN_E_NO_WRITE},
};

static attn_status call(struct fixture *f, const struct refusal *r) {
    return r->what == STEP  ? fixture_step(f)
           : r->what == RUN ? fixture_run(f, r->op)
                            : fixture_write(f, r->op);
}

static bool untouched(const struct fixture *f, const struct fixture *before) {
    return memcmp(f->out, before->out, sizeof f->out) == 0 &&
           memcmp(f->lse, before->lse, sizeof f->lse) == 0 &&
           memcmp(f->pool, before->pool, sizeof f->pool) == 0 &&
           memcmp(&f->fault, &before->fault, sizeof f->fault) == 0 && f->seen.calls == 0;
}

static void test_refusal(const struct refusal *r) {
    static struct fixture f, before;
    fixture_init(&f);
    memset(f.out, 0x5a, sizeof f.out);
    memset(f.lse, 0x5a, sizeof f.lse);
    memset(f.pool, 0x5a, sizeof f.pool);
    if (r->when == AFTER_STEP) {
        ok(fixture_step(&f) == ATTN_OK, "%s: the step before it works", r->rule);
    }
    if (r->spoil) {
        r->spoil(&f);
    }
    if (r->when == BEFORE_STEP && r->what != STEP) {
        ok(fixture_step(&f) == ATTN_OK, "%s: the step leaves it to the operator", r->rule);
    }
    before = f;
    attn_status status = call(&f, r);
    ok(status == r->status, "%s: %s", r->rule, attn_status_text(r->status));
    if (status != r->status) {
        diag("got: %s", attn_status_text(status));
    }
    ok(untouched(&f, &before), "%s: nothing is touched", r->rule);
}

static void test_works(void) {
    static struct fixture f;
    fixture_init(&f);
    ok(fixture_step(&f) == ATTN_OK, "the fixture's step works");
    for (uint32_t op = 0; op < OPERATORS; op++) {
        if (op != ENCODER) {
            ok(fixture_run(&f, op) == ATTN_OK, "operator %u runs", op);
        }
        if (op != ENCODER && op != SHARED) {
            ok(fixture_write(&f, op) == ATTN_OK, "operator %u writes", op);
        }
    }
}

// A step that is refused leaves no plan of an earlier one behind.
static void test_stale_plan(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(fixture_step(&f), ATTN_OK, "a first step works");
    f.seq_len[0] = -1;
    is_int(fixture_step(&f), ATTN_E_LENGTH, "a second step is refused");
    is_int(fixture_run(&f, FULL), ATTN_E_STEP, "no operator runs on the first step's plan");
}

static void test_null_arguments(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(attn_step(NULL, &f.table, &f.batch), ATTN_E_NULL, "attn_step without x");
    is_int(attn_step(&f.x, NULL, &f.batch), ATTN_E_NULL, "attn_step without table");
    is_int(attn_step(&f.x, &f.table, NULL), ATTN_E_NULL, "attn_step without batch");
    is_int(attn_run(NULL, &f.table, 0, &f.batch, &f.io), ATTN_E_NULL, "attn_run without x");
    is_int(attn_run(&f.x, NULL, 0, &f.batch, &f.io), ATTN_E_NULL, "attn_run without table");
    is_int(attn_run(&f.x, &f.table, 0, NULL, &f.io), ATTN_E_NULL, "attn_run without batch");
    is_int(attn_run(&f.x, &f.table, 0, &f.batch, NULL), ATTN_E_NULL, "attn_run without io");
    is_int(attn_kv_write(&f.x, &f.table, 0, &f.batch, NULL), ATTN_E_NULL, "write without io");
}

static void test_texts(void) {
#define TEXT(name, value, text)                                                                    \
    is_int(name, value, #name " keeps its value");                                                 \
    is_str(attn_status_text(name), text, #name " has its text");
    ATTN_STATUSES(TEXT)
#undef TEXT
    is_str(attn_status_text((attn_status)999), "unknown status", "any number has a text");
}

static void test_workspace_bytes(void) {
    static struct fixture f;
    fixture_init(&f);
    size_t step = f.data.header.step_bytes;
    is_int(attn_workspace_bytes(&f.table, 1), step + 192, "workspace of one worker");
    is_int(attn_workspace_bytes(&f.table, 0), step + 192, "0 workers read as 1");
    is_int(attn_workspace_bytes(&f.table, 3), step + 3 * 192, "a slice for each worker");
    f.data.header.worker_bytes = 1;
    is_int(attn_workspace_bytes(&f.table, 3), step + 3 * 64, "slices are of whole cache lines");
    f.data.header.worker_bytes = UINT64_MAX / 2;
    is_int(attn_workspace_bytes(&f.table, 3), 0, "a workspace beyond pointers is 0");
    f.data.header.abi++;
    is_int(attn_workspace_bytes(&f.table, 1), 0, "a foreign table wants no workspace");
    is_int(attn_workspace_bytes(NULL, 1), 0, "no table wants no workspace");
}

int main(void) {
    test_texts();
    test_works();
    test_null_arguments();
    for (size_t i = 0; i < sizeof refusals / sizeof refusals[0]; i++) {
        test_refusal(&refusals[i]);
    }
    test_stale_plan();
    test_workspace_bytes();
    return done_testing();
}
