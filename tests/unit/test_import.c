// SPDX-License-Identifier: Apache-2.0
// Import of Hugging Face configurations: what each rule of the Gemma family gives, what is refused
// and where, and that no input (cut anywhere, any single byte changed, memory running out anywhere)
// does anything but give a model or a located error.
#include <stdlib.h>

#include "gen/import.h"
#include "tests/tap.h"

#define MAX_TEXT 4096

struct run {
    jmp_buf out_of_memory;
    struct arena arena;
    struct sources sources;
    struct diags diags;
    struct import_models model;
    bool ok;
};

static void start(struct run *r, const char *json, size_t len) {
    char *text = arena_strndup(&r->arena, json, len);
    r->sources.arena = &r->arena;
    r->diags.arena = &r->arena;
    r->diags.sources = &r->sources;
    uint32_t file = source_add(&r->sources, "c.json", "c.json", text, (uint32_t)len, false);
    r->ok = import_hf(&r->arena, &r->diags, file, &r->model);
}

static struct run *import_text(const char *json, size_t len) {
    struct run *r = calloc(1, sizeof *r);
    arena_init(&r->arena, &r->out_of_memory);
    if (setjmp(r->out_of_memory)) {
        ok(false, "memory ran out");
        exit(1);
    }
    start(r, json, len);
    return r;
}

static void end(struct run *r) {
    arena_free(&r->arena);
    free(r);
}

// ---- models

// What a layer says of an attribute, else what the model does; NULL where neither does.
static const char *value(const struct import_model *m, int64_t layer, enum import_attr attr) {
    const char *own = m->ops.at[0]->layers[layer].v[attr];
    return own ? own : m->level[attr];
}

// "heads kv head_dim dtype scale [softcap] [attn] : window of each layer", `-` where there is none;
// `l/r` for two sides, `@n` for a shared cache.
static const char *summary(struct run *r) {
    const struct import_model *m = r->model.list.at[0];
    const char *text = "";
    for (size_t k = 0; k < IMPORT_ATTR_COUNT; k++) {
        text = m->level[k] ? arena_printf(&r->arena, "%s%s ", text, m->level[k]) : text;
    }
    text = arena_printf(&r->arena, "%s:", text);
    for (int64_t k = 0; k < m->n_layers; k++) {
        const char *left = value(m, k, IMPORT_WINDOW_LEFT), *share = value(m, k, IMPORT_KV_SHARE);
        const char *window = value(m, k, IMPORT_WINDOW);
        text =
            left ? arena_printf(&r->arena, "%s %s/%s", text, left, value(m, k, IMPORT_WINDOW_RIGHT))
                 : arena_printf(&r->arena, "%s %s", text, window ? window : "-");
        text = share ? arena_printf(&r->arena, "%s@%s", text, share) : text;
    }
    return text;
}

#define S "\"sliding_attention\""
#define F "\"full_attention\""

