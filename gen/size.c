// SPDX-License-Identifier: Apache-2.0
// Sizes that never wrap. In and out: see size.h.
#include "gen/size.h"

#include <inttypes.h>

struct size size_of(int64_t v) {
    return (struct size){SIZE_KNOWN, v};
}

struct size size_unknown(void) {
    return (struct size){SIZE_UNKNOWN, 0};
}

// The state of a result whose operands are not both known.
static struct size mixed(struct size a, struct size b) {
    bool beyond = a.state == SIZE_BEYOND || b.state == SIZE_BEYOND;
    return (struct size){beyond ? SIZE_BEYOND : SIZE_UNKNOWN, 0};
}

static bool both_known(struct size a, struct size b) {
    return a.state == SIZE_KNOWN && b.state == SIZE_KNOWN;
}

struct size size_add(struct size a, struct size b) {
    if (!both_known(a, b)) {
        return mixed(a, b);
    }
    return a.v > INT64_MAX - b.v ? (struct size){SIZE_BEYOND, 0} : size_of(a.v + b.v);
}

struct size size_mul(struct size a, struct size b) {
    if (!both_known(a, b)) {
        return mixed(a, b);
    }
    return b.v != 0 && a.v > INT64_MAX / b.v ? (struct size){SIZE_BEYOND, 0} : size_of(a.v * b.v);
}

struct size size_min(struct size a, struct size b) {
    if (a.state == SIZE_BEYOND || b.state == SIZE_BEYOND) { // the other is smaller
        return a.state == SIZE_BEYOND ? b : a;
    }
    return both_known(a, b) ? (a.v < b.v ? a : b) : mixed(a, b);
}

struct size size_ratio(struct size n, struct rational r) {
    struct size product = size_mul(n, size_of(r.num));
    return product.state == SIZE_KNOWN ? size_of(ceil_div(product.v, r.den)) : product;
}

int64_t ceil_div(int64_t n, int64_t by) {
    return n / by + (n % by != 0);
}

const char *size_text(struct arena *a, int64_t bytes) {
    static const struct {
        int shift;
        char suffix;
    } units[] = {{30, 'G'}, {20, 'M'}, {10, 'K'}};
    for (size_t i = 0; i < sizeof units / sizeof *units; i++) {
        int64_t unit = INT64_C(1) << units[i].shift;
        if (bytes < unit) {
            continue;
        }
        int64_t whole = bytes / unit;
        int64_t hundredths = ((bytes % unit) * 100 + unit / 2) / unit;
        whole += hundredths / 100;
        hundredths %= 100;
        const char *digits = hundredths == 0        ? ""
                             : hundredths % 10 == 0 ? arena_printf(a, ".%d", (int)(hundredths / 10))
                                                    : arena_printf(a, ".%02d", (int)hundredths);
        return arena_printf(a, "%" PRId64 "%s%c", whole, digits, units[i].suffix);
    }
    return arena_printf(a, "%" PRId64, bytes);
}
