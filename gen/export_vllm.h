// SPDX-License-Identifier: Apache-2.0
// Export of a deployment's choices as vLLM's --attention-config.
#ifndef GEN_EXPORT_VLLM_H
#define GEN_EXPORT_VLLM_H

#include "gen/command.h"

// Prints the JSON of the only deployment of `path`, or of that of --deploy.
int export_vllm(struct command *c, const char *path);

#endif
