// SPDX-License-Identifier: Apache-2.0
// Emitters: from a plan to the text of one output. They read the plan and nothing else, never fail
// (link_check has refused what has no form in C), and give equal bytes for equal plans. Texts live
// in the arena, end with a newline and are ASCII.
#ifndef GEN_EMIT_H
#define GEN_EMIT_H

#include "gen/kernels.h"
#include "gen/text.h"

struct emitted {
    const char *text;
    size_t len;
};

// NAME.json; with `candidates` each phase has its list of them (explain only).
struct emitted emit_json(struct arena *a, const struct plan *plan, bool candidates);
// NAME.h: constants and the declaration of the table, C11 and C++17.
struct emitted emit_header(struct arena *a, const struct plan *plan);
// NAME.c: the table, C11, also freestanding. It includes NAME.h, and has a hash of `json`, which is
// that of emit_json without candidates.
struct emitted emit_table(struct arena *a, const struct plan *plan, struct emitted json);
// NAME_kernels.c: an instance for each distinct kernel.
struct emitted emit_kernels(struct arena *a, const struct plan *plan);
// NAME_selftest.c: a program that runs every entry against the reference kernel.
struct emitted emit_selftest(struct arena *a, const struct plan *plan);

// ---- shared by the emitters of C
// The first lines of a generated file: what it is and whose. `what` is one line of ours.
void emit_banner(struct text *t, const struct plan *plan, const char *what);
// #error unless the runtime's headers are of the ABI that this compiler knows.
void emit_abi_check(struct text *t, const struct plan *plan);
struct emitted emit_finish(struct text *t);
// The largest of its operators' limits; the deployment's own is one of them.
int64_t emit_max_tokens(const struct plan *plan);
int64_t emit_max_batch_tokens(const struct plan *plan);

#endif
