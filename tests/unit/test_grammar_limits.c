// SPDX-License-Identifier: Apache-2.0
// Hostile input: deep nesting is one located error, wide input is none, a file cut at any byte or
// damaged at any byte is never more than located errors, and memory that runs out is survived.
#include "test_grammar.h"

#define LIMIT AST_MAX_DEPTH
#define HOSTILE 100000

// `model m { x = OPEN...OPEN middle CLOSE...CLOSE; y = ; }`: the errors. The mistake in y shows
// that the parse went on.
static struct parsed *nested(const char *open, const char *middle, const char *close, size_t n) {
    char *opens = repeated(open, n), *closes = repeated(close, n);
    char *value = joined(opens, middle, closes);
    char *text = joined("model m { x = ", value, "; y = ; }");
    struct parsed *p = parse_text(text);
    free(text);
    free(value);
    free(closes);
    free(opens);
    return p;
}

static size_t count(const struct parsed *p, enum diag_code code) {
    size_t n = 0;
    for (size_t i = 0; i < p->diags.list.len; i++) {
        n += p->diags.list.at[i]->code == code;
    }
    return n;
}

// open, middle, close, whether the text after a value that is too deep is parsed.
#define NESTINGS(X)                                                                                \
    X("(", "1", ")")                                                                               \
    X("[", "1", "]")                                                                               \
    X("{", "1", "}")                                                                               \
    X("f(", "1", ")")                                                                              \
    X("not ", "a", "")                                                                             \
    X("- ", "1", "")                                                                               \
    X("a + ", "1", "")                                                                             \
    X("a or ", "b", "")                                                                            \
    X("a and ", "b", "")                                                                           \
    X("a * ", "b", "")                                                                             \
    X("a implies ", "b", "")                                                                       \
    X("(a + (b and not c == ", "d", "))")

static void expression_depth(void) {
    static const struct {
        const char *open, *middle, *close;
    } rows[] = {
#define ROW(open, middle, close) {open, middle, close},
        NESTINGS(ROW)
#undef ROW
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const bool single = strstr(rows[i].open, "(a + (") == NULL; // that row nests twice and more
        struct parsed *p = nested(rows[i].open, rows[i].middle, rows[i].close, single ? LIMIT : 40);
        ok(count(p, DIAG_A0206) == 0 && p->diags.errors == 1, "`%s` nests to the limit",
           rows[i].open);
        parsed_free(p);
        p = nested(rows[i].open, rows[i].middle, rows[i].close, LIMIT + 1);
        ok(count(p, DIAG_A0206) == 1 && p->diags.errors == 2, "... and one more is one error");
        is_str(p->diags.list.at[0]->message, "nested too deeply (limit is 200)",
               "... in these words");
        parsed_free(p);
        p = nested(rows[i].open, rows[i].middle, rows[i].close, HOSTILE);
        ok(count(p, DIAG_A0206) == 1 && p->diags.errors <= 2, "... and so are 100,000");
        parsed_free(p);
        p = nested(rows[i].open, "", "", HOSTILE);
        ok(count(p, DIAG_A0206) == 1, "... that are never closed");
        parsed_free(p);
    }
}

static void block_depth(void) {
    for (size_t n = LIMIT; n <= LIMIT + 1; n++) {
        char *opens = repeated("a {", n - 1), *closes = repeated("}", n);
        char *text = joined("model m {", opens, closes);
        struct parsed *p = parse_text(text);
        is_int((long long)p->diags.errors, n > LIMIT,
               n > LIMIT ? "one more is an error" : "blocks nest to the limit");
        parsed_free(p);
        free(text);
        free(closes);
        free(opens);
    }
    static const char *const units[] = {"a {", "layer all {", "{", "for x {"};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        char *opens = repeated(units[i], HOSTILE), *text = joined("model m {", opens, "");
        struct parsed *p = parse_text(text);
        is_int((long long)p->diags.errors, 1, "100,000 open blocks are one error");
        parsed_free(p);
        free(text);
        free(opens);
    }
    char *braces = repeated("{", HOSTILE);
    struct parsed *p = parse_text(braces);
    ok(p->diags.errors > 0 && p->diags.errors <= 2, "100,000 braces and nothing else");
    parsed_free(p);
    free(braces);
}

static void width(void) {
    char *middle = repeated("1, ", HOSTILE), *text = joined("model m { x = {", middle, "1}; }");
    struct parsed *p = parse_text(text);
    ok(p->diags.errors == 0 && p->tree->decls.at[0]->items.at[0]->value->elems.len == HOSTILE + 1,
       "a set of 100,000 elements");
    parsed_free(p);
    free(text);
    free(middle);
    middle = repeated("layer 3 { window = 5; }\n", HOSTILE);
    text = joined("model m {", middle, "}");
    p = parse_text(text);
    ok(p->diags.errors == 0 && p->tree->decls.at[0]->items.len == HOSTILE,
       "a model of 100,000 layer blocks");
    parsed_free(p);
    free(text);
    free(middle);
}

