// SPDX-License-Identifier: Apache-2.0
// Cases from public reports, each named after its number: small inputs whose right value can be
// seen, run through cpu_ref and cpu_flash. Most have q = 0 and V[j] = j, so that a row's output is
// the mean of the positions that it sees.
#define _GNU_SOURCE // MAP_ANONYMOUS
#include "attn/kernels/cpu.h"
#include "attn/kernels/sizes.h"
#include "attn/span.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define ATTN_TRACE 1
#include "tests/kernels/case_instances.inc"

static uint64_t last_tiles;
static char last_family[16];

void attn_trace(const attn_params *params, const char *instance, const char *family,
                uint64_t tiles) {
    (void)params, (void)instance;
    last_tiles = tiles;
    snprintf(last_family, sizeof last_family, "%s", family);
}

enum family { REF, FLASH, FAMILIES };
static const char *const family_name[] = {"cpu_ref", "cpu_flash"};

static bool processor_has(uint32_t caps) {
#if defined(__x86_64__)
    return (!(caps & ATTN_CAP_X86_64_V3) || __builtin_cpu_supports("avx2")) &&
           (!(caps & ATTN_CAP_X86_64_V4) || __builtin_cpu_supports("avx512bw"));
#else
    return caps == 0;
#endif
}

static attn_status run(struct world *w, const attn_kernel *kernel, enum family family) {
    if (family == FLASH) {
        return world_run(w, kernel->run, kernel->workspace);
    }
    return world_run(w, attn_cpu_ref, ATTN_CPU_REF_WORKSPACE(w->p->head_dim, w->p->v_head_dim));
}

// One sequence on a ramp V[j] = j + base, run and left for questions.
static void ramp(struct world *w, const attn_kernel *kernel, enum family family, int q_len,
                 int k_len, float base) {
    world_new(w, kernel->params, 1, &q_len, &k_len, 1);
    world_ramp(w, base);
    w->workers = 4;
    world_seal(w);
    run(w, kernel, family);
}

static bool near(double got, double want) {
    return fabs(got - want) <= 1e-3 || got == want;
}

// Output of the last row of one sequence on a ramp.
static double last_row(const attn_kernel *kernel, enum family family, int q_len, int k_len) {
    struct world w;
    ramp(&w, kernel, family, q_len, k_len, 0);
    double got = world_out(&w, q_len - 1, 0, 0);
    world_free(&w);
    return got;
}

static void c01(enum family f) {
    static const struct {
        int position;
        double want;
    } rows[] = {{9, 7.5}, {2, 1.0}, {3, 1.5}, {4, 2.5}};
    bool right = true;
    for (int i = 0; i < 4; i++) {
        int n = rows[i].position + 1;
        right &= near(last_row(&window4, f, n, n), rows[i].want); // prefill
        right &= near(last_row(&window4, f, 1, n), rows[i].want); // decode
    }
    ok(right, "C01 %s: a window of 4 keys counts the query's own", family_name[f]);
}

static void c03(enum family f) {
    struct world w;
    int q_len = 1, k_len = 2;
    world_new(&w, scale_1.params, 1, &q_len, &k_len, 1);
    world_ramp(&w, 0);
    w.q[0] = -256;
    for (int j = 0; j < 2; j++) {
        w.k[j * 64] = j == 0 ? 256 : 258;
        w.v[j * 64] = j == 0 ? 3 : 7;
    }
    world_seal(&w);
    run(&w, &scale_1, f);
    ok(world_out(&w, 0, 0, 0) == 3.0 && world_lse(&w, 0, 0) == -65536.0,
       "C03a %s: very negative logits are no mask", family_name[f]);
    world_free(&w);
    q_len = 2;
    world_new(&w, scale_1.params, 1, &q_len, &k_len, 1);
    world_ramp(&w, 0);
    w.q[0] = -20000;
    w.k[0] = 1;
    w.v[0] = 1;
    w.v[64] = 100;
    world_seal(&w);
    run(&w, &scale_1, f);
    ok(world_out(&w, 0, 0, 0) == 1.0, "C03b %s: any finite logit beats a masked key",
       family_name[f]);
    world_free(&w);
}

