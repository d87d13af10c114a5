/* SPDX-License-Identifier: Apache-2.0
 * The test of a generated table, for NAME_selftest.c: C11 with a hosted library. Every class of the
 * table is taken through the steps of attn/selftest_step.h by the runtime's own calls, and each row
 * and its LSE are compared with the portable kernel, which has pages of its own. Results are TAP, a
 * point a kernel. Always: a kernel that no step reached is told apart from one that passed.
 */
#ifndef ATTN_SELFTEST_H
#define ATTN_SELFTEST_H

#include "attn/kernels/cpu.h"
#include "attn/kernels/limits.h"
#include "attn/kernels/sizes.h"
#include "attn/selftest_step.h"

static void selftest_fail(selftest_result *r, attn_status status) {
    r->status = status == ATTN_OK ? r->status : status;
}

/* Calls a kernel of the library on pages of its own kind. */
static attn_status selftest_call(selftest *t, attn_kernel_fn *run, const attn_params *p,
                                 const selftest_pages *pages, char *out, float *lse, int write) {
    attn_exec x = ATTN_INIT(attn_exec);
    x.workspace = t->portable;
    x.workspace_bytes = ATTN_CPU_REF_WORKSPACE(p->head_dim, p->v_head_dim);
    attn_batch batch = t->batch;
    batch.n_prefill += batch.n_decode;
    batch.n_decode = 0;
    if (write && selftest_source(t)) {
        batch.q_start = t->src_start;
        batch.seq_len = t->src_len;
    }
    attn_io io = t->io;
    io.out = out;
    io.lse = lse;
    io.cache = selftest_dense(t) ? (attn_cache_view){0} : selftest_view(pages);
    return run(&x, p, &batch, &io);
}

/* Appends the step's rows to the table's pages and to the portable kernel's. */
static void selftest_write(selftest *t) {
    if (selftest_dense(t)) {
        return;
    }
    const attn_operator *all =
        (const void *)((const char *)t->table->data + t->table->data->operators);
    const attn_class *classes =
        (const void *)((const char *)t->table->data + t->table->data->classes);
    const attn_class *owner = &classes[all[t->op->owner].class_index];
    selftest_result *r = &t->results[owner->write_entry];
    selftest_fail(r, attn_kv_write(&t->x, t->table, t->op->owner, &t->batch, &t->io));
    r->calls++;
    selftest_call(t, attn_cpu_kv, &t->plain, &t->own, NULL, NULL, 1);
}

/* ---- comparison */

/* Half a unit of the output's type twice, and the rounding of a cache that has a form of its own.
 */
static double selftest_tolerance(const selftest *t, double want) {
    double relative = t->c->dtype == ATTN_BF16  ? 0x1p-7
                      : t->c->dtype == ATTN_F16 ? 0x1p-9
                                                : 0x1p-14;
    int coarse = t->c->layout == ATTN_LAYOUT_VENDOR &&
                 (t->c->kv_dtype == ATTN_FP8_E4M3 || t->c->kv_dtype == ATTN_INT8);
    return (coarse ? 0.05 : 1e-4) + relative * (0.25 + fabs(want));
}

static double selftest_difference(double got, double want, double tolerance) {
    if (isinf(want)) {
        return got == want ? 0 : 1e30;
    }
    double error = fabs(got - want) / tolerance;
    return error >= 0 ? error : 1e30; /* NaN */
}

/* Rows of batch sequences [begin, end) of `got` against the portable kernel's. */
static void selftest_compare(const selftest *t, selftest_result *r, const char *got,
                             const float *lse, uint32_t begin, uint32_t end) {
    r->calls += t->q_start[end] > t->q_start[begin];
    for (int32_t row = t->q_start[begin]; row < t->q_start[end]; row++) {
        for (uint32_t h = 0; h < t->c->heads; h++) {
            int64_t at = row * t->io.out_token_stride + h * t->io.out_head_stride;
            for (uint32_t d = 0; d < t->c->v_head_dim; d++) {
                double want = attn_load(t->want, at + d, t->c->dtype);
                double error = selftest_difference(attn_load(got, at + d, t->c->dtype), want,
                                                   selftest_tolerance(t, want));
                r->worst = error > r->worst ? error : r->worst;
            }
            int64_t i = row * t->io.lse_token_stride + h;
            if (lse) {
                double error =
                    selftest_difference(lse[i], t->want_lse[i], 50 * selftest_tolerance(t, 0));
                r->worst = error > r->worst ? error : r->worst;
            }
        }
    }
}

