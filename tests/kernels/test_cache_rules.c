// SPDX-License-Identifier: Apache-2.0
// The cache manager's promises, one by one: sizes, refusals that change nothing, window reclaim
// after the step, rings, forks, rewinds, the image, and its batch in attn_step. In: the fixture's
// table. Out: TAP.
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

#include <stdlib.h>

enum { ROOM = 8 }; // blocks of a longest sequence of the fixture: MAX_TOKENS / BLOCK

static struct fixture f;
static attn_cache *cache;
static _Alignas(8) unsigned char memory[1 << 16];

static void open_cache(void) {
    fixture_init(&f);
    is_int(attn_cache_init(&cache, memory, sizeof memory, &f.table), ATTN_OK, "a manager opens");
}

// Appends, and leaves the step to the caller.
static void append(uint32_t sequence, uint32_t tokens, attn_status want, const char *rule) {
    is_int(attn_cache_append(cache, sequence, tokens), want, rule);
}

// A whole step of one sequence.
static void step(uint32_t sequence, uint32_t tokens) {
    attn_batch batch = ATTN_INIT(attn_batch);
    ok(attn_cache_append(cache, sequence, tokens) == ATTN_OK &&
           attn_cache_batch(cache, &sequence, 1, &batch) == ATTN_OK &&
           attn_cache_finish(cache) == ATTN_OK,
       "a step of %u tokens", tokens);
}

static void free_blocks(uint32_t full, uint32_t windowed, uint32_t chunked, const char *rule) {
    ok(attn_cache_free_blocks(cache, GROUP_FULL) == full &&
           attn_cache_free_blocks(cache, GROUP_WINDOWED) == windowed &&
           attn_cache_free_blocks(cache, GROUP_CHUNKED) == chunked,
       "%s: %u, %u and %u blocks are free", rule, full, windowed, chunked);
}

static void test_memory(void) {
    fixture_init(&f);
    size_t bytes = attn_cache_bytes(&f.table);
    ok(bytes > 0 && bytes < sizeof memory, "a manager of %u groups takes %zu bytes", GROUPS, bytes);
    is_int(attn_cache_init(&cache, NULL, bytes, &f.table), ATTN_E_NULL, "no memory");
    is_int(attn_cache_init(NULL, memory, bytes, &f.table), ATTN_E_NULL, "nowhere to put it");
    is_int(attn_cache_init(&cache, memory + 1, bytes, &f.table), ATTN_E_ALIGN, "odd memory");
    is_int(attn_cache_init(&cache, memory, bytes - 1, &f.table), ATTN_E_WORKSPACE, "a byte less");
    unsigned char *exact = malloc(bytes); // a sanitizer watches its end
    is_int(attn_cache_init(&cache, exact, bytes, &f.table), ATTN_OK, "exactly its size");
    free(exact);
    f.data.groups[0].block_size = 0;
    is_int((long long)attn_cache_bytes(&f.table), 0, "blocks of no tokens cannot be managed");
    is_int(attn_cache_init(&cache, memory, sizeof memory, &f.table), ATTN_E_ABI, "nor opened");
    f.data.groups[0].block_size = BLOCK;
    f.data.groups[0].blocks = UINT64_MAX;
    is_int((long long)attn_cache_bytes(&f.table), 0, "nor more blocks than ids");
    is_int((long long)attn_cache_bytes(NULL), 0, "nor no table");
    fixture_init(&f);
    f.data.header.max_seqs = INT32_MAX - 1;
    f.data.header.step_bytes = ATTN_STEP_BYTES(CLASSES, f.data.header.max_seqs);
    for (int g = 0; g < GROUPS; g++) {
        f.data.groups[g].max_length = INT32_MAX;
        f.data.groups[g].block_size = 1;
    }
    is_int((long long)attn_cache_bytes(&f.table), 0, "nor block tables beyond 2^64 bytes");
}

