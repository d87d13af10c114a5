// SPDX-License-Identifier: Apache-2.0
// Text to tokens, in two steps: source_check looks at every byte of the file, comments and strings
// included, and reports those that may not stand in a source file; lex_file then makes the tokens.
#ifndef GRAMMAR_LEXER_H
#define GRAMMAR_LEXER_H

#include "report.h"
#include "source.h"
#include "token.h"

struct lexer {
    struct arena *arena;
    struct reporter *reporter;
    const char *text, *end; // the file's bytes, and the NUL after them
};

// Reports invalid UTF-8, control bytes, and invisible characters. False: the file is in some other
// encoding, and to go on is pointless.
bool source_check(struct reporter *r, const struct source *f);

// All tokens of the file, TOKEN_END last. Whatever is malformed is reported, and left out or kept
// as a token marked `bad`.
void lex_file(struct arena *a, struct reporter *r, const struct source *f, struct tokens *out);

// For the generated lexer (lexer_literals.c). A cursor is a place in the text; each takes the start
// of a token and gives the place after it.
const char *lex_string(struct lexer *lx, const char *at, struct token *t);
const char *lex_curly_string(struct lexer *lx, const char *at, struct token *t);
void lex_integer(struct lexer *lx, const char *at, const char *stop, struct token *t);
void lex_malformed_number(struct lexer *lx, const char *at, const char *stop, struct token *t);
void lex_foreign_name(struct lexer *lx, const char *at, const char *stop, struct token *t);
const char *lex_block_comment(struct lexer *lx, const char *at);
const char *lex_stray_character(struct lexer *lx, const char *at);

#endif
