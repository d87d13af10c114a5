// SPDX-License-Identifier: Apache-2.0
// Numbers: exact arithmetic, roots, rounding once, text without locale (case E07, half of E01).
#include <locale.h>
#include <stdlib.h>
#include <string.h>

#include "gen/number.h"
#include "tests/tap.h"

static struct number decimal(const char *text) {
    struct number n;
    if (number_decimal(text, &n) != NUMBER_OK) {
        diag("%s was refused", text);
    }
    return n;
}

static struct number rsqrt_of(struct number a) {
    struct number n;
    if (number_rsqrt(a, &n) != NUMBER_OK) {
        diag("rsqrt was refused");
    }
    return n;
}

static void shows(struct number n, const char *want, const char *name) {
    char text[80];
    number_print(n, text);
    is_str(text, want, name);
}

static void json(double v, const char *want) {
    char text[32];
    number_print_double(v, text);
    is_str(text, want, want);
    ok(strtod(text, NULL) == v, "%s gives the same binary64 back", want);
}

static void hex(float v, const char *want) {
    char text[32];
    number_print_float_hex(v, text);
    is_str(text, want, want);
    ok(strtof(text, NULL) == v, "%s gives the same binary32 back", want);
}

static void arithmetic(void) {
    struct number r, third;
    number_div(number_int(1), number_int(3), &third);
    shows(third, "1/3", "a quotient never truncates");
    number_mul(third, number_int(3), &r);
    shows(r, "1", "a third times three is one");
    number_add(third, decimal("0.5"), &r);
    shows(r, "5/6", "1/3 + 0.5 is 5/6");
    number_sub(third, decimal("0.5"), &r);
    shows(r, "-1/6", "1/3 - 0.5 is -1/6");
    number_sub(third, third, &r);
    shows(r, "0", "a difference may be zero");
    is_int(number_add(number_int(INT64_MAX), number_int(1), &r), NUMBER_OVERFLOW,
           "a sum beyond 64 bits overflows");
    is_int(number_mul(number_int(INT64_MAX), number_int(2), &r), NUMBER_OVERFLOW,
           "a product beyond 64 bits overflows");
    is_int(number_div(number_int(1), number_int(0), &r), NUMBER_DIVISION_BY_ZERO,
           "division by zero is refused");
    struct number big_ratio, small_ratio;
    number_div(number_int(INT64_MAX), number_int(3), &big_ratio);
    number_sub(big_ratio, number_int(1), &small_ratio);
    ok(number_compare(small_ratio, big_ratio) < 0, "order needs 128-bit products");
    number_mod(number_int(100), number_int(32), &r);
    shows(r, "4", "100 % 32 is 4");
    number_mod(number_int(-7), number_int(2), &r);
    shows(r, "1", "the remainder has the sign of the divisor");
    is_int(number_mod(third, number_int(2), &r), NUMBER_NOT_INTEGER, "remainders are of integers");
}

static void roots(void) {
    struct number r, s;
    shows(rsqrt_of(number_int(256)), "1/16", "rsqrt(256) is rational");
    shows(rsqrt_of(number_int(168)), "1/sqrt(168)", "rsqrt(168) stays a root");
    number_mul(rsqrt_of(number_int(168)), rsqrt_of(number_int(168)), &r);
    shows(r, "1/168", "a root squared is rational again");
    number_add(rsqrt_of(number_int(2)), rsqrt_of(number_int(8)), &r);
    number_div(number_int(9), number_int(8), &s);
    number_mul(r, r, &r);
    ok(number_compare(r, s) == 0 && !r.inexact, "1/sqrt(2) + 1/sqrt(8) has one root");
    number_add(rsqrt_of(number_int(2)), rsqrt_of(number_int(3)), &r);
    ok(r.inexact && r.approx == 0.70710678118654752440 + 0.57735026918962576451,
       "a sum of different roots goes by binary64");
    is_int(number_rsqrt(number_int(-4), &r), NUMBER_NEGATIVE_ROOT, "no root of a negative number");
    is_int(number_rsqrt(number_int(0), &r), NUMBER_DIVISION_BY_ZERO, "rsqrt(0) is refused");
    ok(number_to_double(rsqrt_of(number_int(2))) == 0.70710678118654752440,
       "1/sqrt(2) to the nearest binary64");
    ok(number_to_float(rsqrt_of(number_int(72))) == 0.117851130197757920733f,
       "1/sqrt(72) to the nearest binary32");
    struct number fourth = rsqrt_of(rsqrt_of(number_int(2)));
    ok(fourth.inexact && fourth.approx == 1.18920711500272106672, "a root of a root is binary64");
    shows(rsqrt_of(number_int(INT64_C(4611686014132420609))), "1/2147483647",
          "the square of a large prime is found");
    ok(number_to_double(rsqrt_of(number_int(INT64_MAX))) == 3.2927225399135962e-10,
       "a root of the largest integer rounds once");
}

