// SPDX-License-Identifier: Apache-2.0
// Canonical form of an .attn file: docs/fmt.md has the rules. In: a source text that parses without
// errors. Out: the same tokens and comments, laid out anew. Always: formatting the result again
// changes nothing, and it parses to the same tree.
#ifndef GRAMMAR_FORMAT_H
#define GRAMMAR_FORMAT_H

#include "diag.h"

// `len` bytes and a NUL. What the lexer finds wrong goes to `diags`; then the text is not to be
// used.
const char *format_file(struct arena *a, const struct sources *s, uint32_t file,
                        struct diags *diags, uint32_t *len);

#endif
