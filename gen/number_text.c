// SPDX-License-Identifier: Apache-2.0
// Numbers from and to text, without locale: decimals of the source, the shortest decimal of a
// binary64 (JSON), the hexadecimal constant of a binary32 (C), and the form of messages. The C
// library converts digits only as "DIGITSeEXPONENT", which has no decimal point to be localised.
#include <float.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "gen/big.h"
#include "gen/number.h"

// A reduced rational of 64 bits has at most 63 digits after the point and 19 before it.
#define EXACT_DIGITS 82
// More digits than this decide no rounding of a binary64 (767 significant ones can).
#define READ_DIGITS 800
#define EXPONENT_LIMIT 100000 // beyond every binary64, whatever the digits; keeps sums in range
#define SHORTEST_DIGITS 17    // always give a binary64 back

struct decimal {
    char digits[READ_DIGITS + 1]; // no leading or trailing zeros; empty for zero
    size_t n;
    long exponent; // value = digits * 10^exponent
    bool cut;      // digits were left out
};

static long read_exponent(const char *p) {
    bool negative = *p == '-';
    long e = 0;
    for (p += *p == '-' || *p == '+'; *p >= '0' && *p <= '9'; p++) {
        if (e < EXPONENT_LIMIT) {
            e = 10 * e + (*p - '0');
        }
    }
    return negative ? -e : e;
}

static void read_decimal(const char *p, struct decimal *d) {
    bool after_point = false;
    memset(d, 0, sizeof *d);
    for (; *p && *p != 'e' && *p != 'E'; p++) {
        if (*p == '.') {
            after_point = true;
            continue;
        }
        d->exponent -= after_point;
        if (d->n == READ_DIGITS) {
            d->cut = d->cut || *p != '0';
            d->exponent++;
        } else if (d->n || *p != '0') {
            d->digits[d->n++] = *p;
        }
    }
    if (d->cut) { // anything but zero after the cut: a last digit that breaks ties
        d->digits[d->n - 1] = d->digits[d->n - 1] == '0' ? '1' : d->digits[d->n - 1];
    }
    while (d->n && d->digits[d->n - 1] == '0') {
        d->n--;
        d->exponent++;
    }
    d->digits[d->n] = '\0';
    if (*p) {
        d->exponent += read_exponent(p + 1);
    }
}

// digits * 10^exponent as a 64-bit rational, if it is one.
static bool decimal_rational(const struct decimal *d, struct rational *out) {
    if (d->cut || d->n > EXACT_DIGITS || d->exponent > 18 || d->exponent < -EXACT_DIGITS) {
        return false;
    }
    struct big num = big_from(0), ten = big_from(10);
    for (size_t i = 0; i < d->n; i++) {
        struct big digit = big_from((uint64_t)(d->digits[i] - '0'));
        num = big_mul(&num, &ten);
        num = big_add(&num, &digit);
    }
    for (long e = d->exponent; e > 0; e--) {
        num = big_mul(&num, &ten);
    }
    static const uint64_t primes[] = {2, 5};
    uint64_t den = 1, value, rest;
    for (size_t i = 0; i < 2; i++) { // 10^-e = 2^-e 5^-e, each reduced against the digits
        for (long e = d->exponent; e < 0; e++) {
            struct big quotient = big_divide(&num, primes[i], &rest);
            if (rest == 0) {
                num = quotient;
            } else if (__builtin_mul_overflow(den, primes[i], &den)) {
                return false;
            }
        }
    }
    if (!big_fits_u64(&num, &value) || value > INT64_MAX || den > INT64_MAX) {
        return false;
    }
    *out = (struct rational){(int64_t)value, (int64_t)den};
    return true;
}

enum number_result number_decimal(const char *spelling, struct number *out) {
    struct decimal d;
    read_decimal(spelling, &d);
    *out = number_int(0);
    if (d.n == 0) {
        return NUMBER_OK;
    }
    struct rational exact;
    if (decimal_rational(&d, &exact)) {
        out->coef = exact;
        return NUMBER_OK;
    }
    char text[READ_DIGITS + 32];
    snprintf(text, sizeof text, "%se%ld", d.digits, d.exponent);
    out->inexact = true;
    out->approx = strtod(text, NULL);
    return out->approx > 0 && out->approx <= DBL_MAX ? NUMBER_OK : NUMBER_OVERFLOW;
}

