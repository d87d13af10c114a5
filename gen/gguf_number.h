// SPDX-License-Identifier: Apache-2.0
// Value types of GGUF, and its numbers as a configuration spells them.
#ifndef GEN_GGUF_NUMBER_H
#define GEN_GGUF_NUMBER_H

#include "gen/config.h"

// X(enumerator, bytes; 0: of a length that stands in the file)
#define GGUF_TYPES(X)                                                                              \
    X(U8, 1)                                                                                       \
    X(I8, 1)                                                                                       \
    X(U16, 2)                                                                                      \
    X(I16, 2)                                                                                      \
    X(U32, 4)                                                                                      \
    X(I32, 4)                                                                                      \
    X(F32, 4)                                                                                      \
    X(BOOL, 1)                                                                                     \
    X(STRING, 0)                                                                                   \
    X(ARRAY, 0)                                                                                    \
    X(U64, 8)                                                                                      \
    X(I64, 8)                                                                                      \
    X(F64, 8)

enum gguf_type {
#define GGUF_TYPE(id, bytes) GGUF_##id,
    GGUF_TYPES(GGUF_TYPE)
#undef GGUF_TYPE
        GGUF_TYPE_COUNT
};

extern const unsigned gguf_type_bytes[GGUF_TYPE_COUNT];

// Fills kind, text and len of *v from the bytes of a number or truth value, low byte lowest.
void gguf_number(struct arena *a, enum gguf_type type, uint64_t raw, struct config_value *v);

#endif
