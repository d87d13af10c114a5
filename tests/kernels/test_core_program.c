// SPDX-License-Identifier: Apache-2.0
// The worked program of docs/runtime.md, word for word between the two marks, over a hand-made
// table in place of a generated one: with q = 0 and V[j] = j every output is the mean position that
// its query sees. In: docs/runtime.md, when the tests run from the top of the tree. Out: TAP.
#include "attn/attn.h"
#include "attn/cache.h"
#include "attn/kernels/cpu.h"
#include "tests/tap.h"

#include <stdlib.h>

// ---- what chat.h and chat.c hold: layer 0 with a window of 8, layer 1 without
#define chat_OPERATORS 2
#define chat_MAX_SEQS 2
#define chat_MAX_BATCH_TOKENS 16

enum { HEADS = 4, KV_HEADS = 2, DIM = 16, BLOCK = 4, PAGE = BLOCK * KV_HEADS * 2 * DIM * 4 };

#define PARAMS(k, left)                                                                            \
    {                                                                                              \
        .size = sizeof(attn_params), .kind = k, .layout = ATTN_LAYOUT_HND, .heads = HEADS,         \
        .kv_heads = KV_HEADS, .head_dim = DIM, .v_head_dim = DIM, .k_width = DIM, .v_width = DIM,  \
        .block_size = BLOCK, .page_bytes = PAGE, .scale = 0.25f, .window_left = left,              \
        .decode_q = 1                                                                              \
    }
#define KERNEL(k, p, function)                                                                     \
    { .abi = ATTN_ABI, .key = k, .workspace = 256, .params = p, .run = function }
#define CLASS(k, first, g)                                                                         \
    {                                                                                              \
        .prefill_key = first, .decode_key = first, .write_key = first + 1, .prefill_entry = first, \
        .decode_entry = first, .write_entry = first + 1, .kind = k, .layout = ATTN_LAYOUT_HND,     \
        .group = g, .heads = HEADS, .kv_heads = KV_HEADS, .head_dim = DIM, .v_head_dim = DIM,      \
        .k_width = DIM, .v_width = DIM, .causal = 1                                                \
    }
#define GROUP(n, left)                                                                             \
    {                                                                                              \
        .page_bytes = PAGE, .blocks = n, .block_size = BLOCK, .cols = 16, .window_left = left,     \
        .operators = 1, .layout = ATTN_LAYOUT_HND, .max_length = 64                                \
    }

static const attn_params windowed = PARAMS(ATTN_SLIDING_WINDOW, 7);
static const attn_params full = PARAMS(ATTN_FULL_ATTENTION, ATTN_UNBOUNDED);
static const attn_kernel kernels[] = {
    KERNEL(0, &windowed, attn_cpu_ref), KERNEL(1, &windowed, attn_cpu_kv),
    KERNEL(2, &full, attn_cpu_ref), KERNEL(3, &full, attn_cpu_kv)};
static const attn_kernel *const chat_entry[] = {&kernels[0], &kernels[1], &kernels[2], &kernels[3]};
static const struct chat_layout {
    attn_header header;
    attn_class classes[2];
    attn_operator operators[2];
    attn_group groups[2];
} chat_data = {
    .header = {.abi = ATTN_ABI,
               .size = sizeof(attn_header),
               .n_classes = 2,
               .n_operators = 2,
               .n_groups = 2,
               .n_entries = 4,
               .classes = offsetof(struct chat_layout, classes),
               .operators = offsetof(struct chat_layout, operators),
               .groups = offsetof(struct chat_layout, groups),
               .max_seqs = chat_MAX_SEQS,
               .max_tokens = 64,
               .max_batch_tokens = chat_MAX_BATCH_TOKENS,
               .decode_q = 1,
               .step_bytes = ATTN_STEP_BYTES(2, chat_MAX_SEQS),
               .worker_bytes = 256},
    .classes = {CLASS(ATTN_SLIDING_WINDOW, 0, 0), CLASS(ATTN_FULL_ATTENTION, 2, 1)},
    .operators = {{0, 0, 0, 0, 0, 0, 64, 16}, {1, 0, 0, 1, 1, 0, 64, 16}},
    .groups = {GROUP(12, 7), GROUP(32, ATTN_UNBOUNDED)},
};
static const attn_table chat = {&chat_data.header, chat_entry};

// ---- the model's own part: K = 0, so that every visible key weighs the same; V = position
struct engine;
static void project(struct engine *e, uint32_t op, const attn_batch *batch);
static void absorb(struct engine *e, uint32_t op, const attn_batch *batch);

// [program]
struct engine {
    attn_exec x;
    attn_cache *cache;
    attn_kv kv[chat_OPERATORS];
    void *pool, *memory;                   // pages; the cache manager's
    float q[chat_MAX_BATCH_TOKENS][4][16]; // [token][query head][dim]
    float k[chat_MAX_BATCH_TOKENS][2][16]; // [token][KV head][dim]
    float v[chat_MAX_BATCH_TOKENS][2][16], out[chat_MAX_BATCH_TOKENS][4][16];
};

static void *take(size_t bytes) { // whole cache lines, aligned to one
    return aligned_alloc(64, ATTN_ROUND_UP(bytes, 64));
}

