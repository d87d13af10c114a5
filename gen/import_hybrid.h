// SPDX-License-Identifier: Apache-2.0
// What the files of hybrid and recurrent models share.
#ifndef GEN_IMPORT_HYBRID_H
#define GEN_IMPORT_HYBRID_H

#include "gen/import.h"

struct mamba2_defaults {
    int64_t heads, head_dim, state;
};

// Puts the recurrence on the layers of type LAYER_RECURRENT and nothing on those of LAYER_MLP.
void import_hybrid_layers(struct import *i, const enum layer_type *types, const char *ssm);

#endif
