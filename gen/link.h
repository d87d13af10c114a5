// SPDX-License-Identifier: Apache-2.0
// Can this plan become C for ABI 1 of the runtime? Checking and explaining take more than building:
// backends without an entry, kinds and dtypes that attn_params has no place for, numbers beyond the
// table's fields. Everything that emitters rely on is refused here, with a place.
#ifndef GEN_LINK_H
#define GEN_LINK_H

#include "gen/plan.h"
#include "gen/program.h"

// Reports all that stands in the way; false when something does.
bool link_check(const struct program *p, const struct decl *deploy, const struct plan *plan);

#endif
