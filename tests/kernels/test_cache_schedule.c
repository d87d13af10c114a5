// SPDX-License-Identifier: Apache-2.0
// The memory plan is enough: random schedules of appends, decodes, forks, rewinds and releases
// within the limits never run out of blocks, and every position that a query sees holds what was
// written there. The model: each token has a number of its own, pages are arrays of such numbers.
// In: shapes and seeds. Out: TAP.
#include "attn/cache.h"
#include "attn/span.h"
#include "tests/tap.h"

#include "attn/attn.h"

#include <stdlib.h>

enum {
    FULL,
    WINDOWED,
    CHUNKED,
    BOTH, // a window on top of chunks
    SOURCE,
    STATE,
    GROUPS,
    MOST_SEQS = 6,
    MOST_TOKENS = 96,
    MOST_BLOCKS = 256,
    MOST_BLOCK = 16,
};

struct shape {
    uint32_t seqs, tokens, batch, source, block, window, chunk;
};

static const struct shape shapes[] = {
    {1, 40, 40, 8, 4, 5, 8},    {3, 40, 12, 8, 4, 5, 8},   {6, 64, 7, 3, 4, 9, 16},
    {4, 96, 96, 16, 8, 1, 1},   {5, 33, 20, 9, 1, 4, 6},   {6, 96, 30, 5, 16, 17, 32},
    {2, 50, 3, 1, 3, 2, 50},    {6, 48, 48, 48, 5, 12, 7}, {4, 96, 9, 12, 16, 8, 8},
    {6, 95, 13, 20, 2, 31, 24},
};

