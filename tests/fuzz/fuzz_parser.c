// SPDX-License-Identifier: Apache-2.0
// The parser: a tree always comes back, it is incomplete exactly when something was reported, and
// every span in a report lies in the text.
#include "grammar/parse.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "parser";

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    const uint32_t file = fuzz_source(f, "input.attn", data, size);
    const struct ast_file *tree = parse_file(&f->arena, &f->sources, file, &f->diags);
    FUZZ_ASSERT(tree != NULL);
    FUZZ_ASSERT(tree->incomplete == (f->diags.errors > 0));
    fuzz_check_diagnostics(f, tree->incomplete);
}
