// SPDX-License-Identifier: Apache-2.0
// The lexer, for re2c. In: the text of a file. Out: its tokens. Always: a token's bytes are inside
// the file, tokens do not overlap, and TOKEN_END comes last, once. Comments and blanks are passed
// over here and nowhere else, so that a formatter can take them from this place.
#include "grammar/lexer.h"

/*!re2c
    re2c:define:YYCTYPE = "unsigned char";
    re2c:define:YYCURSOR = at;
    re2c:define:YYLIMIT = lx->end;
    re2c:define:YYMARKER = marker;
    re2c:yyfill:enable = 0;
    re2c:eof = 0;

    decimal_integer = "0" | [1-9][0-9]*;
    hex_integer     = "0x" [0-9a-fA-F]+;
    integer         = (decimal_integer | hex_integer) [KMG]?;
    exponent        = [eE] [+-]? [0-9]+;
    decimal         = decimal_integer ("." [0-9]+ exponent? | exponent);
    // Whatever else starts like a number. It is the longer match only where the above do not cover
    // all of it: 08, 1_000, 0x, 1.5K, 1.2.3, 3d, 1e+.
    malformed       = [0-9][0-9A-Za-z_]* ("." [0-9][0-9A-Za-z_]*)*
                    | decimal_integer ("." [0-9]+)? [eE] [+-];
    name            = [A-Za-z_][A-Za-z0-9_]*;
    // Letters of two bytes (accented Latin, Greek, Cyrillic; not the signs among them), so that a
    // name with one of them is one token and one error.
    letter          = "\xC3" [\x80-\x96\x98-\xB6\xB8-\xBF] | [\xC4-\xCB] [\x80-\xBF]
                    | "\xCD" [\xB0-\xBD\xBF] | [\xCE-\xD4] [\x80-\xBF];
    foreign_name    = name? letter ([A-Za-z0-9_] | letter)*;
*/

#define MARK(name)                                                                                 \
    do {                                                                                           \
        t->type = TOKEN_##name;                                                                    \
        return at;                                                                                 \
    } while (0)

// The next token from `at`. Gives the place after it; t->begin is where it starts.
static const char *lex_token(struct lexer *lx, const char *at, struct token *t) {
    const char *marker;
    for (;;) {
        const char *start = at;
        t->begin = (uint32_t)(start - lx->text);
        if (lx->reporter->stopped) {
            MARK(END);
        }
        /*!re2c
            $                   { MARK(END); }
            "\n"                { t->starts_line = true; continue; }
            [ \t\r]+            { continue; }
            "//" [^\n]*         { continue; }
            "/*"                { at = lex_block_comment(lx, start); continue; }
            name                { t->type = token_of_word(start, (uint32_t)(at - start)); return at; }
            foreign_name        { lex_foreign_name(lx, start, at, t); return at; }
            integer             { lex_integer(lx, start, at, t); return at; }
            decimal             { MARK(DECIMAL); }
            malformed           { lex_malformed_number(lx, start, at, t); return at; }
            "\""                { return lex_string(lx, start, t); }
            "\xE2\x80\x9C"      { return lex_curly_string(lx, start, t); }
            ";"                 { MARK(SEMI); }
            ","                 { MARK(COMMA); }
            ":"                 { MARK(COLON); }
            "="                 { MARK(ASSIGN); }
            "."                 { MARK(DOT); }
            ".."                { MARK(DOTDOT); }
            "("                 { MARK(LPAREN); }
            ")"                 { MARK(RPAREN); }
            "{"                 { MARK(LBRACE); }
            "}"                 { MARK(RBRACE); }
            "["                 { MARK(LBRACKET); }
            "]"                 { MARK(RBRACKET); }
            "+"                 { MARK(PLUS); }
            "-"                 { MARK(MINUS); }
            "*"                 { MARK(STAR); }
            "/"                 { MARK(SLASH); }
            "%"                 { MARK(PERCENT); }
            "=="                { MARK(EQ); }
            "!="                { MARK(NE); }
            "<"                 { MARK(LT); }
            "<="                { MARK(LE); }
            ">"                 { MARK(GT); }
            ">="                { MARK(GE); }
            *                   { at = lex_stray_character(lx, start); t->after_error = true; continue; }
        */
    }
}

void lex_file(struct arena *a, struct reporter *r, const struct source *f, struct tokens *out) {
    struct lexer lx = {.arena = a, .reporter = r, .text = f->text, .end = f->text + f->len};
    const char *at = f->text + f->lines.at[0]; // after the byte order mark
    bool first = true;
    struct token t;
    do {
        t = (struct token){.starts_line = first};
        const char *stop = lex_token(&lx, at, &t);
        t.end = (uint32_t)(stop - f->text);
        t.after_error = t.after_error || t.bad;
        VEC_PUSH(a, out, t);
        at = stop;
        first = false;
    } while (t.type != TOKEN_END);
}