static uint64_t least(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

static uint64_t ceiling(uint64_t n, uint64_t by) {
    return (n + by - 1) / by;
}

// Blocks of a windowed group, as LANGUAGE.md plans them.
static uint64_t windowed_blocks(const struct shape *s, uint64_t w) {
    uint64_t n = least(s->batch, s->tokens), all = s->seqs * ceiling(s->tokens, s->block);
    uint64_t each = s->seqs * (ceiling(w + n < 2 ? 0 : w + n - 2, s->block) + 1);
    uint64_t together = s->seqs * (ceiling(w - 1, s->block) + 2) + ceiling(s->batch, s->block);
    return least(all, least(each, together));
}

struct data {
    attn_header header;
    attn_group groups[GROUPS];
};

static void plan(struct data *d, const struct shape *s) {
    d->header = (attn_header){.abi = ATTN_ABI,
                              .size = sizeof(attn_header),
                              .n_groups = GROUPS,
                              .groups = offsetof(struct data, groups),
                              .max_seqs = s->seqs,
                              .max_tokens = s->tokens,
                              .max_batch_tokens = s->batch,
                              .max_source_tokens = s->source,
                              .decode_q = 2,
                              .step_bytes = ATTN_STEP_BYTES(0, s->seqs)};
    for (uint32_t g = 0; g < GROUPS; g++) {
        d->groups[g] = (attn_group){.blocks = s->seqs * ceiling(s->tokens, s->block),
                                    .block_size = s->block,
                                    .window_left = ATTN_UNBOUNDED,
                                    .layout = ATTN_LAYOUT_HND,
                                    .max_length = s->tokens};
    }
    d->groups[WINDOWED].window_left = d->groups[BOTH].window_left = (int32_t)s->window - 1;
    d->groups[WINDOWED].blocks = windowed_blocks(s, s->window);
    d->groups[CHUNKED].chunk = d->groups[BOTH].chunk = s->chunk;
    d->groups[CHUNKED].blocks = windowed_blocks(s, s->chunk);
    d->groups[BOTH].blocks = windowed_blocks(s, least(s->window, s->chunk));
    d->groups[SOURCE].source = 1;
    d->groups[SOURCE].max_length = s->source;
    d->groups[SOURCE].blocks = s->seqs * ceiling(s->source, s->block);
    d->groups[STATE].layout = ATTN_LAYOUT_STATE;
    d->groups[STATE].block_size = 0;
    d->groups[STATE].blocks = s->seqs;
}

struct model {
    const struct shape *shape;
    struct data data;
    attn_table table;
    attn_cache *cache;
    uint32_t state; // of the generator
    int next_token;
    bool used[MOST_SEQS];
    uint32_t length[MOST_SEQS], cached[MOST_SEQS], source[MOST_SEQS];
    uint32_t source_cached[MOST_SEQS];
    int token[MOST_SEQS][MOST_TOKENS], row[MOST_SEQS][MOST_TOKENS]; // numbers by position
    int page[GROUPS][MOST_BLOCKS][MOST_BLOCK];
    int refused, wrong, checked;
};

static uint32_t draw(struct model *m, uint32_t below) {
    m->state = m->state * 1664525u + 1013904223u;
    return below ? (m->state >> 8) % below : 0;
}

static void expect(struct model *m, attn_status status) {
    m->refused += status != ATTN_OK;
}

static void model_fork(struct model *m, uint32_t from, uint32_t to) {
    attn_cache_copy copies[GROUPS];
    uint32_t n = 0;
    if (attn_cache_fork(m->cache, from, to, m->cached[from], copies, &n) != ATTN_OK) {
        m->refused++;
        return;
    }
    for (uint32_t c = 0; c < n; c++) {
        memcpy(m->page[copies[c].group][copies[c].to], m->page[copies[c].group][copies[c].from],
               sizeof m->page[0][0]);
    }
    m->used[to] = true;
    m->length[to] = m->cached[to] = m->cached[from];
    m->source[to] = m->source_cached[to] = m->source_cached[from];
    memcpy(m->token[to], m->token[from], sizeof m->token[to]);
    memcpy(m->row[to], m->row[from], sizeof m->row[to]);
}

// Begins, forks and releases some sequences.
static void model_come_and_go(struct model *m) {
    for (uint32_t s = 0; s < m->shape->seqs; s++) {
        if (m->used[s] && draw(m, 8) == 0) {
            expect(m, attn_cache_release(m->cache, s));
            m->used[s] = false;
        } else if (!m->used[s] && draw(m, 2)) {
            uint32_t from = draw(m, m->shape->seqs);
            if (from != s && m->used[from]) {
                model_fork(m, from, s);
                continue;
            }
            expect(m, attn_cache_begin(m->cache, s));
            m->used[s] = true;
            m->length[s] = m->cached[s] = m->source[s] = m->source_cached[s] = 0;
        }
    }
}

// Appends to some sequences: single tokens, short and long runs, as far as the limits go.
static uint32_t model_append(struct model *m, uint32_t *sequences) {
    uint32_t n = 0, left = m->shape->batch;
    for (uint32_t s = 0; s < m->shape->seqs; s++) {
        if (!m->used[s] || draw(m, 3) == 0) {
            continue;
        }
        uint32_t room = (uint32_t)least(left, m->shape->tokens - m->length[s]);
        uint32_t want = draw(m, 3) == 0 ? room : draw(m, 2) ? 1 : draw(m, room + 1);
        uint32_t fresh = (uint32_t)least(room, want);
        expect(m, attn_cache_append(m->cache, s, fresh));
        for (uint32_t i = 0; i < fresh; i++) {
            m->token[s][m->length[s]++] = m->next_token++;
        }
        uint32_t back = draw(m, 4) ? 0 : draw(m, fresh + 1);
        expect(m, attn_cache_rewind(m->cache, s, back));
        m->length[s] -= back;
        left -= fresh - back;
        uint32_t rows = draw(m, 3) ? 0 : draw(m, m->shape->source - m->source[s] + 1);
        expect(m, attn_cache_append_source(m->cache, s, rows));
        for (uint32_t i = 0; i < rows; i++) {
            m->row[s][m->source[s]++] = m->next_token++;
        }
        sequences[n++] = s;
    }
    return n;
}

// The slot of position `j` of the batch's sequence k.
static int *slot_of(struct model *m, const attn_batch *b, uint32_t g, uint32_t k, uint32_t j) {
    static int nowhere;
    const attn_group *plan = &m->data.groups[g];
    bool state = plan->layout == ATTN_LAYOUT_STATE;
    uint32_t block = state ? 0 : j / plan->block_size, at = state ? 0 : j % plan->block_size;
    int32_t id = b->tables[g].ids[k * b->tables[g].stride + block % b->tables[g].cols];
    if (id < 0 || (uint64_t)id >= plan->blocks) {
        m->wrong++;
        return &nowhere;
    }
    return &m->page[g][id][at];
}

static void write_step(struct model *m, const attn_batch *b, uint32_t g, const uint32_t *seqs) {
    bool source = m->data.groups[g].source;
    for (uint32_t k = 0; k < b->n_decode + b->n_prefill; k++) {
        uint32_t s = seqs[k];
        for (uint32_t j = source ? m->source_cached[s] : m->cached[s];
             j < (source ? m->source[s] : m->length[s]); j++) {
            *slot_of(m, b, g, k, j) = source ? m->row[s][j] : m->token[s][j];
        }
    }
}

// Every key that a query of the step sees: from the oldest query's first one on.
static void read_step(struct model *m, const attn_batch *b, uint32_t g, const uint32_t *seqs) {
    const attn_group *plan = &m->data.groups[g];
    for (uint32_t k = 0; k < b->n_decode + b->n_prefill; k++) {
        uint32_t s = seqs[k];
        uint32_t end = plan->source ? m->source[s] : m->length[s];
        uint32_t begin = 0;
        if (plan->layout == ATTN_LAYOUT_STATE) { // the last token's state, and that alone
            begin = end ? end - 1 : 0;
        } else if (!plan->source) {
            begin = (uint32_t)attn_span_of((int32_t)m->cached[s], (int32_t)end, plan->window_left,
                                           0, plan->chunk)
                        .lo;
        }
        for (uint32_t j = begin; j < end; j++) {
            int want = plan->source ? m->row[s][j] : m->token[s][j];
            m->wrong += *slot_of(m, b, g, k, j) != want;
            m->checked++;
        }
    }
}

static void check_batch(struct model *m, const attn_batch *b, const uint32_t *seqs) {
    for (uint32_t k = 0; k < b->n_decode + b->n_prefill; k++) {
        uint32_t s = seqs[k], fresh = m->length[s] - m->cached[s];
        m->wrong += (uint32_t)(b->q_start[k + 1] - b->q_start[k]) != fresh;
        m->wrong += (fresh > 2) != (k >= b->n_decode);
        m->wrong += (uint32_t)b->seq_len[k] != m->length[s];
        m->wrong += (uint32_t)b->src_len[k] != m->source[s];
        m->wrong +=
            (uint32_t)(b->src_start[k + 1] - b->src_start[k]) != m->source[s] - m->source_cached[s];
    }
}

static void model_step(struct model *m) {
    uint32_t seqs[MOST_SEQS];
    model_come_and_go(m);
    uint32_t n = model_append(m, seqs);
    attn_batch batch = ATTN_INIT(attn_batch);
    expect(m, attn_cache_batch(m->cache, seqs, n, &batch));
    check_batch(m, &batch, seqs);
    for (uint32_t g = 0; g < GROUPS; g++) {
        write_step(m, &batch, g, seqs);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        read_step(m, &batch, g, seqs);
    }
    expect(m, attn_cache_finish(m->cache));
    for (uint32_t k = 0; k < n; k++) {
        m->cached[seqs[k]] = m->length[seqs[k]];
        m->source_cached[seqs[k]] = m->source[seqs[k]];
    }
}

static void test_shape(const struct shape *shape, uint32_t seed) {
    static struct model m;
    memset(&m, 0, sizeof m);
    m.shape = shape;
    m.state = seed;
    plan(&m.data, shape);
    m.table.data = &m.data.header;
    size_t bytes = attn_cache_bytes(&m.table);
    void *memory = malloc(bytes);
    expect(&m, attn_cache_init(&m.cache, memory, bytes, &m.table));
    for (int step = 0; step < 400; step++) {
        model_step(&m);
    }
    ok(m.refused == 0, "%u sequences of %u, steps of %u, blocks of %u: never out of blocks",
       shape->seqs, shape->tokens, shape->batch, shape->block);
    ok(m.wrong == 0 && m.checked > 1000, "%d visible positions hold what was written", m.checked);
    bool whole = true;
    for (uint32_t s = 0; s < shape->seqs; s++) {
        attn_cache_release(m.cache, s);
    }
    for (uint32_t g = 0; g < GROUPS; g++) {
        whole = whole && attn_cache_free_blocks(m.cache, g) == m.data.groups[g].blocks;
    }
    ok(whole, "in the end every block is free once");
    free(memory);
}

int main(void) {
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        test_shape(&shapes[i], 1 + (uint32_t)i);
        test_shape(&shapes[i], 101 + (uint32_t)i);
    }
    return done_testing();
}
