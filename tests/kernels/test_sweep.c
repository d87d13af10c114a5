// SPDX-License-Identifier: Apache-2.0
// cpu_flash against the oracle: every instance of sweep.awk's product, each on ragged batches of
// all lengths around the edges of blocks, windows, chunks and tiles, as decode, drafts, chunks and
// whole prompts, by one worker and by several, whole and partial. NaN stands in every slot that no
// row sees, and, in a run of its own, in the values of one key that some rows see: only these may
// show it.
#include "attn/kernels/sizes.h"
#include "tests/kernels/sweep.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>

static const char *const kind_name[] = {"full_attention",          "sliding_window",
                                        "chunked_local_attention", "sink_full_attention",
                                        "encoder_only_attention",  "cross_attention"};
enum { KINDS = ATTN_CROSS_ATTENTION + 1, LONGEST = 130, MAX_EDGES = 48 };

static bool processor_has(uint32_t caps) {
#if defined(__x86_64__)
    return (!(caps & ATTN_CAP_X86_64_V3) || __builtin_cpu_supports("avx2")) &&
           (!(caps & ATTN_CAP_X86_64_V4) || __builtin_cpu_supports("avx512bw"));
#else
    return caps == 0;
#endif
}

// ---- lengths

static int tile_tokens(const attn_params *p) {
    return (int)(ATTN_FLASH_ROWS(p->head_dim, p->v_head_dim) / (p->heads / p->kv_heads));
}

struct lengths {
    int n, at[MAX_EDGES];
};

static void add_length(struct lengths *l, int length) {
    for (int i = 0; i < l->n; i++) {
        if (l->at[i] == length) {
            return;
        }
    }
    if (length >= 0 && length <= LONGEST && l->n < MAX_EDGES) {
        l->at[l->n++] = length;
    }
}

// 0 to 3, and every place where the kernel's ways part, from one below to one above.
static struct lengths edges_of(const attn_params *p) {
    struct lengths l = {0};
    int edges[] = {1,
                   2,
                   (int)p->block_size,
                   2 * (int)p->block_size,
                   p->window_left + 1,
                   p->window_right + 1,
                   (int)p->chunk,
                   tile_tokens(p),
                   (int)ATTN_FLASH_KEYS,
                   2 * (int)ATTN_FLASH_KEYS};
    for (size_t i = 0; i < sizeof edges / sizeof *edges; i++) {
        for (int d = -1; d <= 1; d++) {
            add_length(&l, edges[i] + d);
        }
    }
    return l;
}

// New tokens of a sequence of `k_len` keys: a way of its own for each `turn`.
static int new_tokens(const attn_params *p, int k_len, int turn) {
    const int some[] = {2, 0, 3, 17, k_len - 1, k_len, tile_tokens(p), tile_tokens(p) + 1};
    int n = turn % 2 ? 1 : some[turn / 2 % (int)(sizeof some / sizeof *some)];
    return n < 0 || (n > k_len && p->kind != ATTN_CROSS_ATTENTION) ? k_len : n;
}

// ---- runs

struct way {
    int turn; // of new_tokens
    bool nan_value;
};

// The middle key of each sequence has values that are not numbers.
static void spoil_values(struct world *w) {
    size_t row = 0, width = (size_t)w->p->kv_heads * w->p->v_head_dim;
    for (uint32_t s = 0; s < w->n; s++) {
        for (size_t d = 0; d < width && w->k_len[s] > 0; d++) {
            w->v[(row + (size_t)w->k_len[s] / 2) * width + d] = NAN;
        }
        row += (size_t)w->k_len[s];
    }
}

static double error_of(const attn_kernel *kernel, const struct lengths *l, int first,
                       struct way way) {
    int q_len[WORLD_MAX_SEQS], k_len[WORLD_MAX_SEQS], n = 0;
    for (; n < WORLD_MAX_SEQS && first + n < l->n; n++) {
        k_len[n] = l->at[first + n];
        q_len[n] = new_tokens(kernel->params, k_len[n], way.turn + n);
        if (kernel->params->kind == ATTN_ENCODER_ONLY_ATTENTION) {
            q_len[n] = k_len[n];
        }
    }
    struct world w;
    world_new(&w, kernel->params, (uint32_t)n, q_len, k_len, (uint32_t)(way.turn + first));
    w.workers = way.turn % 3 == 0 ? 3 : 1;
    w.partial = way.turn % 4 == 1;
    w.no_lse = !w.partial && way.turn % 5 == 2;
    if (way.nan_value) {
        spoil_values(&w);
    }
    world_seal(&w);
    double error =
        world_run(&w, kernel->run, kernel->workspace) == ATTN_OK ? world_error(&w) : 1e30;
    world_free(&w);
    return error;
}

