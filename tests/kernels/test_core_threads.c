// SPDX-License-Identifier: Apache-2.0
// Workers on real threads: every item runs once, and two tasks at a time never share a slice of the
// workspace, also when there are fewer slices than threads. In: the fixture, a parallel_for of four
// pthreads with a shared counter. Out: TAP; a thread sanitizer sees the rest.
#include "tests/kernels/core_fixture.h"
#include "tests/tap.h"

#include <pthread.h>
#include <stdatomic.h>

enum { THREADS = 4, ITEMS = 400, TURNS = 200 };

struct job { // one parallel_for
    atomic_uint next;
    uint32_t n;
    attn_task *task;
    void *arg;
};

struct thread {
    pthread_t id;
    struct job *job;
    uint32_t worker;
};

static void *take_items(void *arg) {
    struct thread *t = arg;
    for (;;) {
        uint32_t item = atomic_fetch_add(&t->job->next, 1);
        if (item >= t->job->n) {
            return NULL;
        }
        t->job->task(t->job->arg, item, t->worker);
    }
}

static void thread_for(void *ctx, uint32_t n, attn_task *task, void *arg) {
    struct job job = {.n = n, .task = task, .arg = arg};
    struct thread threads[THREADS];
    unsigned *failures = ctx;
    for (uint32_t w = 0; w < THREADS; w++) {
        threads[w] = (struct thread){.job = &job, .worker = w};
        *failures += pthread_create(&threads[w].id, NULL, take_items, &threads[w]) != 0;
    }
    for (uint32_t w = 0; w < THREADS; w++) {
        *failures += pthread_join(threads[w].id, NULL) != 0;
    }
}

struct watch { // what the tasks see
    uint32_t *slices;
    uint32_t workers;
    atomic_uint busy[THREADS], shared, beyond, runs[ITEMS];
};

static void count_in_slice(void *arg, uint32_t item, uint32_t worker) {
    struct watch *w = arg;
    atomic_fetch_add(&w->runs[item], 1);
    if (worker >= w->workers) {
        atomic_fetch_add(&w->beyond, 1);
        return;
    }
    if (atomic_fetch_add(&w->busy[worker], 1) > 0) {
        atomic_fetch_add(&w->shared, 1);
    }
    uint32_t *slice = w->slices + worker * (WORKER_BYTES / sizeof(uint32_t));
    for (int i = 0; i < TURNS; i++) {
        (*(volatile uint32_t *)slice)++;
    }
    atomic_fetch_sub(&w->busy[worker], 1);
}

static attn_status threaded_run(attn_exec *x, const attn_params *params, const attn_batch *batch,
                                const attn_io *io) {
    (void)params;
    (void)batch;
    (void)io;
    struct watch *w = x->stream;
    w->slices = x->workspace;
    w->workers = x->workers;
    for (uint32_t i = 0; i < x->workers; i++) {
        w->slices[i * (WORKER_BYTES / sizeof(uint32_t))] = 0;
    }
    if (x->parallel_for) {
        x->parallel_for(x->parallel_ctx, ITEMS, count_in_slice, w);
    } else {
        for (uint32_t i = 0; i < ITEMS; i++) {
            count_in_slice(w, i, 0);
        }
    }
    return ATTN_OK;
}

static void test_slices(uint32_t slices) {
    static struct fixture f;
    static struct watch watch;
    memset(&watch, 0, sizeof watch);
    fixture_init(&f);
    fixture_one(&f, 1, 20);
    unsigned failures = 0;
    f.kernels[CLASS_FULL * ROLES + ROLE_DECODE].run = threaded_run;
    f.x.stream = &watch;
    f.x.workers = THREADS;
    f.x.parallel_for = thread_for;
    f.x.parallel_ctx = &failures;
    f.x.workspace_bytes = f.data.header.step_bytes + slices * WORKER_BYTES;
    is_int(fixture_step(&f), ATTN_OK, "a step for threads");
    is_int(fixture_run(&f, FULL), ATTN_OK, "its operator runs");
    is_int(failures, 0, "on threads");
    uint32_t sum = 0, once = 0;
    for (uint32_t i = 0; i < watch.workers; i++) {
        sum += watch.slices[i * (WORKER_BYTES / sizeof(uint32_t))];
    }
    for (uint32_t i = 0; i < ITEMS; i++) {
        once += watch.runs[i] == 1;
    }
    ok(once == ITEMS, "%u slices for %d threads: every item runs once", slices, THREADS);
    ok(watch.shared == 0 && watch.beyond == 0, "no slice has two tasks at a time");
    is_int(sum, ITEMS * TURNS, "no turn of a task is lost");
}

int main(void) {
    for (uint32_t slices = 1; slices <= THREADS + 1; slices++) {
        test_slices(slices);
    }
    return done_testing();
}