// 1 + 2^-24 + 2^-60 lies just above the middle of two binary32 values; by way of binary64 it would
// land on the middle and go down to 1.
static void rounds_once(void) {
    struct number r, tiny;
    number_div(number_int(1), number_int(INT64_C(1) << 60), &tiny);
    number_add(decimal("1.000000059604644775390625"), tiny, &r);
    ok(!r.inexact && number_to_double(r) == 1.000000059604644775390625,
       "the example is a tie in binary64");
    hex(number_to_float(r), "0x1.000002p0f");
    struct number tie = decimal("1.000000059604644775390625");
    ok(number_to_float(tie) == 1.0f, "a tie goes to even");
    struct number negative;
    number_sub(number_int(0), r, &negative);
    ok(number_to_float(negative) == -0x1.000002p0f, "rounding is symmetric");
}

static void decimals(void) {
    struct number r;
    shows(decimal("0.0625"), "1/16", "a decimal is exact");
    shows(decimal("50.0"), "50", "50.0 is an integer");
    shows(decimal("1.5e3"), "1500", "an exponent moves the point");
    shows(decimal("2.5e-1"), "1/4", "a negative exponent too");
    shows(decimal("0.50000000000000000000000000000000000000"), "1/2",
          "zeros at the end cost nothing");
    shows(decimal("0.0000000000000000008673617379884035472059622406959533691406250"),
          "1/1152921504606846976", "2^-60 in full is exact");
    ok(decimal("1e-45").inexact && decimal("1e-45").approx == 1e-45,
       "a decimal that fits no 64-bit rational is held as binary64");
    ok(decimal("3.4028235e38").approx == 3.4028235e38, "a large one too");
    is_int(number_decimal("1e400", &r), NUMBER_OVERFLOW, "beyond binary64 is refused");
    is_int(number_decimal("1e-400", &r), NUMBER_OVERFLOW, "so is what would round to zero");
    is_int(number_decimal("1e99999999999999999999", &r), NUMBER_OVERFLOW, "no exponent wraps");
    is_int(number_decimal("0e99999999999999999999", &r), NUMBER_OK, "zero has any exponent");
    char many[1300] = "0.1";
    memset(many + 3, '3', 1200);
    ok(decimal(many).approx == 0.13333333333333333333, "a thousand digits are read");
}

static void text(void) {
    json(0.0625, "0.0625");
    json(512, "512");
    json(1e-45, "1e-45");
    json(0.0721688, "0.0721688");
    json(3.4028235e38, "3.4028235e38");
    json(50.5, "50.5");
    json(1.0 / 3, "0.3333333333333333");
    json(1e20, "100000000000000000000");
    json(1.7976931348623157e308, "1.7976931348623157e308");
    json(5e-324, "5e-324");
    json(-0.1, "-0.1");
    json(0, "0");
    hex(0.0625f, "0x1p-4f");
    hex(1.5f, "0x1.8p0f");
    hex(50.0f, "0x1.9p5f");
    hex(1e-45f, "0x1p-149f");
    hex(0.0f, "0x0p0f");
    hex(-3.4028235e38f, "-0x1.fffffep127f");
}

// E07: results may not follow LC_NUMERIC.
static void locale(void) {
    static const char *const names[] = {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "de_DE"};
    const char *set = NULL;
    for (size_t i = 0; i < 4 && !set; i++) {
        set = setlocale(LC_ALL, names[i]);
    }
    if (!set) {
        skip("no locale with a decimal comma", "E07: text does not follow the locale");
        return;
    }
    char printed[32];
    number_print_double(0.0721688, printed);
    is_str(printed, "0.0721688", "E07: text does not follow the locale");
    ok(decimal("3.4028235e38").approx == 0x1.fffffe091ff3dp127, "E07: nor does reading");
    setlocale(LC_ALL, "C");
}

int main(void) {
    arithmetic();
    roots();
    rounds_once();
    decimals();
    text();
    locale();
    return done_testing();
}
