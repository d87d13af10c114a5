// SPDX-License-Identifier: Apache-2.0
// Names of the source as names in C. A *plain* name stands as it is; any other becomes `name_` and
// its text with `z` as `zz` and `_` as `zu`. Different names stay different, no result holds `__`
// or ends with `_`, and none is a word of C11, C++17 (to C++20), CUDA, POSIX or attn's own. A name
// is plain unless it
//   - is such a word, ends in `_t`, or begins with a reserved prefix (see mangle.c),
//   - begins or ends with `_`, or holds `__` or `_OF_`, or begins with `name_`,
//   - could be what is derived from another name: `x_data`, `x_GROUP_y` (MANGLE_SUFFIXES).
#ifndef GEN_MANGLE_H
#define GEN_MANGLE_H

#include <stdbool.h>

#include "grammar/arena.h"

// The longest name of a deployment: it names files, and NAME_MAX is 255 nearly everywhere.
#define MANGLE_MAX 200

// What is derived from the name of a deployment, after a `_`: objects and constants of the header.
#define MANGLE_SUFFIXES(X)                                                                         \
    X(data)                                                                                        \
    X(entry)                                                                                       \
    X(layout)                                                                                      \
    X(MODELS)                                                                                      \
    X(OPERATORS)                                                                                   \
    X(OPERATOR_ROWS)                                                                               \
    X(CLASSES)                                                                                     \
    X(GROUPS)                                                                                      \
    X(KERNELS)                                                                                     \
    X(MAX_SEQS)                                                                                    \
    X(MAX_TOKENS)                                                                                  \
    X(MAX_BATCH_TOKENS)                                                                            \
    X(MAX_SOURCE_TOKENS)                                                                           \
    X(DECODE_Q)                                                                                    \
    X(KV_BYTES)                                                                                    \
    X(STATE_BYTES)                                                                                 \
    X(WORKSPACE_BYTES)                                                                             \
    X(TOTAL_BYTES)
// The same, followed by more: NAME_GROUP_full_attention_BLOCKS, NAME_OP_model_5_self.
#define MANGLE_INFIXES(X)                                                                          \
    X(GROUP)                                                                                       \
    X(OP)

// The C name of `name` (letters, digits, `_`).
const char *mangle(struct arena *a, const char *name);
// `name` as one part of a longer name, before or after `__` or `_OF_`: itself unless it holds one
// of these, begins or ends with `_`, or begins with `name_`; else escaped as above.
const char *mangle_part(struct arena *a, const char *name);
// Why `name` cannot be declared in C at all ("a keyword of C"), or NULL. For names that must stand
// as they are: the functions of a vendor.
const char *mangle_reserved(const char *name);

#endif