static void selftest_run(selftest *t) {
    size_t bytes = (size_t)SELFTEST_ROWS * (size_t)t->io.out_token_stride * 4;
    size_t lse_bytes = (size_t)SELFTEST_ROWS * (size_t)t->io.lse_token_stride * sizeof *t->lse;
    uint32_t split = t->batch.n_decode, n = split + t->batch.n_prefill;
    const uint16_t entry[] = {t->c->decode_entry, t->c->prefill_entry};
    memset(t->out, 0xff, bytes);
    memset(t->lse, 0xff, lse_bytes);
    selftest_call(t, attn_cpu_ref, &t->plain, &t->own, t->want, t->want_lse, 0);
    int lse = 1;
    for (int i = 0; i < 2; i++) {
        lse = lse && (entry[i] == ATTN_NO_ENTRY || t->kernels[entry[i]].lse);
    }
    t->io.out = t->out;
    t->io.lse = lse ? t->lse : NULL;
    attn_status status = attn_run(&t->x, t->table, t->number, &t->batch, &t->io);
    for (int i = 0; i < 2; i++) {
        uint32_t begin = i == 0 ? 0 : split, end = i == 0 ? split : n;
        if (entry[i] != ATTN_NO_ENTRY && t->q_start[end] > t->q_start[begin]) {
            selftest_fail(&t->results[entry[i]], status);
            selftest_compare(t, &t->results[entry[i]], t->out, t->io.lse, begin, end);
        }
    }
    int reads = t->c->layout == ATTN_LAYOUT_HND || t->c->layout == ATTN_LAYOUT_HND_PAIR;
    if (reads && t->c->write_entry != ATTN_NO_ENTRY && attn_cpu_ref_serves(t->p)) {
        selftest_call(t, attn_cpu_ref, t->p, &t->pages, t->again, NULL, 0); /* the writer alone */
        selftest_compare(t, &t->results[t->c->write_entry], t->again, NULL, 0, n);
    }
}

static attn_status selftest_step(selftest *t, const int32_t *fresh, int run) {
    selftest_begin(t, fresh);
    attn_status status = attn_step(&t->x, t->table, &t->batch);
    if (status == ATTN_OK) {
        selftest_write(t);
        if (run) {
            selftest_run(t);
        }
    }
    return status;
}

/* ---- a class */

/* Tokens before the first row that is asked for: enough to leave the window or chunk behind. */
static int32_t selftest_ahead(const selftest *t) {
    int32_t last = 0;
    for (int i = 0; i < SELFTEST_STEPS; i++) {
        last += selftest_fresh[i][0];
    }
    int32_t ahead = 100;
    ahead = t->p->window_left > ahead ? t->p->window_left : ahead;
    ahead = t->p->chunk > (uint32_t)ahead ? (int32_t)t->p->chunk : ahead;
    ahead = selftest_least(selftest_least(ahead, SELFTEST_AHEAD) - last / 3,
                           (int32_t)t->op->max_tokens - last);
    return ahead > 0 && !selftest_dense(t) && !selftest_source(t) ? ahead : 0;
}