static void c04(enum family f) {
    static const double out[] = {0, 0, 1, 1.5, 2};
    static const double lse[] = {-INFINITY, -INFINITY, 0, 0.69314718, 1.09861229};
    struct world w;
    ramp(&w, &full16, f, 5, 3, 1);
    bool right = world_error(&w) <= 1;
    for (int i = 0; i < 5; i++) {
        right &= near(world_out(&w, i, 0, 0), out[i]) && near(world_lse(&w, i, 0), lse[i]);
    }
    right &= world_out(&w, 0, 0, 0) == 0 && world_out(&w, 1, 0, 15) == 0;
    ok(right, "C04 %s: rows before the first key give exactly 0 and LSE -inf", family_name[f]);
    world_free(&w);
}

// Greatest difference between two kernels' outputs for the same tensors.
static double difference(const attn_kernel *a, const attn_kernel *b, enum family f, float k_scale,
                         float v_scale) {
    struct world w[2];
    const attn_kernel *kernel[] = {a, b};
    int q_len = 3, k_len = 40;
    for (int i = 0; i < 2; i++) {
        world_new(&w[i], kernel[i]->params, 1, &q_len, &k_len, 5);
        for (int d = 0; d < 16 * 3; d++) {
            w[i].q[d] *= 8; // scores that a soft cap can be seen on
        }
        w[i].all_written = true;
        world_seal(&w[i]);
        w[i].io.k_scale *= i ? k_scale : 1;
        w[i].io.v_scale *= i ? v_scale : 1;
        run(&w[i], kernel[i], f);
    }
    double most = 0;
    for (int i = 0; i < 3 * 16; i++) {
        most = fmax(most, fabs(world_out(&w[0], i / 16, 0, (uint32_t)i % 16) -
                               world_out(&w[1], i / 16, 0, (uint32_t)i % 16)));
    }
    world_free(&w[0]);
    world_free(&w[1]);
    return most;
}

static void c06(enum family f) {
    const struct {
        const char *what;
        const attn_kernel *kernel;
    } rows[] = {{"softcap 5", &softcap5},      {"softcap 50", &softcap50}, {"scale", &scale_half},
                {"window_left", &window4},     {"chunk", &chunk8_page4},   {"alibi", &alibi},
                {"sink_logits", &sink_logits}, {"sink_tokens", &sinks2},   {"causal", &cross}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        ok(difference(&full16, rows[i].kernel, f, 1, 1) > 1e-4, "C06 %s: %s is observable",
           family_name[f], rows[i].what);
    }
}

static void c06_scales(void) {
    attn_params p = *full16.params;
    p.kv_dtype = ATTN_FP8_E4M3;
    attn_kernel fp8 = full16;
    fp8.params = &p;
    ok(difference(&fp8, &fp8, REF, 2, 1) > 1e-3, "C06 cpu_ref: k_scale is observable");
    ok(difference(&fp8, &fp8, REF, 1, 2) > 1e-3, "C06 cpu_ref: v_scale is observable");
    ok(difference(&fp8, &fp8, REF, 1, 1) == 0, "C06 cpu_ref: and nothing else changes the output");
}

// Output bytes of one random sequence whose unseen slots hold `poison`; the caller frees them.
static unsigned char *bits(const attn_kernel *kernel, enum family f, int q_len, int k_len,
                           double poison, size_t *n) {
    struct world w;
    world_new(&w, kernel->params, 1, &q_len, &k_len, 3);
    w.poison = poison;
    world_seal(&w);
    run(&w, kernel, f);
    unsigned char *copy = malloc(w.out_bytes);
    memcpy(copy, w.out_mem, *n = w.out_bytes);
    world_free(&w);
    return copy;
}