// About 2 KiB with every construct, comment, escape and kind of literal.
static const char sample[] =
    "\xEF\xBB\xBFimport \"std/cpu.attn\"; // caf\xC3\xA9\r\n"
    "/* block\n * comment */\n"
    "capability sink_logits : flag when layer.sink_logits;\n"
    "capability mla : equals layer.mla != none;\n"
    "kind full_attention { when = yes; }\n"
    "platform p extends x86_64 {\n"
    "    device = { cpu, npu };\n    memory = 512M;\n    fact fw = 2.10;\n    cc = 9.0;\n}\n"
    "model m {\n"
    "    layers = 26; heads = 0x10; kv_heads = 1K; scale = rsqrt(1e-45 + 0.5);\n"
    "    layer all { window = 512; }\n"
    "    layer 5..25 step 6, 3, 7..9 as cross { window = none; }\n"
    "    mla { latent = 512; rope = 64; nope = 128; v = 128; }\n"
    "    index { topk = 5; share = 3; }\n"
    "}\n"
    "backend B extends A {\n"
    "    family = yes; device = auto; group = 1..any;\n"
    "    let half = { auto, f16 when platform.cc >= 8.0, { bf16, f32 } };\n"
    "    let few = 4 when not layer.kv_dtype in half and layer.heads has 3 or x;\n"
    "    let few = -2;\n"
    "    head_dim = { 64, 8..512 step 8, multiple_of 32 };\n"
    "    layout = [hnd, nhd when few == 4];\n"
    "    page_bytes = deploy.block_size * 2 * roundup(layer.head_dim, 16) / 3 % 7 - 1;\n"
    "    require layer.window == none or layer.window % 32 == 0 : \"the \\\"window\\\" "
    "\\u00e9\\n\";\n"
    "    require a implies b != c : \"x\" as named;\n"
    "    require starts(layer.kv_dtype, \"nvfp4\") : \"caf\xC3\xA9 \\\\\";\n"
    "}\n"
    "priority p { when = platform.device has cpu; order = [A when x, B]; independent = no; }\n"
    "deploy d extends e {\n"
    "    model = [m, n]; platform = p; max_seqs = 64; memory = 4G;\n"
    "    backend_per_kind { full_attention = B; full_attention.decode = auto; }\n"
    "    backend_per_layer { 0, 25 = B; 3..5 as cross.decode = B; 7.prefill = B; 0..8 step 2 = B; "
    "}\n"
    "    for m { kv_dtype = int8; kv_dtype_per_kind { cross_attention = f32; } }\n"
    "    unchecked = (yes);\n"
    "}\n";

// Whether every diagnostic has a place in the file, and there are some exactly when `bad`.
static bool located(const struct parsed *p, size_t len) {
    for (size_t i = 0; i < p->diags.list.len; i++) {
        const struct diag *g = p->diags.list.at[i];
        if (!g->has_span || g->span.begin > g->span.end || g->span.end > len) {
            return false;
        }
    }
    return p->tree->incomplete == (p->diags.list.len > 0);
}

static void truncation(void) {
    struct parsed *whole = parse_text(sample);
    is_str(parsed_errors(whole), "", "the sample is valid");
    parsed_free(whole);
    size_t bad = 0, most = 0;
    for (size_t n = 0; n < sizeof sample; n++) {
        struct parsed *p = parse_bytes(sample, n);
        bad += !located(p, n);
        most = p->diags.errors > most ? p->diags.errors : most;
        const struct diag_render how = {.max_errors = 20};
        bad += p->diags.errors > 0 && parsed_rendered(p, &how)[0] == '\0';
        parsed_free(p);
    }
    is_int((long long)bad, 0, "cut at every byte: only located errors");
    ok(most <= 2, "... two at most (a string or comment, and a bracket)");
}

// Bytes replaced, left out or doubled: a third of all combinations, every byte several times. The
// replacements are those that matter to some rule.
static void damage(void) {
    static const char bytes[] = "\0\n\r\"\\{};=.(0aK\xE2/*";
    char text[sizeof sample + 1];
    size_t bad = 0, most = 0;
    for (size_t i = 0; i < sizeof sample - 1; i++) {
        for (size_t b = i % 3; b < sizeof bytes + 1; b += 3) {
            size_t len = sizeof sample - 1;
            memcpy(text, sample, len);
            if (b < sizeof bytes - 1) {
                text[i] = bytes[b];
            } else if (b == sizeof bytes - 1) {
                memmove(text + i, text + i + 1, len - i - 1);
                len--;
            } else {
                memmove(text + i + 1, text + i, len - i);
                len++;
            }
            struct parsed *p = parse_bytes(text, len);
            bad += !located(p, len);
            most = p->diags.errors > most ? p->diags.errors : most;
            parsed_free(p);
        }
    }
    is_int((long long)bad, 0, "damaged at every byte: only located errors");
    ok(most <= 6, "... and few of them (%zu at most)", most);
}

// malloc that fails after a number of calls. The count stands in a variable of the test, as the
// hook takes no context.
static size_t calls_left;
static void *failing_malloc(size_t bytes) {
    return calls_left == 0 ? NULL : (calls_left--, malloc(bytes));
}

// Whether the parse came to its end with so many chunks.
static bool parse_with(size_t chunks, const char *text) {
    struct arena arena;
    jmp_buf out_of_memory;
    arena_init(&arena, &out_of_memory);
    arena.allocate = failing_malloc;
    calls_left = chunks;
    volatile bool done = false;
    if (setjmp(out_of_memory) == 0) {
        struct sources sources = {.arena = &arena};
        struct diags diags = {.arena = &arena, .sources = &sources};
        const uint32_t file =
            source_add(&sources, "t.attn", NULL, text, (uint32_t)strlen(text), false);
        parse_file(&arena, &sources, file, &diags);
        diag_finish(&diags);
        done = true;
    }
    arena_free(&arena);
    return done;
}

static void memory(void) {
    char *middle = repeated("x = {1, 2}; y = ; ", 900), *text = joined("model m {", middle, "}");
    size_t chunks = 0;
    while (chunks < 1000 && !parse_with(chunks, text)) {
        chunks++;
    }
    ok(chunks > 5 && chunks < 1000, "memory that runs out at any allocation ends the parse");
    free(text);
    free(middle);
}

int main(void) {
    expression_depth();
    block_depth();
    width();
    truncation();
    damage();
    memory();
    return done_testing();
}
