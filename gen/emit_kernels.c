// SPDX-License-Identifier: Apache-2.0
// NAME_kernels.c: a row of constants and an include for each distinct kernel. In: a linkable plan.
// Out: C that needs -I runtime/include alone and no -m flag.
// Always: one definition for each symbol of the table's entries, in their order.

#include "gen/emit.h"

static void define(struct text *t, const char *what, const char *value) {
    text_addf(t, "#define ATTN_%s %s\n", what, value);
}

static void define_int(struct text *t, const char *what, int64_t v) {
    text_addf(t, "#define ATTN_%s %lld\n", what, (long long)v);
}

static void define_bound(struct text *t, const char *what, int64_t v) {
    if (v == ATTN_UNBOUNDED) {
        define(t, what, "ATTN_UNBOUNDED");
    } else {
        define_int(t, what, v);
    }
}

static void define_float(struct text *t, const char *what, float v) {
    char digits[32];
    number_print_float_hex(v, digits);
    define(t, what, digits);
}

static void add_constants(struct text *t, const struct kernel_constants *k) {
    define(t, "KIND", runtime_kind(k->kind));
    define(t, "DTYPE", runtime_dtype(k->dtype));
    define(t, "KV_DTYPE", runtime_dtype(k->kv_dtype));
    define(t, "LAYOUT", runtime_layout(k->layout));
    define_int(t, "HEADS", k->heads);
    define_int(t, "KV_HEADS", k->kv_heads);
    define_int(t, "HEAD_DIM", k->head_dim);
    define_int(t, "V_HEAD_DIM", k->v_head_dim);
    define_int(t, "K_WIDTH", k->k_width);
    define_int(t, "V_WIDTH", k->v_width);
    define_int(t, "BLOCK_SIZE", k->block_size);
    define_int(t, "PAGE_BYTES", k->page_bytes);
    define_float(t, "SCALE", k->scale);
    define_float(t, "SOFTCAP", k->softcap);
    define_bound(t, "WINDOW_LEFT", k->window_left);
    define_bound(t, "WINDOW_RIGHT", k->window_right);
    define_int(t, "CHUNK", k->chunk);
    define_int(t, "SINK_TOKENS", k->sink_tokens);
    define_int(t, "SINK_LOGITS", k->sink_logits);
    define_int(t, "ALIBI", k->alibi);
    define_int(t, "DETERMINISTIC", k->deterministic);
    define_int(t, "DECODE_Q", k->decode_q);
    define_int(t, "ISA", k->isa);
}

static void add_instance(struct text *t, const struct plan *plan,
                         const struct plan_kernel *kernel) {
    struct kernel_constants k = kernel_constants(plan, &plan->operators.at[kernel->op]);
    text_addf(t, "\n#define ATTN_INSTANCE %s\n", kernel->symbol);
    text_addf(t, "#define ATTN_KEY 0x%016llxu\n", (unsigned long long)kernel->fingerprint);
    add_constants(t, &k);
    if (kernel->external) {
        define(t, "FUNCTION", kernel->entry);
    }
    text_addf(t, "#include \"attn/kernels/%s.inc\"\n",
              kernel->external ? "external" : kernel->entry);
}

struct emitted emit_kernels(struct arena *a, const struct plan *plan) {
    struct text t = text_of(a);
    emit_banner(&t, plan, "Kernel instances of an attention dispatch table.");
    text_add(&t, "#include \"attn/abi.h\"\n\n");
    emit_abi_check(&t, plan);
    for (size_t i = 0; i < plan->kernels.len; i++) {
        add_instance(&t, plan, &plan->kernels.at[i]);
    }
    return emit_finish(&t);
}
