// SPDX-License-Identifier: Apache-2.0
// Syntax errors: the words of each message, its place, and recovery: one run reports every error of
// a file, none that follows from another, and the tree keeps what could be understood.
#include "test_grammar.h"

static void words(void) {
    errors_are("model m { x 1; }",
               "1:13 A0201 expected `=` or `{` after name `x`, saw number `1`\n",
               "marks that could follow a name");
    errors_are("model { }", "1:7 A0201 expected a name after `model`, saw `{`\n", "a missing name");
    errors_are("model m { x = ; }", "1:15 A0201 expected a value after `=`, saw `;`\n",
               "a missing value");
    errors_are("model m { x = 1 + ; }", "1:19 A0201 expected a value after `+`, saw `;`\n",
               "a missing operand");
    errors_are("model m { x = {a b}; }",
               "1:18 A0201 expected `,` or `}` after the value, saw name `b`\n", "a missing comma");
    errors_are("model m { x = {a, }; }", "1:19 A0201 expected a value after `,`, saw `}`\n",
               "a comma too many");
    errors_are("model m { x = multiple_of a; }",
               "1:27 A0201 expected a whole number after `multiple_of`, saw name `a`\n",
               "multiple_of takes a number");
    errors_are("model m { layer x { } }",
               "1:17 A0201 expected a whole number or `all` after `layer`, saw name `x`\n",
               "layer takes numbers or all");
    errors_are("require 1 : \"m\";",
               "1:1 A0201 expected a declaration at the start of the file, saw `require`\n",
               "an item outside a declaration");
    errors_are("backend b { require a : b; }",
               "1:25 A0201 expected a string after `:`, saw name `b`\n", "a rule has a message");
    errors_are("model m { x = a == b == c; }",
               "1:22 A0201 expected `;` after the value, saw `==`\n", "comparisons do not chain");
    errors_are("model m { x == 1; }", "1:13 A0201 expected `=` or `{` after name `x`, saw `==`\n",
               "== for =");
    errors_are("capability c; capability d : flag;",
               "1:13 A0201 expected `:` after name `c`, saw `;`\n", "a capability's relation");
}

static void places(void) {
    errors_are("model m {\n  heads = 4\n  kv_heads = 1;\n}",
               "2:12 A0201 expected `;` after the value, saw name `kv_heads`\n",
               "a missing `;` is reported at the end of its line");
    errors_are("model m\n{ x = 1 y = 2; }",
               "2:9 A0201 expected `;` after the value, saw name `y`\n",
               "... or before the next word of the line");
    errors_are("model m {\n\n  x = 3 }", "3:9 A0201 expected `;` after the value, saw `}`\n",
               "a missing `;` before `}`");
}

static void brackets(void) {
    errors_are("model m {\n  heads = 4;\n",
               "2:13 A0202 expected `}` to close `{` at line 1, saw the end of the file\n",
               "an unclosed block at the end of the file");
    errors_are("model m {\n  x = (1 +\n    2;\n}",
               "3:6 A0202 expected `)` after the value, to close `(` at line 2, saw `;`\n",
               "an unclosed parenthesis");
    errors_are("model m { x = [a, b}; y = ; }",
               "1:20 A0202 expected `,` or `]` after the value, to close `[` at line 1, saw `}`\n"
               "1:27 A0201 expected a value after `=`, saw `;`\n",
               "a bracket closed by another kind");
    errors_are("model m {\n  layer all { w = 1;\nmodel n { x = ; }\n",
               "3:1 A0202 expected `}` to close `{` at line 2, saw another declaration\n"
               "3:15 A0201 expected a value after `=`, saw `;`\n",
               "a declaration that starts inside a block");
    errors_are("model m { } }\nmodel n { x = ; }",
               "1:13 A0203 `}` closes nothing\n2:15 A0201 expected a value after `=`, saw `;`\n",
               "a brace too many");
    struct parsed *p = parse_text("model m {\n  x = {1;\n}\n");
    const struct diag *g = p->diags.list.at[0];
    is_int((long long)g->notes.len, 1, "an unclosed bracket has a note");
    is_int(g->notes.at[0].span.begin, 16, "... at the opener");
    parsed_free(p);
}

