// SPDX-License-Identifier: Apache-2.0
// Cache groups: operators whose caches are alike share pages, a block table, one layout and one
// block size. In: operators with their explicit choices. Out: groups; while automatic choices are
// made, what a group has fixed; at the end each group's layout, block size and page.
#ifndef GEN_GROUPS_H
#define GEN_GROUPS_H

#include "gen/decide.h"

// Forms groups by equal caches; explicit choices split a set by device.
void groups_form(struct decider *c);
// Fixes a ruling in a group when it agrees with what is fixed; else says what disagrees.
enum fit group_add(struct decider *c, struct cache_group *g, struct ruling *r);
// Would it agree?
enum fit group_try(struct decider *c, struct cache_group *g, struct ruling *r);
// Would all of them agree, alone in a group of kind `kind`?
bool rulings_agree(struct decider *c, const struct kind *kind, struct ruling *const *list,
                   size_t n);
// The same, with what they do not agree in.
enum fit rulings_fit(struct decider *c, const struct kind *kind, struct ruling *const *list,
                     size_t n);
// "block sizes": what a misfit is about.
const char *fit_text(enum fit fit);
// Reports that an operator's choice disagrees with its group, once for each group and reason.
void group_conflict(struct decider *c, struct cache_group *g, const struct op *o, enum phase phase,
                    enum fit fit);
// The layouts of `common` that `answer` accepts too; a list, or any.
struct value layouts_meet(struct arena *a, const struct value *common, const struct value *answer);

#endif
