// SPDX-License-Identifier: Apache-2.0
// What reaches a kernel: its sequences, rows, cache view, workspace and workers; which kernel is
// picked; zero-length sequences anywhere. In: the fixture. Out: TAP.
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

static void test_two_phases(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(fixture_step(&f), ATTN_OK, "a mixed batch is planned");
    is_int(fixture_run(&f, FULL), ATTN_OK, "and run");
    is_int(f.seen.calls, 2, "by two kernels");
    const struct call *decode = &f.seen.call[0], *prefill = &f.seen.call[1];
    ok(decode->params == &f.params[CLASS_FULL * ROLES + ROLE_DECODE], "decode comes first");
    ok(decode->batch.n_decode == 2 && decode->batch.n_prefill == 0,
       "it has the decoding sequences");
    ok(decode->batch.q_start == f.q_start, "their starts begin with the batch");
    ok(decode->io.cache.table == f.ids[GROUP_FULL][0], "and so does the block table");
    ok(prefill->params == &f.params[CLASS_FULL * ROLES + ROLE_PREFILL], "prefill follows");
    ok(prefill->batch.n_decode == 0 && prefill->batch.n_prefill == 1, "it has the other sequence");
    is_int(prefill->batch.q_start[0], 3, "starts stay absolute");
    is_int(prefill->batch.seq_len[0], 40, "lengths begin with its first sequence");
    ok(prefill->io.cache.table == f.ids[GROUP_FULL][2], "so does the block table");
    ok(prefill->io.q == f.q && prefill->io.out == f.out, "q and out are the batch's");
    ok(!prefill->batch.tables && !prefill->batch.fault, "tables and fault are not passed on");
    ok(prefill->io.cache.base == f.pool[FULL], "the cache view has the operator's pages");
    ok(prefill->io.cache.n_pages == PAGES && prefill->io.cache.page_stride == PAGE_BYTES &&
           prefill->io.cache.cols == MAX_TOKENS / BLOCK &&
           prefill->io.cache.table_stride == MAX_TOKENS / BLOCK,
       "and their count and strides");
    bool rows = true;
    for (uint32_t i = 0; i < MAX_BATCH * ROW; i++) {
        rows = rows && f.out[i] == (i < 8 * ROW ? 1 : 0);
    }
    ok(rows, "together they write each row of the batch and no other");
}

static void test_share_reads_owner(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(fixture_step(&f), ATTN_OK, "a kv_share operator's step works");
    is_int(fixture_run(&f, SHARED), ATTN_OK, "it runs");
    ok(f.seen.call[0].io.cache.base == f.pool[FULL], "over its owner's pages");
}

static void test_encoder(void) {
    static struct fixture f;
    fixture_init(&f);
    f.seq_len[0] = 1;
    f.seq_len[1] = 2;
    f.seq_len[2] = 5;
    f.batch.tables = NULL;
    f.batch.src_len = f.batch.src_start = NULL;
    is_int(fixture_step(&f), ATTN_OK, "an encoder's batch needs no tables and no sources");
    is_int(fixture_run(&f, ENCODER), ATTN_OK, "it runs");
    is_int(f.seen.calls, 1, "with one kernel");
    const struct call *c = &f.seen.call[0];
    ok(c->params == &f.params[CLASS_ENCODER * ROLES + ROLE_PREFILL], "for prefill");
    ok(c->batch.n_decode == 0 && c->batch.n_prefill == 3, "and all sequences");
    ok(!c->io.cache.base && !c->io.cache.table, "without a cache view");
    is_int(fixture_run(&f, FULL), ATTN_E_TABLE, "a decoder of the same batch is refused");
    f.io.k = NULL;
    is_int(fixture_run(&f, ENCODER), ATTN_E_NULL, "an encoder needs dense K");
}

