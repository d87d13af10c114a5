// SPDX-License-Identifier: Apache-2.0
// Which line of a deployment speaks for an operator and phase: backend_per_layer, then kind.phase,
// then kind, then backend, else none. In: the collected lines of a deployment. Out: tables in which
// a look-up takes a few steps, and located errors.
#ifndef GEN_MAPPING_H
#define GEN_MAPPING_H

#include "gen/settings.h"

// Reads every mapping line; each model's tables are filled. Refused lines are reported and leave
// `mappings_good` false; choices that do not hang on them can still be judged.
void mappings_read(struct deployment *d);
// All lines that speak for it, that one first.
VEC_TYPE(mapping_chain, const struct mapping *);
struct mapping_chain mapping_chain_of(struct arena *a, const struct deployed_model *m,
                                      const struct model_operator *o, const struct kind *kind,
                                      enum phase phase);
// The line that counts, or NULL: automatic. Every line that matches is counted as matching, the
// one that counts as used.
const struct mapping *mapping_of(const struct deployed_model *m, const struct model_operator *o,
                                 const struct kind *kind, enum phase phase);

#endif
