// SPDX-License-Identifier: Apache-2.0
// Collecting the lines of a deployment. In: its declaration. Out: for the deployment and for each
// `for` block the lines that count, by name, the child's before the parent's. Unknown names,
// repeats and what has no place are reported.
#ifndef GEN_SCOPE_H
#define GEN_SCOPE_H

#include "gen/settings.h"

// Fills d->scope and d->scopes. False after an error.
bool scopes_collect(struct program *p, const struct decl *decl, struct deployment *d);
// Reports a repeat among the same items.
void scope_given_twice(const struct program *p, const struct ast_name *name,
                       const struct ast_item *first);

#endif