static void selftest_tensors(selftest *t) {
    const attn_class *c = t->c;
    t->io = ATTN_INIT(attn_io);
    t->io.q_head_stride = c->head_dim;
    t->io.q_token_stride = (int64_t)c->heads * c->head_dim + SELFTEST_PAD;
    t->io.k_head_stride = c->head_dim;
    t->io.k_token_stride = (int64_t)c->kv_heads * c->head_dim + SELFTEST_PAD;
    t->io.v_head_stride = t->io.out_head_stride = c->v_head_dim;
    t->io.v_token_stride = (int64_t)c->kv_heads * c->v_head_dim + SELFTEST_PAD;
    t->io.out_token_stride = (int64_t)c->heads * c->v_head_dim + SELFTEST_PAD;
    t->io.lse_token_stride = c->heads;
    t->io.k_scale = t->io.v_scale = 0.5f;
    t->io.q = t->q = selftest_take(SELFTEST_ROWS * (size_t)t->io.q_token_stride * 4);
    t->io.k = t->k = selftest_take(SELFTEST_ROWS * (size_t)t->io.k_token_stride * 4);
    t->io.v = t->v = selftest_take(SELFTEST_ROWS * (size_t)t->io.v_token_stride * 4);
    t->out = selftest_take(SELFTEST_ROWS * (size_t)t->io.out_token_stride * 4);
    t->want = selftest_take(SELFTEST_ROWS * (size_t)t->io.out_token_stride * 4);
    t->again = selftest_take(SELFTEST_ROWS * (size_t)t->io.out_token_stride * 4);
    t->lse = selftest_take(SELFTEST_ROWS * sizeof(float) * c->heads);
    t->want_lse = selftest_take(SELFTEST_ROWS * sizeof(float) * c->heads);
    t->portable = selftest_take((size_t)ATTN_CPU_REF_WORKSPACE(c->head_dim, c->v_head_dim));
    size_t sinks = (size_t)c->sink_tokens * c->kv_heads;
    t->io.sink_k = t->sink_k = selftest_take(sinks * c->head_dim * 4);
    t->io.sink_v = t->sink_v = selftest_take(sinks * c->v_head_dim * 4);
    t->io.sink_logits = t->sink_logits = selftest_take(c->heads * sizeof(float));
    t->io.alibi_slopes = t->slopes = selftest_take(c->heads * sizeof(float));
    selftest_fill(t, t->sink_k, sinks * c->head_dim, c->dtype);
    selftest_fill(t, t->sink_v, sinks * c->v_head_dim, c->dtype);
    selftest_fill(t, t->sink_logits, c->heads, ATTN_F32);
    selftest_fill(t, t->slopes, c->heads, ATTN_F32);
}

/* The portable kernel's pages hold what the table's hold: rows of the cache's type. */
static void selftest_caches(selftest *t, int32_t longest) {
    t->plain = *t->p;
    t->plain.layout = ATTN_LAYOUT_HND;
    t->plain.block_size = SELFTEST_BLOCK;
    uint64_t slots = (uint64_t)SELFTEST_BLOCK * t->c->kv_heads;
    t->plain.page_bytes = slots * (t->c->head_dim + t->c->v_head_dim) * 4 + slots * 8;
    if (selftest_dense(t)) {
        t->plain.layout = ATTN_LAYOUT_NONE;
        t->plain.block_size = 0;
        return;
    }
    const attn_group *groups =
        (const void *)((const char *)t->table->data + t->table->data->groups);
    const attn_group *g = &groups[t->c->group];
    selftest_pages_open(&t->pages, g->block_size, g->page_bytes, longest);
    selftest_pages_open(&t->own, SELFTEST_BLOCK, t->plain.page_bytes, longest);
    t->kv[t->op->owner] = (attn_kv){t->pages.pool, t->pages.page_stride, t->pages.n_pages};
    t->tables[t->c->group] = (attn_block_table){t->pages.ids, t->pages.cols, t->pages.cols};
}

/* Entries of a class that this processor or the portable kernel cannot run are left out. */
static int selftest_can(const selftest *t) {
    const uint16_t entry[] = {t->c->prefill_entry, t->c->decode_entry, t->c->write_entry};
    int can = attn_cpu_ref_serves(&t->plain);
    for (int i = 0; i < 3; i++) {
        if (entry[i] != ATTN_NO_ENTRY && (t->table->entry[entry[i]]->caps & ~attn_cpu_caps())) {
            t->results[entry[i]].lacks = 1;
            can = 0;
        }
    }
    return can;
}

static void selftest_close(selftest *t) {
    void *all[] = {t->q,      t->k,          t->v,         t->out,      t->want,   t->again,
                   t->lse,    t->want_lse,   t->portable,  t->sink_k,   t->sink_v, t->sink_logits,
                   t->slopes, t->pages.pool, t->pages.ids, t->own.pool, t->own.ids};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) {
        free(all[i]);
    }
}

