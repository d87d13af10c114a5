// SPDX-License-Identifier: Apache-2.0
// Reading GGUF: header, keys, tensor names; see gguf.h. One cursor goes through the file and knows
// how much of it is left; nothing is allocated before its length was checked against that.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include "gen/gguf_number.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/gguf.h"
#include "gen/text.h"

#define VERSION_FIRST 2
#define VERSION_LAST 3
#define NAME_BYTES_MAX 64 // of a tensor
#define DIMS_MAX 4
#define LISTING_MAX (64u << 20)
#define SKIP_BY_READING 4096 // shorter gaps are read over

struct reader {
    struct arena *a;
    struct diags *d;
    FILE *f;
    const char *name;
    const char *key; // that is being read, or NULL
    uint64_t at, size;
    struct text listing;
    bool failed;
};

// ---- the cursor

static bool fail(struct reader *r, const char *what) {
    if (!r->failed) {
        const char *key = r->key ? arena_printf(r->a, ", key `%s`", r->key) : "";
        diag_add_file(r->d, DIAG_A0914, r->name, "`%s`, byte %llu%s: %s", r->name,
                      (unsigned long long)r->at, key, what);
    }
    r->failed = true;
    return false;
}

static uint64_t left(const struct reader *r) {
    return r->size - r->at;
}

static bool take(struct reader *r, void *to, size_t n) {
    if (n > left(r)) {
        return fail(r, "the file ends here");
    }
    if (fread(to, 1, n, r->f) != n) {
        return fail(r, "cannot be read");
    }
    r->at += n;
    return true;
}

static bool skip(struct reader *r, uint64_t n) {
    char gap[SKIP_BY_READING];
    if (n > left(r)) {
        return fail(r, "a length goes beyond the end of the file");
    }
    if (n <= sizeof gap) {
        return take(r, gap, (size_t)n);
    }
    r->at += n;
    return fseeko(r->f, (off_t)r->at, SEEK_SET) == 0 || fail(r, "cannot be read");
}

static bool take_number(struct reader *r, unsigned bytes, uint64_t *out) {
    unsigned char raw[8];
    *out = 0;
    if (!take(r, raw, bytes)) {
        return false;
    }
    for (unsigned k = bytes; k-- > 0;) {
        *out = *out << 8 | raw[k];
    }
    return true;
}

// A string of the file, NUL-terminated; longer ones than `most` are skipped and give NULL.
static bool take_string(struct reader *r, size_t most, const char **out, size_t *len) {
    uint64_t n;
    *out = NULL;
    if (!take_number(r, 8, &n)) {
        return false;
    }
    if (n > left(r)) {
        return fail(r, "a string is longer than what is left of the file");
    }
    *len = (size_t)n;
    if (n > most) {
        return skip(r, n);
    }
    char *text = arena_alloc(r->a, *len + 1);
    text[*len] = 0;
    *out = text;
    return take(r, text, *len);
}

// ---- values

// Writes the value to the listing and notes where.
static void list_value(struct reader *r, struct config_value *v, const char *text) {
    v->span.begin = (uint32_t)r->listing.bytes.len;
    text_add(&r->listing, text);
    v->span.end = (uint32_t)r->listing.bytes.len;
}

static bool read_number(struct reader *r, enum gguf_type type, struct config_value *v) {
    uint64_t raw;
    if (!take_number(r, gguf_type_bytes[type], &raw)) {
        return false;
    }
    if (type == GGUF_BOOL && raw > 1) {
        return fail(r, "a truth value must be 0 or 1");
    }
    gguf_number(r->a, type, raw, v);
    list_value(r, v, v->text);
    return true;
}

// A string for the listing: what is not plain ASCII becomes a question mark.
static const char *plain(struct arena *a, const char *text) {
    char *out = arena_printf(a, "\"%s\"", text);
    for (char *c = out; *c; c++) {
        *c = *c >= 0x20 && *c < 0x7f ? *c : '?';
    }
    return out;
}

