// SPDX-License-Identifier: Apache-2.0
// The formatter: the canonical form of a correct text is correct, and is its own canonical form.
#include "grammar/format.h"

#include "grammar/parse.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "format";

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    const uint32_t file = fuzz_source(f, "input.attn", data, size);
    if (parse_file(&f->arena, &f->sources, file, &f->diags)->incomplete) {
        return;
    }
    uint32_t len, again_len;
    const char *text = format_file(&f->arena, &f->sources, file, &f->diags, &len);
    FUZZ_ASSERT(text[len] == '\0' && strlen(text) == len);
    const uint32_t formatted = fuzz_source(f, "formatted.attn", (const uint8_t *)text, len);
    FUZZ_ASSERT(!parse_file(&f->arena, &f->sources, formatted, &f->diags)->incomplete);
    const char *again = format_file(&f->arena, &f->sources, formatted, &f->diags, &again_len);
    FUZZ_ASSERT(len == again_len && memcmp(text, again, len) == 0);
    fuzz_check_diagnostics(f, false);
    FUZZ_ASSERT(f->diags.list.len == 0);
}