static double worst_of(const attn_kernel *kernel, int number, bool nan_value) {
    struct lengths l = edges_of(kernel->params);
    double worst = 0;
    for (int first = nan_value ? l.n / 2 : 0; first < l.n; first += WORLD_MAX_SEQS) {
        struct way way = {number + first, nan_value};
        worst = fmax(worst, error_of(kernel, &l, first, way));
    }
    return worst;
}

// ---- results: a point for each kind, dims and group; instances come in this order from each part

struct shape {
    uint32_t kind, head_dim, v_head_dim, group;
    int instances, skipped;
    double worst, worst_nan;
};
enum { MAX_SHAPES = 256 };
static struct shape *shape_of(struct shape *shapes, int *n, const attn_params *p) {
    uint32_t group = p->heads / p->kv_heads;
    for (int i = 0; i < *n; i++) {
        struct shape *s = &shapes[i];
        if (s->kind == p->kind && s->head_dim == p->head_dim && s->v_head_dim == p->v_head_dim &&
            s->group == group) {
            return s;
        }
    }
    shapes[*n] = (struct shape){p->kind, p->head_dim, p->v_head_dim, group, 0, 0, 0, 0};
    return &shapes[(*n)++];
}

// Values of a feature that a kind has met, a bit each.
#define FEATURES(X)                                                                                \
    X(softcap, p->softcap > 0)                                                                     \
    X(sink_logits, p->sink_logits)                                                                 \
    X(alibi, p->alibi)                                                                             \
    X(deterministic, p->deterministic)                                                             \
    X(paired, p->layout == ATTN_LAYOUT_HND_PAIR)                                                   \
    X(dtype, p->dtype)                                                                             \
    X(kv_dtype, p->kv_dtype)

struct met {
#define FIELD(name, value) uint32_t name;
    FEATURES(FIELD)
#undef FIELD
};

static void meet(struct met *met, const attn_params *p) {
#define MEET(name, value) met->name |= 1u << (value);
    FEATURES(MEET)
#undef MEET
}

int main(void) {
    static struct shape shapes[MAX_SHAPES];
    struct met met[KINDS] = {{0}};
    int n = 0, instances = 0;
    for (size_t part = 0; sweep_parts[part]; part++) {
        for (size_t i = 0; sweep_parts[part][i]; i++) {
            const attn_kernel *kernel = sweep_parts[part][i];
            struct shape *s = shape_of(shapes, &n, kernel->params);
            meet(&met[kernel->params->kind], kernel->params);
            instances++;
            s->instances++;
            if (!processor_has(kernel->caps)) {
                s->skipped++;
                continue;
            }
            s->worst = fmax(s->worst, worst_of(kernel, instances, false));
            s->worst_nan = fmax(s->worst_nan, worst_of(kernel, instances, true));
        }
    }
    for (int i = 0; i < n; i++) {
        const struct shape *s = &shapes[i];
        if (!ok(s->worst <= 1 && s->worst_nan <= 1,
                "cpu_flash agrees with the oracle: %s, dims %u and %u, group %u: %d instances, "
                "%d beyond this processor",
                kind_name[s->kind], s->head_dim, s->v_head_dim, s->group, s->instances,
                s->skipped)) {
            diag("greatest error over its tolerance: %g; %g beside NaN", s->worst, s->worst_nan);
        }
    }
    for (int kind = 0; kind < KINDS; kind++) {
        const struct met *m = &met[kind];
        bool dense = kind == ATTN_ENCODER_ONLY_ATTENTION;
        ok(m->softcap == 3 && m->sink_logits == 3 && m->alibi == 3 && m->deterministic == 3 &&
               m->dtype == 7 && m->kv_dtype == 7 && m->paired == (dense ? 1 : 3),
           "every feature, type and page format meets %s", kind_name[kind]);
    }
    return done_testing();
}