static bool read_array(struct reader *r, struct config_value *v, bool *kept) {
    uint64_t type, n;
    if (!take_number(r, 4, &type) || !take_number(r, 8, &n)) {
        return false;
    }
    if (type >= GGUF_TYPE_COUNT || type == GGUF_ARRAY) {
        return fail(r, arena_printf(r->a, "elements of an array cannot be of type %llu",
                                    (unsigned long long)type));
    }
    unsigned bytes = gguf_type_bytes[type];
    if (n > left(r) / (bytes ? bytes : sizeof n)) {
        return fail(r, arena_printf(r->a, "an array of %llu elements is longer than what is left",
                                    (unsigned long long)n));
    }
    *kept = bytes && n <= GGUF_MAX_ELEMENTS;
    if (!*kept && bytes) {
        return skip(r, n * bytes);
    }
    const char *unused;
    size_t len;
    for (uint64_t k = 0; !bytes && k < n; k++) {
        if (!take_string(r, 0, &unused, &len)) {
            return false;
        }
    }
    v->kind = CONFIG_ARRAY;
    v->span.begin = (uint32_t)r->listing.bytes.len;
    text_add(&r->listing, "[");
    for (uint64_t k = 0; *kept && k < n; k++) {
        struct config_value *e = ARENA_NEW(r->a, struct config_value);
        e->parent = v;
        e->index = (size_t)k;
        text_add(&r->listing, k ? ", " : "");
        if (!read_number(r, (enum gguf_type)type, e)) {
            return false;
        }
        VEC_PUSH(r->a, &v->members, e);
    }
    text_add(&r->listing, *kept ? "]" : "...]");
    v->span.end = (uint32_t)r->listing.bytes.len;
    return true;
}

static bool read_value(struct reader *r, struct gguf_entry *e) {
    uint64_t type;
    struct config_value *v = ARENA_NEW(r->a, struct config_value);
    bool kept = true, good;
    if (!take_number(r, 4, &type)) {
        return false;
    }
    e->offset = r->at;
    text_addf(&r->listing, "byte %llu: %s = ", (unsigned long long)r->at, plain(r->a, e->key));
    if (type >= GGUF_TYPE_COUNT) {
        return fail(r, arena_printf(r->a, "there is no value type %llu", (unsigned long long)type));
    }
    if (type == GGUF_ARRAY) {
        good = read_array(r, v, &kept);
    } else if (type == GGUF_STRING) {
        v->kind = CONFIG_STRING;
        good = take_string(r, GGUF_MAX_STRING, &v->text, &v->len);
        kept = v->text != NULL;
        list_value(r, v, kept ? plain(r->a, v->text) : "\"...\"");
    } else {
        good = read_number(r, (enum gguf_type)type, v);
    }
    text_add(&r->listing, "\n");
    v->key = e->key;
    e->value = kept ? v : NULL;
    return good;
}

// ---- the parts of the file

static int by_key(const void *x, const void *y) {
    const struct gguf_entry *a = x, *b = y;
    return strcmp(a->key, b->key);
}

// Leaves the entries sorted by key.
static bool check_twice(struct reader *r, struct gguf *out) {
    if (out->entries.len) {
        qsort(out->entries.at, out->entries.len, sizeof *out->entries.at, by_key);
    }
    for (size_t k = 1; k < out->entries.len; k++) {
        if (strcmp(out->entries.at[k].key, out->entries.at[k - 1].key) == 0) {
            uint64_t x = out->entries.at[k].offset, y = out->entries.at[k - 1].offset;
            r->at = x > y ? x : y;
            r->key = out->entries.at[k].key;
            return fail(r, "the key is given twice");
        }
    }
    return true;
}

static bool read_entries(struct reader *r, uint64_t n, struct gguf *out) {
    for (uint64_t k = 0; k < n; k++) {
        struct gguf_entry e = {.value = NULL};
        size_t len;
        r->key = NULL;
        if (!take_string(r, GGUF_MAX_KEY, &e.key, &len)) {
            return false;
        }
        if (!e.key || len == 0 || strlen(e.key) != len) {
            return fail(r, "a key must have 1 to 65535 bytes, none of them 0");
        }
        r->key = e.key;
        if (!read_value(r, &e)) {
            return false;
        }
        VEC_PUSH(r->a, &out->entries, e);
        if (r->listing.bytes.len > LISTING_MAX) {
            return fail(r, "there is too much metadata: limit is 64 MiB");
        }
    }
    r->key = NULL;
    return check_twice(r, out);
}

