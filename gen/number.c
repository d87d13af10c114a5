// SPDX-License-Identifier: Apache-2.0
// Exact arithmetic on rationals and roots of rationals; see number.h. In: numbers in canonical
// form (lowest terms, square factors moved out of the radicand, zero with radicand 1). Out: the
// same form, or the reason why the result does not fit. Rounding to binary happens once, from the
// exact value, in round_exact.
#include "gen/number.h"

#include <float.h>
#include <string.h>

#include "gen/big.h"

#define DOUBLE_BITS 53
#define FLOAT_BITS 24
#define ROOT_STEPS 6    // of Newton's method, from a factor of two to all digits of a double
#define GUESS_ERROR 128 // a power of two: units by which a root of 57 bits is off that 53 gave

static const struct rational ONE = {1, 1};

const char *number_result_text(enum number_result r) {
    switch (r) {
    case NUMBER_OK:
        return "no error";
    case NUMBER_OVERFLOW:
        return "overflow of 64-bit numbers";
    case NUMBER_DIVISION_BY_ZERO:
        return "division by zero";
    case NUMBER_NOT_INTEGER:
        return "remainder of a number that is not an integer";
    case NUMBER_NEGATIVE_ROOT:
        return "root of a negative number";
    }
    return "unknown error";
}

static uint64_t magnitude(int64_t v) {
    return v < 0 ? 0 - (uint64_t)v : (uint64_t)v;
}

static uint64_t gcd(uint64_t a, uint64_t b) {
    while (b) {
        uint64_t r = a % b;
        a = b;
        b = r;
    }
    return a;
}

// ---- rationals

static bool rational_mul(struct rational a, struct rational b, struct rational *out) {
    if (a.num == 0 || b.num == 0) {
        *out = (struct rational){0, 1};
        return true;
    }
    int64_t g = (int64_t)gcd(magnitude(a.num), (uint64_t)b.den);
    int64_t h = (int64_t)gcd(magnitude(b.num), (uint64_t)a.den);
    return !__builtin_mul_overflow(a.num / g, b.num / h, &out->num) &&
           !__builtin_mul_overflow(a.den / h, b.den / g, &out->den) && out->num != INT64_MIN;
}

static struct rational rational_inverse(struct rational a) { // a != 0
    return a.num < 0 ? (struct rational){-a.den, -a.num} : (struct rational){a.den, a.num};
}

static bool rational_equal(struct rational a, struct rational b) {
    return a.num == b.num && a.den == b.den;
}

static struct big product(uint64_t a, uint64_t b) {
    struct big x = big_from(a), y = big_from(b);
    return big_mul(&x, &y);
}

static int rational_compare(struct rational a, struct rational b) {
    if ((a.num < 0) != (b.num < 0)) {
        return a.num < 0 ? -1 : 1;
    }
    struct big x = product(magnitude(a.num), (uint64_t)b.den);
    struct big y = product(magnitude(b.num), (uint64_t)a.den);
    int order = big_compare(&x, &y);
    return a.num < 0 ? -order : order;
}

// Knuth's way: only the gcd of the denominators and of it with the sum are ever needed, so that
// nothing but the two products is wider than 64 bits.
static bool rational_add(struct rational a, struct rational b, struct rational *out) {
    uint64_t d = gcd((uint64_t)a.den, (uint64_t)b.den);
    struct big x = product(magnitude(a.num), (uint64_t)b.den / d);
    struct big y = product(magnitude(b.num), (uint64_t)a.den / d);
    struct big sum;
    bool negative = a.num < 0;
    if ((a.num < 0) == (b.num < 0)) {
        sum = big_add(&x, &y);
    } else if (big_compare(&x, &y) >= 0) {
        sum = big_sub(&x, &y);
    } else {
        sum = big_sub(&y, &x);
        negative = b.num < 0;
    }
    uint64_t rest, num;
    (void)big_divide(&sum, d, &rest);
    uint64_t g = gcd(rest, d);
    sum = big_divide(&sum, g, &rest);
    if (!big_fits_u64(&sum, &num) || num > INT64_MAX) {
        return false;
    }
    if (num == 0) {
        *out = (struct rational){0, 1};
        return true;
    }
    out->num = negative ? -(int64_t)num : (int64_t)num;
    return !__builtin_mul_overflow(a.den / (int64_t)d, b.den / (int64_t)g, &out->den);
}

// ---- roots

