// SPDX-License-Identifier: Apache-2.0
// Spellings of operators and declaration words, from the lists in ast.h.
#include "ast.h"

const char *ast_operator_text(enum ast_operator op) {
    static const char *const texts[] = {
#define TEXT(name, spelling) spelling,
        AST_OPERATORS(TEXT)
#undef TEXT
    };
    return texts[op];
}

const char *decl_kind_text(enum decl_kind kind) {
    static const char *const texts[] = {
#define NOUN(name, word, noun) noun,
        AST_DECLS(NOUN)
#undef NOUN
    };
    return texts[kind];
}
