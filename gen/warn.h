// SPDX-License-Identifier: Apache-2.0
// Warnings about a deployment that has no errors: what it says and what has no effect, or not the
// one that a reader would expect. In: a decided deployment. Out: diagnostics, each of a name for
// -W.
#ifndef GEN_WARN_H
#define GEN_WARN_H

#include "gen/decide.h"

void warn_deployment(struct decider *c);
// Different windows within one kind of a model.
void warn_windows(struct program *p, const struct model *m);
// Entries of priorities (of files outside the library) that can never be reached.
void warn_priorities(struct program *p);

#endif