static void c08(enum family f) {
    ok(near(last_row(&full16, f, 1, 5), 2.0), "C08 %s: NaN behind the last key is not read",
       family_name[f]);
    static const double poisons[] = {NAN, INFINITY, 3.4e38};
    bool same = true;
    for (int i = 0; i < 3; i++) {
        for (int window = 0; window < 2; window++) {
            const attn_kernel *kernel = window ? &window32 : &full16;
            size_t n;
            unsigned char *clean = bits(kernel, f, 1 + 30 * (i % 2), 101, 0, &n);
            unsigned char *dirty = bits(kernel, f, 1 + 30 * (i % 2), 101, poisons[i], &n);
            same &= memcmp(clean, dirty, n) == 0;
            free(clean);
            free(dirty);
        }
    }
    ok(same, "C08 %s: poisoned slots give the same bits as zeroed ones", family_name[f]);
}

// A pool beyond 2^31 elements, of which one page is touched.
static void c09(enum family f) {
    const attn_params *p = pool_4g.params;
    const int32_t page = 65536;
    size_t page_bytes = (size_t)p->page_bytes, pool_bytes = (size_t)(page + 1) * page_bytes;
    struct world w;
    int one = 1;
    world_new(&w, p, 1, &one, &one, 9);
    world_seal(&w);
    char *pool = mmap(NULL, pool_bytes, PROT_READ | PROT_WRITE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (pool == MAP_FAILED) {
        skip("no address space for the pool", "C09");
        world_free(&w);
        return;
    }
    memcpy(pool + (size_t)page * page_bytes, w.pool + w.table[0] * w.io.cache.page_stride,
           page_bytes);
    w.io.cache.base = pool;
    w.io.cache.page_stride = (int64_t)page_bytes;
    w.io.cache.n_pages = (uint32_t)page + 1;
    w.table[0] = page;
    run(&w, &pool_4g, f);
    ok(world_error(&w) <= 1, "C09 %s: page 65536 of 32768 elements is reached", family_name[f]);
    munmap(pool, pool_bytes);
    world_free(&w);
}

static void c11(enum family f) {
    static const int lengths[] = {16, 17, 32};
    bool same = true;
    for (int i = 0; i < 3; i++) {
        int q_len = 1, k_len = lengths[i];
        unsigned char *first = NULL;
        for (int tail = 0; tail < 3; tail++) {
            struct world w;
            world_new(&w, full16.params, 1, &q_len, &k_len, 4);
            w.cols = 8;
            w.poison = 1e4;
            world_seal(&w);
            for (int b = (k_len + 15) / 16; b < 8; b++) {
                int32_t unused = 0; // a page of 1e4 that no block names
                while (unused == w.table[0] || unused == w.table[1]) {
                    unused++;
                }
                w.table[b] = tail == 0 ? INT32_MAX : tail == 1 ? -1 : unused;
            }
            run(&w, &full16, f);
            if (!first) {
                first = malloc(w.out_bytes);
                memcpy(first, w.out_mem, w.out_bytes);
            }
            same &= memcmp(first, w.out_mem, w.out_bytes) == 0 && world_error(&w) <= 1;
            world_free(&w);
        }
        free(first);
    }
    ok(same, "C11 %s: columns behind the last block are never read", family_name[f]);
}

static void c12(enum family f) {
    bool right = true;
    for (int stale = 0; stale < 3; stale++) {
        struct world w;
        int q_len = 1, k_len = 100;
        world_new(&w, window32.params, 1, &q_len, &k_len, 4);
        world_ramp(&w, 0);
        world_seal(&w);
        for (int b = 0; b < 4; b++) {
            w.table[b] = stale == 0 ? INT32_MAX : stale == 1 ? -1 : w.table[4];
        }
        run(&w, &window32, f);
        right &= near(world_out(&w, 0, 0, 0), 83.5);
        world_free(&w);
    }
    ok(right, "C12 %s: blocks below the window may be stale", family_name[f]);
}

static void c14(enum family f) {
    struct world w;
    ramp(&w, &chunk8_page4, f, 10, 10, 0);
    ok(near(world_out(&w, 7, 0, 0), 3.5) && near(world_out(&w, 9, 0, 0), 8.5),
       "C14a %s: a length that is no multiple of the chunk", family_name[f]);
    world_free(&w);
    ok(near(last_row(&chunk8192, f, 40, 300), 149.5),
       "C14b %s: a chunk above the length is full causal attention", family_name[f]);
    ramp(&w, &chunk100_page16, f, 503, 503, 0);
    ok(world_error(&w) <= 1 && near(world_out(&w, 502, 0, 0), 501),
       "C14c %s: one sequence of five chunks and a rest", family_name[f]);
    world_free(&w);
    ok(near(last_row(&chunk100_page1, f, 9, 250), 224.5) &&
           near(last_row(&chunk100_page16, f, 9, 250), 224.5) &&
           near(last_row(&chunk100_page64, f, 9, 250), 224.5),
       "C14d %s: chunks need no relation to pages", family_name[f]);
}

static void c16(void) {
    attn_params p = *full16.params;
    p.kv_dtype = ATTN_FP8_E4M3;
    p.scale = 0.5f;
    struct world w;
    int q_len = 1, k_len = 2;
    world_new(&w, &p, 1, &q_len, &k_len, 1);
    world_ramp(&w, 0);
    w.q[0] = 1;
    w.k[16] = 4;
    w.v[0] = 1;
    w.v[16] = 3;
    world_seal(&w);
    world_run(&w, attn_cpu_ref, ATTN_CPU_REF_WORKSPACE(16, 16));
    ok(fabs(world_out(&w, 0, 0, 0) - 2.761594) < 1e-5 && world_error(&w) <= 1,
       "C16 cpu_ref: k_scale and v_scale reach fp8 keys and values");
    world_free(&w);
}

static void c17(enum family f) {
    struct world w;
    ramp(&w, &encoder2, f, 10, 10, 0);
    ok(near(world_out(&w, 5, 0, 0), 5) && near(world_out(&w, 0, 0, 0), 1) &&
           near(world_out(&w, 9, 0, 0), 8),
       "C17 %s: a window on both sides of an encoder's tokens", family_name[f]);
    world_free(&w);
    int q_len[] = {3, 7};
    world_new(&w, encoder2.params, 2, q_len, q_len, 1);
    world_ramp(&w, 0);
    world_seal(&w);
    run(&w, &encoder2, f);
    ok(near(world_out(&w, 2, 0, 0), 1) && near(world_out(&w, 3, 0, 0), 1) && world_error(&w) <= 1,
       "C17 %s: packed sequences do not see each other", family_name[f]);
    world_free(&w);
}

static void c19(enum family f) {
    struct world w;
    ramp(&w, &window8, f, 4, 12, 0);
    bool right = true;
    for (int i = 0; i < 4; i++) {
        right &= near(world_out(&w, i, 0, 0), 4.5 + i);
    }
    ok(right, "C19 %s: a tile goes without mask only if all rows see all its keys", family_name[f]);
    world_free(&w);
}

static void c20(const attn_kernel *kernel, enum family f) {
    const attn_params *p = kernel->params;
    char name[80];
    snprintf(name, sizeof name, "C20 %s: head_dim %u, %u heads on %u", family_name[f], p->head_dim,
             p->heads, p->kv_heads);
    if (f == FLASH && !processor_has(kernel->caps)) {
        skip("this processor lacks its instructions", name);
        return;
    }
    struct world w;
    int q_len[] = {1, 9}, k_len[] = {20, 33};
    world_new(&w, p, 2, q_len, k_len, 2);
    for (uint32_t i = 0; i < 53 * p->kv_heads * p->v_head_dim; i++) {
        w.v[i] = (float)(i % p->v_head_dim);
    }
    world_seal(&w);
    run(&w, kernel, f);
    bool right = world_error(&w) <= 1;
    for (uint32_t d = 0; d < p->v_head_dim; d++) {
        right &= fabs(world_out(&w, 9, p->heads - 1, d) - d) < 1e-3;
    }
    ok(right, "%s", name);
    world_free(&w);
}

static void c21(enum family f) {
    static const attn_kernel *const kernels[] = {&page192, &page48, &page544, &page1};
    for (int i = 0; i < 4; i++) {
        int page = (int)kernels[i]->params->block_size, n = 3 * page + 7;
        ok(near(last_row(kernels[i], f, 1, n), (n - 1) / 2.0) &&
               near(last_row(kernels[i], f, 20 < n ? 20 : n, n), (n - 1) / 2.0),
           "C21 %s: pages of %d tokens are read to their end", family_name[f], page);
    }
    ok(near(last_row(&window2047, f, 1, 5001), 3977), "C21 %s: a window of 2047 over pages of 16",
       family_name[f]);
}

static void c23(enum family f) {
    struct world w;
    int q_len[] = {3, 1, 4}, k_len[] = {100, 5, 3000}, keys = 0;
    world_new(&w, full16.params, 3, q_len, k_len, 6);
    for (int s = 0; s < 3; s++) {
        for (int i = 0; i < k_len[s] * 16; i++) {
            w.v[keys * 16 + i] = 10.0f * (float)(s + 1);
        }
        keys += k_len[s];
    }
    w.workers = 8;
    world_seal(&w);
    run(&w, &full16, f);
    bool right = world_error(&w) <= 1;
    for (int t = 0; t < 8; t++) {
        right &= near(world_out(&w, t, 0, 7), t < 3 ? 10 : t < 4 ? 20 : 30);
    }
    ok(right, "C23 %s: split keys are merged per sequence, empty parts weigh nothing",
       family_name[f]);
    world_free(&w);
}

static void c25(enum family f) {
    struct world w;
    int q_len[] = {2, 2}, k_len[] = {0, 3}, one = 1, three = 3;
    world_new(&w, cross.params, 2, q_len, k_len, 1);
    world_ramp(&w, 1);
    world_seal(&w);
    run(&w, &cross, f);
    ok(world_out(&w, 0, 0, 0) == 0 && world_out(&w, 1, 0, 0) == 0 &&
           near(world_out(&w, 2, 0, 0), 2) && near(world_out(&w, 3, 0, 0), 2) &&
           world_error(&w) <= 1,
       "C25 %s: a sequence without source rows gives zeros, the other is not causal",
       family_name[f]);
    world_free(&w);
    world_new(&w, cross.params, 1, &one, &three, 1);
    world_ramp(&w, 1);
    world_seal(&w);
    char *before = malloc(w.pool_bytes);
    memcpy(before, w.pool, w.pool_bytes);
    run(&w, &cross, f);
    ok(near(world_out(&w, 0, 0, 0), 2) && memcmp(before, w.pool, w.pool_bytes) == 0,
       "C25 %s: decode leaves the source's pages as they are", family_name[f]);
    free(before);
    world_free(&w);
}

static void c26(enum family f) {
    ok(near(last_row(&full16, f, 1, 4), 1.5), "C26 %s: rows are aligned to the bottom right",
       family_name[f]);
    struct world w;
    int q_len[] = {1, 1}, k_len[] = {3, 10};
    world_new(&w, window4.params, 2, q_len, k_len, 1);
    world_ramp(&w, 0);
    world_seal(&w);
    run(&w, &window4, f);
    ok(near(world_out(&w, 0, 0, 0), 1) && near(world_out(&w, 1, 0, 0), 7.5),
       "C26 %s: the window hangs on each sequence's own length", family_name[f]);
    world_free(&w);
}

static void c27(enum family f) {
    bool right = true;
    for (int order = 0; order < 2; order++) {
        struct world w;
        int q_len = 1, k_len = 10;
        world_new(&w, full16.params, 1, &q_len, &k_len, 1);
        world_ramp(&w, 0);
        world_seal(&w);
        for (int turn = 0; turn < 2; turn++) {
            const attn_kernel *layer = turn == order ? &window4 : &full16;
            w.p = layer->params;
            run(&w, layer, f);
            right &= near(world_out(&w, 0, 0, 0), layer == &window4 ? 7.5 : 4.5);
        }
        world_free(&w);
    }
    ok(right, "C27 %s: layers that share pages keep their own masks", family_name[f]);
}

static void b10(enum family f) {
    struct world w;
    int q_len = 2, k_len = 5;
    world_new(&w, full16.params, 1, &q_len, &k_len, 1);
    world_seal(&w);
    attn_params mla = *full16.params;
    mla.kind = ATTN_MLA_ATTENTION;
    w.p = &mla;
    attn_status status = run(&w, &full16, f);
    w.p = full16.params;
    bool untouched = true;
    for (size_t i = 0; i < w.out_bytes; i++) {
        untouched &= ((unsigned char *)w.out_mem)[i] == 0xa5;
    }
    ok(status == ATTN_E_KIND && untouched,
       "B10 %s: a kind that the kernel does not serve is refused, output untouched",
       family_name[f]);
    world_free(&w);
}

static uint64_t tiles_of(const attn_kernel *kernel, int q_len, int k_len) {
    last_tiles = 0;
    last_row(kernel, FLASH, q_len, k_len);
    return strcmp(last_family, "cpu_flash") == 0 ? last_tiles : UINT64_MAX;
}

static void d01(void) {
    const int window = 1024, keys = ATTN_FLASH_KEYS, rows = ATTN_FLASH_ROWS(16, 16);
    uint64_t at_most = (uint64_t)(window + keys - 1) / (uint64_t)keys + 1;
    uint64_t near_end = tiles_of(&window1024, 1, 2048), far = tiles_of(&window1024, 1, 20000);
    ok(near_end == far && far <= at_most && far > 0,
       "D01: decode visits the window's tiles whatever the context");
    at_most = (uint64_t)(window + rows - 1 + keys - 1) / (uint64_t)keys + 1;
    uint64_t blocks = (3000 + (uint64_t)rows - 1) / (uint64_t)rows;
    far = tiles_of(&window1024, 3000, 6000);
    ok(far <= at_most * blocks && far > blocks, "D01: prefill visits the window's tiles per block");
    ok(tiles_of(&window16, 1, 47) <= 2, "D01: keys 31..46 are at most two tiles");
}

static void d02(void) {
    static const struct {
        uint32_t length, units, most, want;
    } rows[] = {
        {128, 1, 32, 1},    {4096, 1, 32, 16},  {32768, 1, 32, 32}, {32768, 8, 32, 4},
        {32768, 16, 32, 2}, {32768, 17, 32, 1}, {32768, 64, 32, 1}, {511, 1, 32, 1},
        {512, 1, 32, 2},    {0, 0, 32, 1},      {32768, 1, 1, 1},
    };
    bool right = true;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        uint32_t got = attn_split_count(rows[i].length, rows[i].units, rows[i].most);
        right &= got == rows[i].want;
    }
    ok(right, "D02, D03: keys are split by the length that is seen and the units of the call");
}

int main(void) {
    static const attn_kernel *const dims[] = {&dim40,  &dim64,  &dim72,  &dim80,  &dim88, &dim96,
                                              &dim112, &dim128, &dim192, &dim256, &dim512};
    static void (*const cases[])(enum family) = {c01, c03, c04, c06, c08, c09, c11, c12, c14,
                                                 c17, c19, c21, c23, c25, c26, c27, b10};
    for (enum family f = REF; f < FAMILIES; f++) {
        for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
            cases[i](f);
        }
        for (size_t i = 0; i < sizeof dims / sizeof *dims; i++) {
            c20(dims[i], f);
        }
    }
    c06_scales();
    c16();
    d01();
    d02();
    return done_testing();
}
