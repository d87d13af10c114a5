// SPDX-License-Identifier: Apache-2.0
// Checked executions look at the block ids that a call may read or write, and at no others (cases
// C10, C12, C25, C27); rings of columns. In: the fixture. Out: TAP.
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

#include <limits.h>

// One sequence of `fresh` new tokens that ends at `length`, in a checked execution.
static struct fixture *checked(int32_t fresh, int32_t length) {
    static struct fixture f;
    fixture_init(&f);
    fixture_one(&f, fresh, length);
    f.x.flags = ATTN_EXEC_CHECKED;
    f.fault = (attn_fault){9, 9, 9};
    return &f;
}

// C10: three pages of 16 tokens, a sequence of 20.
static void test_c10(int32_t second, bool good) {
    struct fixture *f = checked(1, 20);
    f->kv[FULL].n_pages = 3;
    f->ids[GROUP_FULL][0][0] = 0;
    f->ids[GROUP_FULL][0][1] = second;
    is_int(fixture_step(f), ATTN_OK, "C10: a step does not look at ids");
    static unsigned char pool[PAGES * PAGE_BYTES];
    memcpy(pool, f->pool[FULL], sizeof pool);
    ok(fixture_run(f, FULL) == (good ? ATTN_OK : ATTN_E_BLOCK), "C10: run of [0, %d]", second);
    ok(fixture_write(f, FULL) == (good ? ATTN_OK : ATTN_E_BLOCK), "C10: write of [0, %d]", second);
    if (good) {
        ok(f->fault.sequence == 9 && f->seen.calls == 2, "C10: no fault is named");
        return;
    }
    ok(memcmp(pool, f->pool[FULL], sizeof pool) == 0, "C10: pool bytes are unchanged");
    is_int(f->seen.calls, 0, "C10: no kernel runs");
    ok(f->fault.sequence == 0 && f->fault.column == 1 && f->fault.id == second,
       "C10: the fault names sequence, column and id");
    f->batch.fault = NULL;
    is_int(fixture_run(f, FULL), ATTN_E_BLOCK, "C10: fault may be null");
    f->x.flags = 0;
    is_int(fixture_run(f, FULL), ATTN_OK, "C10: unchecked, the id is the caller's promise");
}

// The first offender is named by its place in the whole batch.
static void test_fault_of_prefill(void) {
    static struct fixture f;
    fixture_init(&f);
    f.x.flags = ATTN_EXEC_CHECKED;
    f.ids[GROUP_FULL][2][1] = -7;
    f.ids[GROUP_FULL][2][2] = -8;
    is_int(fixture_step(&f), ATTN_OK, "a mixed batch with a bad prefill");
    is_int(fixture_run(&f, FULL), ATTN_E_BLOCK, "is refused");
    is_int(f.seen.calls, 0, "before its decode runs");
    ok(f.fault.sequence == 2 && f.fault.column == 1 && f.fault.id == -7, "the first is named");
}

// C12: W = 32, decode at p = 99: blocks 4, 5 and 6 are visible.
static void test_c12(void) {
    struct fixture *f = checked(1, 100);
    for (int32_t b = 0; b < 4; b++) {
        f->ids[GROUP_WINDOWED][0][b] = b % 2 ? -1 : 2147480000;
    }
    f->ids[GROUP_WINDOWED][0][7] = INT32_MAX; // beyond the sequence
    is_int(fixture_step(f), ATTN_OK, "C12: a step with stale ids below the window");
    is_int(fixture_run(f, WINDOWED), ATTN_OK, "C12: ids below and beyond are not looked at");
    for (int32_t b = 4; b < 7; b++) {
        int32_t id = f->ids[GROUP_WINDOWED][0][b];
        f->ids[GROUP_WINDOWED][0][b] = -1;
        is_int(fixture_run(f, WINDOWED), ATTN_E_BLOCK, "C12: every visible block is");
        is_int(f->fault.column, b, "C12: and named");
        f->ids[GROUP_WINDOWED][0][b] = id;
    }
    f->ids[GROUP_WINDOWED][0][5] = -1;
    is_int(fixture_write(f, WINDOWED), ATTN_OK, "C12: a write looks at the blocks it writes");
    f->ids[GROUP_WINDOWED][0][6] = PAGES;
    is_int(fixture_write(f, WINDOWED), ATTN_E_BLOCK, "C12: and at all of these");
}

// A prefill's oldest query decides: 40 new tokens that end at 100 see from 60 - 31 = 29 on.
static void test_oldest_query(void) {
    struct fixture *f = checked(40, 100);
    f->ids[GROUP_WINDOWED][0][0] = -1;
    is_int(fixture_step(f), ATTN_OK, "a windowed prefill");
    is_int(fixture_run(f, WINDOWED), ATTN_OK, "block 0 is below its first query's window");
    f->ids[GROUP_WINDOWED][0][1] = -1;
    is_int(fixture_run(f, WINDOWED), ATTN_E_BLOCK, "block 1 is not");
}

