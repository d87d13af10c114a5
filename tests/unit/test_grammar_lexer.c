// SPDX-License-Identifier: Apache-2.0
// Lexical rules: what counts as a number, a string, a comment, a blank; which bytes are refused,
// and where and in what words.
#include "test_grammar.h"

static void numbers(void) {
    value_is("64", "64", "a decimal integer");
    value_is("0", "0", "zero");
    value_is("8K", "8192", "K is 1024");
    value_is("3M", "3145728", "M is 1024^2");
    value_is("2G", "2147483648", "G is 1024^3");
    value_is("0x1F", "31", "a hexadecimal integer");
    value_is("0xaK", "10240", "a hexadecimal integer with a suffix");
    value_is("9223372036854775807", "9223372036854775807", "the largest 64-bit integer");
    value_is("0x7fffffffffffffff", "9223372036854775807", "the largest one in hexadecimal");
    value_is("8589934591G", "9223372035781033984", "the largest multiple of G");
    value_is("9.0", "'9.0'", "a dotted literal keeps its spelling");
    value_is("2.10", "'2.10'", "a dotted literal keeps a trailing zero");
    value_is("0.0721688", "'0.0721688'", "a decimal below one");
    value_is("1e-45", "'1e-45'", "a decimal with an exponent and no dot");
    value_is("3.4028235e38", "'3.4028235e38'", "a decimal with an exponent");
    value_is("1e400", "'1e400'", "a size of exponent is not the lexer's matter");
    value_is("5..25", "(.. 5 25)", "the integer in 5..25 does not take the dot");
    value_is("8.0..12.1", "(.. '8.0' '12.1')", "a range of dotted literals");
    value_is("0xe-1", "(- 14 1)", "a hexadecimal digit e starts no exponent");
    value_is("-1", "(neg 1)", "a sign is an operator");
}

static void refused_numbers(void) {
    static const char *const malformed[] = {"08",    "0x",  "1_000", "1k",   "0X1F", "1.5K",
                                            "1.2.3", "3d",  "1e",    "1e+",  "0xG",  "00",
                                            "08.5",  "1KK", "1.",    "0x1_0"};
    for (size_t i = 0; i < sizeof malformed / sizeof *malformed; i++) {
        char text[64], want[128];
        snprintf(text, sizeof text, "model m { x = %s; }", malformed[i]);
        snprintf(want, sizeof want, "1:15 A0108 malformed number `%s`\n", malformed[i]);
        if (strcmp(malformed[i], "1.") == 0) { // an integer and a dot: the grammar's matter
            snprintf(want, sizeof want, "1:16 A0201 expected `;` after the value, saw `.`\n");
        }
        char name[64];
        snprintf(name, sizeof name, "%s is one located error", malformed[i]);
        errors_are(text, want, name);
    }
    static const char *const large[] = {
        "9223372036854775808", "18446744073709551616", "99999999999999999999999",
        "0xFFFFFFFF00000000",  "8589934592G",          "0x8000000000000000"};
    for (size_t i = 0; i < sizeof large / sizeof *large; i++) {
        char text[64], name[64];
        snprintf(text, sizeof text, "model m { x = %s; }", large[i]);
        snprintf(name, sizeof name, "%s is refused, not wrapped or clamped", large[i]);
        errors_are(text, "1:15 A0109 number is too large (limit is 9223372036854775807)\n", name);
    }
    tree_is("model m { x = 08; y = 1; }", "model m (set x <error>) (set y 1)\n",
            "a refused number still parses as a value");
    tree_is("model m { layer 08, 2 { y = 1; } }", "model m (layer 2..2/1 (set y 1))\n",
            "a refused layer number is left out");
    errors_are("model m { x = 0,5; }", "1:16 A0201 expected `;` after the value, saw `,`\n",
               "a decimal comma is an error");
}