static const struct {
    const char *rule, *json, *want;
    const char *warning; // its code and column on line 1, or ""
} models[] = {
    {"gemma2 without layer_types: even layers slide; softcap 50 by default",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":4,\"sliding_window\":4096}",
     "8 4 256 bf16 rsqrt(256) 50.0 : 4096 - 4096 -", ""},
    {"gemma2: null softcap is off",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":2,\"attn_logit_softcapping\":null}",
     "8 4 256 bf16 rsqrt(256) : 4096 -", ""},
    {"softcap 0 is off, with a note",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":2,\"attn_logit_softcapping\":0}",
     "8 4 256 bf16 rsqrt(256) : 4096 -", "A0922:71"},
    {"softcap -0.0 is off too",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":2,\"attn_logit_softcapping\":-0.0}",
     "8 4 256 bf16 rsqrt(256) : 4096 -", "A0922:71"},
    {"a number keeps its decimal digits",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":2,\"attn_logit_softcapping\":3.25E+1}",
     "8 4 256 bf16 rsqrt(256) 3.25e1 : 4096 -", ""},
    {"gemma3 without a pattern: every sixth layer is full",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":7,\"sliding_window\":1024}",
     "8 4 256 bf16 rsqrt(256) : 1024 1024 1024 1024 1024 - 1024", ""},
    {"sliding_window_pattern replaces the default",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":4,\"sliding_window_pattern\":2}",
     "8 4 256 bf16 rsqrt(256) : 4096 - 4096 -", ""},
    {"_sliding_window_pattern does too",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":4,\"_sliding_window_pattern\":2}",
     "8 4 256 bf16 rsqrt(256) : 4096 - 4096 -", ""},
    {"of two patterns that differ the first spelling counts, with a warning",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":2,\"sliding_window_pattern\":2,"
     "\"_sliding_window_pattern\":3}",
     "8 4 256 bf16 rsqrt(256) : 4096 -", "A0920:104"},
    {"layer_types overrules the pattern, with a warning",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":3,\"sliding_window_pattern\":2,"
     "\"layer_types\":[" S "," S "," F "]}",
     "8 4 256 bf16 rsqrt(256) : 4096 4096 -", "A0920:76"},
    {"a pattern that agrees with layer_types is quiet",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":3,\"sliding_window_pattern\":3,"
     "\"layer_types\":[" S "," S "," F "]}",
     "8 4 256 bf16 rsqrt(256) : 4096 4096 -", ""},
    {"layer_types may be longer than the model, with a note",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":1,\"layer_types\":[" F "," S "]}",
     "8 4 256 bf16 rsqrt(256) : -", "A0922:65"},
    {"`attention` is the older name of full_attention",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":2,\"layer_types\":[\"attention\"," S
     "]}",
     "8 4 256 bf16 rsqrt(256) : - 4096", ""},
    {"sliding_window null is no window, with a note",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":2,\"sliding_window\":null}",
     "8 4 256 bf16 rsqrt(256) : - -", "A0922:68"},
    {"null counts as absent elsewhere",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":1,\"num_attention_heads\":null,"
     "\"num_key_value_heads\":null,\"head_dim\":null,\"layer_types\":null,"
     "\"sliding_window_pattern\":null,\"query_pre_attn_scalar\":null,\"dtype\":null}",
     "8 4 256 bf16 rsqrt(256) : 4096", ""},
    {"head_dim stands, whatever hidden_size and heads are",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":1,\"hidden_size\":1792,"
     "\"num_attention_heads\":24,\"head_dim\":128}",
     "24 4 128 bf16 rsqrt(256) : 4096", ""},
    {"query_pre_attn_scalar gives the scale, exactly",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":1,\"query_pre_attn_scalar\":168}",
     "8 4 256 bf16 rsqrt(168) : 4096", ""},
    {"a nested file is read in text_config; dtype may stand outside",
     "{\"model_type\":\"gemma3\",\"torch_dtype\":\"float16\",\"num_hidden_layers\":9,"
     "\"text_config\":{\"num_hidden_layers\":1,\"model_type\":\"gemma3_text\"}}",
     "8 4 256 f16 rsqrt(256) : 4096", ""},
    {"a nested type whose fields stand at the top is read there, with a note",
     "{\"model_type\":\"gemma3\",\"num_hidden_layers\":1}", "8 4 256 bf16 rsqrt(256) : 4096",
     "A0922:15"},
    {"gemma3n: every fifth layer is full, scale 1, no soft cap",
     "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":6,\"attn_logit_softcapping\":9.0}",
     "8 2 256 bf16 1 : 512 512 512 512 - 512", ""},
    {"gemma3n: the last layers share with the last earlier layer of their type",
     "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":10,\"num_kv_shared_layers\":4}",
     "8 2 256 bf16 1 : 512 512 512 512 - 512 512@5 512@5 512@5 -@4", ""},
    {"gemma3n: a count that leaves no owner shares nothing, with a note when it is given",
     "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":2,\"num_kv_shared_layers\":2}",
     "8 2 256 bf16 1 : 512 512", "A0922:75"},
    {"use_bidirectional_attention: encoder_only, half the window on each side",
     "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":2,\"sliding_window\":7,"
     "\"sliding_window_pattern\":2,\"use_bidirectional_attention\":true}",
     "8 4 256 bf16 rsqrt(256) encoder_only : 3/3 -", ""},
    {"one NaN in a field that is not read: one warning",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":1,\"eps\":[0.0,-Infinity]}",
     "8 4 256 bf16 rsqrt(256) 50.0 : 4096", "A0921:57"},
    {"numbers of any size in fields that are not read",
     "{\"model_type\":\"gemma2\",\"num_hidden_layers\":1,\"a\":1e999,"
     "\"b\":99999999999999999999}",
     "8 4 256 bf16 rsqrt(256) 50.0 : 4096", ""},
    {"a leading BOM is skipped, and CRLF is white space",
     "\xef\xbb\xbf{\"model_type\":\"gemma2\",\r\n\"num_hidden_layers\":1}",
     "8 4 256 bf16 rsqrt(256) 50.0 : 4096", ""},
};

