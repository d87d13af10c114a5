// SPDX-License-Identifier: Apache-2.0
// Deployments to plans: settings, layer cascade, kinds, checks, choice, groups, memory. Every error
// and warning goes to the program's diagnostics; the plan that comes back holds what could be
// decided.
#ifndef GEN_PLANNER_H
#define GEN_PLANNER_H

#include "gen/plan.h"
#include "gen/program.h"

struct line_edit;

struct plan_options {
    bool candidates; // fill plan_phase.candidates with every backend's verdict
};

// Plans one deployment. Returns false when errors were reported; the plan is then incomplete (a
// phase's backend NULL where none could be chosen) but safe to print.
bool plan_deployment(struct program *p, const struct decl *deploy, const struct plan_options *o,
                     struct plan *out);
// Plans one deployment as if a line were changed (edit.h): `told` gets what would be reported.
void plan_edited(struct program *p, const struct decl *deploy, const struct line_edit *edit,
                 struct diags *told, struct plan *out);
// Plans the models of the main file without a deployment: everything that needs one is absent.
bool plan_models(struct program *p, struct plan *out);
// Checks that do not depend on a deployment: every model and kind of the main file and its imports.
void check_models(struct program *p);

#endif
