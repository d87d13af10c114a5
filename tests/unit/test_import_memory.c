// SPDX-License-Identifier: Apache-2.0
// Memory that runs out while a config.json is imported, formatted, and reported on: whichever
// allocation fails, the run ends in one place. And a config.json that is cut at every byte: a model
// or an error with a place, never a third thing.
#include <stdlib.h>

#include "gen/diag_out.h"
#include "gen/import.h"
#include "grammar/format.h"
#include "grammar/parse.h"
#include "tests/tap.h"

// With what the readers of JSON have to tell apart: escapes, nesting, all kinds of number and word.
static const char config[] =
    "{\n"
    "  \"architectures\": [\"Gemma3ForCausalLM\"],\n"
    "  \"model_type\": \"gemma3_text\",\n"
    "  \"note\": \"caf\\u00e9 \\ud83d\\ude00 \\\"x\\\" \xC3\xA9\",\n"
    "  \"num_hidden_layers\": 6, \"hidden_size\": 1152,\n"
    "  \"num_attention_heads\": 4, \"num_key_value_heads\": 1, \"head_dim\": 256,\n"
    "  \"query_pre_attn_scalar\": 256, \"sliding_window\": 512,\n"
    "  \"layer_types\": [\"sliding_attention\", \"sliding_attention\", \"sliding_attention\",\n"
    "    \"sliding_attention\", \"sliding_attention\", \"full_attention\"],\n"
    "  \"rope_theta\": 1e6, \"rms_norm_eps\": 1E-06, \"x\": -0.5e+3, \"y\": NaN,\n"
    "  \"attn_logit_softcapping\": null, \"tie_word_embeddings\": true,\n"
    "  \"rope_scaling\": {\"factor\": 8.0, \"rope_type\": \"linear\"},\n"
    "  \"torch_dtype\": \"bfloat16\"\n"
    "}\n";

static long allocations, fails_at; // of the run; 0 = never

static void *failing(size_t bytes) {
    return ++allocations == fails_at ? NULL : malloc(bytes);
}

struct result {
    bool imported, ended; // ended: memory did not run out
    size_t errors, output, placed;
};

static void import(struct arena *a, size_t len, struct result *r) {
    struct sources s = {.arena = a};
    struct diags d = {.arena = a, .sources = &s};
    struct import_models m = {.name = "m", .source = "config.json"};
    const uint32_t file =
        source_add(&s, "config.json", NULL, arena_strndup(a, config, len), (uint32_t)len, false);
    r->imported = import_hf(a, &d, file, &m);
    if (r->imported) {
        size_t n;
        uint32_t formatted;
        const char *text = import_write(a, &m, &n);
        const uint32_t written = source_add(&s, "m.attn", NULL, text, (uint32_t)n, false);
        parse_file(a, &s, written, &d);
        format_file(a, &s, written, &d, &formatted);
        r->output = formatted;
    }
    diag_finish(&d);
    for (size_t i = 0; i < d.list.len; i++) {
        r->placed += d.list.at[i]->has_span && d.list.at[i]->severity == DIAG_ERROR;
    }
    r->errors = d.errors;
    const struct diag_run run = {.subject = "config.json"};
    size_t json, sarif;
    diag_json(a, &d, &run, &json);
    diag_sarif(a, &d, &run, &sarif);
    r->output += json + sarif;
}

static struct result run(size_t len, long at) {
    struct arena a;
    jmp_buf out_of_memory;
    struct result r = {0};
    struct result *volatile to = &r;
    arena_init(&a, &out_of_memory);
    a.allocate = failing;
    allocations = 0;
    fails_at = at;
    if (setjmp(out_of_memory) == 0) {
        import(&a, len, to);
        to->ended = true;
    }
    arena_free(&a);
    return r;
}

int main(void) {
    const size_t whole = sizeof config - 1;
    struct result good = run(whole, 0);
    const long needed = allocations;
    ok(good.imported && good.errors == 0, "the configuration is imported, %ld allocations", needed);
    long ended = 0;
    for (long at = 1; at <= needed; at++) {
        ended += !run(whole, at).ended;
    }
    is_int(ended, needed, "whichever allocation fails, the import ends there");
    is_int((long long)run(whole, needed + 1).output, (long long)good.output,
           "one more is not missed");

    long wrong = 0, accepted = 0;
    for (size_t len = 0; len < whole; len++) {
        struct result r = run(len, 0);
        wrong += r.imported ? r.errors > 0 : r.errors != 1 || r.placed != 1;
        accepted += r.imported;
    }
    is_int(wrong, 0, "cut at every byte: one error, with a place");
    is_int(accepted, 1, "... but where only the last line end is missing");
    return done_testing();
}