static void test_refusals(void) {
    open_cache();
    append(0, 1, ATTN_E_CACHE, "a sequence that was not begun");
    append(MAX_SEQS, 1, ATTN_E_CACHE, "a sequence beyond max_seqs");
    is_int(attn_cache_begin(cache, MAX_SEQS), ATTN_E_LIMIT, "which cannot be begun");
    is_int(attn_cache_begin(cache, 0), ATTN_OK, "a sequence begins");
    is_int(attn_cache_begin(cache, 0), ATTN_E_CACHE, "but once");
    append(0, MAX_BATCH + 1, ATTN_E_LIMIT, "more than max_batch_tokens");
    append(0, UINT32_MAX, ATTN_E_LIMIT, "a number that would wrap");
    is_int(attn_cache_append_source(cache, 0, MAX_SOURCE + 1), ATTN_E_LIMIT, "a long source");
    is_int(attn_cache_begin(cache, 1), ATTN_OK, "a second sequence");
    append(0, MAX_BATCH - 10, ATTN_OK, "most of a step's tokens for the first");
    append(1, 11, ATTN_E_LIMIT, "no more than the rest for the second");
    is_int(attn_cache_length(cache, 1), 0, "which stays as it was");
    is_int(attn_cache_finish(cache), ATTN_E_STEP, "nothing to finish before a batch");
    is_int(attn_cache_release(cache, 2), ATTN_E_CACHE, "nothing to release");
    is_int(attn_cache_release(cache, 0), ATTN_OK, "the first is released before its step");
    append(1, MAX_BATCH, ATTN_OK, "its tokens are the second's now");
    attn_batch batch = {0};
    uint32_t seqs[] = {1, 1};
    is_int(attn_cache_batch(cache, seqs, 1, &batch), ATTN_E_SIZE, "a batch without size");
    batch = ATTN_INIT(attn_batch);
    is_int(attn_cache_batch(cache, seqs, 2, &batch), ATTN_E_BATCH, "a sequence twice");
    seqs[1] = 0;
    is_int(attn_cache_batch(cache, seqs, 2, &batch), ATTN_E_CACHE, "a released sequence");
    is_int(attn_cache_batch(cache, NULL, 1, &batch), ATTN_E_NULL, "no list of sequences");
    is_int(attn_cache_batch(cache, seqs, 1, &batch), ATTN_OK, "a batch of the second");
    is_int(attn_cache_batch(cache, seqs, 1, &batch), ATTN_E_STEP, "no batch before it is over");
    append(1, 1, ATTN_E_STEP, "no append either");
    is_int(attn_cache_append_source(cache, 1, 1), ATTN_E_STEP, "nor of source rows");
    is_int(attn_cache_release(cache, 1), ATTN_E_STEP, "nor a release of what is read");
    is_int(attn_cache_finish(cache), ATTN_OK, "then it is over");
    step(1, MAX_BATCH);
    append(1, 1, ATTN_E_LIMIT, "beyond max_tokens");
}

// A group that is out of blocks leaves the others alone.
static void test_atomic(void) {
    fixture_init(&f);
    f.data.groups[GROUP_CHUNKED].blocks = 1;
    is_int(attn_cache_init(&cache, memory, sizeof memory, &f.table), ATTN_OK, "a small group");
    attn_cache_begin(cache, 0);
    append(0, BLOCK, ATTN_OK, "its block is taken");
    free_blocks(PAGES - 1, PAGES - 1, 0, "one block each");
    append(0, 1, ATTN_E_CACHE, "no second one");
    free_blocks(PAGES - 1, PAGES - 1, 0, "and no other group has changed");
    is_int(attn_cache_length(cache, 0), BLOCK, "nor the length");
}

// W = 32, chunks of 16: what no later query sees is free when the step is over, not before.
static void test_reclaim(void) {
    open_cache();
    attn_cache_begin(cache, 0);
    append(0, 60, ATTN_OK, "60 tokens");
    free_blocks(PAGES - 4, PAGES - 4, PAGES - 4, "four blocks each");
    attn_batch batch = ATTN_INIT(attn_batch);
    uint32_t zero = 0;
    attn_cache_batch(cache, &zero, 1, &batch);
    free_blocks(PAGES - 4, PAGES - 4, PAGES - 4, "while the step is under way");
    attn_cache_finish(cache);
    // the next query, 60, sees 29.. of the window and 48.. of its chunk
    free_blocks(PAGES - 4, PAGES - 3, PAGES - 1, "when it is over");
    step(0, 4);
    // the next query, 64, sees 33.. and begins a chunk
    free_blocks(PAGES - 4, PAGES - 2, PAGES, "at 64");
}

