// SPDX-License-Identifier: Apache-2.0
// NAME.d: what a deployment's outputs are made from, as make and ninja read it.
#ifndef GEN_DEPFILE_H
#define GEN_DEPFILE_H

#include "gen/text.h"
#include "grammar/diag.h"

// `targets: inputs` with every file that was opened; the library is part of attnc. False after an
// error (a name with a line break).
bool depfile_write(struct text *t, struct diags *d, const char *const *targets, size_t n,
                   const struct sources *s);

#endif
