// SPDX-License-Identifier: Apache-2.0
// The formatter: what it makes of a text, and for every text that it keeps tokens, comments and
// tree, and changes nothing the second time.
#include "grammar/format.h"

#include <dirent.h>

#include "grammar/lexer.h"
#include "tests/unit/test_grammar.h"

// ---- one text

static const char *formatted(struct parsed *p) {
    uint32_t len;
    const char *text = format_file(&p->arena, &p->sources, 0, &p->diags, &len);
    return strlen(text) == len ? text : "(length is wrong)";
}

static void format_is(const char *text, const char *want, const char *name) {
    struct parsed *p = parse_text(text);
    is_str(p->diags.list.len ? parsed_errors(p) : formatted(p), want, name);
    parsed_free(p);
}

// The comments of a text, without carriage returns and blanks at the end, and the tokens as
// written.
static const char *substance(struct parsed *p) {
    struct reporter reporter = {.diags = &p->diags};
    struct tokens tokens = {0};
    const struct source *s = &p->sources.files.at[0];
    lex_file(&p->arena, &reporter, s, &tokens);
    VEC(char) all = {0};
    uint32_t at = s->lines.at[0];
    for (size_t i = 0; i < tokens.len; i++) {
        for (; at < tokens.at[i].end; at++) {
            const char c = s->text[at];
            if (c != ' ' && c != '\t' && c != '\n' && c != '\r') {
                VEC_PUSH(&p->arena, &all, c);
            }
        }
        VEC_PUSH(&p->arena, &all, '\n');
    }
    VEC_PUSH(&p->arena, &all, '\0');
    return all.at;
}

// What is wrong with the canonical form of a correct text; NULL when nothing is.
static const char *trouble(const char *text, size_t len) {
    struct parsed *p = parse_bytes(text, len);
    const char *wrong = NULL;
    if (p->diags.list.len) {
        wrong = "the text has errors";
    } else {
        struct parsed *q = parse_text(formatted(p));
        if (q->diags.list.len) {
            wrong = "the result has errors";
        } else if (strcmp(parsed_tree(p), parsed_tree(q)) != 0) {
            wrong = "the tree differs";
        } else if (strcmp(substance(p), substance(q)) != 0) {
            wrong = "tokens or comments differ";
        } else if (strcmp(formatted(q), q->text) != 0) {
            wrong = "a second time it changes again";
        } else if (strstr(q->text, " \n") || strstr(q->text, "\n\n\n") || strchr(q->text, '\r')) {
            wrong = "blanks at the end of a line, or two blank lines, or a carriage return";
        }
        if (wrong) {
            diag("%s\n%s", wrong, q->text);
        }
        parsed_free(q);
    }
    parsed_free(p);
    return wrong;
}

static void is_kept(const char *text, const char *name) {
    is_str(trouble(text, strlen(text)), NULL, name);
}

// ---- files of the tree

static char *read_file(const char *path, size_t *len) {
    FILE *f = fopen(path, "rb");
    if (!f) {
        return NULL;
    }
    char *text = calloc(1, 1 << 20);
    *len = fread(text, 1, (1 << 20) - 1, f);
    fclose(f);
    return text;
}

static void files_are_canonical(const char *folder) {
    DIR *dir = opendir(folder);
    int seen = 0;
    for (struct dirent *e; dir && (e = readdir(dir)) != NULL;) {
        char path[512];
        size_t len = strlen(e->d_name);
        if (len < 5 || strcmp(e->d_name + len - 5, ".attn") != 0) {
            continue;
        }
        snprintf(path, sizeof path, "%s/%s", folder, e->d_name);
        char *text = read_file(path, &len);
        struct parsed *p = parse_bytes(text, len);
        is_str(formatted(p), text, path);
        parsed_free(p);
        free(text);
        seen++;
    }
    if (dir) {
        closedir(dir);
    }
    ok(seen > 0, "%s has files of the language", folder);
}

// ---- rules

