// SPDX-License-Identifier: Apache-2.0
// Tokens: the one list of them, and the array that the lexer fills and the parser reads.
// Numbers TOKEN_... come from the grammar (parser.y declares the same tokens; a check there fails
// to compile when the two lists differ). A file's array ends with TOKEN_END.
#ifndef GRAMMAR_TOKEN_H
#define GRAMMAR_TOKEN_H

#include <stdbool.h>
#include <stdint.h>

#include "arena.h"
#include "grammar/parser.h"

#define TOKEN_END 0 // lemon's own end marker

// Classes decide how a token is named in "expected ...":
// a value starts an expression; an operator or a link continues what could also end here and is
// left out when anything else is expected; marks and words are named one by one.
enum token_class { CLASS_VALUE, CLASS_OPERATOR, CLASS_LINK, CLASS_MARK, CLASS_WORD, CLASS_INNER };

// Tokens with a fixed spelling: name, spelling, class. `W` rows are words, `M` rows marks.
#define TOKENS_FIXED(M, W)                                                                         \
    M(SEMI, ";", CLASS_MARK)                                                                       \
    M(COMMA, ",", CLASS_MARK)                                                                      \
    M(COLON, ":", CLASS_MARK)                                                                      \
    M(ASSIGN, "=", CLASS_MARK)                                                                     \
    M(DOT, ".", CLASS_LINK)                                                                        \
    M(DOTDOT, "..", CLASS_LINK)                                                                    \
    M(LPAREN, "(", CLASS_VALUE)                                                                    \
    M(RPAREN, ")", CLASS_MARK)                                                                     \
    M(LBRACE, "{", CLASS_MARK)                                                                     \
    M(RBRACE, "}", CLASS_MARK)                                                                     \
    M(LBRACKET, "[", CLASS_VALUE)                                                                  \
    M(RBRACKET, "]", CLASS_MARK)                                                                   \
    M(PLUS, "+", CLASS_OPERATOR)                                                                   \
    M(MINUS, "-", CLASS_OPERATOR)                                                                  \
    M(STAR, "*", CLASS_OPERATOR)                                                                   \
    M(SLASH, "/", CLASS_OPERATOR)                                                                  \
    M(PERCENT, "%", CLASS_OPERATOR)                                                                \
    M(EQ, "==", CLASS_OPERATOR)                                                                    \
    M(NE, "!=", CLASS_OPERATOR)                                                                    \
    M(LT, "<", CLASS_OPERATOR)                                                                     \
    M(LE, "<=", CLASS_OPERATOR)                                                                    \
    M(GT, ">", CLASS_OPERATOR)                                                                     \
    M(GE, ">=", CLASS_OPERATOR)                                                                    \
    W(IMPLIES, "implies", CLASS_OPERATOR)                                                          \
    W(OR, "or", CLASS_OPERATOR)                                                                    \
    W(AND, "and", CLASS_OPERATOR)                                                                  \
    W(NOT, "not", CLASS_VALUE)                                                                     \
    W(HAS, "has", CLASS_OPERATOR)                                                                  \
    W(IN, "in", CLASS_OPERATOR)                                                                    \
    W(WHEN, "when", CLASS_LINK)                                                                    \
    W(MULTIPLE_OF, "multiple_of", CLASS_VALUE)                                                     \
    W(NONE, "none", CLASS_VALUE)                                                                   \
    W(AUTO, "auto", CLASS_VALUE)                                                                   \
    W(YES, "yes", CLASS_VALUE)                                                                     \
    W(NO, "no", CLASS_VALUE)                                                                       \
    W(ANY, "any", CLASS_VALUE)                                                                     \
    W(IMPORT, "import", CLASS_WORD)                                                                \
    W(MODEL, "model", CLASS_WORD)                                                                  \
    W(DEPLOY, "deploy", CLASS_WORD)                                                                \
    W(BACKEND, "backend", CLASS_WORD)                                                              \
    W(PLATFORM, "platform", CLASS_WORD)                                                            \
    W(PRIORITY, "priority", CLASS_WORD)                                                            \
    W(KIND, "kind", CLASS_WORD)                                                                    \
    W(CAPABILITY, "capability", CLASS_WORD)                                                        \
    W(EXTENDS, "extends", CLASS_LINK)                                                              \
    W(LET, "let", CLASS_WORD)                                                                      \
    W(FACT, "fact", CLASS_WORD)                                                                    \
    W(REQUIRE, "require", CLASS_WORD)                                                              \
    W(LAYER, "layer", CLASS_WORD)                                                                  \
    W(FOR, "for", CLASS_WORD)                                                                      \
    W(ALL, "all", CLASS_WORD)                                                                      \
    W(AS, "as", CLASS_LINK)                                                                        \
    W(STEP, "step", CLASS_LINK)

// Tokens that stand for many spellings: name, noun phrase, class. The last two are made by the
// driver when it recovers from an error, and are never in a text.
#define TOKENS_VARIABLE(X)                                                                         \
    X(NAME, "name", CLASS_VALUE)                                                                   \
    X(INTEGER, "number", CLASS_VALUE)                                                              \
    X(DECIMAL, "number", CLASS_VALUE)                                                              \
    X(STRING, "string", CLASS_VALUE)                                                               \
    X(SKIP, "", CLASS_INNER)                                                                       \
    X(SKIP_BLOCK, "", CLASS_INNER)

struct token {
    uint16_t type;
    bool bad;            // a literal that was refused and reported: has no value
    bool after_error;    // the lexer reported something between the token before and this one's end
    bool starts_line;    // the first token on its line
    uint32_t begin, end; // byte offsets
    union {
        int64_t integer;    // INTEGER, suffix applied
        const char *string; // STRING, escapes resolved
    };
};

VEC_TYPE(tokens, struct token);

struct token_info {
    const char *text; // spelling, or noun phrase
    enum token_class class;
    bool fixed; // `text` is the spelling
    bool word;  // spelled like a name
};

#define TOKEN_COUNT 64 // above every token number
extern const struct token_info token_infos[TOKEN_COUNT];

// The number of the word spelled so, else TOKEN_NAME.
uint16_t token_of_word(const char *text, uint32_t len);

#endif
