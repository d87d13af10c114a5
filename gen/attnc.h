// SPDX-License-Identifier: Apache-2.0
// The program as a function, so that a test can run all of it with an allocator that fails.
#ifndef GEN_ATTNC_H
#define GEN_ATTNC_H

#include <stddef.h>

// Runs one command line and returns the exit status. Memory comes from `allocate` and is freed with
// free; when it runs out, that is said on stderr and the status is EXIT_STATUS_INTERNAL.
int attnc_run(int argc, char *argv[], void *(*allocate)(size_t));

#endif