static attn_status selftest_class(selftest *t) {
    const attn_kernel *kernel = t->table->entry[t->c->prefill_entry];
    t->p = kernel->params;
    t->random = 1;
    memset(t->len, 0, sizeof t->len);
    memset(t->src, 0, sizeof t->src);
    memset(&t->pages, 0, sizeof t->pages);
    memset(&t->own, 0, sizeof t->own);
    int32_t ahead = selftest_ahead(t), chunk = SELFTEST_ROWS - 1;
    selftest_tensors(t);
    selftest_caches(t, ahead + 2 * SELFTEST_ROWS);
    attn_status status = ATTN_OK;
    if (selftest_can(t)) {
        while (t->len[0] < ahead && status == ATTN_OK) {
            int32_t fresh[SELFTEST_SEQS] = {selftest_least(chunk, ahead - t->len[0])};
            status = selftest_step(t, fresh, 0);
        }
        for (int i = 0; i < SELFTEST_STEPS && status == ATTN_OK; i++) {
            status = selftest_step(t, selftest_fresh[i], 1);
        }
    }
    selftest_close(t);
    return status;
}

/* ---- the table */

static int selftest_report(const selftest *t) {
    uint32_t n = t->table->data->n_entries, failed = 0, ran = 0;
    for (uint32_t i = 0; i < n; i++) {
        const selftest_result *r = &t->results[i];
        int good = r->calls == 0 || (r->status == ATTN_OK && r->worst <= 1);
        failed += !good;
        ran += r->calls > 0;
        printf("%sok %u - %s%s\n", good ? "" : "not ", i + 1, t->kernels[i].key,
               r->lacks        ? " # SKIP this processor lacks its instructions"
               : r->calls == 0 ? " # SKIP no step of these limits reaches it, or no reference"
                               : "");
        if (!good) {
            printf("# %s; greatest error over its tolerance: %g\n", attn_status_text(r->status),
                   r->worst);
        }
    }
    printf("1..%u\n", n);
    return failed > 0 || ran == 0;
}

/* Tests `table`, whose entries are called `kernels`; returns the exit status of the program. */
static int attn_selftest(const attn_table *table, const attn_selftest_kernel *kernels) {
    const attn_header *data = table->data;
    selftest t = {.table = table, .kernels = kernels};
    t.results = calloc(data->n_entries + 1, sizeof *t.results);
    t.kv = calloc(data->n_operators + 1, sizeof *t.kv);
    t.tables = calloc(data->n_groups + 1, sizeof *t.tables);
    t.x = ATTN_INIT(attn_exec);
    t.x.flags = ATTN_EXEC_CHECKED;
    t.x.kv = t.kv;
    t.x.n_kv = data->n_operators;
    t.x.workers = SELFTEST_WORKERS;
    t.x.parallel_for = selftest_turns;
    t.x.workspace_bytes = attn_workspace_bytes(table, SELFTEST_WORKERS);
    t.x.workspace = selftest_take(t.x.workspace_bytes);
    if (!t.results || !t.kv || !t.tables) {
        printf("Bail out! no memory\n");
        return 1;
    }
    printf("TAP version 13\n");
    int broken = 0;
    const attn_operator *all = (const void *)((const char *)data + data->operators);
    const attn_class *classes = (const void *)((const char *)data + data->classes);
    uint32_t tested = 0;
    for (uint32_t i = 0; i < data->n_operators; i++) {
        if (all[i].class_index !=
            tested) { /* classes stand in the order of their first operators */
            continue;
        }
        tested++;
        t.number = i;
        t.op = &all[i];
        t.c = &classes[all[i].class_index];
        attn_status status = selftest_class(&t);
        if (status != ATTN_OK) {
            printf("# operator %u: %s\n", i, attn_status_text(status));
            broken = 1;
        }
    }
    broken |= selftest_report(&t);
    free(t.x.workspace);
    free(t.results);
    free(t.kv);
    free(t.tables);
    return broken;
}

#endif
