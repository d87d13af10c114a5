// SPDX-License-Identifier: Apache-2.0
// Distinct kernel specialisations of a plan. In: operators with their backends' entries. Out:
// kernels in order of first use, classes, workspace sizes. Always: two operators share a kernel
// exactly when every constant of it is equal, for the key text spells them all and is the only
// thing compared.

#include "gen/kernels.h"

#include <stdlib.h>
#include <string.h>

#include "gen/mangle.h"
#include "gen/names.h"
#include "gen/text.h"

static const struct kernel_family families[] = {
#define FAMILY(entry, role, reads_isa, workspace) {#entry, role, reads_isa},
    KERNEL_FAMILIES(FAMILY)
#undef FAMILY
};

const struct kernel_family *kernel_family(const char *entry) {
    for (size_t i = 0; i < sizeof families / sizeof *families; i++) {
        if (strcmp(families[i].entry, entry) == 0) {
            return &families[i];
        }
    }
    return NULL;
}

struct runtime_word {
    const char *word, *enumerator;
};
#define RUNTIME_WORD(word, enumerator) {#word, #enumerator},
static const struct runtime_word kinds[] = {RUNTIME_KINDS(RUNTIME_WORD)};
static const struct runtime_word dtypes[] = {RUNTIME_DTYPES(RUNTIME_WORD)};
static const struct runtime_word layouts[] = {RUNTIME_LAYOUTS(RUNTIME_WORD)};
#undef RUNTIME_WORD

static const char *enumerator(const struct runtime_word *words, size_t n, const char *word) {
    for (size_t i = 0; i < n; i++) {
        if (strcmp(words[i].word, word) == 0) {
            return words[i].enumerator;
        }
    }
    return NULL;
}
#define ENUMERATOR(words, word) enumerator(words, sizeof(words) / sizeof *(words), (word))

const char *runtime_kind(const char *word) {
    return ENUMERATOR(kinds, word);
}

const char *runtime_dtype(const char *word) {
    return ENUMERATOR(dtypes, word);
}

const char *runtime_layout(const char *word) {
    if (!word) {
        return "ATTN_LAYOUT_NONE";
    }
    const char *known = ENUMERATOR(layouts, word);
    return known ? known : "ATTN_LAYOUT_VENDOR";
}

static unsigned isa_level(const char *isa) {
    if (!isa) {
        return 0;
    }
    return strcmp(isa, "x86_64_v4") == 0 ? 4 : strcmp(isa, "x86_64_v3") == 0 ? 3 : 0;
}

static int64_t or_else(struct plan_int n, int64_t otherwise) {
    return n.given ? n.v : otherwise;
}

static void constants_of_mask(struct kernel_constants *k, const struct plan_operator *op) {
    k->causal = true;
    k->window_right = 0;
    k->window_left = op->window.given ? op->window.v - 1 : ATTN_UNBOUNDED;
    if (strcmp(op->kind, "encoder_only_attention") == 0 ||
        strcmp(op->kind, "cross_attention") == 0) {
        k->causal = false;
        k->window_left = or_else(op->window_left, ATTN_UNBOUNDED);
        k->window_right = or_else(op->window_right, ATTN_UNBOUNDED);
    }
    k->chunk = or_else(op->chunk, 0);
    k->sink_tokens = or_else(op->sink_tokens, 0);
    k->sink_logits = op->sink_logits;
    k->alibi = op->alibi;
}

struct kernel_constants kernel_constants(const struct plan *plan, const struct plan_operator *op) {
    struct kernel_constants k = {
        .kind = op->kind,
        .dtype = op->has_ssm ? op->ssm_dtype : op->dtype,
        .kv_dtype = op->has_ssm ? op->ssm_dtype : op->kv_dtype,
        .heads = or_else(op->has_ssm ? op->ssm_heads : op->heads, 0),
        .kv_heads = or_else(op->has_ssm ? op->ssm_groups : op->kv_heads, 0),
        .head_dim = or_else(op->has_ssm ? op->ssm_head_dim : op->head_dim, 0),
        .v_head_dim = or_else(op->has_ssm ? op->ssm_head_dim : op->v_head_dim, 0),
        .k_width = or_else(op->k_width, 0),
        .v_width = or_else(op->v_width, 0),
        .decode_q = plan->decode_q,
        .scale = op->has_scale ? number_to_float(op->scale) : 0,
        .softcap = op->has_softcap ? number_to_float(op->softcap) : 0,
        .deterministic = op->deterministic,
        .isa = isa_level(plan->isa),
    };
    constants_of_mask(&k, op);
    if (op->group == PLAN_NO_INDEX) {
        k.kv_dtype = k.dtype; // dense K and V: a cache's type does not matter
    } else {
        const struct plan_group *g = &plan->groups.at[op->group];
        k.layout = g->layout ? g->layout : "state";
        k.block_size = g->has_block_size ? g->block_size : 0;
        k.page_bytes = or_else(g->page_bytes, 0);
    }
    return k;
}

