// SPDX-License-Identifier: Apache-2.0
// Cache block, kernel block, layout: vLLM's own searches (platforms/interface.py,
// v1/worker/utils.py, v1/attention/backends/utils.py), over the answers of std/vllm.attn. In and
// out: see import_vllm_settle.h. A number in a backend's list is a divisor of cache blocks, and an
// exact size for kernels.
#include "gen/import_vllm_settle.h"

#include <inttypes.h>
#include <string.h>

// All layouts that vLLM has, in the order of its enumeration.
static const char *const all_layouts[] = {"LBNHC", "LBHNC", "BLNHC", "BLHNC", "BHLNC", "LHBNC"};
#define LAYOUTS (sizeof all_layouts / sizeof *all_layouts)
#define MAX_BLOCK (INT64_C(1) << 31) // least common multiples beyond it are given up

struct entry { // of a backend's list of kernel blocks
    bool multiple;
    int64_t n;
};
VEC_TYPE(entries, struct entry);

static void add_entries(struct arena *a, const struct value *v, struct entries *out) {
    int64_t n;
    if (v->kind == VALUE_SET || v->kind == VALUE_LIST) {
        for (size_t i = 0; i < v->elems.len; i++) {
            add_entries(a, &v->elems.at[i], out);
        }
    } else if (v->kind == VALUE_ANY) {
        VEC_PUSH(a, out, ((struct entry){true, 1}));
    } else if (v->kind == VALUE_MULTIPLE) {
        struct value number = {.kind = VALUE_NUMBER, .number = v->number};
        if (value_is_int(&number, &n) && n > 0) {
            VEC_PUSH(a, out, ((struct entry){true, n}));
        }
    } else if (value_is_int(v, &n) && n > 0) {
        VEC_PUSH(a, out, ((struct entry){false, n}));
    }
}

static struct entries kernel_blocks(struct arena *a, const struct vllm_party *p) {
    struct entries list = {0};
    struct value v = backend_answer(&p->subject, p->backend, "kernel_block");
    add_entries(a, &v, &list);
    return list;
}

const char *vllm_blocks_text(struct arena *a, const struct vllm_party *p) {
    struct entries list = kernel_blocks(a, p);
    const char *text = "";
    for (size_t i = 0; i < list.len; i++) {
        const struct entry *e = &list.at[i];
        text = arena_printf(a, "%s%s%s%" PRId64, text, i ? ", " : "",
                            e->multiple ? "multiples of " : "", e->n);
    }
    return *text ? text : "none";
}

// Does the backend take this cache block? Where it says so itself, else by its kernel blocks.
static bool takes(struct arena *a, const struct vllm_party *p, int64_t block) {
    struct value own = backend_answer(&p->subject, p->backend, "block_size");
    struct value number = value_int(block);
    if (own.kind != VALUE_BOOL) {
        return value_in(&number, &own);
    }
    struct entries list = kernel_blocks(a, p);
    for (size_t i = 0; i < list.len; i++) {
        if (block % list.at[i].n == 0) {
            return true;
        }
    }
    return false;
}

static bool all_take(struct arena *a, const struct vllm_parties *list, int64_t block) {
    for (size_t i = 0; i < list->len; i++) {
        if (!takes(a, &list->at[i], block)) {
            return false;
        }
    }
    return true;
}

// ---- cache block

// What a backend prefers in spite of the start value, or 0: `let preferred_block` in its rules.
static int64_t own_preference(struct arena *a, const struct vllm_party *p) {
    struct ast_expr name = {.kind = EXPR_NAME, .depth = 1};
    VEC_PUSH(a, &name.path, ((struct ast_name){.text = "preferred_block"}));
    struct value v = eval(&p->subject, p->backend, &name, VOCAB_FREE);
    int64_t n;
    return value_is_int(&v, &n) ? n : 0;
}

static bool one_cache_block(struct arena *a, const struct vllm_party *p, int64_t start,
                            int64_t *block) {
    struct entries list = kernel_blocks(a, p);
    int64_t own = own_preference(a, p);
    *block = own ? own : takes(a, p, start) ? start : 0;
    for (size_t i = 0; i < list.len && !*block; i++) {
        *block = list.at[i].n;
        for (size_t k = 0; k < list.len; k++) {
            *block = list.at[k].n < *block ? list.at[k].n : *block;
        }
    }
    return *block > 0;
}

static int64_t gcd(int64_t x, int64_t y) {
    while (y) {
        int64_t rest = x % y;
        x = y;
        y = rest;
    }
    return x;
}