// Chunks of 16: a decode at p = 31 sees 16..31, at p = 32 only itself.
static void test_chunk(void) {
    struct fixture *f = checked(1, 32);
    f->ids[GROUP_CHUNKED][0][0] = -1;
    is_int(fixture_step(f), ATTN_OK, "the last query of a chunk");
    is_int(fixture_run(f, CHUNKED), ATTN_OK, "does not see the chunk before");
    f->ids[GROUP_CHUNKED][0][1] = -1;
    is_int(fixture_run(f, CHUNKED), ATTN_E_BLOCK, "sees all of its own");
    fixture_one(f, 1, 33);
    is_int(fixture_step(f), ATTN_OK, "the first query of the next chunk");
    is_int(fixture_run(f, CHUNKED), ATTN_OK, "sees neither");
}

// C27: one pool for a windowed and a full operator: each has its own mask, in both orders.
static void test_c27(uint32_t windowed_first) {
    struct fixture *f = checked(1, 100);
    f->kv[WINDOWED] = f->kv[FULL];
    f->data.classes[CLASS_WINDOWED].group = GROUP_FULL;
    f->ids[GROUP_FULL][0][0] = -1;
    is_int(fixture_step(f), ATTN_OK, "C27: two masks over one group's pages");
    is_int(fixture_run(f, windowed_first ? WINDOWED : FULL),
           windowed_first ? ATTN_OK : ATTN_E_BLOCK,
           "C27: the windowed operator does not read block 0, the full one does");
    is_int(fixture_run(f, windowed_first ? FULL : WINDOWED),
           windowed_first ? ATTN_E_BLOCK : ATTN_OK, "C27: whichever comes first");
}

// A ring of 3 columns holds W = 32 behind one query wherever it stands; 2 do not.
static void test_ring(void) {
    for (int32_t length = 1; length <= MAX_TOKENS; length++) {
        struct fixture *f = checked(1, length);
        f->tables[GROUP_WINDOWED].cols = f->tables[GROUP_WINDOWED].stride = 3;
        ok(fixture_step(f) == ATTN_OK && fixture_run(f, WINDOWED) == ATTN_OK,
           "a ring of 3 holds the window at %d", length);
        f->ids[GROUP_WINDOWED][0][(length - 1) / BLOCK % 3] = -1;
        ok(fixture_run(f, WINDOWED) == ATTN_E_BLOCK &&
               f->fault.column == (uint32_t)(length - 1) / BLOCK % 3,
           "block b stands in column b mod 3 at %d", length);
    }
    struct fixture *f = checked(1, 100);
    f->tables[GROUP_WINDOWED].cols = f->tables[GROUP_WINDOWED].stride = 2;
    is_int(fixture_step(f), ATTN_E_TABLE, "a ring of 2 cannot hold blocks 4 to 6");
    f = checked(1, 96);
    f->tables[GROUP_WINDOWED].cols = f->tables[GROUP_WINDOWED].stride = 2;
    is_int(fixture_step(f), ATTN_OK, "but blocks 4 and 5");
}

// C25: a sequence without source rows, one with three: neither is causal, no table is read for 0.
static void test_c25(void) {
    static struct fixture f;
    fixture_init(&f);
    f.x.flags = ATTN_EXEC_CHECKED;
    for (int32_t b = 0; b < MAX_TOKENS / BLOCK; b++) {
        f.ids[GROUP_SOURCE][0][b] = -1;
        f.ids[GROUP_SOURCE][2][b] = -1;
    }
    is_int(fixture_step(&f), ATTN_OK, "C25: sources of 0, 3 and 0 rows");
    is_int(fixture_write(&f, CROSS), ATTN_OK, "C25: only the second is written");
    is_int(fixture_run(&f, CROSS), ATTN_OK, "C25: and read");
    f.ids[GROUP_SOURCE][1][0] = -1;
    is_int(fixture_run(&f, CROSS), ATTN_E_BLOCK, "C25: its block is checked");
    is_int(f.fault.sequence, 1, "C25: and named");
}

int main(void) {
    test_c10(99, false);
    test_c10(-1, false);
    test_c10(3, false);
    test_c10(INT32_MAX, false);
    test_c10(2, true);
    test_fault_of_prefill();
    test_c12();
    test_oldest_query();
    test_chunk();
    test_c27(0);
    test_c27(1);
    test_ring();
    test_c25();
    return done_testing();
}
