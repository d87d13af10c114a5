// SPDX-License-Identifier: Apache-2.0
// Arena: chunks of memory in a list, handed out front to back and freed together.
// In: sizes. Out: zeroed blocks. Always: a request is met or the arena jumps to `out_of_memory`;
// a jump leaves every earlier block valid, so that arena_free can still release all of it.
#include "arena.h"

#include <assert.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define FIRST_CHUNK_BYTES ((size_t)16 << 10)
#define LARGEST_CHUNK_BYTES ((size_t)4 << 20) // chunks double up to here; larger blocks stand alone

struct arena_chunk {
    struct arena_chunk *next;
    size_t used, size; // bytes of `data`
    alignas(max_align_t) unsigned char data[];
};

void arena_init(struct arena *a, jmp_buf *out_of_memory) {
    a->chunks = NULL;
    a->out_of_memory = out_of_memory;
    a->allocate = malloc;
}

void arena_free(struct arena *a) {
    while (a->chunks) {
        struct arena_chunk *next = a->chunks->next;
        free(a->chunks);
        a->chunks = next;
    }
}

_Noreturn void arena_out_of_memory(struct arena *a) {
    longjmp(*a->out_of_memory, 1);
}

bool arena_try(struct arena *a, void (*step)(void *ctx), void *ctx) {
    jmp_buf here, *const outer = a->out_of_memory;
    volatile bool good = false;
    a->out_of_memory = &here;
    if (setjmp(here) == 0) {
        step(ctx);
        good = true;
    }
    a->out_of_memory = outer;
    return good;
}

static struct arena_chunk *chunk_new(struct arena *a, size_t size) {
    if (size > SIZE_MAX - sizeof(struct arena_chunk)) {
        arena_out_of_memory(a);
    }
    struct arena_chunk *c = a->allocate(sizeof *c + size);
    if (!c) {
        arena_out_of_memory(a);
    }
    c->used = 0;
    c->size = size;
    return c;
}

// A chunk with room for `bytes`, at the head of the list; a block too large for a usual chunk gets
// one of its own behind the head, so that the head's free tail stays in use.
static struct arena_chunk *chunk_for(struct arena *a, size_t bytes) {
    struct arena_chunk *head = a->chunks;
    if (head && head->size - head->used >= bytes) {
        return head;
    }
    size_t size = head ? 2 * head->size : FIRST_CHUNK_BYTES;
    size = size < LARGEST_CHUNK_BYTES ? size : LARGEST_CHUNK_BYTES;
    if (head && bytes > size / 2) {
        struct arena_chunk *own = chunk_new(a, bytes);
        own->next = head->next;
        head->next = own;
        return own;
    }
    struct arena_chunk *c = chunk_new(a, bytes > size ? bytes : size);
    c->next = head;
    a->chunks = c;
    return c;
}

static size_t aligned(struct arena *a, size_t bytes) {
    const size_t align = alignof(max_align_t);
    if (bytes > SIZE_MAX - align) {
        arena_out_of_memory(a);
    }
    return (bytes + align - 1) / align * align;
}

void *arena_alloc_raw(struct arena *a, size_t bytes) {
    bytes = aligned(a, bytes);
    struct arena_chunk *c = chunk_for(a, bytes);
    void *block = c->data + c->used;
    c->used += bytes;
    return block;
}

void *arena_alloc(struct arena *a, size_t bytes) {
    return memset(arena_alloc_raw(a, bytes), 0, bytes);
}

void *arena_grow(struct arena *a, const void *old, size_t old_bytes, size_t new_bytes) {
    char *block = arena_alloc_raw(a, new_bytes);
    if (old_bytes) {
        memcpy(block, old, old_bytes);
    }
    memset(block + old_bytes, 0, new_bytes - old_bytes);
    return block;
}

bool arena_extend(struct arena *a, const void *block, size_t old_bytes, size_t new_bytes) {
    struct arena_chunk *c = a->chunks;
    const size_t before = aligned(a, old_bytes), more = aligned(a, new_bytes) - before;
    const bool last = c && c->used >= before && block == c->data + c->used - before;
    if (!last || more > c->size - c->used) {
        return false;
    }
    c->used += more;
    return true;
}

char *arena_strndup(struct arena *a, const char *text, size_t len) {
    char *copy = arena_alloc(a, len + 1);
    if (len) {
        memcpy(copy, text, len);
    }
    return copy;
}

char *arena_strdup(struct arena *a, const char *text) {
    return arena_strndup(a, text, strlen(text));
}

char *arena_vprintf(struct arena *a, const char *format, va_list args) {
    assert(format != NULL);
    va_list again;
    va_copy(again, args);
    int len = vsnprintf(NULL, 0, format, again);
    va_end(again);
    if (len < 0) {
        arena_out_of_memory(a);
    }
    char *text = arena_alloc(a, (size_t)len + 1);
    vsnprintf(text, (size_t)len + 1, format, args);
    return text;
}

char *arena_printf(struct arena *a, const char *format, ...) {
    va_list args;
    va_start(args, format);
    char *text = arena_vprintf(a, format, args);
    va_end(args);
    return text;
}
