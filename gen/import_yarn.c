// SPDX-License-Identifier: Apache-2.0
// YaRN's attention factor for models that fold it into the scale: 0.1 * mscale * ln(factor) + 1, of
// which the square multiplies 1 / sqrt(dim). The steps are those of the reference code in binary64,
// on a logarithm that is the same on every machine.
#include <stdlib.h>

#include "gen/import.h"
#include "gen/number.h"

// ---- logarithm: sums of high and low parts, good to about 100 bits

struct pair {
    double high, low;
};

// high + low is exactly a + b.
static struct pair two_sum(double a, double b) {
    double s = a + b;
    double bb = s - a;
    double rest = s - bb;
    double lost_a = a - rest;
    double lost_b = b - bb;
    return (struct pair){s, lost_a + lost_b};
}

static struct pair pair_add(struct pair x, struct pair y) {
    struct pair s = two_sum(x.high, y.high);
    double low = x.low + y.low;
    low += s.low;
    return two_sum(s.high, low);
}

#define SPLIT 134217729.0 // 2^27 + 1

// The upper half of a's digits, so that products of halves are exact.
static double upper(double a) {
    double scaled = SPLIT * a;
    double rest = scaled - a;
    return scaled - rest;
}

static struct pair pair_mul(struct pair x, struct pair y) {
    double p = x.high * y.high;
    double a = upper(x.high), c = upper(y.high);
    double b = x.high - a, d = y.high - c;
    double ac = a * c, ad = a * d, bc = b * c, bd = b * d;
    double lost = ac - p;
    lost += ad;
    lost += bc;
    lost += bd;
    double cross = x.high * y.low;
    lost += cross;
    cross = x.low * y.high;
    lost += cross;
    return two_sum(p, lost);
}

// x / y for a y without a low part, by one step of refinement.
static struct pair pair_div(struct pair x, double y) {
    double q = x.high / y;
    struct pair product = pair_mul((struct pair){q, 0}, (struct pair){y, 0});
    struct pair rest = pair_add(x, (struct pair){-product.high, -product.low});
    return two_sum(q, rest.high / y);
}

#define TERMS 40 // of the series at |z| <= 1/3: the next is below 2^-128

// 2 * atanh(z) = ln((1 + z) / (1 - z)), |z| <= 1/3.
static struct pair twice_atanh(struct pair z) {
    struct pair power = z, sum = {0, 0}, square = pair_mul(z, z);
    for (int k = 0; k < TERMS; k++) {
        sum = pair_add(sum, pair_div(power, 2 * k + 1));
        power = pair_mul(power, square);
    }
    return (struct pair){2 * sum.high, 2 * sum.low};
}

// ln(x), x > 0, rounded to nearest but for the rarest ties.
static double logarithm(double x) {
    int twos = 0;
    for (; x >= 2; twos++) {
        x /= 2;
    }
    for (; x < 1; twos--) {
        x *= 2;
    }
    // (x - 1) and (x + 1): the first is exact, the second has one bit more than a double.
    struct pair over = two_sum(x, 1);
    struct pair z = pair_div((struct pair){x - 1, 0}, over.high);
    double shift = z.high * over.low;
    z = pair_add(z, (struct pair){-(shift / over.high), 0});
    struct pair third = pair_div((struct pair){1, 0}, 3);
    struct pair two = pair_mul(twice_atanh(third), (struct pair){twos, 0});
    struct pair sum = pair_add(two, twice_atanh(z));
    return sum.high;
}

double import_yarn_mscale(double mscale, double factor) {
    double tenth = 0.1 * mscale;
    double product = tenth * logarithm(factor);
    return product + 1.0;
}

// ---- fields

// A number of the file as binary64; `fallback` where it is absent, with an error where it is wrong.
static double real(struct import *i, const struct config_value *in, const char *key,
                   double fallback) {
    const struct config_value *at = config_get(in, key);
    struct number n;
    if (!at) {
        return fallback;
    }
    if (at->kind != CONFIG_NUMBER || at->text[0] == '-') {
        import_wrong(i, at, "a number, 0 or more");
        return fallback;
    }
    const struct import inner = {
        .arena = i->arena, .diags = i->diags, .text = in, .root = i->root, .arch = i->arch};
    struct import part = inner;
    bool zero;
    const char *spelling = import_decimal(&part, key, true, &zero);
    i->failed = i->failed || part.failed;
    if (!spelling || number_decimal(spelling, &n) != NUMBER_OK) {
        return fallback;
    }
    return number_to_double(n);
}

// rope_scaling or rope_parameters, where it says yarn.
static const struct config_value *yarn(struct import *i) {
    const struct config_value *rope = import_find(i, "rope_scaling|rope_parameters");
    if (!rope) {
        return NULL;
    }
    if (rope->kind != CONFIG_OBJECT) {
        import_wrong(i, rope, "an object");
        return NULL;
    }
    const struct config_value *type = config_get(rope, "rope_type");
    type = type ? type : config_get(rope, "type");
    return import_is(type, "yarn") || import_is(type, "deepseek_yarn") ? rope : NULL;
}

void import_yarn_scale(struct import *i, int64_t dim) {
    const struct config_value *rope = yarn(i);
    double mscale = rope ? real(i, rope, "mscale_all_dim", 0) : 0;
    double factor = rope ? real(i, rope, "factor", 1) : 1;
    struct number root;
    if (mscale == 0 || factor <= 1 || number_rsqrt(number_int(dim), &root) != NUMBER_OK) {
        return; // the language's own default: rsqrt(nope + rope)
    }
    double m = import_yarn_mscale(mscale, factor);
    double square = m * m;
    double scale = number_to_double(root) * square;
    char text[32], factor_text[32], mscale_text[32];
    number_print_double(scale, text);
    number_print_double(factor, factor_text);
    number_print_double(mscale, mscale_text);
    import_set(i, IMPORT_SCALE, arena_strdup(i->arena, text),
               arena_printf(i->arena, "rsqrt(%lld) * m * m, m = 0.1 * %s * ln(%s) + 1",
                            (long long)dim, mscale_text, factor_text));
}
