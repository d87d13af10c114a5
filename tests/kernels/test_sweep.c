// SPDX-License-Identifier: Apache-2.0
// cpu_flash against the oracle: an instance for each kind and shape of sweep_kinds.inc and
// sweep_shapes.inc, each run on ragged batches of short and long sequences, as decode, prefill and
// chunks, whole and partial, by one worker and by several (which splits keys). NaN stands in every
// slot that no row sees.
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>

#define SW_PASTE_(a, b) sweep_##a##_##b
#define SW_PASTE(a, b) SW_PASTE_(a, b)
#define SW_TEXT_(a) #a
#define SW_TEXT(a) SW_TEXT_(a)
#include "tests/kernels/sweep_kinds.inc"

static const struct instance {
    const attn_kernel *kernel;
    const char *name;
    int isa;
} instances[] = {
#define SW_LIST 1
#include "tests/kernels/sweep_kinds.inc"
};

static bool processor_has(int isa) {
#if defined(__x86_64__)
    return isa == 0 || (isa == 3 && __builtin_cpu_supports("avx2")) ||
           (isa == 4 && __builtin_cpu_supports("avx512bw"));
#else
    return isa >= 0;
#endif
}

static const struct batch {
    int n, q_len[6], k_len[6];
} batches[] = {
    {6, {3, 0, 1, 5, 21, 0}, {3, 9, 30, 40, 21, 0}}, // short, some empty
    {2, {1, 1}, {70, 700}},                          // decode; long enough to split
    {3, {2, 130, 40}, {64, 130, 190}},               // draft tokens, a prompt, a chunk
    {1, {5}, {3}},                                   // rows before the first key
};

static double error_of(const attn_kernel *kernel, const struct batch *b, uint32_t workers) {
    struct world w;
    world_new(&w, kernel->params, (uint32_t)b->n, b->q_len, b->k_len, workers);
    w.workers = workers;
    w.partial = workers == 3;
    world_seal(&w);
    double error =
        world_run(&w, kernel->run, kernel->workspace) == ATTN_OK ? world_error(&w) : 1e30;
    world_free(&w);
    return error;
}

int main(void) {
    for (size_t i = 0; i < sizeof instances / sizeof *instances; i++) {
        if (!processor_has(instances[i].isa)) {
            skip("this processor lacks its instructions", instances[i].name);
            continue;
        }
        double worst = 0;
        for (size_t b = 0; b < sizeof batches / sizeof *batches; b++) {
            for (uint32_t workers = 1; workers <= 3; workers += 2) {
                worst = fmax(worst, error_of(instances[i].kernel, &batches[b], workers));
            }
        }
        if (!ok(worst <= 1, "cpu_flash agrees with the oracle: %s", instances[i].name)) {
            diag("greatest error: %g of its tolerance", worst);
        }
    }
    return done_testing();
}
