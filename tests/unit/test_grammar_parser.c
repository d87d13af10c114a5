// SPDX-License-Identifier: Apache-2.0
// The grammar: each declaration, item and expression gives the tree that LANGUAGE.md means, and
// soft words are names wherever the word itself cannot stand.
#include "test_grammar.h"

// Parses without a diagnostic into exactly this tree.
static void accepted(const char *text, const char *want, const char *name) {
    struct parsed *p = parse_text(text);
    const bool good = p->diags.list.len == 0;
    is_str(good ? parsed_tree(p) : parsed_errors(p), want, name);
    parsed_free(p);
}

static void declarations(void) {
    accepted("import \"std/cpu.attn\"; import \"x\";", "import std/cpu.attn\nimport x\n",
             "imports");
    accepted("model a { } deploy b { } backend c { } platform d { } priority e { } kind f { }",
             "model a\ndeployment b\nbackend c\nplatform d\npriority e\nkind f\n",
             "each kind of declaration");
    accepted("platform a extends b { } import \"x\"; model c { }",
             "import x\nplatform a extends b\nmodel c\n", "extends; an import may come later");
    accepted("capability mm_prefix : flag;", "capability mm_prefix : flag\n", "a bare capability");
    accepted("capability s : flag when layer.s;", "capability s : flag when layer.s\n",
             "a capability with a condition");
    accepted("capability mla : equals layer.mla != none;",
             "capability mla : equals (!= layer.mla <none>)\n", "a capability with a value");
}

static void items(void) {
    accepted("model m { a = 1; b = 2 when c; }", "model m (set a 1) (set b 2 when c)\n",
             "attributes, with and without when");
    accepted("backend m { let a = 1; let a = 2 when c; }", "backend m (let a 1) (let a 2 when c)\n",
             "let");
    accepted("platform p { fact fw = 2.10; }", "platform p (fact fw '2.10')\n", "fact");
    accepted("backend b { require a == 1 : \"why\"; require b : \"x\" as r; }",
             "backend b (require (== a 1) \"why\") (require as r b \"x\")\n",
             "require, with and without a name");
    accepted("model m { layer all { w = 1; } layer 5..25 step 6 { } layer 0, 3, 7..9 as x { } }",
             "model m (layer all (set w 1)) (layer 5..25/6) (layer 0..0/1 3..3/1 7..9/1 as x)\n",
             "layer blocks");
    accepted("model m { layer all as cross { a = 1; } }",
             "model m (layer all as cross (set a 1))\n", "layer all as a named operator");
    accepted("deploy d { for m { a = 1; k { b = 2; } } }",
             "deployment d (for m (set a 1) (block k (set b 2)))\n", "for and blocks nest");
    accepted("deploy d { k { full = A; full.decode = B; } }",
             "deployment d (block k (set full A) (phase full .decode B))\n", "kind.phase");
    accepted(
        "deploy d { l { 0, 25 = A; 3..5 as x.decode = B; 7.prefill = C; 0..8 step 2 = D; } }",
        "deployment d (block l (per_layer 0..0/1 25..25/1 A) (per_layer 3..5/1 as x .decode B) "
        "(per_layer 7..7/1 .prefill C) (per_layer 0..8/2 D))\n",
        "per layer: ranges, an operator, a phase");
    errors_are("deploy d { l { 8 step 2 = D; } }",
               "1:18 A0201 expected `,` or `=` after number `8`, saw `step`\n",
               "step needs a range");
}

static void binding(void) {
    value_is("a implies b implies c", "(implies a (implies b c))", "implies binds to the right");
    value_is("a or b and c implies d", "(implies (or a (and b c)) d)", "and, or, implies in order");
    value_is("a or b or c", "(or (or a b) c)", "or binds to the left");
    value_is("not not a == b and c", "(and (not (not (== a b))) c)", "not is looser than ==");
    value_is("not a in b", "(not (in a b))", "not is looser than in");
    value_is("a has b", "(has a b)", "has");
    value_is("a in 8.0..12.1", "(in a (.. '8.0' '12.1'))", "a range is tighter than in");
    value_is("1..2*3+4 step 5-6", "(.. 1 (+ (* 2 3) 4) (- 5 6))", "sums are tighter than ranges");
    value_is("1 - 2 - 3", "(- (- 1 2) 3)", "minus binds to the left");
    value_is("1 / 2 * 3 % 4", "(% (* (/ 1 2) 3) 4)", "products bind to the left");
    value_is("- -1 * 2", "(* (neg (neg 1)) 2)", "a sign is tighter than a product");
    value_is("-(1 + 2) * 3", "(* (neg (+ 1 2)) 3)", "parentheses");
    value_is("a < b", "(< a b)", "<");
    value_is("a <= b", "(<= a b)", "<=");
    value_is("a > b", "(> a b)", ">");
    value_is("a >= b", "(>= a b)", ">=");
    value_is("a != b", "(!= a b)", "!=");
}

