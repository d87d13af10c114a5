// SPDX-License-Identifier: Apache-2.0
// Import of a GGUF file: it is refused with one error, or its metadata becomes text that parses and
// has a canonical form. What was read can be found again by its key.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "gen/import_gguf.h"
#include "grammar/format.h"
#include "grammar/parse.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "gguf";

static bool read_models(struct fuzz *f, const char *path, struct import_models *m) {
    struct gguf g = {.has_sinks = false};
    bool io = false;
    const bool good = gguf_read(&f->arena, &f->diags, &f->sources, path, "m.gguf", &g, &io);
    FUZZ_ASSERT(!io && f->diags.errors == !good);
    if (!good) {
        return false;
    }
    for (size_t i = 0; i < g.entries.len; i++) {
        FUZZ_ASSERT(!g.entries.at[i].value || gguf_get(&g, NULL, g.entries.at[i].key));
    }
    const struct config_value *root = import_gguf_config(&f->arena, &f->diags, &g);
    FUZZ_ASSERT(root ? f->diags.errors == 0 : f->diags.errors == 1);
    return root && import_config(&f->arena, &f->diags, root, m);
}

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    const int fd = memfd_create("m.gguf", MFD_CLOEXEC);
    FUZZ_ASSERT(fd >= 0 && write(fd, data, size) == (ssize_t)size);
    struct import_models m = {.source = "m.gguf", .name = "m"};
    const bool good = read_models(f, arena_printf(&f->arena, "/proc/self/fd/%d", fd), &m);
    close(fd);
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
