// SPDX-License-Identifier: Apache-2.0
// Plain decoders: full attention everywhere, one window for all layers, or windows by layer_types
// or every n-th layer; with sink logits (gpt_oss) or a scale of the file's own (granite).
#include "gen/import.h"

struct llama_facts {
    enum { WINDOW_NONE, WINDOW_ALL, WINDOW_TYPES } windows;
    int64_t window;       // default of sliding_window; 0: none
    int64_t full_every;   // WINDOW_TYPES without layer_types: 0 none is full
    const char *interval; // key that replaces full_every, or NULL
    bool sinks;
    bool multiplier;      // attention_multiplier is the scale, 1 by default
    bool shares;          // use_cla, cla_share_factor
    int64_t class_window; // what transformers takes for a silent file, where that would be made up
};

static const struct llama_facts full = {.windows = WINDOW_NONE};
static const struct llama_facts mistral = {.windows = WINDOW_ALL, .class_window = 4096};
static const struct llama_facts optional = {.windows = WINDOW_ALL};
static const struct llama_facts ministral = {.windows = WINDOW_TYPES, .window = 4096};
static const struct llama_facts cohere2 = {
    .windows = WINDOW_TYPES, .window = 4096, .full_every = 4, .interval = "sliding_window_pattern"};
static const struct llama_facts olmo3 = {.windows = WINDOW_TYPES, .window = 4096, .full_every = 4};
static const struct llama_facts gpt_oss = {
    .windows = WINDOW_TYPES, .window = 128, .full_every = 2, .sinks = true};
static const struct llama_facts granite = {.windows = WINDOW_NONE, .multiplier = true};
static const struct llama_facts hunyuan = {.windows = WINDOW_NONE, .shares = true};

static const struct llama_facts *facts(const struct import *i) {
    return i->arch->facts;
}

// 0 occurs for a window that is switched off, and other readers take it for that.
static struct import_int window(struct import *i) {
    const struct config_value *at = import_find(i, "sliding_window");
    if (at && at->kind == CONFIG_NUMBER && at->len == 1 && at->text[0] == '0') {
        import_note(i, at, "`%s` is 0, which is read as no window", config_path(i->arena, at));
        return (struct import_int){.at = at};
    }
    if (facts(i)->class_window && !config_member(i->text, "sliding_window")) {
        import_note(i, config_get(i->text, "model_type"),
                    "there is no `sliding_window`, which is read as no window; transformers takes "
                    "%lld for a %s that is silent",
                    (long long)facts(i)->class_window, i->arch->model_type);
    }
    return import_window(i, "sliding_window", facts(i)->window);
}

static void set_windows(struct import *i) {
    struct import_int every = {.v = facts(i)->full_every};
    if (facts(i)->interval) {
        every = import_count(i, facts(i)->interval, every.v);
    }
    struct layer_rule rule = {every.v, every.v - 1, LAYER_FULL, LAYER_SLIDING};
    struct import_int w = window(i);
    const struct config_value *list = import_find(i, "layer_types");
    if (facts(i)->windows == WINDOW_NONE || (w.v == 0 && !list)) {
        rule = (struct layer_rule){0, 0, LAYER_FULL, LAYER_FULL};
    }
    const enum layer_type *types = import_layer_types(
        i, "layer_types", LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_SLIDING), rule);
    if (types) {
        import_set_window(i, types, w);
    }
    if (types && w.given && !i->failed && !import_has_type(i, types, LAYER_SLIDING)) {
        import_note(i, w.at, "`%s` is given, but no layer of this %s has a window",
                    config_path(i->arena, w.at), i->arch->model_type);
    }
}

static void set_multiplier(struct import *i) {
    bool zero;
    const char *own = import_decimal(i, "attention_multiplier", false, &zero);
    import_set(i, IMPORT_SCALE, own ? own : "1",
               own ? "attention_multiplier" : import_default_comment(i));
}

// Cross-layer attention: of each run of cla_share_factor layers all but the first read its cache.
static void set_sharing(struct import *i) {
    struct import_int factor = import_count(i, "cla_share_factor", 1);
    if (!import_flag(i, "use_cla", false)) {
        return;
    }
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        if (k % factor.v != 0) {
            import_at(import_self(i), k, IMPORT_KV_SHARE, import_number(i, k - k % factor.v));
        }
    }
}

static void import_llama(struct import *i) {
    struct import_shape shape;
    import_shape(i, &shape);
    if (!i->model) {
        return;
    }
    set_windows(i);
    if (facts(i)->sinks) {
        import_set(i, IMPORT_SINK_LOGITS, "yes", "a learned logit a head, the kind is the same");
    }
    if (facts(i)->multiplier) {
        set_multiplier(i);
    }
    if (facts(i)->shares) {
        set_sharing(i);
    }
}

static const struct import_keys step_keys = {.kv_heads =
                                                 "num_attention_groups|num_key_value_heads"};
static const struct import_keys hunyuan_keys = {.head_dim = "attention_head_dim|head_dim"};

// model_type, wrapper, layers, hidden, heads, kv_heads, head_dim
#define ROW(type, outer, n, width, h, kv, dim)                                                     \
    .model_type = type, .wrapper = outer, .layers = n, .hidden = width, .heads = h,                \
    .kv_heads = kv, .head_dim = dim, .fill = import_llama

const struct import_arch import_llama_archs[] = {
    {ROW("llama", "llava", 32, 4096, 32, 0, 0), .facts = &full},
    {ROW("mistral", "mistral3|llava", 32, 4096, 32, 8, 0), .facts = &mistral},
    {ROW("ministral", NULL, 32, 4096, 32, 8, 0), .facts = &ministral},
    {ROW("ministral3", "mistral3", 34, 4096, 32, 8, 128), .facts = &optional},
    {ROW("mixtral", NULL, 32, 4096, 32, 8, 0), .facts = &optional},
    {ROW("phi3", NULL, 32, 3072, 32, 0, 0), .facts = &optional},
    {ROW("gemma", NULL, 28, 3072, 16, 16, 256), .facts = &full},
    {ROW("cohere", NULL, 40, 8192, 64, 0, 0), .facts = &full},
    {ROW("cohere2", NULL, 40, 8192, 64, 0, 0), .facts = &cohere2},
    {ROW("olmo2", NULL, 32, 4096, 32, 0, 0), .facts = &full},
    {ROW("olmo3", NULL, 32, 4096, 32, 0, 0), .facts = &olmo3},
    {ROW("gpt_oss", NULL, 36, 2880, 64, 8, 64), .facts = &gpt_oss},
    {ROW("granite", NULL, 32, 4096, 32, 0, 0), .facts = &granite},
    {ROW("granitemoe", NULL, 32, 4096, 32, 0, 0), .facts = &granite},
    {ROW("glm4", NULL, 40, 4096, 32, 2, 128), .facts = &full},
    {ROW("glm4_moe", NULL, 46, 4096, 96, 8, 0), .facts = &full},
    {ROW("glm4v_moe_text", "glm4v_moe", 46, 4096, 96, 8, 0), .facts = &full},
    {ROW("hunyuan_v1_dense", NULL, 32, 4096, 32, 0, 0), .facts = &full},
    {ROW("hunyuan_v1_moe", NULL, 32, 4096, 32, 0, 0), .facts = &full},
    {ROW("hunyuan", NULL, 32, 4096, 32, 0, 0), .facts = &hunyuan, .keys = &hunyuan_keys},
    {ROW("step3_text", "step3_vl", 61, 7168, 64, 1, 256), .facts = &full, .keys = &step_keys},
};
IMPORT_ARCH_COUNT(llama);
