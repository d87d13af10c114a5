// SPDX-License-Identifier: Apache-2.0
// Models whose window has a switch, use_sliding_window: Qwen 2 and 3 (layers from max_window_layers
// on slide), SmolLM3 (those without RoPE do); and EXAONE 4, whose pattern is a number, letters or
// null. A switch that is off makes every layer full, whatever sliding_window says.
#include <string.h>

#include "gen/import.h"

#define WINDOW 4096

static const unsigned words = LAYER_BIT(LAYER_FULL) | LAYER_BIT(LAYER_SLIDING);
static const struct layer_rule all_full = {0, 0, LAYER_FULL, LAYER_FULL};

static void note_idle_window(struct import *i, const enum layer_type *types, struct import_int w,
                             const char *why) {
    if (types && w.given && !import_has_type(i, types, LAYER_SLIDING)) {
        import_note(i, w.at, "`%s` is given, but no layer has a window: %s",
                    config_path(i->arena, w.at), why);
    }
}

// ---- Qwen

#define MAX_WINDOW_LAYERS 28

static void import_qwen(struct import *i) {
    struct import_shape shape;
    bool on = import_flag(i, "use_sliding_window", false);
    struct import_int from =
        import_int(i, "max_window_layers", 0, IMPORT_MAX_INT, MAX_WINDOW_LAYERS);
    import_shape(i, &shape);
    enum layer_type *types = import_layer_types(i, "layer_types", words, all_full);
    if (!types || !on) {
        return; // whatever sliding_window holds: 0 and large numbers occur
    }
    struct import_int w = import_window(i, "sliding_window", WINDOW);
    if (!import_find(i, "layer_types")) {
        for (int64_t k = from.v; w.v && k < i->model->n_layers; k++) {
            types[k] = LAYER_SLIDING;
        }
    }
    import_set_window(i, types, w);
    note_idle_window(i, types, w,
                     arena_printf(i->arena, "max_window_layers is %lld%s, of %lld layers",
                                  (long long)from.v, from.given ? "" : " by default",
                                  (long long)i->model->n_layers));
}

// ---- SmolLM3

#define NO_ROPE_INTERVAL 4

static void import_smollm3(struct import *i) {
    struct import_shape shape;
    bool on = import_flag(i, "use_sliding_window", false);
    struct import_int every = import_count(i, "no_rope_layer_interval", NO_ROPE_INTERVAL);
    struct import_int w = {.v = 0};
    if (on) {
        w = import_window(i, "sliding_window", 0);
    }
    import_shape(i, &shape);
    struct layer_rule no_rope = {every.v, every.v - 1, LAYER_SLIDING, LAYER_FULL};
    const enum layer_type *types =
        import_layer_types(i, "layer_types", words, on && w.v ? no_rope : all_full);
    if (types && on && w.v && !import_find(i, "layer_types") && import_find(i, "no_rope_layers")) {
        types = import_mask(i, "no_rope_layers", LAYER_SLIDING, LAYER_FULL);
    }
    if (types && on) {
        import_set_window(i, types, w);
    }
}

// ---- EXAONE 4

#define PATTERN 4

// "LLLG": L slides, G is full, repeated. False after an error.
static bool letters(struct import *i, const struct config_value *at, enum layer_type *types) {
    for (size_t c = 0; c < at->len; c++) {
        if (at->text[c] != 'L' && at->text[c] != 'G') {
            const char *raw = i->diags->sources->files.at[at->span.file].text + at->span.begin + 1;
            const char *bad = memchr(raw, at->text[c], at->span.end - at->span.begin - 1);
            uint32_t begin = at->span.begin + 1 + (bad ? (uint32_t)(bad - raw) : 0);
            diag_add(i->diags, DIAG_A0907, (struct span){at->span.file, begin, begin + 1},
                     "letter %zu of `%s` must be `L` or `G`", c + 1, config_path(i->arena, at));
            i->failed = true;
            return false;
        }
    }
    if (at->len == 0) {
        import_error(i, DIAG_A0907, at, "`%s` has no letters", config_path(i->arena, at));
        return false;
    }
    for (int64_t k = 0; k < i->model->n_layers; k++) {
        types[k] = at->text[(size_t)k % at->len] == 'L' ? LAYER_SLIDING : LAYER_FULL;
    }
    return true;
}

// A null pattern, like a null window, leaves every layer full.
static void import_exaone4(struct import *i) {
    struct import_shape shape;
    import_shape(i, &shape);
    struct import_int w = import_window(i, "sliding_window", WINDOW);
    const struct config_value *pattern = config_member(i->text, "sliding_window_pattern");
    bool spelled = pattern && pattern->kind == CONFIG_STRING;
    bool off = w.v == 0 || (pattern && pattern->kind == CONFIG_NULL);
    int64_t every = spelled ? PATTERN : import_count(i, "sliding_window_pattern", PATTERN).v;
    struct layer_rule rule = {every, every - 1, LAYER_FULL, LAYER_SLIDING};
    enum layer_type *types = import_layer_types(i, "layer_types", words, off ? all_full : rule);
    if (!types) {
        return;
    }
    if (spelled && !off && !import_find(i, "layer_types") && !letters(i, pattern, types)) {
        return;
    }
    import_set_window(i, types, w);
    note_idle_window(i, types, w, "`sliding_window_pattern` is null");
}

#define ROW(type, outer, n, width, h, kv, dim, rule)                                               \
    {                                                                                              \
        .model_type = type, .wrapper = outer, .layers = n, .hidden = width, .heads = h,            \
        .kv_heads = kv, .head_dim = dim, .fill = rule                                              \
    }

const struct import_arch import_qwen_archs[] = {
    ROW("qwen2", NULL, 32, 4096, 32, 32, 0, import_qwen),
    ROW("qwen2_moe", NULL, 24, 2048, 16, 16, 0, import_qwen),
    ROW("qwen3", NULL, 32, 4096, 32, 32, 128, import_qwen),
    ROW("qwen3_moe", NULL, 24, 2048, 32, 4, 0, import_qwen),
    ROW("smollm3", NULL, 36, 2048, 16, 4, 0, import_smollm3),
    ROW("exaone4", NULL, 32, 4096, 32, 32, 0, import_exaone4),
};
IMPORT_ARCH_COUNT(qwen);