static void test_batch_order(void) {
    open_cache();
    uint32_t seqs[] = {3, 0, 2, 1};
    static const uint32_t fresh[] = {2, 0, 5, 9}; // by sequence number; decode_q is 2
    for (uint32_t s = 0; s < MAX_SEQS; s++) {
        attn_cache_begin(cache, s);
        append(s, fresh[s], ATTN_OK, "new tokens");
    }
    is_int(attn_cache_append_source(cache, 2, 3), ATTN_OK, "source rows");
    attn_batch batch = ATTN_INIT(attn_batch);
    batch.fault = &f.fault;
    is_int(attn_cache_batch(cache, seqs, 4, &batch), ATTN_OK, "a batch of four");
    ok(seqs[0] == 0 && seqs[1] == 1 && seqs[2] == 3 && seqs[3] == 2,
       "those that decode come first, else in the caller's order");
    ok(batch.n_decode == 2 && batch.n_prefill == 2 && batch.n_tokens == 16, "counts");
    static const int32_t q_start[] = {0, 2, 2, 11, 16}, seq_len[] = {2, 0, 9, 5};
    static const int32_t src_start[] = {0, 0, 0, 0, 3}, src_len[] = {0, 0, 0, 3};
    ok(memcmp(batch.q_start, q_start, sizeof q_start) == 0, "query starts");
    ok(memcmp(batch.seq_len, seq_len, sizeof seq_len) == 0, "lengths");
    ok(memcmp(batch.src_start, src_start, sizeof src_start) == 0, "source starts");
    ok(memcmp(batch.src_len, src_len, sizeof src_len) == 0, "source lengths");
    ok(batch.fault == &f.fault, "fault stays the caller's");
    f.x.flags = ATTN_EXEC_CHECKED;
    is_int(attn_step(&f.x, &f.table, &batch), ATTN_OK, "attn_step takes it");
    for (uint32_t op = 0; op < OPERATORS; op++) {
        if (op != ENCODER) {
            is_int(attn_run(&f.x, &f.table, op, &batch, &f.io), ATTN_OK,
                   "its blocks are all there");
        }
    }
}

static void test_image(void) {
    open_cache();
    attn_cache_begin(cache, 2);
    append(2, 20, ATTN_OK, "20 tokens");
    uint32_t seqs[] = {2};
    attn_batch batch = ATTN_INIT(attn_batch);
    attn_cache_batch(cache, seqs, 1, &batch);
    size_t bytes = 0;
    const char *image = attn_cache_image(cache, &bytes);
    const void *part[] = {batch.q_start,
                          batch.seq_len,
                          batch.src_start,
                          batch.src_len,
                          batch.tables[GROUP_FULL].ids,
                          batch.tables[GROUP_CHUNKED].ids};
    bool inside = true;
    for (size_t i = 0; i < sizeof part / sizeof part[0]; i++) {
        inside = inside && (const char *)part[i] >= image && (const char *)part[i] < image + bytes;
    }
    ok(inside, "one image of %zu bytes holds all arrays of a batch", bytes);
    ok(batch.tables[GROUP_FULL].cols == ROOM, "a full group has a column for each block");
    // W + N - 2 = 94 tokens span at most 7 blocks; chunks of 16: 78 tokens span 6
    ok(batch.tables[GROUP_WINDOWED].cols == 7 && batch.tables[GROUP_CHUNKED].cols == 6,
       "windows and chunks have rings");
    ok(attn_cache_image(cache, NULL) == NULL, "its size is not optional");
}

static int32_t block_of(const attn_batch *b, uint32_t group, uint32_t place, uint32_t block) {
    const attn_block_table *t = &b->tables[group];
    return t->ids[place * t->stride + block % t->cols];
}