// The fewest digits that give v > 0 back: digits in `digits` (no trailing zeros), value =
// 0.DIGITS * 10^*point.
static size_t shortest(double v, char digits[SHORTEST_DIGITS + 1], int *point) {
    size_t n = 0;
    for (int precision = 1; precision <= SHORTEST_DIGITS; precision++) {
        char text[64], again[64];
        snprintf(text, sizeof text, "%.*e", precision - 1, v);
        const char *p = text;
        for (n = 0; *p != 'e'; p++) {
            if (*p >= '0' && *p <= '9') { // skips the point, whatever the locale calls it
                digits[n++] = *p;
            }
        }
        digits[n] = '\0';
        long exponent = read_exponent(p + 1);
        *point = (int)exponent + 1;
        snprintf(again, sizeof again, "%se%ld", digits, exponent - (long)(n - 1));
        if (strtod(again, NULL) == v) {
            break;
        }
    }
    while (n > 1 && digits[n - 1] == '0') {
        digits[--n] = '\0';
    }
    return n;
}

void number_print_double(double v, char out[32]) {
    // Plain notation where it is short enough to read; else one digit before the point.
    enum { PLAIN_LOW = -5, PLAIN_HIGH = 21 };
    char digits[SHORTEST_DIGITS + 1];
    int point;
    if (v == 0) {
        memcpy(out, "0", 2);
        return;
    }
    if (v < 0) {
        *out++ = '-';
        v = -v;
    }
    int n = (int)shortest(v, digits, &point);
    if (point > 0 && point <= PLAIN_HIGH) {
        for (int i = 0; i < point; i++) {
            *out++ = i < n ? digits[i] : '0';
        }
        if (n > point) {
            *out++ = '.';
            memcpy(out, digits + point, (size_t)(n - point));
            out += n - point;
        }
        *out = '\0';
    } else if (point <= 0 && point > PLAIN_LOW) {
        *out++ = '0';
        *out++ = '.';
        for (int i = point; i < 0; i++) {
            *out++ = '0';
        }
        memcpy(out, digits, (size_t)n + 1);
    } else {
        *out++ = digits[0];
        if (n > 1) {
            *out++ = '.';
            memcpy(out, digits + 1, (size_t)n - 1);
            out += n - 1;
        }
        snprintf(out, 8, "e%d", point - 1);
    }
}

void number_print_float_hex(float v, char out[32]) {
    uint32_t bits;
    memcpy(&bits, &v, sizeof bits);
    uint32_t fraction = bits & 0x7fffff;
    int exponent = (int)(bits >> 23 & 0xff) - 127;
    const char *sign = bits >> 31 ? "-" : "";
    if (exponent == -127 && fraction == 0) {
        snprintf(out, 32, "%s0x0p0f", sign);
        return;
    }
    if (exponent == -127) { // subnormal: shift the leading one out
        exponent++;
        while (!(fraction & 0x800000)) {
            fraction <<= 1;
            exponent--;
        }
        fraction &= 0x7fffff;
    }
    char hex[8];
    snprintf(hex, sizeof hex, "%06" PRIx32, fraction << 1);
    size_t n = 6;
    while (n && hex[n - 1] == '0') {
        hex[--n] = '\0';
    }
    snprintf(out, 32, "%s0x1%s%sp%df", sign, n ? "." : "", hex, exponent);
}

static void print_rational(struct rational r, char *out, size_t size) {
    if (r.den == 1) {
        snprintf(out, size, "%" PRId64, r.num);
    } else {
        snprintf(out, size, "%" PRId64 "/%" PRId64, r.num, r.den);
    }
}

void number_print(struct number a, char out[80]) {
    if (a.inexact) {
        number_print_double(a.approx, out);
        return;
    }
    if (a.root.num == 1 && a.root.den == 1) {
        print_rational(a.coef, out, 80);
        return;
    }
    // One root where the square fits: 1/sqrt(168), not 1/2 sqrt(1/42).
    struct number squared;
    int64_t square = 0;
    const char *sign = a.coef.num < 0 ? "-" : "";
    if (number_mul(a, a, &squared) != NUMBER_OK) {
        number_print_double(number_to_double(a), out);
    } else if (squared.coef.num == 1) {
        snprintf(out, 80, "%s1/sqrt(%" PRId64 ")", sign, squared.coef.den);
    } else if (number_is_int(squared, &square)) {
        snprintf(out, 80, "%ssqrt(%" PRId64 ")", sign, square);
    } else {
        char text[44];
        print_rational(squared.coef, text, sizeof text);
        snprintf(out, 80, "%ssqrt(%s)", sign, text);
    }
}