static void test_cross_write(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(fixture_step(&f), ATTN_OK, "a batch with new source rows is planned");
    is_int(fixture_write(&f, CROSS), ATTN_OK, "cross attention writes them");
    const struct call *c = &f.seen.call[0];
    ok(c->batch.q_start == f.src_start && c->batch.seq_len == f.src_len,
       "a writer sees source rows as its rows");
    is_int(c->batch.n_tokens, 3, "and their number");
    memset(f.src_start, 0, sizeof f.src_start);
    is_int(fixture_step(&f), ATTN_OK, "a batch without new source rows is planned");
    is_int(fixture_write(&f, CROSS), ATTN_OK, "nothing is to write");
    is_int(f.seen.calls, 1, "so no writer runs");
    f.batch.src_start = NULL;
    is_int(fixture_step(&f), ATTN_OK, "src_start may be missing");
    is_int(fixture_write(&f, CROSS), ATTN_OK, "then nothing is written either");
    is_int(fixture_run(&f, CROSS), ATTN_OK, "and attention runs");
    is_int(f.seen.calls, 3, "in both phases");
}

static void test_write(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(fixture_step(&f), ATTN_OK, "a step before a write");
    is_int(fixture_write(&f, WINDOWED), ATTN_OK, "attn_kv_write works");
    is_int(f.seen.calls, 1, "in one call");
    const struct call *c = &f.seen.call[0];
    ok(c->params == &f.params[CLASS_WINDOWED * ROLES + ROLE_WRITE], "of the writer");
    is_int(c->batch.n_decode + c->batch.n_prefill, 3, "for all sequences");
    ok(c->io.cache.base == f.pool[WINDOWED], "on the operator's pages");
}

static void test_zero_lengths(void) {
    static struct fixture f;
    fixture_init(&f);
    memset(f.q_start, 0, sizeof f.q_start);
    memset(f.src_start, 0, sizeof f.src_start);
    is_int(fixture_step(&f), ATTN_OK, "sequences without new tokens are planned");
    for (uint32_t op = 0; op < OPERATORS; op++) {
        is_int(fixture_run(&f, op), ATTN_OK, "an operator with no rows has nothing to do");
    }
    is_int(fixture_write(&f, FULL), ATTN_OK, "nor has a writer");
    is_int(f.seen.calls, 0, "no kernel runs");
    f.batch.n_decode = f.batch.n_prefill = f.batch.n_tokens = 0;
    f.batch.q_start = f.batch.seq_len = NULL;
    is_int(fixture_step(&f), ATTN_OK, "a batch of nothing is planned");
    is_int(fixture_run(&f, FULL), ATTN_OK, "and run");

    fixture_init(&f);
    f.q_start[2] = 1; // the second decoding sequence is padding
    f.seq_len[1] = 0;
    f.src_start[2] = f.src_start[3] = f.src_len[1] = 0;
    f.q_start[3] = 6;
    f.batch.n_tokens = 8; // more rows than starts say: padding too
    is_int(fixture_step(&f), ATTN_OK, "padding may stand between sequences");
    is_int(fixture_run(&f, FULL), ATTN_OK, "and behind them");
    ok(f.out[5 * ROW] == 1 && f.out[6 * ROW] == 0, "padding rows are not written");
}

static void test_strides(void) {
    static struct fixture f;
    fixture_init(&f);
    is_int(fixture_step(&f), ATTN_OK, "a step for strides");
    f.io.out_token_stride = DIM; // [head][token][dim]
    f.io.out_head_stride = 8 * DIM;
    is_int(fixture_run(&f, FULL), ATTN_OK, "head-major output is legal");
    f.io.out_head_stride = 8 * DIM - 1;
    is_int(fixture_run(&f, FULL), ATTN_E_STRIDE, "unless its rows meet");
    f.io.out_token_stride = ROW;
    f.io.out_head_stride = DIM;
    f.io.q_token_stride = f.io.q_head_stride = 0;
    is_int(fixture_run(&f, FULL), ATTN_OK, "one query may be read for all rows");
    fixture_one(&f, 1, 20);
    f.io.out_token_stride = -1;
    f.io.lse_token_stride = -1;
    is_int(fixture_step(&f), ATTN_OK, "a step of one row");
    is_int(fixture_run(&f, FULL), ATTN_OK, "its token strides do not matter");
}

