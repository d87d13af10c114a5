// SPDX-License-Identifier: Apache-2.0
// The lexer: tokens stand in order inside the text, the last is the end, and every byte between
// them is a blank, part of a comment, or was reported.
#include "grammar/lexer.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "lexer";

static bool has_solid(const char *from, const char *to) {
    for (; from < to; from++) {
        if (!strchr(" \t\r\n", *from) || !*from) {
            return true;
        }
    }
    return false;
}

// Whether the gap before a token is explained: blanks only, or something that opens a comment.
static bool explained(const char *from, const char *to) {
    while (from < to && *from && strchr(" \t\r\n", *from)) {
        from++;
    }
    return !has_solid(from, to) || (*from == '/' && from + 1 < to) ||
           memcmp(from, "\xEF\xBB\xBF", 3) == 0;
}

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    const uint32_t file = fuzz_source(f, "input.attn", data, size);
    const struct source *s = &f->sources.files.at[file];
    struct reporter reporter = {.diags = &f->diags, .file = file};
    struct tokens tokens = {0};
    if (source_check(&reporter, s)) {
        lex_file(&f->arena, &reporter, s, &tokens);
        FUZZ_ASSERT(tokens.len > 0 && tokens.at[tokens.len - 1].type == TOKEN_END);
        uint32_t at = 0;
        for (size_t i = 0; i < tokens.len; i++) {
            const struct token *t = &tokens.at[i];
            FUZZ_ASSERT(at <= t->begin && t->begin <= t->end && t->end <= s->len);
            FUZZ_ASSERT((t->begin == t->end) == (t->type == TOKEN_END));
            FUZZ_ASSERT(f->diags.errors > 0 || explained(s->text + at, s->text + t->begin));
            FUZZ_ASSERT(!t->bad || f->diags.errors > 0);
            at = t->end;
        }
    } else {
        FUZZ_ASSERT(f->diags.errors > 0);
    }
    fuzz_check_diagnostics(f, false);
}
