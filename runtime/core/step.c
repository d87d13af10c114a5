// SPDX-License-Identifier: Apache-2.0
// attn_step: one plan for each class of the table, once per step. In: table, batch, workspace. Out:
// verdicts on kernels and cache, and the first block that each sequence still reads; attn_run then
// costs one look at them. A refused step leaves a workspace that attn_run refuses.
#include "runtime/core/step.h"

#include "attn/span.h"

attn_step_header attn_step_identity(const attn_table *table, const attn_batch *batch) {
    attn_step_header step;
    __builtin_memset(&step, 0, sizeof step); // padding too: identities are compared as bytes
    step.magic = ATTN_STEP_MAGIC;
    step.fingerprint = table->data->fingerprint;
    step.data = table->data;
    step.entry = table->entry;
    step.q_start = batch->q_start;
    step.seq_len = batch->seq_len;
    step.src_start = batch->src_start;
    step.src_len = batch->src_len;
    step.tables = batch->tables;
    step.n_decode = batch->n_decode;
    step.n_prefill = batch->n_prefill;
    step.n_tokens = batch->n_tokens;
    return step;
}

// What an operator's cache needs of the batch. A batch may leave out what it does not use: an
// encoder's step has no block tables, so what is missing is held against the class alone.
static attn_status cache_verdict(const attn_table *table, const attn_class *class,
                                 const attn_batch *batch) {
    if (class->group >= table->data->n_groups) {
        return ATTN_E_ABI;
    }
    const attn_group *group = &attn_groups(table)[class->group];
    if (group->block_size == 0) {
        return ATTN_E_ABI;
    }
    if (!batch->tables || !batch->tables[class->group].ids ||
        batch->tables[class->group].cols == 0) {
        return ATTN_E_TABLE;
    }
    if (!attn_aligned(batch->tables[class->group].ids)) {
        return ATTN_E_ALIGN;
    }
    return group->source && !batch->src_len ? ATTN_E_NULL : ATTN_OK;
}

// Rows of a block table follow each other, all within what a pointer counts.
static bool rows_fit(const attn_block_table *table, uint32_t n) {
    int64_t most = PTRDIFF_MAX / (int64_t)sizeof *table->ids - (int64_t)table->cols;
    return n <= 1 || (table->stride >= (int64_t)table->cols && table->stride <= most / (n - 1));
}

// Encoders see their own rows only.
static attn_status rows_verdict(const attn_batch *batch, uint32_t n) {
    for (uint32_t i = 0; i < n; i++) {
        if (batch->seq_len[i] != batch->q_start[i + 1] - batch->q_start[i]) {
            return ATTN_E_LENGTH;
        }
    }
    return ATTN_OK;
}

// No sequence is longer than the group's block tables were made for, whoever reads or writes it.
static attn_status check_lengths(const attn_group *group, const attn_batch *batch, uint32_t n) {
    const int32_t *length = group->source ? batch->src_len : batch->seq_len;
    for (uint32_t i = 0; i < n; i++) {
        if ((uint32_t)length[i] > group->max_length) {
            return ATTN_E_LIMIT;
        }
    }
    return ATTN_OK;
}

// First blocks and block table of sequences [begin, end) under one kernel's mask. The mask is the
// kernel's, not the group's: operators that share pages need not share a window.
static attn_status plan_sequences(const attn_group *group, const attn_params *mask,
                                  const attn_batch *batch, uint32_t table_cols, uint32_t begin,
                                  uint32_t end, uint32_t *first) {
    const int32_t *length = group->source ? batch->src_len : batch->seq_len;
    for (uint32_t i = begin; i < end; i++) {
        int32_t fresh = batch->q_start[i + 1] - batch->q_start[i];
        int32_t position = batch->seq_len[i] - fresh;
        uint32_t blocks = attn_group_blocks(group, (uint32_t)length[i]);
        first[i] = blocks;
        if (fresh > 0) {
            attn_span seen = attn_span_of(position, length[i], mask->window_left,
                                          mask->window_right, mask->chunk);
            first[i] = (uint32_t)seen.lo / group->block_size;
        }
        if (blocks > first[i] && blocks - first[i] > table_cols) {
            return ATTN_E_TABLE;
        }
    }
    return ATTN_OK;
}

static attn_status plan_cache(const attn_table *table, const attn_class *class,
                              const attn_batch *batch, attn_class_plan *plan) {
    attn_status status = cache_verdict(table, class, batch);
    if (status != ATTN_OK) {
        for (uint32_t role = 0; role <= ATTN_WRITE; role++) {
            plan->verdict[role] = plan->verdict[role] ? plan->verdict[role] : (uint8_t)status;
        }
        return ATTN_OK;
    }
    const attn_block_table *blocks = &batch->tables[class->group];
    uint32_t n = batch->n_decode + batch->n_prefill;
    if (!rows_fit(blocks, n)) {
        return ATTN_E_TABLE;
    }
    const attn_group *group = &attn_groups(table)[class->group];
    status = check_lengths(group, batch, n);
    const struct {
        uint32_t role, entry, begin, end;
    } part[] = {{ATTN_DECODE, class->decode_entry, 0, batch->n_decode},
                {ATTN_PREFILL, class->prefill_entry, batch->n_decode, n}};
    for (uint32_t k = 0; k < 2 && status == ATTN_OK; k++) {
        if (plan->verdict[part[k].role] == ATTN_OK) {
            const attn_params *mask = table->entry[part[k].entry]->params;
            status = plan_sequences(group, mask, batch, blocks->cols, part[k].begin, part[k].end,
                                    plan->first);
        }
    }
    return status;
}

static attn_status plan_class(const attn_table *table, const attn_class *class,
                              const attn_batch *batch, uint32_t caps, attn_class_plan *plan) {
    for (uint32_t role = 0; role <= ATTN_WRITE; role++) {
        plan->verdict[role] = (uint8_t)attn_kernel_check(table, class, role, caps);
    }
    if (class->kind != ATTN_ENCODER_ONLY_ATTENTION) {
        return plan_cache(table, class, batch, plan);
    }
    plan->verdict[ATTN_WRITE] = ATTN_E_NO_WRITE;
    if (plan->verdict[ATTN_PREFILL] == ATTN_OK) {
        plan->verdict[ATTN_PREFILL] =
            (uint8_t)rows_verdict(batch, batch->n_decode + batch->n_prefill);
    }
    return ATTN_OK;
}

attn_status attn_step(attn_exec *x, const attn_table *table, const attn_batch *batch) {
    if (!x || !table || !batch) {
        return ATTN_E_NULL;
    }
    if (x->size != sizeof *x || batch->size != sizeof *batch) {
        return ATTN_E_SIZE;
    }
    attn_status status = attn_table_check(table);
    if (status != ATTN_OK) {
        return status;
    }
    if (!x->workspace || (uintptr_t)x->workspace % ATTN_WORKSPACE_ALIGN != 0 ||
        x->workspace_bytes < table->data->step_bytes) {
        return ATTN_E_WORKSPACE;
    }
    attn_step_header *step = x->workspace;
    step->magic = 0;
    attn_step_header found = attn_step_identity(table, batch);
    status = attn_batch_check(table->data, batch, &found);
    uint32_t caps = attn_cpu_caps();
    const attn_class *class = attn_classes(table);
    for (uint32_t c = 0; c < table->data->n_classes && status == ATTN_OK; c++) {
        status =
            plan_class(table, &class[c], batch, caps, attn_plan_of(x->workspace, table->data, c));
        found.planned++;
    }
    if (status == ATTN_OK) {
        __builtin_memcpy(step, &found, sizeof found);
    }
    return status;
}
