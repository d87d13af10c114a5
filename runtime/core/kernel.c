// SPDX-License-Identifier: Apache-2.0
// Whether a table's kernel was made for the class that names it. In: a class, a role, the
// processor's capabilities. Out: a status. Everything a hand-made table could get wrong between a
// class and its kernels is looked at here, once per step and class.
#include "runtime/core/step.h"

// The geometry that every kernel divides by.
static attn_status check_heads(const attn_class *class) {
    if (class->heads == 0 || class->kv_heads == 0 || class->heads % class->kv_heads != 0 ||
        class->head_dim == 0 || class->v_head_dim == 0 ||
        (class->group != ATTN_NO_ENTRY && class->k_width == 0)) {
        return ATTN_E_HEADS;
    }
    return ATTN_OK;
}

// A writer may be shared by kinds that append alike; a source's rows are appended apart.
static attn_status check_writer(const attn_class *class, const attn_params *p) {
    if ((p->kind == ATTN_CROSS_ATTENTION) != (class->kind == ATTN_CROSS_ATTENTION)) {
        return ATTN_E_KIND;
    }
    bool same = p->dtype == class->dtype && p->kv_dtype == class->kv_dtype &&
                p->layout == class->layout && p->kv_heads == class->kv_heads &&
                p->k_width == class->k_width && p->v_width == class->v_width;
    return same ? ATTN_OK : ATTN_E_KEY;
}

static attn_status check_runner(const attn_class *class, const attn_params *p) {
    if (p->kind != class->kind) {
        return ATTN_E_KIND;
    }
    if (p->heads == 0 || p->kv_heads == 0 || p->heads % p->kv_heads != 0) {
        return ATTN_E_HEADS;
    }
    bool same = p->dtype == class->dtype && p->kv_dtype == class->kv_dtype &&
                p->layout == class->layout && p->heads == class->heads &&
                p->kv_heads == class->kv_heads && p->head_dim == class->head_dim &&
                p->v_head_dim == class->v_head_dim && p->k_width == class->k_width &&
                p->v_width == class->v_width && p->sink_tokens == class->sink_tokens &&
                p->sink_logits == class->sink_logits && p->alibi == class->alibi;
    return same ? ATTN_OK : ATTN_E_KEY;
}

attn_status attn_kernel_check(const attn_table *table, const attn_class *class, uint32_t role,
                              uint32_t caps) {
    const uint16_t entry[] = {class->prefill_entry, class->decode_entry, class->write_entry};
    const uint64_t key[] = {class->prefill_key, class->decode_key, class->write_key};
    if (class->kind == ATTN_MAMBA) {
        return ATTN_E_KIND; // a state has no keys and values: attn_io cannot describe its operands
    }
    attn_status status = check_heads(class);
    if (status != ATTN_OK) {
        return status;
    }
    if (entry[role] >= table->data->n_entries) {
        return ATTN_E_NO_PHASE;
    }
    const attn_kernel *kernel = table->entry[entry[role]];
    if (!kernel) {
        return ATTN_E_NULL;
    }
    if (kernel->abi != ATTN_ABI) {
        return ATTN_E_ABI;
    }
    if (!kernel->params || !kernel->run) {
        return ATTN_E_NULL;
    }
    if (kernel->params->size != sizeof(attn_params)) {
        return ATTN_E_SIZE;
    }
    if (kernel->key != key[role]) {
        return ATTN_E_KEY;
    }
    status = role == ATTN_WRITE ? check_writer(class, kernel->params)
                                : check_runner(class, kernel->params);
    if (status != ATTN_OK) {
        return status;
    }
    return (kernel->caps & ~caps) != 0 ? ATTN_E_ISA : ATTN_OK;
}
