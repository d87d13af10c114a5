// SPDX-License-Identifier: Apache-2.0
// Facts of tokens, by number, from the list in token.h.
#include "token.h"

#include <string.h>

const struct token_info token_infos[TOKEN_COUNT] = {
    [TOKEN_END] = {.text = "the end of the file", .class = CLASS_MARK},
#define MARK(name, spelling, kind)                                                                 \
    [TOKEN_##name] = {.text = spelling, .class = kind, .fixed = true},
#define WORD(name, spelling, kind)                                                                 \
    [TOKEN_##name] = {.text = spelling, .class = kind, .fixed = true, .word = true},
#define VARIABLE(name, noun, kind) [TOKEN_##name] = {.text = noun, .class = kind},
    TOKENS_FIXED(MARK, WORD) TOKENS_VARIABLE(VARIABLE)
#undef MARK
#undef WORD
#undef VARIABLE
};

uint16_t token_of_word(const char *text, uint32_t len) {
    static const struct {
        const char *spelling;
        uint8_t len;
        uint8_t type;
    } words[] = {
#define MARK(name, spelling, kind)
#define WORD(name, spelling, kind) {spelling, sizeof spelling - 1, TOKEN_##name},
        TOKENS_FIXED(MARK, WORD)
#undef MARK
#undef WORD
    };
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        if (words[i].len == len && memcmp(words[i].spelling, text, len) == 0) {
            return words[i].type;
        }
    }
    return TOKEN_NAME;
}
