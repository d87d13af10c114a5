/* SPDX-License-Identifier: Apache-2.0
 * The hook of a test build: a program that compiles instances with -DATTN_TRACE defines it, and is
 * told of each run which instance of which family it was and how many key tiles it visited
 * (cpu_flash; 0 for other families).
 */
#ifndef ATTN_KERNELS_TRACE_H
#define ATTN_KERNELS_TRACE_H

#include "attn/abi.h"

void attn_trace(const attn_params *params, const char *instance, const char *family,
                uint64_t tiles);

#endif
