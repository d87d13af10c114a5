// SPDX-License-Identifier: Apache-2.0
// Help for errors of choice. In: a decided deployment with its errors. Out: help lines, each with a
// change that was tried: with it the deployment compiles, or has only errors that it had before and
// this one no more.
#ifndef GEN_OFFER_H
#define GEN_OFFER_H

#include "gen/decide.h"

// `first` is the number of the deployment's first diagnostic.
void remedies_offer(struct decider *c, size_t first);

#endif