static void test_partial(void) {
    static struct fixture f;
    fixture_init(&f);
    attn_class *c = &f.data.classes[CLASS_FULL];
    c->sink_logits = 1;
    c->dtype = ATTN_BF16;
    for (int role = 0; role < ROLES; role++) {
        f.params[CLASS_FULL * ROLES + role].sink_logits = 1;
        f.params[CLASS_FULL * ROLES + role].dtype = ATTN_BF16;
    }
    is_int(fixture_step(&f), ATTN_OK, "a step of bf16 with sink logits");
    f.io.partial = 1;
    is_int(fixture_run(&f, FULL), ATTN_OK, "a partial result needs no sink logits");
    is_int(f.seen.call[0].io.partial, 1, "the kernel is told");
    f.io.out = (char *)f.out + 2;
    is_int(fixture_run(&f, FULL), ATTN_E_ALIGN, "its output is f32");
}

// ---- workers
static void pool_for(void *ctx, uint32_t n, attn_task *task, void *arg) {
    const uint32_t *workers = ctx; // deals items to workers from the last one on
    for (uint32_t i = 0; i < n; i++) {
        task(arg, i, *workers - 1 - i % *workers);
    }
}

static void count_task(void *arg, uint32_t item, uint32_t worker) {
    struct seen *seen = arg;
    seen->items += item + 1;
    seen->worst_worker = worker > seen->worst_worker ? worker : seen->worst_worker;
}

enum { ITEMS = 20, ITEM_SUM = ITEMS * (ITEMS + 1) / 2 };

static attn_status parallel_run(attn_exec *x, const attn_params *params, const attn_batch *batch,
                                const attn_io *io) {
    fake_record(x, params, batch, io);
    if (x->parallel_for) {
        x->parallel_for(x->parallel_ctx, ITEMS, count_task, x->stream);
    }
    return ATTN_OK;
}

static void test_workers(uint32_t workers, uint32_t slices, uint32_t want) {
    static struct fixture f;
    fixture_init(&f);
    fixture_one(&f, 1, 20);
    for (uint32_t i = 0; i < CLASSES * ROLES; i++) {
        f.kernels[i].run = parallel_run;
    }
    f.x.workers = workers;
    f.x.parallel_for = pool_for;
    f.x.parallel_ctx = &workers;
    f.x.workspace_bytes = f.data.header.step_bytes + slices * WORKER_BYTES;
    is_int(fixture_step(&f), ATTN_OK, "a step for workers");
    is_int(fixture_run(&f, FULL), ATTN_OK, "it runs");
    const attn_exec *x = &f.seen.call[0].x;
    is_int(x->workers, want, "no more workers than slices");
    ok(x->workspace == f.workspace + f.data.header.step_bytes, "slices begin behind the step");
    is_int((long long)x->workspace_bytes, slices * WORKER_BYTES, "and have the rest");
    if (want == 1 && workers > 1) {
        ok(!x->parallel_for, "one slice: items run one after another");
        return;
    }
    is_int(f.seen.items, ITEM_SUM, "every item runs once");
    is_int(f.seen.worst_worker, want - 1, "every worker below that number has its own slice");
}

static void test_no_parallel_for(void) {
    static struct fixture f;
    fixture_init(&f);
    f.x.workers = 5;
    is_int(fixture_step(&f), ATTN_OK, "a step without parallel_for");
    is_int(fixture_run(&f, FULL), ATTN_OK, "it runs");
    is_int(f.seen.call[0].x.workers, 1, "with one worker");
    f.kernels[0].workspace = f.kernels[1].workspace = UINT64_MAX;
    is_int(fixture_run(&f, FULL), ATTN_E_WORKSPACE, "an endless workspace is refused");
    f.kernels[0].workspace = f.kernels[1].workspace = 0;
    f.x.workspace_bytes = f.data.header.step_bytes;
    is_int(fixture_run(&f, FULL), ATTN_OK, "a kernel that wants none gets none");
}

int main(void) {
    test_two_phases();
    test_share_reads_owner();
    test_encoder();
    test_cross_write();
    test_write();
    test_zero_lengths();
    test_strides();
    test_partial();
    test_workers(4, 4, 4);
    test_workers(4, 9, 4);
    test_workers(4, 3, 3);
    test_workers(4, 1, 1);
    test_workers(1, 2, 1);
    test_no_parallel_for();
    return done_testing();
}
