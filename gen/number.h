// SPDX-License-Identifier: Apache-2.0
// Exact numbers: a rational times the square root of a rational, 64-bit numerators and
// denominators. Sums and order that mix different roots, and decimals that fit no 64-bit rational,
// go by binary64. Nothing wraps: every operation says whether its result fits.
#ifndef GEN_NUMBER_H
#define GEN_NUMBER_H

#include <stdbool.h>
#include <stdint.h>

struct rational {
    int64_t num, den; // lowest terms, den > 0
};

struct number {
    bool inexact;         // then only `approx` counts
    struct rational coef; // sign is here; 0 has radicand 1
    struct rational root; // radicand, > 0; 1 for a plain rational; square factors are moved to coef
    double approx;
};

enum number_result {
    NUMBER_OK,
    NUMBER_OVERFLOW,
    NUMBER_DIVISION_BY_ZERO,
    NUMBER_NOT_INTEGER,
    NUMBER_NEGATIVE_ROOT
};

struct number number_int(int64_t v);
// "50.0", "1e-45", "0.0721688": exact when it fits, else binary64; NUMBER_OVERFLOW beyond binary64
// (to infinity, or a non-zero decimal to zero). No locale.
enum number_result number_decimal(const char *spelling, struct number *out);

enum number_result number_add(struct number a, struct number b, struct number *out);
enum number_result number_sub(struct number a, struct number b, struct number *out);
enum number_result number_mul(struct number a, struct number b, struct number *out);
enum number_result number_div(struct number a, struct number b, struct number *out);
// Integers only; the result has the sign of b, so that x % n is in 0 .. n - 1 for n > 0.
enum number_result number_mod(struct number a, struct number b, struct number *out);
// 1 / sqrt(a), a > 0; exact when a is a plain rational.
enum number_result number_rsqrt(struct number a, struct number *out);
int number_compare(struct number a, struct number b); // -1, 0, 1
const char *number_result_text(enum number_result r); // "overflow", ...: a noun phrase
bool number_is_int(struct number a, int64_t *out);

double number_to_double(struct number a); // nearest binary64 of the exact value
float number_to_float(struct number a);   // nearest binary32 of the exact value, rounded once
// Shortest decimal that gives back the binary64, JSON form ("0.0625", "1e-45", "512"); 32 bytes.
void number_print_double(double v, char out[32]);
// As a C constant of type float, hexadecimal and exact ("0x1p-4f").
void number_print_float_hex(float v, char out[32]);
// For messages: "1/16", "512", "1/sqrt(168)"...
void number_print(struct number a, char out[80]);

#endif
