// SPDX-License-Identifier: Apache-2.0
// What sweep.awk writes and test_sweep.c runs: the cpu_flash instances of the whole product of
// kinds, dims, groups and block sizes, in several files so that they compile at once.
#ifndef TESTS_KERNELS_SWEEP_H
#define TESTS_KERNELS_SWEEP_H

#include "attn/abi.h"

// Each part ends with NULL, and so does the list of them; in the order of the product.
extern const attn_kernel *const *const sweep_parts[];

#endif