static const char *first_help(struct parsed *p) {
    return p->diags.list.len && p->diags.list.at[0]->helps.len ? p->diags.list.at[0]->helps.at[0]
                                                               : "(no help)";
}

static void help_is(const char *text, const char *want, const char *name) {
    struct parsed *p = parse_text(text);
    is_str(first_help(p), want, name);
    parsed_free(p);
}

static void near_misses(void) {
    errors_are("modle m { x = ; }",
               "1:1 A0204 expected a declaration, saw name `modle`\n"
               "1:15 A0201 expected a value after `=`, saw `;`\n",
               "a misspelt declaration word");
    help_is("modle m { }", "the word here is spelled `model`", "... gets the nearest word");
    tree_is("modle m { x = 1; }", "model m (set x 1)\n", "... and is parsed as that");
    help_is("Model m { }", "the word here is spelled `model`", "a word in upper case");
    help_is("imprt \"x\";", "the word here is spelled `import`", "a misspelt import");
    help_is("import b.attn;", "the path of an import stands in quotes: import \"std/cuda.attn\";",
            "an import without quotes");
    help_is("includee \"b.attn\"", "another file is read with: import \"std/cuda.attn\";",
            "an import by another name");
    errors_are("import b.attn;\nimprt \"x\";\nincludee \"b.attn\"\nmodle m { }",
               "1:8 A0201 expected a string after `import`, saw name `b`\n"
               "2:1 A0204 expected a declaration, saw name `imprt`\n"
               "3:1 A0201 expected a declaration after `;`, saw name `includee`\n"
               "4:1 A0204 expected a declaration, saw name `modle`\n",
               "each near miss of a file");
    tree_is("backend b { requre a == 1 : \"m\"; lte c = 2; }",
            "backend b (require (== a 1) \"m\") (let c 2)\n", "misspelt words of items");
    tree_is("model m { layr all { } layer al { } layer 0..4 setp 2 { } x = 1 wehn y; }",
            "model m (layer all) (layer all) (layer 0..4/2) (set x 1 when y)\n",
            "misspelt words inside items");
    tree_is("model m extend n { }", "model m extends n\n", "a misspelt extends");
    help_is(
        "model m { layer = 1; }",
        "an item that begins with `layer`, `let`, `fact`, `for` or `require` is that construct; no "
        "attribute has such a name",
        "an attribute named like a construct");
    help_is("model gemma-3 { }", "a name consists of letters, digits and `_`",
            "a name with a dash");
    help_is("model m { };", "no `;` follows a block", "a `;` after a declaration");
    help_is("model m { x = 0,5; }", "the decimal point is `.`", "a decimal comma");
    help_is("model m { x = a = b; }", "`=` gives a value, `==` compares", "= for ==");
    help_is("model m { x = {a, }; }", "no comma follows the last element", "a trailing comma");
}