static void strings(void) {
    value_is("\"a b\"", "\"a b\"", "a string");
    value_is("\"\"", "\"\"", "an empty string");
    value_is("\"a\\\"b\\\\c\\nd\"", "\"a\"b\\c\nd\"",
             "the escapes for quote, backslash and newline");
    value_is("\"\\u00e9\\u20AC\"", "\"\xC3\xA9\xE2\x82\xAC\"", "\\uXXXX gives UTF-8");
    value_is("\"\xC3\xA9 \xF0\x9F\x98\x80\"", "\"\xC3\xA9 \xF0\x9F\x98\x80\"", "UTF-8 in a string");
    value_is("\"// no /* comment\"", "\"// no /* comment\"", "no comments in a string");
    value_is("\"'%s{}\"", "\"'%s{}\"", "everything else is raw");
    errors_are("model m { x = \"a\\tb\"; }", "1:17 A0106 unknown escape `\\t`\n",
               "an unknown escape");
    errors_are("model m { x = \"\\\xC3\xA9\"; }", "1:16 A0106 unknown escape `\\\xC3\xA9`\n",
               "an unknown escape shows the whole character");
    errors_are("model m { x = \"\\u0000\"; }",
               "1:16 A0107 `\\u0000` is a control or invisible character\n", "\\u0000");
    errors_are("model m { x = \"\\u202E\"; }",
               "1:16 A0107 `\\u202E` is a control or invisible character\n",
               "an escaped direction mark");
    errors_are("model m { x = \"\\ud83d\"; }", "1:16 A0107 `\\uD83D` is half of a surrogate pair\n",
               "an escaped surrogate");
    errors_are("model m { x = \"\\u12\"; }", "1:16 A0107 `\\u` needs four hexadecimal digits\n",
               "a short \\u escape");
    errors_are("model m { x = \"a\\q\\u0\"; }",
               "1:17 A0106 unknown escape `\\q`\n1:19 A0107 `\\u` needs four hexadecimal digits\n",
               "each bad escape of a string");
    errors_are("model m {\n  x = \"abc;\n  y = 1 2;\n}",
               "2:7 A0104 string is not closed on its line\n"
               "3:9 A0201 expected `;` after the value, saw number `2`\n",
               "an unterminated string is reported at its start, and ends with its line");
    errors_are("model m { x = \"abc\\", "1:15 A0104 string is not closed on its line\n",
               "a string cut after a backslash");
    errors_are("model m { x = \"a\tb\"; }", "1:17 A0101 control byte <09> (tab) in a string\n",
               "a tab in a string");
}

static void comments(void) {
    tree_is("// a\nmodel /* b\n c */ m { /**/ } // d", "model m\n", "comments are blanks");
    tree_is("model m { /* / * ** */ }", "model m\n", "a comment ends at the first */");
    errors_are("model m { }\n  /* a\n b", "2:3 A0110 comment is not closed\n",
               "an unterminated comment is reported at its start");
    errors_are("/*/", "1:1 A0110 comment is not closed\n", "/*/ does not close itself");
    errors_are("// caf\xC3\xA9 \xE2\x80\x9Cquoted\xE2\x80\x9D\n", "", "UTF-8 in a comment");
}

static void bytes_are(const char *text, size_t len, const char *want, const char *name) {
    struct parsed *p = parse_bytes(text, len);
    is_str(parsed_errors(p), want, name);
    parsed_free(p);
}
#define BYTES_ARE(literal, want, name) bytes_are(literal, sizeof literal - 1, want, name)

static void bytes(void) {
    BYTES_ARE("model m { }\n\n  \0\n", "3:3 A0101 control byte <00>\n", "NUL at line 3");
    BYTES_ARE("model m {\n x\r = 1; }",
              "2:3 A0101 control byte <0D> (carriage return without line feed)\n", "a lone CR");
    BYTES_ARE("model m { }\x1B", "1:12 A0101 control byte <1B>\n", "a control byte");
    BYTES_ARE("model m { } // \x7F", "1:16 A0101 control byte <7F>\n",
              "a control byte in a comment");
    BYTES_ARE("model m { x = \"\x01\"; }", "1:16 A0101 control byte <01>\n",
              "a control byte in a string");
    BYTES_ARE("\n\xFF", "2:1 A0102 byte <FF> is not valid UTF-8\n", "byte FF");
    BYTES_ARE("// \xC0\x80", "1:4 A0102 byte <C0> and 1 more is not valid UTF-8\n",
              "an overlong form in a comment");
    BYTES_ARE("// \xED\xA0\x80", "1:4 A0102 byte <ED> and 2 more is not valid UTF-8\n",
              "a surrogate in UTF-8");
    BYTES_ARE("// \xE2\x82", "1:4 A0102 byte <E2> and 1 more is not valid UTF-8\n",
              "a character cut by the end of the file");
    BYTES_ARE("\xEF\xBB\xBF\xEF\xBB\xBFmodel m { }",
              "1:1 A0103 invisible character U+FEFF (byte order mark)\n", "a second BOM");
    BYTES_ARE("// a\xE2\x80\xAEz", "1:5 A0103 invisible character U+202E\n",
              "a direction mark in a comment");
    BYTES_ARE("model m { x = \"\xE2\x81\xA6\"; }", "1:16 A0103 invisible character U+2066\n",
              "a direction mark in a string");
    BYTES_ARE("\xFF\xFEm\0o\0d\0", "1:1 A0102 the file is UTF-16 or UTF-32, not UTF-8\n",
              "UTF-16LE with a mark is one error");
    BYTES_ARE("m\0o\0d\0e\0", "1:1 A0102 the file is UTF-16 or UTF-32, not UTF-8\n",
              "UTF-16LE without a mark is one error");
    BYTES_ARE("", "", "an empty file is fine");
    BYTES_ARE("// only a comment", "", "a file of comments is fine");
}

