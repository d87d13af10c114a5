// SPDX-License-Identifier: Apache-2.0
// Phi-3-small: each dense_attention_every_n_layers-th layer is full, the others are block-sparse,
// for which there is no kind of attention: a file with such layers is refused.
#include "gen/import.h"

#define DENSE_EVERY 2

static void set_scale(struct import *i, int64_t dim) {
    bool zero;
    const char *multiplier = import_decimal(i, "mup_attn_multiplier", false, &zero);
    if (import_flag(i, "mup_use_scaling", true)) {
        import_set(
            i, IMPORT_SCALE,
            arena_printf(i->arena, "%s / %lld", multiplier ? multiplier : "1.0", (long long)dim),
            "mup_attn_multiplier / head_dim");
    }
}

static void import_phi3small(struct import *i) {
    struct import_shape shape;
    struct import_int every = import_count(i, "dense_attention_every_n_layers", DENSE_EVERY);
    if (!import_shape(i, &shape)) {
        return;
    }
    if (every.v > 1) {
        const struct config_value *at = every.at ? every.at : config_get(i->text, "model_type");
        import_error(i, DIAG_A0913, at,
                     "`%s` makes layers block-sparse, first layer 0, and there is no kind for "
                     "block-sparse attention",
                     config_path(i->arena, at));
    }
    set_scale(i, shape.head_dim.v);
}

const struct import_arch import_phi3small_archs[] = {
    {
        .model_type = "phi3small",
        .layers = 32,
        .hidden = 4096,
        .heads = 32,
        .kv_heads = 8,
        .fill = import_phi3small,
    },
};
IMPORT_ARCH_COUNT(phi3small);