static void test_fork(void) {
    open_cache();
    attn_cache_begin(cache, 0);
    append(0, 40, ATTN_OK, "a prefix of 40 tokens");
    attn_cache_copy copies[GROUPS];
    uint32_t n = 99, seqs[] = {0, 1};
    is_int(attn_cache_fork(cache, 0, 1, 40, copies, &n), ATTN_E_LENGTH, "not before its step");
    attn_batch batch = ATTN_INIT(attn_batch);
    attn_cache_batch(cache, seqs, 1, &batch);
    is_int(attn_cache_fork(cache, 0, 1, 40, copies, &n), ATTN_E_STEP, "nor while it is under way");
    attn_cache_finish(cache);
    is_int(attn_cache_fork(cache, 0, 0, 40, copies, &n), ATTN_E_CACHE, "nor onto itself");
    is_int(attn_cache_fork(cache, 0, MAX_SEQS, 40, copies, &n), ATTN_E_LIMIT, "nor beyond");
    is_int(attn_cache_fork(cache, 0, 1, 40, NULL, &n), ATTN_E_NULL, "copies have to go somewhere");
    is_int(attn_cache_fork(cache, 0, 1, 10, copies, &n), ATTN_E_CACHE, "the chunk has passed 10");
    is_int(n, 99, "a refused fork says nothing");
    is_int(attn_cache_fork(cache, 0, 1, 40, copies, &n), ATTN_OK, "a fork of all 40");
    is_int(n, 3, "copies the partial block of three groups, the source is empty");
    free_blocks(PAGES - 4, PAGES - 4, PAGES - 2, "only the partial blocks are new");
    is_int(attn_cache_length(cache, 1), 40, "it has the prefix's length");
    append(0, 1, ATTN_OK, "the old sequence goes on");
    append(1, 1, ATTN_OK, "so does the new one");
    attn_cache_batch(cache, seqs, 2, &batch);
    ok(block_of(&batch, GROUP_FULL, 0, 1) == block_of(&batch, GROUP_FULL, 1, 1),
       "whole blocks are shared");
    ok(block_of(&batch, GROUP_FULL, 0, 2) == copies[0].from &&
           block_of(&batch, GROUP_FULL, 1, 2) == copies[0].to && copies[0].from != copies[0].to,
       "each writes its own last block");
    attn_cache_finish(cache);
    attn_cache_release(cache, 0);
    free_blocks(PAGES - 3, PAGES - 3, PAGES - 1, "what is shared outlives the first");
    attn_cache_release(cache, 1);
    free_blocks(PAGES, PAGES, PAGES, "and not the second");
}

// A prefix that ends with a block: nothing to copy.
static void test_fork_of_whole_blocks(void) {
    open_cache();
    attn_cache_begin(cache, 0);
    step(0, 32);
    uint32_t n = 99;
    is_int(attn_cache_fork(cache, 0, 3, 32, NULL, &n), ATTN_OK, "a fork at a block's end");
    is_int(n, 0, "copies nothing");
    free_blocks(PAGES - 2, PAGES - 2, PAGES, "and takes nothing");
}

static void test_copy_pages(void) {
    fixture_init(&f);
    const attn_cache_copy copies[] = {{GROUP_FULL, 1, 4}, {GROUP_CHUNKED, 0, 5}};
    memset(f.pool[FULL] + PAGE_BYTES, 7, PAGE_BYTES);
    memset(f.pool[CHUNKED], 8, PAGE_BYTES);
    is_int(attn_cache_copy_pages(&f.table, f.kv, OPERATORS, copies, 2), ATTN_OK, "two copies");
    ok(memcmp(f.pool[FULL] + 4 * PAGE_BYTES, f.pool[FULL] + PAGE_BYTES, PAGE_BYTES) == 0 &&
           memcmp(f.pool[CHUNKED] + 5 * PAGE_BYTES, f.pool[CHUNKED], PAGE_BYTES) == 0,
       "each in the operators of its group");
    ok(f.pool[FULL][5 * PAGE_BYTES] == 0 && f.pool[WINDOWED][4 * PAGE_BYTES] == 0,
       "and nowhere else");
    const attn_cache_copy far[] = {{GROUP_FULL, 1, 6}, {GROUP_FULL, 0, PAGES}};
    is_int(attn_cache_copy_pages(&f.table, f.kv, OPERATORS, far, 2), ATTN_E_BLOCK, "a wild id");
    is_int(f.pool[FULL][6 * PAGE_BYTES], 0, "then nothing is copied");
    is_int(attn_cache_copy_pages(&f.table, f.kv, 1, copies, 1), ATTN_E_NULL, "too few pools");
}

