// SPDX-License-Identifier: Apache-2.0
// From decided operators to kernel instances: which distinct specialisations the plan needs, their
// symbols and fingerprints, the classes of operators that share them, and the workspace they want.
#ifndef GEN_KERNELS_H
#define GEN_KERNELS_H

#include "gen/plan.h"

// Fills plan.kernels, plan.classes, plan_phase.kernel, plan_operator.write_kernel and class_index.
// Phases whose backend has no entry get no kernel. Order: by first operator, prefill, decode, write.
void kernels_assign(struct arena *a, struct plan *plan);

// Workspace of the runtime for this plan, in bytes: what attn_step keeps, and what the hungriest
// kernel wants for each worker (0 for kernels of no known family). See runtime/include/attn/abi.h.
uint64_t kernels_step_bytes(const struct plan *plan);
uint64_t kernels_worker_bytes(const struct plan *plan);
uint32_t kernels_workers(const struct plan *plan); // the platform's cores, 1 when not stated

#endif