static uint32_t float_bits(float v) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    return bits;
}

static void add_bound(struct text *t, const char *name, int64_t bound) {
    if (bound != ATTN_UNBOUNDED) {
        text_addf(t, "_%s%lld", name, (long long)bound);
    }
}

static void add_given(struct text *t, const char *name, struct plan_int n) {
    if (n.given) {
        text_addf(t, "_%s%lld", name, (long long)n.v);
    }
}

// What does not follow from attn_params: parts of a latent, a state, an index.
static void add_parts(struct text *t, const struct plan_operator *op) {
    if (op->has_mla) {
        add_given(t, "rope", op->mla_rope);
    }
    if (op->has_ssm) {
        text_addf(t, "_%s", op->ssm_type);
        add_given(t, "n", op->ssm_state);
        add_given(t, "conv", op->ssm_conv);
    }
    if (op->has_index) {
        text_add(t, "_index");
        add_given(t, "top", op->index_topk);
        add_given(t, "ih", op->index_heads);
        add_given(t, "id", op->index_head_dim);
        text_addf(t, "_%s", op->index_dtype ? op->index_dtype : "none");
        if (op->index_share.given) {
            text_add(t, "_share");
        }
    }
    add_given(t, "every", op->compress);
}

// Everything of a specialisation but its entry, role and instruction set. Parts are separated by
// `__`, which no part holds: kind, dims, page, layout, mask and scores.
static const char *shape_text(struct text *t, const struct plan *plan,
                              const struct plan_operator *op) {
    struct kernel_constants k = kernel_constants(plan, op);
    t->bytes.len = 0;
    text_addf(t, "%s__h%lld_kv%lld_d%lld_v%lld", k.kind, (long long)k.heads, (long long)k.kv_heads,
              (long long)k.head_dim, (long long)k.v_head_dim);
    if (k.k_width != k.head_dim || k.v_width != k.v_head_dim) {
        text_addf(t, "_kw%lld_vw%lld", (long long)k.k_width, (long long)k.v_width);
    }
    add_parts(t, op);
    text_addf(t, "__%s_%s_b%lld_p%lld__%s", k.dtype ? k.dtype : "none",
              k.kv_dtype ? k.kv_dtype : "none", (long long)k.block_size, (long long)k.page_bytes,
              k.layout ? mangle_part(t->arena, k.layout) : "none");
    text_addf(t, "__s%08x", (unsigned)float_bits(k.scale));
    if (op->has_softcap) {
        text_addf(t, "_cap%08x", (unsigned)float_bits(k.softcap));
    }
    add_bound(t, "l", k.window_left);
    add_bound(t, "r", k.window_right);
    if (k.chunk > 0) {
        text_addf(t, "_c%lld", (long long)k.chunk);
    }
    if (k.sink_tokens > 0) {
        text_addf(t, "_t%lld", (long long)k.sink_tokens);
    }
    text_add(t, k.sink_logits ? "_sinks" : "");
    text_add(t, k.alibi ? "_alibi" : "");
    text_add(t, k.deterministic ? "_det" : "");
    text_addf(t, "_q%lld", (long long)k.decode_q);
    return text_string(t);
}

// The number of a text in a table of them, in order of first appearance; `*fresh` when it is new.
static uint32_t text_number(struct name_table *t, const char *text, bool *fresh) {
    const uint32_t *number = name_get(t, text);
    *fresh = !number;
    if (*fresh) {
        uint32_t *next = ARENA_NEW(t->arena, uint32_t);
        *next = (uint32_t)t->used;
        name_set(t, arena_strdup(t->arena, text), next);
        number = next;
    }
    return *number;
}

struct assignment {
    struct arena *arena;
    struct plan *plan;
    const char *name;                   // of the deployment, in C
    struct name_table kernels, classes; // from their texts to their numbers
    struct text shape, key;             // of the operator at hand
};

static uint32_t kernel_number(struct assignment *s, const char *entry, enum kernel_role role,
                              const char *shape, uint32_t op) {
    if (!entry) {
        return PLAN_NO_INDEX;
    }
    const struct kernel_family *family = kernel_family(entry);
    unsigned isa = isa_level(s->plan->isa);
    struct text *t = &s->key;
    t->bytes.len = 0;
    text_add(t, mangle_part(s->arena, entry));
    text_add(t, "__");
    text_add(t, shape);
    text_add(t, role == KERNEL_WRITE ? "_write" : "");
    if (family && family->reads_isa && isa > 0) {
        text_addf(t, "_isa%u", isa);
    }
    const char *key = text_string(t);
    bool fresh;
    uint32_t number = text_number(&s->kernels, key, &fresh);
    if (fresh) {
        uint64_t hash = text_hash(key, strlen(key));
        struct plan_kernel k = {
            .symbol = arena_printf(s->arena, "%s__%s", s->name, key),
            .key = arena_strdup(s->arena, key),
            .fingerprint = hash ? hash : 1, // 0 in a table: no kernel
            .entry = entry,
            .external = !family,
            .role = role,
            .op = op,
        };
        VEC_PUSH(s->arena, &s->plan->kernels, k);
    }
    return number;
}