static void test_rules(void) {
    format_is("model m{layers=1;kv_heads=2;\n}",
              "model m {\n    layers   = 1;\n    kv_heads = 2;\n}\n",
              "one item a line, `=` aligned");
    format_is("model m{layers=1;}", "model m { layers = 1; }\n", "a block on one line stays there");
    format_is("model m\n{\n}", "model m {}\n", "an empty block");
    format_is("", "", "an empty file");
    format_is("\n\n// c\n\n\n\n// d", "// c\n\n// d\n",
              "one blank line at most, a line end at last");
    format_is("model m {\n\n\n a = 1;\n\n\n\n b = 2;\n\n}\n",
              "model m {\n    a = 1;\n\n    b = 2;\n}\n", "no blank lines inside the braces");
    format_is("model m {\n a = 1;\n\n bcd = 2;\n e = 3;\n}",
              "model m {\n    a = 1;\n\n    bcd = 2;\n    e   = 3;\n}\n",
              "a blank line separates what is aligned");
    format_is("backend b {\n let x = 1;\n yyy = 2;\n let zz = 3;\n v = 1;\n}",
              "backend b {\n    let x  = 1;\n    yyy = 2;\n    let zz = 3;\n    v   = 1;\n}\n",
              "`let` and answers align apart");
    format_is(
        "deploy d {\n backend_per_layer { 0..3  step 2,7 as cross .decode=X; }\n full . decode = "
        "Y;\n}",
        "deploy d {\n    backend_per_layer { 0..3 step 2, 7 as cross.decode = X; }\n"
        "    full.decode = Y;\n}\n",
        "layers and phases");
    format_is("model m {\n layer all{window=5;}\n layer 5 .. 25 step 6{window=none;}\n}",
              "model m {\n    layer all          { window = 5; }\n"
              "    layer 5..25 step 6 { window = none; }\n}\n",
              "braces of neighbouring blocks on one line");
    format_is("platform a extends xx{cc=1;sms=22;smem=3;}\nplatform bbb extends x{cc=10;sms=2;}\n",
              "platform a   extends xx { cc = 1;  sms = 22; smem = 3; }\n"
              "platform bbb extends x  { cc = 10; sms = 2; }\n",
              "`extends` and equal items of neighbouring blocks");
    format_is(
        "backend b {\n x = -1+ -y*(2-  3) ;z = not(a and - b) or f( 1,2 )in{1 , 2}; w=[a,b when "
        "c];\n}",
        "backend b {\n    x = -1 + -y * (2 - 3);\n    z = not (a and -b) or f(1, 2) in { 1, 2 };\n"
        "    w = [a, b when c];\n}\n",
        "blanks in expressions; a sign is no operator");
    format_is("capability c:flag when(a)or - b;\ncapability dd : within(a) ;\ncapability e:flag;",
              "capability c  : flag when (a) or -b;\ncapability dd : within (a);\n"
              "capability e  : flag;\n",
              "capabilities align at the colon");
    format_is(
        "backend b {\n step = 0..a step -1;\n when = step - 1 when when == 2;\n let let = as-1;\n}",
        "backend b {\n    step = 0..a step -1;\n    when = step - 1 when when == 2;\n"
        "    let let = as - 1;\n}\n",
        "words that are names");
    format_is("import   \"a.attn\" ;// c\nimport \"b\\\"//.attn\";",
              "import \"a.attn\";                                // c\nimport \"b\\\"//.attn\";\n",
              "imports; strings as written");
}

static void test_comments(void) {
    format_is(
        "model m { // one\n a = 1; /* two */ // three\n // four\n\n /* five */ b = 2;\n // six\n"
        "} // seven\n// eight",
        "model m {                                       // one\n"
        "    a = 1;                                      /* two */ // three\n"
        "    // four\n\n    /* five */\n    b = 2;\n    // six\n"
        "}                                               // seven\n// eight\n",
        "comments at every place");
    format_is("backend b {\n x = { a, // first\n  // own\n  b /* in */, c\n };\n}",
              "backend b {\n    x = { a,                                    // first\n"
              "          // own\n          b /* in */, c };\n}\n",
              "comments inside a value");
    format_is(
        "model m {\n a = 1; // x\n layer 0..47 as quite_a_long_name { window = 51200; } // y\n}",
        "model m {\n    a = 1;                                                      // x\n"
        "    layer 0..47 as quite_a_long_name { window = 51200; }        // y\n}\n",
        "comments of neighbouring lines share a column");
    format_is("/* a\r\n   b */\r\nmodel m {}\r\n", "/* a\n   b */\nmodel m {}\n", "CRLF");
    format_is("\xEF\xBB\xBFmodel m {}\n", "model m {}\n", "a byte order mark");
}

