// SPDX-License-Identifier: Apache-2.0
// attn_run and attn_kv_write: from an operator's number to its kernels. In: the step's plan, the
// caller's operands. Out: what the kernels write. Everything is checked for both phases before the
// first kernel runs, so a refused call has written nothing; dispatch itself is a load and a call.
#include "runtime/core/call.h"

// Finds operator, class and plan, and refuses what the step was not made for.
static attn_status open_call(attn_call *call, attn_exec *x, const attn_table *table, uint32_t op,
                             const attn_batch *batch, const attn_io *io) {
    if (!x || !table || !table->data || !batch || !io) {
        return ATTN_E_NULL;
    }
    if (x->size != sizeof *x || batch->size != sizeof *batch || io->size != sizeof *io) {
        return ATTN_E_SIZE;
    }
    const attn_header *h = table->data;
    if (h->abi != ATTN_ABI) {
        return ATTN_E_ABI;
    }
    if (!x->workspace || (uintptr_t)x->workspace % ATTN_WORKSPACE_ALIGN != 0 ||
        x->workspace_bytes < ATTN_STEP_HEADER_BYTES || x->workspace_bytes < h->step_bytes) {
        return ATTN_E_WORKSPACE;
    }
    attn_step_header want = attn_step_identity(table, batch);
    if (__builtin_memcmp(x->workspace, &want, offsetof(attn_step_header, rows)) != 0) {
        return ATTN_E_STEP;
    }
    // The step has been through attn_table_check with this very table.
    if (op >= h->n_operators || attn_operators(table)[op].class_index >= h->n_classes) {
        return ATTN_E_OPERATOR;
    }
    call->x = x;
    call->table = table;
    call->batch = batch;
    call->step = x->workspace;
    call->op = &attn_operators(table)[op];
    call->class = &attn_classes(table)[call->op->class_index];
    call->plan = attn_plan_of(x->workspace, h, call->op->class_index);
    call->group = call->class->group < h->n_groups ? &attn_groups(table)[call->class->group] : NULL;
    call->io = *io;
    __builtin_memset(&call->io.cache, 0, sizeof call->io.cache);
    if (call->step->longest > call->op->max_tokens ||
        batch->n_tokens > call->op->max_batch_tokens) {
        return ATTN_E_LIMIT;
    }
    return ATTN_OK;
}

// Sequences [begin, end) of the batch as a kernel of `role` gets them.
static attn_batch part_of(const attn_batch *batch, uint32_t role, uint32_t begin, uint32_t end) {
    attn_batch part = *batch;
    part.n_decode = role == ATTN_DECODE ? end - begin : 0;
    part.n_prefill = role == ATTN_DECODE ? 0 : end - begin;
    part.q_start += begin;
    part.seq_len += begin;
    part.src_start = batch->src_start ? batch->src_start + begin : NULL;
    part.src_len = batch->src_len ? batch->src_len + begin : NULL;
    part.tables = NULL;
    part.fault = NULL;
    return part;
}

typedef struct launch { // one kernel on its sequences; empty where begin == end
    uint32_t role, begin, end;
    const attn_kernel *kernel;
    attn_lease lease;
} launch;

static attn_status prepare(const attn_call *call, launch *l, uint16_t entry) {
    if (l->begin == l->end) {
        return ATTN_OK;
    }
    if (call->plan->verdict[l->role] != ATTN_OK) {
        return (attn_status)call->plan->verdict[l->role];
    }
    l->kernel = call->table->entry[entry];
    return attn_lease_of(&l->lease, call->x, call->table->data, l->kernel);
}

static attn_status start(attn_call *call, launch *l) {
    if (l->begin == l->end) {
        return ATTN_OK;
    }
    attn_batch part = part_of(call->batch, l->role, l->begin, l->end);
    attn_io io = call->io;
    if (io.cache.table) {
        io.cache.table += io.cache.table_stride * (int64_t)l->begin;
    }
    return l->kernel->run(&l->lease.x, l->kernel->params, &part, &io);
}

attn_status attn_run(attn_exec *x, const attn_table *table, uint32_t op, const attn_batch *batch,
                     const attn_io *io) {
    attn_call call;
    attn_status status = open_call(&call, x, table, op, batch, io);
    if (status != ATTN_OK || call.step->rows == 0) {
        return status;
    }
    uint32_t n = batch->n_decode + batch->n_prefill;
    uint32_t split = call.class->kind == ATTN_ENCODER_ONLY_ATTENTION ? 0 : batch->n_decode;
    launch decode = {.role = ATTN_DECODE, .end = split};
    launch prefill = {.role = ATTN_PREFILL, .begin = split, .end = n};
    status = prepare(&call, &decode, call.class->decode_entry);
    if (status == ATTN_OK) {
        status = prepare(&call, &prefill, call.class->prefill_entry);
    }
    if (status == ATTN_OK) {
        status = attn_check_run_io(&call);
    }
    if (status == ATTN_OK && call.group) {
        status = attn_cache_view_of(&call);
        if (status == ATTN_OK && (x->flags & ATTN_EXEC_CHECKED)) {
            status = attn_check_blocks(&call, false);
        }
    }
    if (status == ATTN_OK) {
        status = start(&call, &decode);
    }
    return status == ATTN_OK ? start(&call, &prefill) : status;
}

// For a writer the rows of a source are rows like any other.
static void append_sources(attn_batch *part, uint32_t rows) {
    part->n_tokens = rows;
    part->q_start = part->src_start;
    part->seq_len = part->src_len;
}

attn_status attn_kv_write(attn_exec *x, const attn_table *table, uint32_t op,
                          const attn_batch *batch, const attn_io *io) {
    attn_call call;
    attn_status status = open_call(&call, x, table, op, batch, io);
    if (status != ATTN_OK) {
        return status;
    }
    if (!call.group || call.op->owner != op) {
        return ATTN_E_NO_WRITE;
    }
    if ((call.group->source ? call.step->source_rows : call.step->rows) == 0) {
        return ATTN_OK;
    }
    launch write = {.role = ATTN_WRITE, .end = batch->n_decode + batch->n_prefill};
    status = prepare(&call, &write, call.class->write_entry);
    if (status == ATTN_OK) {
        status = attn_check_write_io(&call);
    }
    if (status == ATTN_OK) {
        status = attn_cache_view_of(&call);
    }
    if (status == ATTN_OK && (x->flags & ATTN_EXEC_CHECKED)) {
        status = attn_check_blocks(&call, true);
    }
    if (status != ATTN_OK) {
        return status;
    }
    attn_batch part = part_of(batch, ATTN_WRITE, 0, write.end);
    if (call.group->source) {
        append_sources(&part, call.step->source_rows);
    }
    return write.kernel->run(&write.lease.x, write.kernel->params, &part, &call.io);
}