static void test_models(void) {
    for (size_t k = 0; k < sizeof models / sizeof *models; k++) {
        struct run *r = import_text(models[k].json, strlen(models[k].json));
        char warning[32] = "";
        if (r->diags.list.len) {
            const struct diag *g = r->diags.list.at[0];
            struct position p = source_position(&r->sources, g->span.file, g->span.begin);
            snprintf(warning, sizeof warning, "%s:%u", diag_infos[g->code].id, p.column);
        }
        is_str(r->ok ? summary(r) : "refused", models[k].want, models[k].rule);
        is_str(warning, models[k].warning, "... with its warning, if any");
        ok(r->diags.list.len <= 1, "... and nothing else");
        end(r);
    }
}

// ---- errors

#define G3 "{\"model_type\":\"gemma3_text\","

static const struct {
    const char *rule, *json, *want; // "code:line:column", blank between several
} errors[] = {
    {"an empty file", "", "A0901:1:1"},
    {"an open bracket", "[", "A0901:1:2"},
    {"a list is no configuration", "[]", "A0906:1:1"},
    {"a number is no configuration", "3", "A0901:1:1"},
    {"text after the end", "{} x", "A0901:1:4"},
    {"a comma too many", "{\"a\":1,}", "A0901:1:7"},
    {"a missing comma", "{\"a\":1\n \"b\":2}", "A0901:2:2"},
    {"a key given twice", "{\"a\":1,\n\"b\":{\"a\":2},\"a\":3}", "A0902:2:13"},
    {"a bad escape", "{\"a\":\"x\\y\"}", "A0901:1:6"},
    {"a string without an end starts where it starts", "{\"a\":1,\n\"b\":\"c\n\"}", "A0901:2:5"},
    {"a leading zero", "{\"a\":01}", "A0901:1:6"},
    {"a word that is not quite Infinity", "{\"a\":Infinit}", "A0901:1:6"},
    {"a byte that is not UTF-8", "{\"a\":\"\xc3\xa4\xff\"}", "A0901:1:8"},
    {"a second BOM", "\xef\xbb\xbf\xef\xbb\xbf{}", "A0901:1:1"},
    {"no model_type", "{}", "A0905:1:1"},
    {"model_type null", "{\"model_type\":null}", "A0905:1:15"},
    {"model_type a number", "{\"model_type\":1}", "A0906:1:15"},
    {"an unknown model_type", "{\n\"model_type\":\"llama9\"}", "A0904:2:14"},
    {"a nested type without its part", "{\"model_type\":\"gemma3\"}", "A0905:1:15"},
    {"a part that is no object", "{\"model_type\":\"gemma3\",\"text_config\":[]}", "A0906:1:38"},
    {"a part of another type",
     "{\"model_type\":\"gemma3\",\"text_config\":{\"model_type\":\"gemma2\"}}", "A0904:1:52"},
    {"window as a string", G3 "\"sliding_window\":\"512\"}", "A0906:1:46"},
    {"window with a fraction", G3 "\"sliding_window\":4.5}", "A0906:1:46"},
    {"window true", G3 "\"sliding_window\":true}", "A0906:1:46"},
    {"window 1e30", G3 "\"sliding_window\":1e30}", "A0906:1:46"},
    {"window -1", G3 "\"sliding_window\":-1}", "A0907:1:46"},
    {"window 0", G3 "\"sliding_window\":0}", "A0907:1:46"},
    {"window beyond 32 bits", G3 "\"sliding_window\":2147483648}", "A0907:1:46"},
    {"window beyond 64 bits", G3 "\"sliding_window\":99999999999999999999}", "A0907:1:46"},
    {"window Infinity", G3 "\n\"sliding_window\":Infinity}", "A0908:2:18"},
    {"pattern 0 is never divided by", G3 "\"sliding_window_pattern\":0}", "A0907:1:54"},
    {"pattern as letters", G3 "\"sliding_window_pattern\":\"LLLG\"}", "A0906:1:54"},
    {"no layers", G3 "\"num_hidden_layers\":0}", "A0907:1:49"},
    {"too many layers say nothing of layer_types",
     G3 "\"num_hidden_layers\":1000000000,\"layer_types\":[]}", "A0907:1:49"},
    {"layer_types shorter than the model", G3 "\"num_hidden_layers\":2,\"layer_types\":[" S "]}",
     "A0909:1:65"},
    {"every unknown layer type is told",
     G3 "\"num_hidden_layers\":3,\"layer_types\":[\"a\"," S ",1]}", "A0910:1:66 A0906:1:90"},
    {"soft cap below 0", G3 "\"attn_logit_softcapping\":-50}", "A0907:1:54"},
    {"soft cap NaN", G3 "\"attn_logit_softcapping\":NaN}", "A0908:1:54"},
    {"soft cap as a string", G3 "\"attn_logit_softcapping\":\"50\"}", "A0906:1:54"},
    {"soft cap too small for a float", G3 "\"attn_logit_softcapping\":1e-60}", "A0907:1:54"},
    {"scalar 0", G3 "\"query_pre_attn_scalar\":0}", "A0907:1:53"},
    {"scalar too large for a float", G3 "\"query_pre_attn_scalar\":1e39}", "A0907:1:53"},
    {"33 query heads on 2", G3 "\"num_attention_heads\":33,\"num_key_value_heads\":2}",
     "A0909:1:76"},
    {"8 query heads on 16", G3 "\"num_key_value_heads\":16}", "A0909:1:51"},
    {"8 query heads on 0", G3 "\"num_key_value_heads\":0}", "A0907:1:51"},
    {"an unknown data type", G3 "\"dtype\":\"int8\"}", "A0906:1:37"},
    {"bidirectional as a word", G3 "\"use_bidirectional_attention\":\"all\"}", "A0906:1:59"},
    {"a layer with no owner to share with",
     "{\"model_type\":\"gemma3n_text\",\"num_hidden_layers\":2,\"num_kv_shared_layers\":1,"
     "\"layer_types\":[" S "," F "]}",
     "A0911:1:75"},
    {"all that is wrong is told in one run",
     G3 "\n\"sliding_window\":true,\n\"head_dim\":0,\n\"query_pre_attn_scalar\":\"x\"}",
     "A0906:2:18 A0907:3:12 A0906:4:25"},
};

