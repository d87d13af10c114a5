// SPDX-License-Identifier: Apache-2.0
// The kernels' own exp, log, tanh and number conversions: errors in units in the last place against
// the C library in double precision, every code of the small formats, and the special values.
#include "attn/kernels/math.h"
#include "tests/kernels/world.h"
#include "tests/tap.h"
#include <math.h>

// Distance in units in the last place of the f32 nearest to `want`.
static double ulps(float got, double want) {
    int e = want == 0 ? -126 : ilogb(want);
    double unit = ldexp(1, (e < -126 ? -126 : e) - 23);
    return fabs(got - want) / unit;
}

static double worst(float (*f)(float), double (*g)(double), double from, double to) {
    double most = 0;
    const int n = 200000;
    for (int i = 0; i <= n; i++) {
        float x = (float)(from + (to - from) * i / n);
        most = fmax(most, ulps(f(x), g((double)x)));
    }
    return most;
}

static float exp_of(float x) {
    return attn_exp(x);
}
static float log_of(float x) {
    return attn_log(x);
}
static float tanh_of(float x) {
    return attn_tanh(x);
}

static void accuracy(void) {
    const struct {
        const char *name;
        double error;
    } rows[] = {
        {"exp from -87 to 88", worst(exp_of, exp, -87, 88)},
        {"exp near 0", worst(exp_of, exp, -1e-3, 1e-3)},
        {"exp of subnormal results", worst(exp_of, exp, -103, -87)},
        {"log near 1", worst(log_of, log, 0.5, 2)},
        {"log of sums", worst(log_of, log, 1, 1e6)},
        {"log of subnormals", worst(log_of, log, 1e-45, 1e-38)},
        {"tanh near 0", worst(tanh_of, tanh, -0.1, 0.1)},
        {"tanh from -12 to 12", worst(tanh_of, tanh, -12, 12)},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (!ok(rows[i].error <= 2, "%s is within 2 units in the last place", rows[i].name)) {
            diag("greatest error: %.3f", rows[i].error);
        }
    }
}

static void special_values(void) {
    ok(attn_exp(-INFINITY) == 0 && attn_exp(-200) == 0 && attn_exp(0) == 1,
       "exp(-inf) is exactly 0");
    ok(isinf(attn_exp(INFINITY)) && isinf(attn_exp(89)) && isnan(attn_exp(NAN)),
       "exp overflows to infinity and keeps NaN");
    ok(attn_log(0) == -INFINITY && attn_log(1) == 0 && isinf(attn_log(INFINITY)) &&
           isnan(attn_log(NAN)),
       "log(0) is -inf, log(1) is 0");
    ok(attn_tanh(0) == 0 && attn_tanh(100) == 1 && attn_tanh(-INFINITY) == -1 &&
           isnan(attn_tanh(NAN)),
       "tanh saturates at 1 and keeps NaN");
}

static bool same(double a, double b) {
    return a == b || (isnan(a) && isnan(b));
}

static void conversions(void) {
    bool f16 = true, bf16 = true, fp8 = true;
    for (uint32_t code = 0; code < 65536; code++) {
        uint16_t c = (uint16_t)code;
        float h = attn_from_f16(c), b = attn_from_bf16(c);
        f16 &= same(h, world_get(&c, 0, ATTN_F16)) && (isnan(h) || attn_to_f16(h) == c);
        bf16 &= same(b, world_get(&c, 0, ATTN_BF16)) && (isnan(b) || attn_to_bf16(b) == c);
    }
    for (uint32_t code = 0; code < 256; code++) {
        uint8_t c = (uint8_t)code;
        float x = attn_from_fp8(c);
        fp8 &= same(x, world_get(&c, 0, ATTN_FP8_E4M3)) && (isnan(x) || attn_to_fp8(x) == c);
    }
    ok(f16, "every f16 code has its value and comes back");
    ok(bf16, "every bf16 code has its value and comes back");
    ok(fp8, "every fp8_e4m3 code has its value and comes back");
    bool rounds = true;
    uint32_t state = 1;
    for (int i = 0; i < 300000; i++) {
        state = state * 1664525u + 1013904223u;
        float x = attn_from_bits(state);
        if (isnan(x) || isinf(x)) {
            continue;
        }
        double small =
            ldexp(x, -ilogb(x) + (int)(state % 40) - 26); // near the small formats' range
        x = (float)small;
        rounds &= attn_from_f16(attn_to_f16(x)) == world_round(x, ATTN_F16) &&
                  attn_from_bf16(attn_to_bf16(x)) == world_round(x, ATTN_BF16) &&
                  attn_from_fp8(attn_to_fp8(x)) == world_round(x, ATTN_FP8_E4M3);
    }
    ok(rounds, "narrowing rounds to nearest even in every format");
    ok(isnan(attn_from_bf16(attn_to_bf16(attn_from_bits(0x7f800001u)))),
       "a NaN whose payload would be cut off stays a NaN");
}

int main(void) {
    accuracy();
    special_values();
    conversions();
    return done_testing();
}
