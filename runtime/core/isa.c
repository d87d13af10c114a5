// SPDX-License-Identifier: Apache-2.0
// What this processor can do, for kernels built for more than the base instruction set. In: the
// processor. Out: ATTN_CAP_* bits; none on processors and in freestanding builds of which nothing
// is known. In a file of its own, so that a firmware can define attn_cpu_caps itself.
#include "attn/attn.h"

#if __STDC_HOSTED__ && defined(__x86_64__)

#include <cpuid.h>

// clang 14 has no names for these two: F16C is bit 29 of ECX in leaf 1, AVX512_BF16 is bit 5 of EAX
// in sub-leaf 1 of leaf 7. Whether the system saves the registers is told by the names below.
static int has_f16c(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid(1, &a, &b, &c, &d) && (c >> 29 & 1) != 0;
}

static int has_avx512_bf16(void) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(7, 1, &a, &b, &c, &d) && (a >> 5 & 1) != 0;
}

uint32_t attn_cpu_caps(void) {
    uint32_t caps = 0;
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") &&
        __builtin_cpu_supports("bmi2") && has_f16c()) {
        caps |= ATTN_CAP_X86_64_V3;
    }
    if (caps && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl")) {
        caps |= ATTN_CAP_X86_64_V4;
        if (has_avx512_bf16()) {
            caps |= ATTN_CAP_AVX512_BF16;
        }
    }
    return caps;
}

#else

uint32_t attn_cpu_caps(void) {
    return 0;
}

#endif