static void strays(void) {
    errors_are("model m { x = a @ b; }", "1:17 A0105 character `@` has no meaning\n",
               "a stray character, and no second error in its item");
    errors_are("model m { x = !a; y = ; }",
               "1:15 A0105 character `!` has no meaning\n"
               "1:23 A0201 expected a value after `=`, saw `;`\n",
               "errors of other items are still reported");
    errors_are("model m { x = a && b; }", "1:17 A0105 character `&` has no meaning\n",
               "a run of one stray character is one error");
    errors_are("model m { x = \xE2\x80\x9C"
               "a\xE2\x80\x9D; }",
               "1:15 A0105 curly quotation mark U+201C\n", "a pair of curly quotes is one error");
    errors_are("model m { x =\xC2\xA0"
               "1; }",
               "1:14 A0105 character U+00A0 (no-break space) outside strings and comments\n",
               "a no-break space is named");
    errors_are(
        "model m { \xD0\xB0 = 1; }",
        "1:11 A0105 character U+0430 (Cyrillic small letter a) outside strings and comments\n",
        "a Cyrillic letter is named");
    errors_are(
        "model gr\xC3\xB6\xC3\x9F"
        "e { caf\xC3\xA9 = h\xD0\xB5"
        "ads; }",
        "1:9 A0105 character U+00F6 outside strings and comments\n"
        "1:18 A0105 character U+00E9 outside strings and comments\n"
        "1:23 A0105 character U+0435 (Cyrillic small letter ie) outside strings and comments\n",
        "a name with such letters is one error");
    tree_is("model m { caf\xC3\xA9 = 1; x = h\xD0\xB5"
            "ads.y; z = r\xC3\xA9(1); }",
            "model m (set x <error>) (set z <error>)\n",
            "... and has no meaning that could be wrong");
    errors_are("model m { x\xC2\xA0= 1\xC3\x97"
               "2; }",
               "1:12 A0105 character U+00A0 (no-break space) outside strings and comments\n"
               "1:16 A0105 character U+00D7 (multiplication sign) outside strings and comments\n",
               "signs are no part of a name");
    errors_are("model m { x = \xE2\x82\xAC; }",
               "1:15 A0105 character U+20AC outside strings and comments\n",
               "any other character is shown by its code point");
}

// The same tokens, however the lines end and whether there is a mark.
static void line_ends(void) {
    static const char lf[] =
        "import \"a\";\nmodel m {\n  x = 1; /* a\n b */\n  y = \"c\";\n  z = ;\n}\n";
    struct parsed *plain = parse_text(lf);
    char crlf[2 * sizeof lf], bom[2 * sizeof lf + 3];
    size_t n = 0;
    for (const char *c = lf; *c; c++) {
        if (*c == '\n') {
            crlf[n++] = '\r';
        }
        crlf[n++] = *c;
    }
    crlf[n] = '\0';
    snprintf(bom, sizeof bom, "\xEF\xBB\xBF%s", crlf);
    const char *variants[] = {crlf, bom};
    const char *names[] = {"CRLF counts as LF", "one leading BOM is skipped"};
    for (size_t i = 0; i < 2; i++) {
        struct parsed *p = parse_text(variants[i]);
        is_str(parsed_tree(p), parsed_tree(plain), names[i]);
        is_str(parsed_errors(p), parsed_errors(plain), "... with the same lines and columns");
        parsed_free(p);
    }
    is_str(parsed_errors(plain), "6:7 A0201 expected a value after `=`, saw `;`\n",
           "... which are these");
    parsed_free(plain);
    errors_are("\xEF\xBB\xBFmodel 3 { }",
               "1:7 A0201 expected a name after `model`, saw number `3`\n",
               "a BOM takes no column");
    errors_are("model m { /* \xC3\xA9\xE2\x82\xAC */ x = ; }",
               "1:24 A0201 expected a value after `=`, saw `;`\n", "a column is a code point");
    errors_are("model m {\n\tx = ;\n}", "2:6 A0201 expected a value after `=`, saw `;`\n",
               "a tab is one column");
}

int main(void) {
    numbers();
    refused_numbers();
    strings();
    comments();
    bytes();
    strays();
    line_ends();
    return done_testing();
}
