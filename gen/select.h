// SPDX-License-Identifier: Apache-2.0
// The choice of a backend for every operator and phase: explicit lines first, validated and never
// replaced; then automatic ones in operator order, prefill before decode, without backtracking.
// In: a deployment. Out: operators with their backends and groups; errors of choice are reported.
#ifndef GEN_SELECT_H
#define GEN_SELECT_H

#include "gen/decide.h"

void select_backends(struct decider *c);

#endif
