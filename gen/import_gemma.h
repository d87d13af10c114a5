// SPDX-License-Identifier: Apache-2.0
// What the files of the Gemma family share.
#ifndef GEN_IMPORT_GEMMA_H
#define GEN_IMPORT_GEMMA_H

#include "gen/import.h"

// The last num_kv_shared_layers layers read the cache of the last layer before them of their type.
// As in transformers, a count that leaves no layer before them shares nothing.
void import_gemma_sharing(struct import *i, const enum layer_type *types, int64_t fallback);
// scale = 1: queries, keys and values are normalised.
void import_gemma_unit_scale(struct import *i);

#endif