static void test_width(void) {
    format_is("backend b {\n require aaaaaaaaaaaaaaaaaaaaaaaaaaa and bbbbbbbbbbbbbbbbbbbbbbbb : "
              "\"a message that makes this too long\" as name;\n}",
              "backend b {\n    require aaaaaaaaaaaaaaaaaaaaaaaaaaa and bbbbbbbbbbbbbbbbbbbbbbbb\n"
              "        : \"a message that makes this too long\" as name;\n}\n",
              "a rule breaks before its message");
    format_is("backend b {\n kinds = { aaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbb, "
              "cccccccccccccccccccccccc, ddddddddddddd };\n}",
              "backend b {\n    kinds = { aaaaaaaaaaaaaaaaaaaaaaa, bbbbbbbbbbbbbbbbbbbbbbbb, "
              "cccccccccccccccccccccccc,\n              ddddddddddddd };\n}\n",
              "a set is filled");
    format_is("model m {\n ssm { type = mamba2; heads = 4; head_dim = 32; state = 16; groups = 1; "
              "conv = 4; "
              "dtype = float32; }\n}",
              "model m {\n    ssm {\n        type     = mamba2;\n        heads    = 4;\n        "
              "head_dim = "
              "32;\n        state    = 16;\n        groups   = 1;\n        conv     = 4;\n        "
              "dtype    "
              "= float32;\n    }\n}\n",
              "a block that is too wide for one line is opened");
    format_is("backend b {\n x = { a,\n b }; y = a +\n b;\n}",
              "backend b {\n    x = { a,\n          b };\n    y = a + b;\n}\n",
              "line ends are kept where lines may begin, and only there");
}

// ---- every text

static const char *const words[] = {
    "model m {", "backend b {", "layer 0..3 step 2, 7 as x {", "for m {", "ssm {", "layer all {",
};
static const char *const items[] = {
    "a = 1;",
    "longer_name = { x, y when z, multiple_of 16, -3..any step 2, { 1K, 0x1F } };",
    "let v = not (p.q == none) implies f(1, g(2, 3)) in { } or \"s \\\" // t\" has u;",
    "fact npu_fw = 2.10;",
    "require a and b or c and d and eeeeeeeeeeeeeeeeeeeeeeeeeeeee and ffffffffffffffffffffff and "
    "ggggg"
    " : \"m\" as n;",
    "full.decode = [A, B, CCCCCCCCCCCCCCCCCCCCCCCCCCCCCCCC, DDDDDDDDDDDDDDDDDDDDDDDDDDDDDDD, E] ;",
    "0, 2..5 step 3 as cross.prefill = auto;",
    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa = "
    "bbb "
    "when cccccccccccccccccc * ddddddddddddddddddddd - eeeeeeeeeeeeeeeeee % f / - 1.5e-3;",
    "step = step - 1 when when == as;",
};
static const char *const gaps[] = {
    " ",          "\n",      "\r\n",     "\n\n\n",
    "\t",         " // c\n", " /* b */", " /* b\n  b2 */ ",
    "\n// own\n", " /**/\n", "  ",       "\n\n/* x */ // y \n",
};
#define COUNT(a) (sizeof(a) / sizeof *(a))

struct random {
    uint64_t state;
};

static size_t pick(struct random *r, size_t n) {
    r->state = r->state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (size_t)(r->state >> 33) % n;
}

struct random_text {
    struct random random;
    unsigned comments; // of a hundred gaps
    size_t len;
    char text[1 << 16];
};

static void add(struct random_text *t, const char *s) {
    const size_t n = strlen(s);
    memcpy(t->text + t->len, s, n + 1);
    t->len += n;
}

