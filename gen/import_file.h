// SPDX-License-Identifier: Apache-2.0
// What importers share: reading a small input file, canonical form, delivery to -o or stdout.
#ifndef GEN_IMPORT_FILE_H
#define GEN_IMPORT_FILE_H

#include "gen/command.h"

// The whole file, NUL-terminated; `name` is what messages call it. NULL after an error.
char *import_read_file(struct command *c, const char *path, const char *name, uint32_t *len);
// .attn text as `attnc fmt` would leave it.
const char *import_canonical(struct command *c, const char *text, size_t *len);
// To the file of -o, replaced as a whole, or to stdout. Nothing is written after an error, nor when
// -Werror made one of a warning. Returns the exit status.
int import_deliver(struct command *c, const char *text, size_t len);

#endif