static attn_status engine_open(struct engine *e) {
    size_t pool_bytes = attn_cache_pool_bytes(&chat), cache_bytes = attn_cache_bytes(&chat);
    e->x = ATTN_INIT(attn_exec);
    e->x.workspace_bytes = attn_workspace_bytes(&chat, 1);
    e->x.workspace = take(e->x.workspace_bytes);
    e->x.kv = e->kv;
    e->x.n_kv = chat_OPERATORS;
    e->pool = take(pool_bytes);
    e->memory = take(cache_bytes);
    if (!e->x.workspace || !e->pool || !e->memory) {
        return ATTN_E_NULL;
    }
    attn_status status = attn_cache_bind(&chat, e->pool, pool_bytes, e->kv, chat_OPERATORS);
    return status ? status : attn_cache_init(&e->cache, e->memory, cache_bytes, &chat);
}

static void engine_close(struct engine *e) {
    free(e->x.workspace);
    free(e->pool);
    free(e->memory);
}

// One step of these sequences, to which tokens have been appended.
static attn_status engine_step(struct engine *e, uint32_t *sequences, uint32_t n) {
    attn_batch batch = ATTN_INIT(attn_batch);
    attn_status status = attn_cache_batch(e->cache, sequences, n, &batch);
    if (!status) {
        status = attn_step(&e->x, &chat, &batch);
    }
    for (uint32_t op = 0; op < chat_OPERATORS && !status; op++) {
        attn_io io = ATTN_INIT(attn_io);
        io.q = e->q, io.q_token_stride = 4 * 16, io.q_head_stride = 16;
        io.k = e->k, io.k_token_stride = 2 * 16, io.k_head_stride = 16;
        io.v = e->v, io.v_token_stride = 2 * 16, io.v_head_stride = 16;
        io.out = e->out, io.out_token_stride = 4 * 16, io.out_head_stride = 16;
        project(e, op, &batch); // the model: norms, projections, RoPE
        status = attn_kv_write(&e->x, &chat, op, &batch, &io);
        if (!status) {
            status = attn_run(&e->x, &chat, op, &batch, &io);
        }
        absorb(e, op, &batch); // the model: output projection, feed-forward
    }
    return status ? status : attn_cache_finish(e->cache);
}

// Two prompts, then both decode a token at a time.
static attn_status chat_main(struct engine *e) {
    static const uint32_t prompt[] = {11, 5};
    uint32_t sequences[] = {0, 1};
    attn_status status = engine_open(e);
    for (uint32_t s = 0; s < 2 && !status; s++) {
        status = attn_cache_begin(e->cache, s);
        status = status ? status : attn_cache_append(e->cache, s, prompt[s]);
    }
    for (int token = 0; token < 20 && !status; token++) {
        status = engine_step(e, sequences, 2);
        for (uint32_t s = 0; s < 2 && !status; s++) {
            status = attn_cache_append(e->cache, s, 1);
        }
    }
    engine_close(e);
    return status;
}
// [program]

static int wrong, checked;

static void project(struct engine *e, uint32_t op, const attn_batch *batch) {
    (void)op;
    memset(e->q, 0, sizeof e->q);
    memset(e->k, 0, sizeof e->k);
    for (uint32_t s = 0; s < batch->n_decode + batch->n_prefill; s++) {
        for (int32_t t = batch->q_start[s]; t < batch->q_start[s + 1]; t++) {
            float position = (float)(batch->seq_len[s] - (batch->q_start[s + 1] - t));
            for (uint32_t i = 0; i < KV_HEADS * DIM; i++) {
                e->v[t][i / DIM][i % DIM] = position;
            }
        }
    }
}

static void absorb(struct engine *e, uint32_t op, const attn_batch *batch) {
    for (uint32_t s = 0; s < batch->n_decode + batch->n_prefill; s++) {
        for (int32_t t = batch->q_start[s]; t < batch->q_start[s + 1]; t++) {
            int32_t p = batch->seq_len[s] - (batch->q_start[s + 1] - t);
            int32_t first = op == 0 && p > 7 ? p - 7 : 0;
            float want = (float)(first + p) / 2;
            for (uint32_t i = 0; i < HEADS * DIM; i++) {
                float error = e->out[t][i / DIM][i % DIM] - want;
                wrong += !(error < 1e-4f && error > -1e-4f);
                checked++;
            }
        }
    }
}

// The text between the marks of a file; "" without them.
static const char *between(const char *path, const char *begin, const char *end, char *text,
                           size_t room) {
    FILE *file = fopen(path, "r");
    size_t n = file ? fread(text, 1, room - 1, file) : 0;
    if (file) {
        fclose(file);
    }
    text[n] = 0;
    char *from = strstr(text, begin);
    char *to = from ? strstr(from + strlen(begin), end) : NULL;
    if (!to) {
        return "";
    }
    *to = 0;
    return from + strlen(begin);
}

static void test_docs(void) {
    static char source[1 << 15], docs[1 << 16];
    const char *here = between("tests/kernels/test_core_program.c", "\n// [program]\n",
                               "// [program]\n", source, sizeof source);
    const char *there =
        between("docs/runtime.md", "<!-- program -->\n```c\n", "```\n", docs, sizeof docs);
    if (!*here) {
        skip("not run from the top of the tree", "docs/runtime.md shows this program");
        return;
    }
    ok(strcmp(here, there) == 0, "docs/runtime.md shows this program, word for word");
}

int main(void) {
    static struct engine e;
    is_int(chat_main(&e), ATTN_OK, "the worked program runs");
    // 16 tokens of the prompts and 19 steps of two, two operators each
    is_int(checked, (16 + 19 * 2) * 2 * HEADS * DIM, "every row of every operator comes back");
    is_int(wrong, 0, "each is the mean position that its query sees");
    test_docs();
    return done_testing();
}