static uint32_t class_number(struct assignment *s, const struct plan_operator *op,
                             const char *shape, uint32_t index) {
    struct plan_class c = {
        .op = index,
        .prefill = op->phase[PHASE_PREFILL].kernel,
        .decode = op->phase[PHASE_DECODE].kernel,
        .write = op->write_kernel,
    };
    s->key.bytes.len = 0;
    text_addf(&s->key, "%u %u %u %u ", (unsigned)c.prefill, (unsigned)c.decode, (unsigned)c.write,
              (unsigned)op->group);
    text_add(&s->key, shape);
    bool fresh;
    uint32_t number = text_number(&s->classes, text_string(&s->key), &fresh);
    if (fresh) {
        VEC_PUSH(s->arena, &s->plan->classes, c);
    }
    return number;
}

void kernels_assign(struct arena *a, struct plan *plan) {
    size_t n = plan->operators.len;
    struct assignment s = {
        .arena = a,
        .plan = plan,
        .name = mangle(a, plan->deploy ? plan->deploy : ""),
        .kernels = {.arena = a},
        .classes = {.arena = a},
        .shape = text_of(a),
        .key = text_of(a),
    };
    plan->kernels.len = plan->classes.len = 0;
    for (uint32_t i = 0; i < n; i++) {
        struct plan_operator *op = &plan->operators.at[i];
        const char *shape = shape_text(&s.shape, plan, op);
        for (int p = 0; p < PHASE_COUNT; p++) {
            struct plan_phase *phase = &op->phase[p];
            const char *entry = phase->present && phase->backend ? phase->entry : NULL;
            phase->kernel = kernel_number(&s, entry, KERNEL_RUN, shape, i);
        }
        const char *write = op->owns_cache ? op->write : NULL;
        op->write_kernel = kernel_number(&s, write, KERNEL_WRITE, shape, i);
        op->class_index = class_number(&s, op, shape, i);
    }
}

struct print {
    uint64_t fingerprint;
    uint32_t kernel;
};

static int compare_prints(const void *left, const void *right) {
    const struct print *a = left, *b = right;
    int order = (a->fingerprint > b->fingerprint) - (a->fingerprint < b->fingerprint);
    return order ? order : (a->kernel > b->kernel) - (a->kernel < b->kernel);
}

bool kernels_collide(struct arena *arena, const struct plan *plan, uint32_t *a, uint32_t *b) {
    size_t n = plan->kernels.len;
    struct print *prints = ARENA_ARRAY(arena, struct print, n + 1);
    for (uint32_t i = 0; i < n; i++) {
        prints[i] = (struct print){plan->kernels.at[i].fingerprint, i};
    }
    qsort(prints, n, sizeof *prints, compare_prints);
    for (size_t i = 1; i < n; i++) {
        if (prints[i].fingerprint == prints[i - 1].fingerprint) {
            *a = prints[i - 1].kernel;
            *b = prints[i].kernel;
            return true;
        }
    }
    return false;
}

uint64_t kernels_step_bytes(const struct plan *plan) {
    return ATTN_STEP_BYTES(plan->classes.len, plan->max_seqs);
}

static uint64_t workspace_of(const struct plan *plan, const struct plan_kernel *kernel) {
    struct kernel_constants k = kernel_constants(plan, &plan->operators.at[kernel->op]);
    uint32_t d = (uint32_t)k.head_dim, v = (uint32_t)k.v_head_dim;
#define WORKSPACE(name, role, reads_isa, workspace)                                                \
    if (strcmp(kernel->entry, #name) == 0) {                                                       \
        return workspace(d, v);                                                                    \
    }
    KERNEL_FAMILIES(WORKSPACE)
#undef WORKSPACE
    return 0;
}

uint64_t kernels_worker_bytes(const struct plan *plan) {
    uint64_t most = 0;
    for (size_t i = 0; i < plan->kernels.len; i++) {
        uint64_t bytes = workspace_of(plan, &plan->kernels.at[i]);
        most = bytes > most ? bytes : most;
    }
    return most;
}

uint32_t kernels_workers(const struct plan *plan) {
    return plan->cores.given ? (uint32_t)plan->cores.v : 1;
}
