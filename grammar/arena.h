// SPDX-License-Identifier: Apache-2.0
// One arena per compilation: everything the compiler allocates lives until the end and is freed at
// once. Allocation never returns NULL: when memory runs out the arena jumps to the place that the
// owner set up, so that no caller has to check. `VEC` is a growable array in an arena.
#ifndef GRAMMAR_ARENA_H
#define GRAMMAR_ARENA_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct arena_chunk;

struct arena {
    struct arena_chunk *chunks; // newest first
    jmp_buf *out_of_memory;     // where to go when malloc fails; never NULL
    void *(*allocate)(size_t);  // malloc, or a test's hostile allocator
};

void arena_init(struct arena *a, jmp_buf *out_of_memory);
void arena_free(struct arena *a);
_Noreturn void arena_out_of_memory(struct arena *a);
// For a step that holds what the arena does not free: false when memory ran out in it. The caller
// then releases that and goes on to arena_out_of_memory.
bool arena_try(struct arena *a, void (*step)(void *ctx), void *ctx);

// Zeroed, aligned for any object.
void *arena_alloc(struct arena *a, size_t bytes);
// Not zeroed: for what is large and seldom used to its end.
void *arena_alloc_raw(struct arena *a, size_t bytes);
// A larger copy of a block; the old block stays in the arena.
void *arena_grow(struct arena *a, const void *old, size_t old_bytes, size_t new_bytes);
// Lengthens the block that was handed out last, where there is room behind it; what is new is not
// zeroed. False: nothing has changed.
bool arena_extend(struct arena *a, const void *block, size_t old_bytes, size_t new_bytes);
char *arena_strndup(struct arena *a, const char *text, size_t len);
char *arena_strdup(struct arena *a, const char *text);
char *arena_vprintf(struct arena *a, const char *format, va_list args)
    __attribute__((format(printf, 2, 0)));
char *arena_printf(struct arena *a, const char *format, ...) __attribute__((format(printf, 2, 3)));

#define ARENA_NEW(a, type) ((type *)arena_alloc((a), sizeof(type)))
#define ARENA_ARRAY(a, type, n) ((type *)arena_alloc((a), sizeof(type) * (size_t)(n)))

// struct { T *at; size_t len, cap; }: declare with VEC(T) name; it starts out all zero. Large items
// are mostly few.
#define VEC_FIRST_CAP(bytes) ((bytes) < 64 ? 8 : 2)
#define VEC(T)                                                                                     \
    struct {                                                                                       \
        T *at;                                                                                     \
        size_t len, cap;                                                                           \
    }

#define VEC_PUSH(a, v, item)                                                                       \
    do {                                                                                           \
        if ((v)->len == (v)->cap) {                                                                \
            size_t cap_ = (v)->cap ? 2 * (v)->cap : VEC_FIRST_CAP(sizeof *(v)->at);                \
            (v)->at =                                                                              \
                arena_grow((a), (v)->at, (v)->len * sizeof *(v)->at, cap_ * sizeof *(v)->at);      \
            (v)->cap = cap_;                                                                       \
        }                                                                                          \
        (v)->at[(v)->len++] = (item);                                                              \
    } while (0)

// A named vector type, for use across structures.
#define VEC_TYPE(name, T)                                                                          \
    struct name {                                                                                  \
        T *at;                                                                                     \
        size_t len, cap;                                                                           \
    }

#endif
