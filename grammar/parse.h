// SPDX-License-Identifier: Apache-2.0
// Text to syntax tree. All errors of the file are reported to `diags`; the tree that comes back
// holds what could be understood, so that later passes can go on. Never NULL.
#ifndef GRAMMAR_PARSE_H
#define GRAMMAR_PARSE_H

#include "ast.h"
#include "diag.h"

struct ast_file *parse_file(struct arena *a, const struct sources *s, uint32_t file,
                            struct diags *diags);

#endif