// What the tree keeps.
static void recovery(void) {
    tree_is("model m {\n  heads = 4\n  kv = 1;\n}", "model m (set heads 4) (set kv 1)\n",
            "a missing `;` loses nothing");
    tree_is("model m { x = 1 2; y = 3; }", "model m (set x 1) (set y 3)\n",
            "an item with one token too many keeps its value");
    tree_is("model m { x = 1 ) ( 2; y = 3; }", "model m (set x <error>) (set y 3)\n",
            "an item with a broken value keeps its name");
    tree_is("model m { x == 1; y : 2; }", "model m (set x 1) (set y 2)\n", "another mark for =");
    tree_is("model m { x = {a b}; }", "model m (set x {a b})\n", "a missing comma loses nothing");
    tree_is("model m { x = 1, y = {a; b}; z = 3 }", "model m (set x 1) (set y {a b}) (set z 3)\n",
            "`,` for `;` and `;` for `,` lose nothing");
    tree_is("model m {\n  junk\n  x = 1;\n  layer all\n    y = 2;\n  }\n}",
            "model m (set x 1) (layer all (set y 2))\n",
            "a stray line, and a head without its brace");
    errors_are("model m {\n  # a comment\n  junk\n  x = 1;\n}",
               "2:3 A0105 character `#` has no meaning\n",
               "a stray line after a lexical error is not taken for a head");
    tree_is("model m { x =} 1; y = 2; }", "model m (set x 1) (set y 2)\n",
            "a bracket too many inside a line loses nothing");
    tree_is("model m { layer x { a = 1; } b = 2; }", "model m (set b 2)\n",
            "a block with a broken head is dropped, the rest stays");
    tree_is("model m { x = 1; layer all { a = 2;", "model m (set x 1) (layer all (set a 2))\n",
            "blocks that are not closed are kept");
    tree_is("model m { x = 1;\nmodel n { y = 2; }", "model m (set x 1)\nmodel n (set y 2)\n",
            "a declaration inside a block closes it");
    tree_is("junk; junk { a = 1; }\nmodel m { }", "model m\n", "junk before a declaration");
    tree_is("model m { x = 3 3 layer all { y = 1; } z = 4; }",
            "model m (set x <error>) (set z 4)\n", "an item that runs into a block");
    errors_are("foo m { a = ; } model 3 { b = ; } deploy d { layer q { c = ; } }",
               "1:1 A0201 expected a declaration at the start of the file, saw name `foo`\n"
               "1:13 A0201 expected a value after `=`, saw `;`\n"
               "1:23 A0201 expected a name after `model`, saw number `3`\n"
               "1:31 A0201 expected a value after `=`, saw `;`\n"
               "1:52 A0201 expected a whole number or `all` after `layer`, saw name `q`\n"
               "1:60 A0201 expected a value after `=`, saw `;`\n",
               "errors in the bodies of broken heads");
    errors_are("model m { x = a b ( c ] d; }",
               "1:17 A0201 expected `;` after the value, saw name `b`\n", "one error for one item");
    struct parsed *p = parse_text("model m { x = ; }");
    ok(p->tree->incomplete, "a tree with errors is marked incomplete");
    parsed_free(p);
    p = parse_text("model m { x = 1; }");
    ok(!p->tree->incomplete, "a tree without errors is not");
    parsed_free(p);
}

// n mistakes in n statements give n errors, whatever stands between them.
static void every_error(void) {
    enum { MISTAKES = 40 };
    char text[MISTAKES * 32], *at = text;
    at += sprintf(at, "model m {\n");
    for (int i = 0; i < MISTAKES; i++) {
        static const char *const mistakes[] = {"x = ;\n", "x 1;\n", "x = (1;\n", "layer { }\n",
                                               "x = {1 2};\n"};
        at += sprintf(at, "%s", mistakes[i % 5]);
    }
    sprintf(at, "}\n");
    struct parsed *p = parse_text(text);
    is_int((long long)p->diags.errors, MISTAKES, "one run reports every error");
    bool in_order = true;
    for (int i = 0; i < MISTAKES && i < (int)p->diags.list.len; i++) {
        const uint32_t begin = p->diags.list.at[i]->span.begin;
        in_order = in_order && source_position(&p->sources, 0, begin).line == (unsigned)i + 2;
    }
    ok(in_order, "... each on its own line");
    parsed_free(p);
}

static void long_names(void) {
    char *name = repeated("a", 1 << 20);
    char *text = joined("model ", name, " 3 { }");
    struct parsed *p = parse_text(text);
    ok(p->diags.errors == 1 && strlen(p->diags.list.at[0]->message) < 200,
       "a name of 1 MiB is cut in messages");
    parsed_free(p);
    free(text);
    text = joined("model ", name, " { }");
    p = parse_text(text);
    ok(p->diags.errors == 0 && strlen(p->tree->decls.at[0]->name.text) == 1 << 20,
       "... and is a name like any other");
    parsed_free(p);
    free(text);
    free(name);
}

static void error_limit(void) {
    char *middle = repeated("x = ; ", 5000);
    char *text = joined("model m { ", middle, "}");
    struct parsed *p = parse_text(text);
    is_int((long long)p->diags.errors, 1001,
           "a file has at most 1000 errors, and one that says so");
    is_str(p->diags.list.at[1000]->message,
           "too many errors in this file (limit is 1000); the rest of it was not read",
           "... in these words");
    parsed_free(p);
    free(text);
    free(middle);
    middle = repeated("\x01 ", 5000);
    p = parse_text(middle);
    is_int((long long)p->diags.errors, 1001, "... bytes that may not stand there included");
    parsed_free(p);
    free(middle);
}

int main(void) {
    words();
    places();
    brackets();
    near_misses();
    recovery();
    every_error();
    long_names();
    error_limit();
    return done_testing();
}
