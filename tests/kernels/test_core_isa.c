// SPDX-License-Identifier: Apache-2.0
// attn_cpu_caps says what the system says of this processor. In: /proc/cpuinfo, where there is one.
// Out: TAP.
#include "attn/attn.h"
#include "tests/tap.h"

// Whether all of these space-separated words stand among the flags.
static bool has_all(const char *flags, const char *words) {
    while (*words) {
        size_t n = strcspn(words, " ");
        const char *at = flags;
        bool found = false;
        while (!found && (at = strchr(at, ' '))) {
            at++;
            found = strncmp(at, words, n) == 0 && strchr(" \n", at[n]);
        }
        if (!found) {
            return false;
        }
        words += n + (words[n] == ' ');
    }
    return true;
}

int main(void) {
    static char line[1 << 14];
    FILE *file = fopen("/proc/cpuinfo", "r");
    bool found = false;
    while (file && !found && fgets(line, sizeof line, file)) {
        found = strncmp(line, "flags", 5) == 0;
    }
    if (file) {
        fclose(file);
    }
    uint32_t caps = attn_cpu_caps();
    if (!found) {
        is_int(caps, 0, "nothing is known of a processor that is no x86");
        return done_testing();
    }
    bool v3 = has_all(line, "avx2 fma f16c bmi2");
    bool v4 = v3 && has_all(line, "avx512f avx512bw avx512cd avx512dq avx512vl");
    is_int((caps & ATTN_CAP_X86_64_V3) != 0, v3, "x86_64_v3");
    is_int((caps & ATTN_CAP_X86_64_V4) != 0, v4, "x86_64_v4");
    is_int((caps & ATTN_CAP_AVX512_BF16) != 0, v4 && has_all(line, "avx512_bf16"), "AVX512_BF16");
    return done_testing();
}
