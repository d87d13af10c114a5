// SPDX-License-Identifier: Apache-2.0
// Names of the source in C: plain names stay, all others are escaped, no two become one.
#include <stdlib.h>

#include "gen/mangle.h"
#include "tests/tap.h"

static const char *const plain[] = {"gemma3",   "gemma3_h200", "whisper_small_avx512",
                                    "A",        "kws_node",    "EDGE",
                                    "SIGLIP",   "INTEL",       "isolated",
                                    "strategy", "total",       "z"};

// Names of which each is unsafe for its own reason, and near misses of their escaped forms.
static const char *const unsafe[] = {
    "int",        "asm",      "register",  "default",    "auto",       "and",      "template",
    "__global__", "NULL",     "errno",     "linux",      "_Bool",      "_X",       "x_",
    "a__b",       "main",     "printf",    "exp",        "j0",         "uint32_t", "attn_run",
    "ATTN_ABI",   "dim3",     "threadIdx", "EINVAL",     "SIGINT",     "INT_MAX",  "PRIu64",
    "name_int",   "name_",    "x_data",    "x_entry",    "x_KV_BYTES", "x_OP_1_y", "x_GROUP_y",
    "constexpr",  "co_await", "xor_eq",    "atomic_int", "a_OF_b",     "__",       "_",
    "read",       "environ",  "NAN",       "M_PI",       "x_layout",   "x_MODELS"};

#define COUNT(a) (sizeof(a) / sizeof *(a))

static int compare(const void *a, const void *b) {
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static bool is_safe(const char *name) {
    size_t len = strlen(name);
    return len > 0 && name[0] != '_' && name[len - 1] != '_' && !strstr(name, "__") &&
           !mangle_reserved(name) &&
           strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTU"
                        "VWXYZ0123456789_") == len;
}

// Every name of at most three characters from those that matter to the escape.
static size_t all_names(struct arena *a, const char **names, size_t room) {
    static const char letters[] = "_azn0";
    size_t n = 0;
    for (const char *x = letters; *x; x++) {
        for (const char *y = letters; *y; y++) {
            for (const char *z = letters; *z && n + 3 <= room && *x != '0'; z++) {
                names[n++] = arena_printf(a, "%c%c%c", *x, *y, *z);
                names[n++] = arena_printf(a, "name_%c%c%c", *x, *y, *z);
                names[n++] = arena_printf(a, "%c%c%c_data", *x, *y, *z);
            }
        }
    }
    return n;
}

static bool all_differ(const char **names, size_t n) {
    qsort(names, n, sizeof *names, compare);
    for (size_t i = 1; i < n; i++) {
        if (strcmp(names[i - 1], names[i]) == 0) {
            diag("twice: %s", names[i]);
            return false;
        }
    }
    return true;
}

static void test_injective(struct arena *a) {
    const char *names[400] = {0}, *mangled[400] = {0};
    size_t n = all_names(a, names, COUNT(names));
    bool safe = true;
    for (size_t i = 0; i < n; i++) {
        mangled[i] = mangle(a, names[i]);
        safe = safe && is_safe(mangled[i]);
    }
    is_int((long long)n, 300, "300 names that differ");
    ok(safe, "all of them are safe in C");
    ok(all_differ(mangled, n), "and still differ there");
    for (size_t i = 0; i < n; i++) {
        mangled[i] = mangle_part(a, names[i]);
    }
    ok(all_differ(mangled, n), "as parts of longer names too");
}

int main(void) {
    jmp_buf out_of_memory;
    struct arena a;
    arena_init(&a, &out_of_memory);
    for (size_t i = 0; i < COUNT(plain); i++) {
        is_str(mangle(&a, plain[i]), plain[i], "a plain name stands as it is");
    }
    for (size_t i = 0; i < COUNT(unsafe); i++) {
        const char *name = mangle(&a, unsafe[i]);
        ok(strncmp(name, "name_", 5) == 0 && is_safe(name), "%s becomes %s, which is safe",
           unsafe[i], name);
    }
    test_injective(&a);
    is_str(mangle(&a, "__global__"), "name_zuzuglobalzuzu", "the escape is pinned: _ is zu");
    is_str(mangle(&a, "a__z"), "name_azuzuzz", "the escape is pinned: z is zz");
    is_str(mangle_part(&a, "int"), "int", "a part may be a keyword: it never stands alone");
    is_str(mangle_part(&a, "a_OF_b"), "name_azuOFzub", "a part holds no separator");
    is_str(mangle_reserved("while"), "a keyword of C", "the reason is named");
    is_str(mangle_reserved("acme_npu_attn"), NULL, "a vendor's function is free");
    arena_free(&a);
    return done_testing();
}
