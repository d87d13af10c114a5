// SPDX-License-Identifier: Apache-2.0
// GGUF metadata in the form of a config.json, for the same rules.
#ifndef GEN_IMPORT_GGUF_H
#define GEN_IMPORT_GGUF_H

#include "gen/gguf.h"
#include "gen/import.h"

// How an architecture spells a recurrence.
enum recurrence { NO_RECURRENCE, MAMBA1, MAMBA1_ALONE, MAMBA2, MAMBA2_ALONE, NEMOTRON, DELTA_NET };

struct gguf_arch {
    const char *arch, *model_type; // in GGUF, here
    enum recurrence recurrence;
    const char *layer_words; // key of the list that says which layers are recurrent
};
extern const struct gguf_arch gguf_archs[];
extern const size_t gguf_arch_count;
extern const char *const gguf_names[][2]; // key in GGUF after the architecture, in config.json
extern const size_t gguf_name_count;

// NULL after an error.
const struct config_value *import_gguf_config(struct arena *a, struct diags *d,
                                              const struct gguf *g);

#endif