// v = root^2 * rest with rest free of squares. Trial division up to the cube root of what is left
// (at most 2^21 steps); then what is left is a prime, a square of one, or a product of two.
static void split_square(uint64_t v, uint64_t *root, uint64_t *rest) {
    *root = 1;
    *rest = 1;
    for (uint64_t p = 2; p <= v / p / p; p += p == 2 ? 1 : 2) {
        while (v % (p * p) == 0) {
            v /= p * p;
            *root *= p;
        }
        if (v % p == 0) {
            v /= p;
            *rest *= p;
        }
    }
    uint64_t low = 0, high = UINT32_MAX;
    while (low < high) { // the integer root of v
        uint64_t middle = low + (high - low + 1) / 2;
        if (middle <= v / middle) {
            low = middle;
        } else {
            high = middle - 1;
        }
    }
    if (low > 1 && low * low == v) {
        *root *= low;
    } else {
        *rest *= v;
    }
}

static enum number_result normal(struct rational coef, struct rational root, struct number *out) {
    *out = (struct number){.coef = coef, .root = ONE};
    if (coef.num == 0 || rational_equal(root, ONE)) {
        return NUMBER_OK;
    }
    uint64_t num_root, num_rest, den_root, den_rest;
    split_square((uint64_t)root.num, &num_root, &num_rest);
    split_square((uint64_t)root.den, &den_root, &den_rest);
    out->root = (struct rational){(int64_t)num_rest, (int64_t)den_rest};
    struct rational moved = {(int64_t)num_root, (int64_t)den_root};
    return rational_mul(coef, moved, &out->coef) ? NUMBER_OK : NUMBER_OVERFLOW;
}

// ---- rounding

// v * 2^exponent, exact as long as the result is a normal number.
static double scale(double v, int exponent) {
    for (; exponent > 0; exponent--) {
        v *= 2;
    }
    for (; exponent < 0; exponent++) {
        v /= 2;
    }
    return v;
}

// The square root of a rational, by Newton's method: nearly as good as a double can be.
static double approximate_root(struct rational r) {
    const double square = (double)r.num / (double)r.den;
    double root = 1;
    for (; root * root < square; root *= 2) {
    }
    for (; root * root > square; root /= 2) {
    }
    for (int i = 0; i < ROOT_STEPS; i++) { // from within a factor of two; digits double each time
        root = (root + square / root) / 2;
    }
    return root;
}

static int floor_half(int v) {
    return (v - (v < 0 ? 1 : 0)) / 2;
}

static int compare_square(uint64_t t, const struct big *d,
                          const struct big *n) { // t * t with n / d
    struct big square = product(t, t);
    square = big_mul(&square, d);
    return big_compare(&square, n);
}

// The integer part of the root of n / d. A guess that is close leaves few bits to be found; any
// guess leads to the same result.
static uint64_t integer_root(const struct big *n, const struct big *d, uint64_t guess,
                             bool *exact) {
    uint64_t step = GUESS_ERROR, t = guess > step ? guess - step : 0;
    while (compare_square(t, d, n) > 0) {
        t -= t < step ? t : step;
        step *= 2;
    }
    while (compare_square(t + step, d, n) <= 0) {
        step *= 2;
    }
    while (step /= 2) { // the root is at least t and below t + 2 * step
        t += compare_square(t + step, d, n) <= 0 ? step : 0;
    }
    *exact = compare_square(t, d, n) == 0;
    return t;
}

// The value rounded once, to nearest even, to `bits` significant bits. The square of the value is
// n / d; t is the integer part of the value times 2^k, two or three bits longer than wanted, and
// what t leaves out decides ties.
static double round_exact(struct number a, unsigned bits) {
    const uint64_t den = (uint64_t)a.coef.den;
    if (rational_equal(a.root, ONE) && magnitude(a.coef.num) >> bits == 0 && !(den & (den - 1))) {
        return (double)a.coef.num / (double)den; // as it is: no rounding takes place
    }
    struct big n = product(magnitude(a.coef.num), magnitude(a.coef.num));
    struct big d = product((uint64_t)a.coef.den, (uint64_t)a.coef.den);
    struct big root_num = big_from((uint64_t)a.root.num), root_den = big_from((uint64_t)a.root.den);
    n = big_mul(&n, &root_num);
    d = big_mul(&d, &root_den);
    int k = (int)bits + 1 - floor_half((int)big_bits(&n) - (int)big_bits(&d) - 1);
    if (k >= 0) {
        n = big_shift_left(&n, 2 * (unsigned)k);
    } else {
        d = big_shift_left(&d, 2 * (unsigned)-k);
    }
    const double root = approximate_root(a.root) * (double)magnitude(a.coef.num) / (double)den;
    bool exact;
    uint64_t t = integer_root(&n, &d, (uint64_t)scale(root, k), &exact);
    unsigned drop = t >> (bits + 2) ? 3 : 2;
    uint64_t low = t & ((UINT64_C(1) << drop) - 1), half = UINT64_C(1) << (drop - 1);
    uint64_t kept = t >> drop;
    if (low > half || (low == half && (!exact || (kept & 1)))) {
        kept++;
    }
    double v = scale((double)kept, (int)drop - k);
    return a.coef.num < 0 ? -v : v;
}

