// SPDX-License-Identifier: Apache-2.0
// Import of a config.json: it is refused with an error, or becomes text that parses, is canonical
// after one formatting, and whose models build without an error.
#include "gen/import.h"

#include "grammar/format.h"
#include "grammar/parse.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "import";

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    const uint32_t file = fuzz_source(f, "config.json", data, size);
    struct import_models m = {.source = "config.json", .name = "m"};
    const bool good = import_hf(&f->arena, &f->diags, file, &m);
    FUZZ_ASSERT(good == (f->diags.errors == 0));
    if (good) {
        size_t len;
        uint32_t formatted;
        const char *text = import_write(&f->arena, &m, &len);
        const uint32_t written = fuzz_source(f, "m.attn", (const uint8_t *)text, len);
        FUZZ_ASSERT(!parse_file(&f->arena, &f->sources, written, &f->diags)->incomplete);
        format_file(&f->arena, &f->sources, written, &f->diags, &formatted);
        FUZZ_ASSERT(f->diags.errors == 0 && formatted > 0);
    }
    fuzz_check_diagnostics(f, !good);
    fuzz_check_forms(f);
}