static void test_errors(void) {
    for (size_t k = 0; k < sizeof errors / sizeof *errors; k++) {
        struct run *r = import_text(errors[k].json, strlen(errors[k].json));
        const char *got = "";
        diag_finish(&r->diags);
        for (size_t n = 0; n < r->diags.list.len; n++) {
            const struct diag *g = r->diags.list.at[n];
            struct position p = source_position(&r->sources, g->span.file, g->span.begin);
            got = arena_printf(&r->arena, "%s%s%s:%u:%u", got, n ? " " : "", diag_infos[g->code].id,
                               p.line, p.column);
        }
        is_str(r->ok ? "accepted" : got, errors[k].want, errors[k].rule);
        end(r);
    }
}

// ---- nesting: depth counts, breadth does not

static void nested(char *to, const char *open, const char *close, int depth) {
    strcpy(to, "{\"model_type\":\"gemma2\",\"x\":");
    for (int k = 0; k < depth; k++) {
        strcat(to, open);
    }
    for (int k = 0; k < depth; k++) {
        strcat(to, close);
    }
    strcat(to, "}");
}

static void test_depth(void) {
    static char text[MAX_TEXT];
    nested(text, "[", "]", CONFIG_MAX_DEPTH - 1);
    struct run *r = import_text(text, strlen(text));
    ok(r->ok, "nesting up to the limit is accepted");
    end(r);
    nested(text, "[", "]", CONFIG_MAX_DEPTH);
    r = import_text(text, strlen(text));
    ok(!r->ok && r->diags.list.len == 1 && r->diags.list.at[0]->code == DIAG_A0903,
       "one level more is refused");
    end(r);
    size_t n = 100000;
    char *deep = malloc(n);
    memset(deep, '[', n);
    r = import_text(deep, n);
    ok(!r->ok && r->diags.list.len == 1, "100000 open brackets are refused once");
    end(r);
    for (size_t k = 0; k + 5 <= n; k += 5) {
        memcpy(deep + k, "{\"a\":", 5);
    }
    r = import_text(deep, n);
    ok(!r->ok && r->diags.list.len == 1, "20000 open objects are refused once");
    end(r);
    memset(deep, ' ', n);
    memcpy(deep, "{\"model_type\":\"gemma2\",\"x\":[{}", 30);
    for (size_t k = 0; k < 5000; k++) {
        memcpy(deep + 30 + 3 * k, ",{}", 3);
    }
    memcpy(deep + 30 + 15000, "]}", 2);
    r = import_text(deep, n);
    ok(r->ok, "5001 flat objects are wide, not deep");
    end(r);
    free(deep);
}

