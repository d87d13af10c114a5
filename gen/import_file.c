// SPDX-License-Identifier: Apache-2.0
// Files of importers. In and out: see import_file.h. Always: an output file is there as a whole or
// not at all.
#include "gen/import_file.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gen/output.h"
#include "grammar/format.h"

#define INPUT_MAX_BYTES (64u << 20) // real ones have a few kilobytes

char *import_read_file(struct command *c, const char *path, const char *name, uint32_t *len) {
    errno = 0;
    FILE *f = fopen(path, "rb");
    VEC(char) text = {0};
    char part[BUFSIZ];
    size_t n;
    while (f && text.len <= INPUT_MAX_BYTES && (n = fread(part, 1, sizeof part, f)) > 0) {
        for (size_t i = 0; i < n; i++) {
            VEC_PUSH(c->arena, &text, part[i]);
        }
    }
    int why = !f || ferror(f) ? errno : 0;
    if (f) {
        fclose(f);
    }
    if (why) {
        diag_add_file(c->diags, DIAG_A0912, name, "cannot read `%s`: %s", name, strerror(why));
        return NULL;
    }
    if (text.len > INPUT_MAX_BYTES) {
        diag_add_file(c->diags, DIAG_A0912, name, "cannot read `%s`: limit is %u MiB", name,
                      INPUT_MAX_BYTES >> 20);
        return NULL;
    }
    *len = (uint32_t)text.len;
    VEC_PUSH(c->arena, &text, 0);
    return text.at;
}

const char *import_canonical(struct command *c, const char *text, size_t *len) {
    uint32_t formatted;
    uint32_t file = source_add(c->sources, "<model>", NULL, text, (uint32_t)strlen(text), false);
    text = format_file(c->arena, c->sources, file, c->diags, &formatted);
    *len = formatted;
    return text;
}

int import_deliver(struct command *c, const char *text, size_t len) {
    if (c->diags->errors) {
        return EXIT_STATUS_INPUT;
    }
    if (!c->options.output) {
        return output_stdout(c->arena, c->diags, text, len) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
    }
    struct outputs o;
    outputs_init(&o, c->arena, c->diags);
    outputs_add(&o, c->options.output, text, len);
    return outputs_commit(&o) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
}