static void add_gap(struct random_text *t) {
    add(t, pick(&t->random, 100) < t->comments ? gaps[pick(&t->random, COUNT(gaps))] : " ");
}

// The tokens of `s` with gaps between them. A blank in a string is no gap.
static void add_tokens(struct random_text *t, const char *s) {
    struct parsed *p = parse_text(s);
    struct reporter reporter = {.diags = &p->diags};
    struct tokens tokens = {0};
    lex_file(&p->arena, &reporter, &p->sources.files.at[0], &tokens);
    for (size_t i = 0; i + 1 < tokens.len; i++) {
        const struct token *token = &tokens.at[i];
        add(t, arena_strndup(&p->arena, s + token->begin, token->end - token->begin));
        add_gap(t);
    }
    parsed_free(p);
}

static void add_block(struct random_text *t, unsigned depth) {
    add_tokens(t,
               depth ? words[2 + pick(&t->random, COUNT(words) - 2)] : words[pick(&t->random, 2)]);
    for (size_t n = pick(&t->random, 5); n-- > 0;) {
        if (depth < 3 && pick(&t->random, 3) == 0) {
            add_block(t, depth + 1);
        } else {
            add_tokens(t, items[pick(&t->random, COUNT(items))]);
        }
    }
    add(t, "}");
    add_gap(t);
}

static void test_random(void) {
    static struct random_text t;
    int wrong = 0;
    for (unsigned seed = 0; seed < 200; seed++) {
        t.random.state = seed;
        t.comments = (unsigned[]){0, 10, 40, 100}[seed % 4];
        t.len = 0;
        add_gap(&t);
        for (size_t n = 1 + pick(&t.random, 3); n-- > 0;) {
            add_block(&t, 0);
        }
        const char *why = trouble(t.text, t.len);
        if (why && wrong++ < 3) {
            diag("seed %u: %s\n%s", seed, why, t.text);
        }
    }
    is_int(wrong, 0, "random texts with comments between any two tokens");
}

static void test_hostile(void) {
    char *deep = repeated("(", 190), *closed = repeated(")", 190);
    char *inner = joined(deep, "1", closed), *text = joined("model m { x = ", inner, "; }");
    is_kept(text, "190 parentheses");
    char *open = repeated("layer all {", 150), *close = repeated("}", 150);
    char *blocks = joined(open, "a=1;", close), *nested = joined("model m {", blocks, "}");
    is_kept(nested, "150 blocks on one line");
    char *names = repeated("a, ", 3000), *set = joined("model m { x = {", names, "b}; }");
    is_kept(set, "a set of 3000 on one line");
    char *many = repeated("a=1;", 1000), *flat = joined("model m {", many, "}");
    is_kept(flat, "1000 items on one line");
    char *name = repeated("n", 1 << 18), *wide = joined("model m { ", name, "=1; b = 2; }");
    is_kept(wide, "a name of 256 KiB");
    char *spans = repeated("1, ", 1000),
         *layers = joined("model m { layer ", spans, "2 { a = 1; } }");
    is_kept(layers, "1000 spans of layers");
    char *all[] = {deep,  closed, inner, text, open, close, blocks, nested,
                   names, set,    many,  flat, name, wide,  spans,  layers};
    for (size_t i = 0; i < COUNT(all); i++) {
        free(all[i]);
    }
    is_kept("model m { x = \"\\u00e9 \xE6\xBC\xA2 // no /* comment\"; /* \xE6\xBC\xA2 */ }",
            "wide characters, comment marks in a string");
    is_kept("model /* a */ m // b\n extends // c\n n // d\n { // e\n } // f", "comments in a head");
    is_kept("model m { a // x\n = // y\n 1 // z\n ; }", "a comment after every token");
}

int main(void) {
    test_rules();
    test_comments();
    test_width();
    test_random();
    test_hostile();
    files_are_canonical("gen/std");
    files_are_canonical("runtime/cpu");
    files_are_canonical("runtime/cuda");
    files_are_canonical("examples/gemma3");
    return done_testing();
}
