// SPDX-License-Identifier: Apache-2.0
// D05: a step plans once for each class, dispatch is a look at that plan: 64 operators of 3 classes
// over 100 steps make 300 plans, no allocation, and less than a microsecond a call. In: a table of
// 64 operators made from the fixture's. Out: TAP.
#define _POSIX_C_SOURCE 199309L
#include "runtime/core/step.h"
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

#include <time.h>

#if defined(__SANITIZE_ADDRESS__)
#define COUNTS_MALLOC 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer)
#define COUNTS_MALLOC 0
#endif
#endif
#if !defined(COUNTS_MALLOC) && defined(__GLIBC__)
#define COUNTS_MALLOC 1
#endif

static unsigned allocations;

#if COUNTS_MALLOC
#include <stdlib.h>
void *__libc_malloc(size_t bytes);
void *__libc_calloc(size_t n, size_t bytes);
void *malloc(size_t bytes) {
    allocations++;
    return __libc_malloc(bytes);
}
void *calloc(size_t n, size_t bytes) {
    allocations++;
    return __libc_calloc(n, bytes);
}
#endif

enum { LAYERS = 64, PLAN_CLASSES = 3, STEPS = 100 };

struct deep_data {
    attn_header header;
    attn_class classes[PLAN_CLASSES];
    attn_operator operators[LAYERS];
    attn_group groups[GROUPS];
};

static attn_status stub_run(attn_exec *x, const attn_params *params, const attn_batch *batch,
                            const attn_io *io) {
    (void)params;
    (void)batch;
    (void)io;
    ((struct seen *)x->stream)->calls++;
    return ATTN_OK;
}

static void deepen(struct deep_data *deep, struct fixture *f, attn_kv *kv) {
    static const uint32_t from[PLAN_CLASSES] = {CLASS_FULL, CLASS_WINDOWED, CLASS_CHUNKED};
    fixture_init(f);
    deep->header = f->data.header;
    deep->header.n_classes = PLAN_CLASSES;
    deep->header.n_operators = LAYERS;
    deep->header.classes = offsetof(struct deep_data, classes);
    deep->header.operators = offsetof(struct deep_data, operators);
    deep->header.groups = offsetof(struct deep_data, groups);
    memcpy(deep->groups, f->data.groups, sizeof deep->groups);
    for (uint32_t c = 0; c < PLAN_CLASSES; c++) {
        deep->classes[c] = f->data.classes[from[c]];
    }
    for (uint16_t o = 0; o < LAYERS; o++) {
        deep->operators[o] = f->data.operators[FULL];
        deep->operators[o].class_index = o % PLAN_CLASSES;
        deep->operators[o].owner = o;
        kv[o] = f->kv[FULL];
    }
    for (uint32_t i = 0; i < CLASSES * ROLES; i++) {
        f->kernels[i].run = stub_run;
    }
    f->table.data = &deep->header;
    f->x.kv = kv;
    f->x.n_kv = LAYERS;
}

static double seconds(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

int main(void) {
    static struct fixture f;
    static struct deep_data deep;
    static attn_kv kv[LAYERS];
    deepen(&deep, &f, kv);
    // The first point also gives standard output its buffer, which is an allocation.
    ok(attn_workspace_bytes(&f.table, 1) > 0, "a table of %d operators in %d classes", LAYERS,
       PLAN_CLASSES);
    unsigned plans = 0, failures = 0, before = allocations;
    double fastest = 1;
    for (int s = 0; s < STEPS; s++) {
        failures += fixture_step(&f) != ATTN_OK;
        plans += ((const attn_step_header *)(const void *)f.workspace)->planned;
        double start = seconds();
        for (uint32_t op = 0; op < LAYERS; op++) {
            failures += fixture_run(&f, op) != ATTN_OK;
            failures += fixture_write(&f, op) != ATTN_OK;
        }
        double each = (seconds() - start) / (2 * LAYERS);
        fastest = each < fastest ? each : fastest;
    }
    unsigned made = allocations - before;
    is_int(failures, 0, "D05: every call works");
    is_int(plans, STEPS * PLAN_CLASSES, "D05: plans are made once per step and class");
    is_int(f.seen.calls, STEPS * LAYERS * 3, "D05: every operator ran two phases and wrote");
#if COUNTS_MALLOC
    is_int(made, 0, "D05: nothing is allocated");
    ok(fastest < 1e-6, "D05: a call costs less than a microsecond");
    diag("%.0f ns a call", fastest * 1e9);
#else
    (void)made;
    skip("a sanitizer has the allocator and the time", "D05: nothing is allocated");
#endif
    return done_testing();
}