double number_to_double(struct number a) {
    return a.inexact ? a.approx : round_exact(a, DOUBLE_BITS);
}

float number_to_float(struct number a) {
    return a.inexact ? (float)a.approx : (float)round_exact(a, FLOAT_BITS);
}

static enum number_result from_double(double v, struct number *out) {
    *out = (struct number){.inexact = true, .coef = {0, 1}, .root = ONE, .approx = v};
    return v <= DBL_MAX && v >= -DBL_MAX ? NUMBER_OK : NUMBER_OVERFLOW;
}

// ---- operations

struct number number_int(int64_t v) {
    struct number r = {.coef = {v, 1}, .root = ONE};
    if (v == INT64_MIN) { // has no positive counterpart
        (void)from_double((double)v, &r);
    }
    return r;
}

static bool is_zero(struct number a) {
    return a.inexact ? a.approx == 0 : a.coef.num == 0;
}

enum number_result number_add(struct number a, struct number b, struct number *out) {
    if (is_zero(b) || is_zero(a)) {
        *out = is_zero(b) ? a : b;
        return NUMBER_OK;
    }
    if (a.inexact || b.inexact || !rational_equal(a.root, b.root)) {
        return from_double(number_to_double(a) + number_to_double(b), out);
    }
    struct rational coef;
    if (!rational_add(a.coef, b.coef, &coef)) {
        return NUMBER_OVERFLOW;
    }
    *out = (struct number){.coef = coef, .root = coef.num ? a.root : ONE};
    return NUMBER_OK;
}

static struct number negated(struct number a) {
    a.coef.num = -a.coef.num;
    a.approx = -a.approx;
    return a;
}

enum number_result number_sub(struct number a, struct number b, struct number *out) {
    return number_add(a, negated(b), out);
}

enum number_result number_mul(struct number a, struct number b, struct number *out) {
    if (is_zero(a) || is_zero(b)) {
        *out = number_int(0);
        return NUMBER_OK;
    }
    if (a.inexact || b.inexact) {
        return from_double(number_to_double(a) * number_to_double(b), out);
    }
    struct rational coef, root;
    if (!rational_mul(a.coef, b.coef, &coef) || !rational_mul(a.root, b.root, &root)) {
        return NUMBER_OVERFLOW;
    }
    return normal(coef, root, out);
}

enum number_result number_div(struct number a, struct number b, struct number *out) {
    if (is_zero(b)) {
        return NUMBER_DIVISION_BY_ZERO;
    }
    if (b.inexact) {
        return from_double(number_to_double(a) / b.approx, out);
    }
    b.coef = rational_inverse(b.coef);
    b.root = rational_inverse(b.root);
    return number_mul(a, b, out);
}

enum number_result number_mod(struct number a, struct number b, struct number *out) {
    int64_t x, y;
    if (!number_is_int(a, &x) || !number_is_int(b, &y)) {
        return NUMBER_NOT_INTEGER;
    }
    if (y == 0) {
        return NUMBER_DIVISION_BY_ZERO;
    }
    int64_t r = x % y;
    *out = number_int(r != 0 && (r < 0) != (y < 0) ? r + y : r);
    return NUMBER_OK;
}

// 1 / sqrt(v): v = m * 2^e with an even e, so that the root of 1/m is rounded once and then scaled.
static double rsqrt_double(double v) {
    int e = 0;
    for (; v >= 0x1p53; e++) {
        v /= 2;
    }
    for (; v < 0x1p52; e--) {
        v *= 2;
    }
    if (e % 2 != 0) {
        v *= 2;
        e--;
    }
    struct number inverse = {.coef = ONE, .root = {1, (int64_t)v}};
    return scale(round_exact(inverse, DOUBLE_BITS), -e / 2);
}

enum number_result number_rsqrt(struct number a, struct number *out) {
    if (is_zero(a)) {
        return NUMBER_DIVISION_BY_ZERO;
    }
    if (a.inexact ? a.approx < 0 : a.coef.num < 0) {
        return NUMBER_NEGATIVE_ROOT;
    }
    if (a.inexact || !rational_equal(a.root, ONE)) { // a root of a root
        return from_double(rsqrt_double(number_to_double(a)), out);
    }
    return normal(ONE, rational_inverse(a.coef), out);
}

int number_compare(struct number a, struct number b) {
    bool same_root = rational_equal(a.root, b.root) || a.coef.num == 0 || b.coef.num == 0;
    if (!a.inexact && !b.inexact && same_root) {
        return rational_compare(a.coef, b.coef);
    }
    double x = number_to_double(a), y = number_to_double(b);
    return (x > y) - (x < y);
}

bool number_is_int(struct number a, int64_t *out) {
    if (a.inexact || a.coef.den != 1 || !rational_equal(a.root, ONE)) {
        return false;
    }
    *out = a.coef.num;
    return true;
}