// ---- any input: a model, or an error with a place inside the text

static const char sample[] =
    "{\n \"model_type\": \"gemma3n\",\n \"x\": [1, -2.5e+3, {\"k\": null}, \"\\u00e4\\n\", NaN],\n"
    " \"text_config\": {\"num_hidden_layers\": 4, \"sliding_window\": 512,\n"
    "  \"layer_types\": [" S ", " F ", " S ", " F "], \"num_kv_shared_layers\": 2,\n"
    "  \"dtype\": \"bfloat16\"}}\n";

static bool sane(struct run *r, size_t len) {
    bool located = r->ok || r->diags.errors > 0;
    for (size_t k = 0; k < r->diags.list.len; k++) {
        const struct diag *g = r->diags.list.at[k];
        located = located && g->has_span && g->span.begin <= g->span.end && g->span.end <= len;
    }
    if (r->ok) {
        size_t n;
        r->model.name = "m";
        r->model.source = "c.json";
        located = located && import_write(&r->arena, &r->model, &n) && n > 0;
    }
    return located;
}

static void test_any_input(void) {
    size_t len = strlen(sample), accepted = 0;
    bool good = true;
    for (size_t cut = 0; cut <= len; cut++) {
        struct run *r = import_text(sample, cut);
        good = good && sane(r, cut);
        accepted += r->ok;
        end(r);
    }
    ok(good && accepted == 2, "cut after any byte: an error with a place, or the whole model");
    static const char bytes[] = {0, '"', '{', '}', ',', '0', '-', (char)0xff};
    char text[sizeof sample];
    for (size_t at = 0; at < len; at++) {
        for (size_t k = 0; k < sizeof bytes; k++) {
            memcpy(text, sample, len);
            text[at] = bytes[k];
            struct run *r = import_text(text, len);
            good = good && sane(r, len);
            end(r);
        }
    }
    ok(good, "any byte replaced: an error with a place, or a model");
}

// ---- memory

static size_t allocations_left;

static void *miser(size_t n) {
    return allocations_left-- > 0 ? malloc(n) : NULL;
}

static void test_memory(void) {
    static struct run r; // longjmp leaves it alone
    volatile size_t failed = 0;
    volatile bool done = false;
    for (volatile size_t n = 0; n < 1000 && !done; n++) {
        memset(&r, 0, sizeof r);
        arena_init(&r.arena, &r.out_of_memory);
        r.arena.allocate = miser;
        allocations_left = n;
        if (setjmp(r.out_of_memory)) {
            failed++;
        } else {
            start(&r, sample, strlen(sample));
            done = r.ok;
        }
        arena_free(&r.arena);
    }
    ok(done && failed > 0, "memory may run out at any allocation: nothing is read after it");
}

// ---- names

static void test_names(void) {
    static const struct {
        const char *path, *want;
    } names[] = {
        {"a/gemma-3-1b-it.json", "gemma_3_1b_it"},
        {"gemma", "gemma"},
        {"/x/config.json", "fallback"},
        {"3b.json", "model_3b"},
        {"layer.json", "model_layer"},
        {"none.json", "model_none"},
        {"..json", "fallback"},
        {"", "fallback"},
        {"a b\n*-\\.json", "a_b____"},
        {"\xc3\xa4.json", "fallback"},
    };
    struct run *r = import_text("", 0);
    for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
        is_str(import_name(&r->arena, names[k].path, "fallback"), names[k].want,
               "a file name gives a plain name");
    }
    ok(import_name_ok("a1_") && !import_name_ok("1a") && !import_name_ok("") &&
           !import_name_ok("a-b") && !import_name_ok("none"),
       "a name is a letter or _, then letters, digits and _, and no word of the language");
    end(r);
}

int main(void) {
    test_models();
    test_errors();
    test_depth();
    test_any_input();
    test_memory();
    test_names();
    return done_testing();
}