static void values(void) {
    value_is("none", "<none>", "none");
    value_is("auto", "<auto>", "auto");
    value_is("yes", "<yes>", "yes");
    value_is("no", "<no>", "no");
    value_is("any", "<any>", "any");
    value_is("platform.cc.major", "platform.cc.major", "a dotted path");
    value_is("roundup(layer.head_dim, 16)", "(roundup layer.head_dim 16)", "a call");
    value_is("{}", "{}", "an empty set");
    value_is("{ a, b when c, {1, 2} when d }", "{a b when c {1 2} when d}",
             "a set with conditions");
    value_is("[a, b when c]", "[a b when c]", "a list with a condition");
    value_is("multiple_of 32", "(multiple_of 32)", "multiple_of");
    value_is("{ 8..512 step 8, multiple_of 3, 1..any }",
             "{(.. 8 512 8) (multiple_of 3) (.. 1 <any>)}", "a numeric set");
    errors_are("model m { x = []; }", "1:16 A0201 expected a value after `[`, saw `]`\n",
               "a list is not empty");
}

static void soft_words(void) {
    static const char *const words[] = {"import",   "model", "deploy",     "backend", "platform",
                                        "priority", "kind",  "capability", "extends", "all",
                                        "as",       "step",  "when"};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *w = words[i];
        char text[256], want[256], name[64];
        snprintf(text, sizeof text,
                 "model %s extends %s { %s = %s.%s; %s { %s = 1; } %s.%s = %s; }", w, w, w, w, w, w,
                 w, w, w, w);
        snprintf(want, sizeof want,
                 "model %s extends %s (set %s %s.%s) (block %s (set %s 1)) (phase %s .%s %s)\n", w,
                 w, w, w, w, w, w, w, w, w);
        snprintf(name, sizeof name, "`%s` is a name", w);
        accepted(text, want, name);
    }
    static const char *const constructs[] = {"let", "fact", "require", "layer", "for"};
    for (size_t i = 0; i < sizeof constructs / sizeof *constructs; i++) {
        const char *w = constructs[i];
        char text[256], want[256], name[64];
        snprintf(text, sizeof text, "model %s { a = %s.%s; let %s = 1; b.%s = 2; for %s { } }", w,
                 w, w, w, w, w);
        snprintf(want, sizeof want, "model %s (set a %s.%s) (let %s 1) (phase b .%s 2) (for %s)\n",
                 w, w, w, w, w, w);
        snprintf(name, sizeof name, "`%s` is a name but at the start of an item", w);
        accepted(text, want, name);
        snprintf(text, sizeof text, "model m { %s = 1; }", w);
        struct parsed *p = parse_text(text);
        is_int((long long)p->diags.errors, 1, "... where it is that construct");
        parsed_free(p);
    }
    accepted("model m { index { topk = 1; share = 3; } layer 1 as layer { } }",
             "model m (block index (set topk 1) (set share 3)) (layer 1..1/1 as layer)\n",
             "an operator named layer");
    accepted("model m { x = 1..step step step; }", "model m (set x (.. 1 step step))\n",
             "step is a name where no step can stand");
    accepted("model m { x = when when when; }", "model m (set x when when when)\n", "so is when");
    errors_are("model none { }",
               "1:7 A0205 expected a name after `model`, saw the reserved word `none`\n",
               "a reserved word is no name");
    errors_are("model m { and = 1; }",
               "1:11 A0205 expected an item or `}` after `{`, saw the reserved word `and`\n",
               "a reserved word is no attribute");
}

static void spans(void) {
    struct parsed *p = parse_text("model m {\n  x = (a + b) when c;\n  0..3 as y = { z };\n}\n");
    const struct ast_decl *d = p->tree->decls.at[0];
    is_int(d->span.begin, 0, "a declaration's span starts at its word");
    is_int(d->span.end, 54, "... and ends after its brace");
    const struct ast_item *x = d->items.at[0];
    is_int(x->span.begin, 12, "an item's span starts at its name");
    is_int(x->span.end, 31, "... and ends after its `;`");
    is_int(x->value->span.begin, 16, "a value's span takes in its parentheses");
    is_int(x->value->span.end, 23, "... both of them");
    is_int(x->value->a->span.begin, 17, "an operand's span");
    const struct ast_item *y = d->items.at[1];
    is_int(y->span.begin, 34, "a per-layer item's span starts at its range");
    is_int(y->ranges.at[0].span.end, 38, "a range's span");
    is_int(y->value->span.begin, 46, "a set's span");
    parsed_free(p);
}

int main(void) {
    declarations();
    items();
    binding();
    values();
    soft_words();
    spans();
    return done_testing();
}