static void test_bind(void) {
    fixture_init(&f);
    f.data.groups[GROUP_FULL].page_bytes = 100; // 12 pages are no whole cache lines
    size_t bytes = attn_cache_pool_bytes(&f.table);
    size_t want = ATTN_ROUND_UP(PAGES * 100, 64) + 3 * PAGES * PAGE_BYTES;
    ok(bytes == want, "pools of the four operators that own pages: %zu bytes", bytes);
    static _Alignas(64) char pool[4 * PAGES * PAGE_BYTES];
    attn_kv kv[OPERATORS];
    is_int(attn_cache_bind(&f.table, pool, bytes, kv, OPERATORS), ATTN_OK, "are shared out");
    ok(kv[FULL].base == pool && kv[FULL].page_stride == 100 && kv[FULL].n_pages == PAGES,
       "the first begins the pool");
    ok(kv[WINDOWED].base == pool + 1216 && kv[CHUNKED].page_stride == PAGE_BYTES,
       "the next stands behind it, aligned");
    ok(!kv[ENCODER].base && !kv[SHARED].base, "others have none");
    is_int(attn_cache_bind(&f.table, pool, bytes - 1, kv, OPERATORS), ATTN_E_WORKSPACE, "less");
    is_int(attn_cache_bind(&f.table, pool + 8, bytes, kv, OPERATORS), ATTN_E_ALIGN, "not aligned");
    is_int(attn_cache_bind(&f.table, NULL, bytes, kv, OPERATORS), ATTN_E_NULL, "no pool");
    is_int(attn_cache_bind(&f.table, pool, bytes, kv, OPERATORS - 1), ATTN_E_NULL, "short kv");
    is_int(attn_cache_bind(NULL, pool, bytes, kv, OPERATORS), ATTN_E_NULL, "no table");
    f.data.groups[GROUP_FULL].page_bytes = UINT64_MAX / 2;
    is_int((long long)attn_cache_pool_bytes(&f.table), 0, "a pool beyond pointers is 0");
    is_int(attn_cache_bind(&f.table, pool, bytes, kv, OPERATORS), ATTN_E_LIMIT, "and refused");
}

static void test_rewind(void) {
    open_cache();
    attn_cache_begin(cache, 0);
    step(0, 30);
    append(0, 6, ATTN_OK, "six drafts");
    uint32_t zero = 0;
    attn_batch batch = ATTN_INIT(attn_batch);
    attn_cache_batch(cache, &zero, 1, &batch);
    is_int(attn_cache_rewind(cache, 0, 7), ATTN_E_LENGTH, "older tokens stay");
    is_int(attn_cache_rewind(cache, 0, 5), ATTN_OK, "five were wrong");
    is_int(attn_cache_rewind(cache, 1, 0), ATTN_E_CACHE, "no such sequence");
    is_int(attn_cache_length(cache, 0), 31, "one is kept");
    attn_cache_finish(cache);
    free_blocks(PAGES - 2, PAGES - 2, PAGES - 1, "their blocks are free");
    append(0, MAX_BATCH, ATTN_OK, "and the next step has all its tokens");
}

// Tokens that were appended but left out of a batch wait for the next one.
static void test_left_out(void) {
    open_cache();
    attn_cache_begin(cache, 0);
    attn_cache_begin(cache, 1);
    append(0, 4, ATTN_OK, "tokens for one");
    append(1, 5, ATTN_OK, "and another");
    uint32_t seqs[] = {0, 1};
    attn_batch batch = ATTN_INIT(attn_batch);
    attn_cache_batch(cache, seqs, 1, &batch);
    attn_cache_finish(cache);
    is_int(attn_cache_batch(cache, seqs, 2, &batch), ATTN_OK, "the next batch");
    ok(batch.q_start[1] == 0 && batch.q_start[2] == 5, "has the tokens that were left out");
}

int main(void) {
    test_memory();
    test_refusals();
    test_atomic();
    test_reclaim();
    test_batch_order();
    test_image();
    test_fork();
    test_fork_of_whole_blocks();
    test_copy_pages();
    test_bind();
    test_rewind();
    test_left_out();
    return done_testing();
}