// Least common multiples of one entry of each list from `from` on, with `sofar`: the smallest that
// all take goes to *best.
static void try_multiples(struct arena *a, const struct vllm_parties *list, size_t from,
                          int64_t sofar, int64_t *best) {
    if (sofar > MAX_BLOCK || (*best && sofar >= *best)) {
        return;
    }
    if (from == list->len) {
        *best = all_take(a, list, sofar) ? sofar : *best;
        return;
    }
    struct entries entries = kernel_blocks(a, &list->at[from]);
    for (size_t i = 0; i < entries.len; i++) {
        int64_t n = entries.at[i].n;
        try_multiples(a, list, from + 1, sofar / gcd(sofar, n) * n, best);
    }
}

bool vllm_cache_block(struct arena *a, const struct vllm_parties *list, int64_t start,
                      int64_t *block) {
    *block = 0;
    if (list->len == 1) {
        return one_cache_block(a, &list->at[0], start, block);
    }
    if (all_take(a, list, start)) {
        *block = start;
        return true;
    }
    try_multiples(a, list, 0, 1, block);
    return *block > 0;
}

// ---- kernel block

static bool lists_exactly(struct arena *a, const struct vllm_party *p, int64_t block) {
    struct entries list = kernel_blocks(a, p);
    for (size_t i = 0; i < list.len; i++) {
        const struct entry *e = &list.at[i];
        if (e->multiple ? block % e->n == 0 : block == e->n) {
            return true;
        }
    }
    return false;
}

static bool all_list(struct arena *a, const struct vllm_parties *list, int64_t block) {
    for (size_t i = 0; i < list->len; i++) {
        if (!lists_exactly(a, &list->at[i], block)) {
            return false;
        }
    }
    return true;
}

bool vllm_kernel_block(struct arena *a, const struct vllm_parties *list, int64_t page,
                       int64_t *block) {
    *block = all_list(a, list, page) ? page : 0;
    for (size_t i = 0; i < list->len && *block != page; i++) {
        struct entries entries = kernel_blocks(a, &list->at[i]);
        for (size_t k = 0; k < entries.len; k++) {
            const struct entry *e = &entries.at[k];
            if (!e->multiple && e->n > *block && page % e->n == 0 && all_list(a, list, e->n)) {
                *block = e->n;
            }
        }
    }
    return *block > 0;
}

// ---- layouts

static struct vllm_words layouts_of(struct arena *a, const struct vllm_party *p) {
    struct vllm_words words = {0};
    struct value v = backend_answer(&p->subject, p->backend, "layout");
    bool several = v.kind == VALUE_LIST || v.kind == VALUE_SET;
    for (size_t i = 0; several && i < v.elems.len; i++) {
        VEC_PUSH(a, &words, v.elems.at[i].text);
    }
    if (v.kind == VALUE_WORD) {
        VEC_PUSH(a, &words, v.text);
    }
    for (size_t i = 0; v.kind == VALUE_ANY && i < LAYOUTS; i++) {
        VEC_PUSH(a, &words, all_layouts[i]);
    }
    return words;
}

static bool has_word(const struct vllm_words *list, const char *word) {
    for (size_t i = 0; i < list->len; i++) {
        if (strcmp(list->at[i], word) == 0) {
            return true;
        }
    }
    return false;
}

static bool same_words(const struct vllm_words *x, const struct vllm_words *y) {
    bool same = x->len == y->len;
    for (size_t i = 0; same && i < x->len; i++) {
        same = strcmp(x->at[i], y->at[i]) == 0;
    }
    return same;
}

struct vllm_words vllm_layouts(struct arena *a, const struct vllm_parties *list) {
    struct vllm_words *each = ARENA_ARRAY(a, struct vllm_words, list->len + 1), common = {0};
    bool equal = true;
    for (size_t i = 0; i < list->len; i++) {
        each[i] = layouts_of(a, &list->at[i]);
        equal = equal && same_words(&each[0], &each[i]);
    }
    if (equal) {
        return list->len ? each[0] : common;
    }
    // Among those in common the one that most backends put first; ties in the order of all.
    for (size_t votes = list->len + 1; votes-- > 0;) {
        for (size_t k = 0; k < LAYOUTS; k++) {
            size_t first = 0, in = 0;
            for (size_t i = 0; i < list->len; i++) {
                in += has_word(&each[i], all_layouts[k]);
                first += each[i].len && strcmp(each[i].at[0], all_layouts[k]) == 0;
            }
            if (in == list->len && first == votes) {
                VEC_PUSH(a, &common, all_layouts[k]);
            }
        }
    }
    return common;
}
