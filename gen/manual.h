// SPDX-License-Identifier: Apache-2.0
// Texts for the Makefile, from the rows of options.h: the options of attnc(1) in scdoc's form,
// shell completions, and docs/diagnostics.md.
#ifndef GEN_MANUAL_H
#define GEN_MANUAL_H

#include "grammar/arena.h"

// `what` is the value of --print; NULL when nothing is called so.
const char *manual_text(struct arena *a, const char *what);

#endif
