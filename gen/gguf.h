// SPDX-License-Identifier: Apache-2.0
// Metadata of a GGUF file: its keys with scalar values and short arrays of numbers, each with the
// place where it stands; and which tensors there are, by name. Tensor data is never read, files of
// any size are taken, and every count and length is checked against what remains of the file.
#ifndef GEN_GGUF_H
#define GEN_GGUF_H

#include "gen/config.h"

#define GGUF_MAX_KEYS 65536 // real files have under a hundred
#define GGUF_MAX_TENSORS 1048576
#define GGUF_MAX_KEY 65535     // bytes of a key, as ggml has it
#define GGUF_MAX_ELEMENTS 4096 // of an array that is kept: one value a layer
#define GGUF_MAX_STRING 4096   // of a string that is kept

struct gguf_entry {
    const char *key;
    uint64_t offset; // of the value, in the file
    // NUMBER, NONFINITE, BOOL, STRING, or an ARRAY of these; NULL for values that are not kept.
    struct config_value *value;
};
VEC_TYPE(gguf_entries, struct gguf_entry);

struct gguf {
    struct gguf_entries entries;
    bool has_sinks; // a tensor blk.N.attn_sinks
    // Registered with the sources: a line "byte 24: KEY = VALUE" for each entry, in which the spans
    // of the values lie.
    uint32_t file;
};

// Reads the file at `path`, called `name` in messages. False after an error (one; it names the byte
// and the key where there is one); *io tells that the file could not be read at all.
bool gguf_read(struct arena *a, struct diags *d, struct sources *s, const char *path,
               const char *name, struct gguf *out, bool *io);
// The value of "ARCH.KEY", or of "KEY" where arch is NULL; NULL when absent or not kept.
struct config_value *gguf_get(const struct gguf *g, const char *arch, const char *key);

#endif
