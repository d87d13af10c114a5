// SPDX-License-Identifier: Apache-2.0
// Numbers of a GGUF file as text: integers in full, reals as the shortest decimal that gives back
// the same binary32 or binary64.
#include "gen/gguf_number.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const unsigned gguf_type_bytes[GGUF_TYPE_COUNT] = {
#define GGUF_TYPE(id, bytes) bytes,
    GGUF_TYPES(GGUF_TYPE)
#undef GGUF_TYPE
};

// The shortest decimal that gives back the number, of binary32 or binary64.
static const char *real_text(struct arena *a, double v, bool single) {
    char text[32];
    for (int digits = 1;; digits++) {
        snprintf(text, sizeof text, "%.*g", digits, v);
        double back = single ? (double)strtof(text, NULL) : strtod(text, NULL);
        if (!(back < v || back > v) || digits == 17) {
            return arena_strdup(a, text);
        }
    }
}

static double real_of(enum gguf_type type, uint64_t raw) {
    float f;
    double v;
    uint32_t low = (uint32_t)raw;
    memcpy(&f, &low, sizeof f);
    memcpy(&v, &raw, sizeof v);
    return type == GGUF_F32 ? (double)f : v;
}

static int64_t signed_of(unsigned bytes, uint64_t raw) {
    uint64_t sign = UINT64_C(1) << (8 * bytes - 1);
    return (int64_t)((raw ^ sign) - sign);
}

void gguf_number(struct arena *a, enum gguf_type type, uint64_t raw, struct config_value *v) {
    v->kind = CONFIG_NUMBER;
    if (type == GGUF_BOOL) {
        v->kind = CONFIG_BOOL;
        v->yes = raw != 0;
        v->text = v->yes ? "true" : "false";
    } else if (type == GGUF_F32 || type == GGUF_F64) {
        double x = real_of(type, raw);
        v->kind = isfinite(x) ? CONFIG_NUMBER : CONFIG_NONFINITE;
        v->text = isnan(x)      ? "NaN"
                  : isfinite(x) ? real_text(a, x, type == GGUF_F32)
                  : x > 0       ? "Infinity"
                                : "-Infinity";
    } else if (type == GGUF_I8 || type == GGUF_I16 || type == GGUF_I32 || type == GGUF_I64) {
        v->text = arena_printf(a, "%lld", (long long)signed_of(gguf_type_bytes[type], raw));
    } else {
        v->text = arena_printf(a, "%llu", (unsigned long long)raw);
    }
    v->len = strlen(v->text);
}
