// SPDX-License-Identifier: Apache-2.0
// GGUF metadata in the form of a config.json, for the same rules.
#ifndef GEN_IMPORT_GGUF_H
#define GEN_IMPORT_GGUF_H

#include "gen/gguf.h"
#include "gen/import.h"

// NULL after an error.
const struct config_value *import_gguf_config(struct arena *a, struct diags *d,
                                              const struct gguf *g);

#endif
