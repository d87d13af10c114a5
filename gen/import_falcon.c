// SPDX-License-Identifier: Apache-2.0
// Falcon, which spells its KV heads in three ways: new_decoder_architecture has num_kv_heads of
// them, multi_query has one, else each head has its own. ALiBi where the file says so.
#include "gen/import.h"

// num_kv_heads counts for the new architecture alone; the others often carry a number too.
static struct import_int kv_heads(struct import *i, struct import_int heads) {
    struct import_int kv = {.v = heads.v, .given = true};
    bool is_new = import_flag(i, "new_decoder_architecture", false);
    bool one = import_flag(i, "multi_query", true);
    if (is_new) {
        kv = import_count(i, "num_kv_heads|n_head_kv", heads.v);
    } else if (one) {
        kv.v = 1;
    }
    if (heads.v % kv.v != 0) {
        import_error(i, DIAG_A0909, kv.at, "%lld query heads are not a multiple of `%s`, %lld",
                     (long long)heads.v, config_path(i->arena, kv.at), (long long)kv.v);
    }
    return kv;
}

static void import_falcon(struct import *i) {
    struct import_int layers = import_layers(i), heads = import_heads(i);
    struct import_int kv = kv_heads(i, heads), dim = import_head_dim(i, heads);
    bool alibi = import_flag(i, "alibi", false);
    if (layers.bad) {
        return;
    }
    import_begin(i, "", layers);
    import_set_int(i, IMPORT_HEADS, heads);
    import_set_int(i, IMPORT_KV_HEADS, kv);
    import_set(i, IMPORT_HEAD_DIM, import_number(i, dim.v), "hidden_size / num_attention_heads");
    import_dtype_line(i);
    if (alibi) {
        import_set(i, IMPORT_ALIBI, "yes", "alibi");
    }
}

static const struct import_keys keys = {
    .layers = "num_hidden_layers|n_layer",
    .heads = "num_attention_heads|n_head",
    .head_dim = "attention_head_dim", // none: the class has no key for it
};

const struct import_arch import_falcon_archs[] = {
    {
        .model_type = "falcon",
        .layers = 32,
        .hidden = 4544,
        .heads = 71,
        .keys = &keys,
        .fill = import_falcon,
    },
};
IMPORT_ARCH_COUNT(falcon);