static bool is_sinks(const char *name) {
    return strncmp(name, "blk.", 4) == 0 && strstr(name, ".attn_sinks");
}

// Names and shapes; the data that they describe is not looked at.
static bool read_tensors(struct reader *r, uint64_t n, struct gguf *out) {
    for (uint64_t k = 0; k < n; k++) {
        const char *name;
        size_t len;
        uint64_t dims;
        if (!take_string(r, NAME_BYTES_MAX, &name, &len)) {
            return false;
        }
        if (!name) {
            return fail(r, "the name of a tensor is longer than 64 bytes");
        }
        if (!take_number(r, 4, &dims)) {
            return false;
        }
        if (dims > DIMS_MAX) {
            return fail(r, "a tensor has more than 4 dimensions");
        }
        out->has_sinks = out->has_sinks || is_sinks(name);
        if (!skip(r, dims * 8 + 4 + 8)) { // dimensions, type, offset
            return false;
        }
    }
    return true;
}

static bool read_header(struct reader *r, uint64_t *tensors, uint64_t *keys) {
    char magic[4];
    uint64_t version;
    if (!take(r, magic, sizeof magic)) {
        return false;
    }
    if (memcmp(magic, "GGUF", sizeof magic) != 0) {
        r->at = 0;
        return fail(r, "not a GGUF file: it does not begin with `GGUF`");
    }
    if (!take_number(r, 4, &version)) {
        return false;
    }
    if (version && (version & 0xFFFF) == 0) {
        return fail(r, "the file is big-endian, which attnc does not read");
    }
    if (version < VERSION_FIRST || version > VERSION_LAST) {
        return fail(r, arena_printf(r->a, "version %llu, attnc reads 2 and 3",
                                    (unsigned long long)version));
    }
    if (!take_number(r, 8, tensors) || !take_number(r, 8, keys)) {
        return false;
    }
    if (*keys > GGUF_MAX_KEYS || *tensors > GGUF_MAX_TENSORS) {
        return fail(r, arena_printf(r->a, "%llu keys and %llu tensors: limit is %d and %d",
                                    (unsigned long long)*keys, (unsigned long long)*tensors,
                                    GGUF_MAX_KEYS, GGUF_MAX_TENSORS));
    }
    return true;
}

bool gguf_read(struct arena *a, struct diags *d, struct sources *s, const char *path,
               const char *name, struct gguf *out, bool *io) {
    struct reader r = {.a = a, .d = d, .name = name, .listing = text_of(a)};
    uint64_t tensors = 0, keys = 0;
    off_t end = -1;
    errno = 0;
    r.f = fopen(path, "rb");
    *io = !r.f || fseeko(r.f, 0, SEEK_END) != 0 || (end = ftello(r.f)) < 0 ||
          fseeko(r.f, 0, SEEK_SET) != 0;
    if (*io) {
        diag_add_file(d, DIAG_A0912, name, "cannot read `%s`: %s", name, strerror(errno));
    } else {
        r.size = (uint64_t)end;
        if (read_header(&r, &tensors, &keys) && read_entries(&r, keys, out)) {
            read_tensors(&r, tensors, out);
        }
    }
    if (r.f) {
        fclose(r.f);
    }
    if (*io || r.failed) {
        return false;
    }
    uint32_t len = (uint32_t)r.listing.bytes.len;
    out->file = source_add(s, name, path, text_string(&r.listing), len, false);
    for (size_t k = 0; k < out->entries.len; k++) {
        struct config_value *v = out->entries.at[k].value;
        for (size_t m = 0; v && m < v->members.len; m++) {
            v->members.at[m]->span.file = out->file;
        }
        if (v) {
            v->span.file = out->file;
        }
    }
    return true;
}

struct config_value *gguf_get(const struct gguf *g, const char *arch, const char *key) {
    size_t n = arch ? strlen(arch) : 0;
    for (size_t k = 0; k < g->entries.len; k++) {
        const char *own = g->entries.at[k].key;
        bool of_arch = !arch || (strncmp(own, arch, n) == 0 && own[n] == '.');
        if (of_arch && strcmp(arch ? own + n + 1 : own, key) == 0) {
            return g->entries.at[k].value;
        }
    }
    return NULL;
}
