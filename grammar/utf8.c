// SPDX-License-Identifier: Apache-2.0
// UTF-8 by its definition in RFC 3629. In: bytes or code points. Out: the other.
// Always: nothing is read past `end`, and nothing depends on the locale.
#include "utf8.h"

struct code_range {
    uint32_t first, last;
};

static bool in_ranges(uint32_t c, const struct code_range *ranges, size_t n) {
    for (size_t i = 0; i < n; i++) {
        if (c >= ranges[i].first && c <= ranges[i].last) {
            return true;
        }
    }
    return false;
}

#define IN_RANGES(c, table) in_ranges((c), (table), sizeof(table) / sizeof *(table))

unsigned utf8_decode(const char *at, const char *end, uint32_t *code_point) {
    static const struct {
        uint8_t mask, lead;
        uint32_t smallest; // anything below it should have been written shorter
    } forms[UTF8_MAX_BYTES] = {
        {0x80, 0x00, 0}, {0xE0, 0xC0, 0x80}, {0xF0, 0xE0, 0x800}, {0xF8, 0xF0, 0x10000}};
    const uint8_t first = (uint8_t)*at;
    for (unsigned n = 1; n <= UTF8_MAX_BYTES; n++) {
        if ((first & forms[n - 1].mask) != forms[n - 1].lead) {
            continue;
        }
        if ((size_t)(end - at) < n) {
            return 0;
        }
        uint32_t c = first & (uint8_t)~forms[n - 1].mask;
        for (unsigned i = 1; i < n; i++) {
            const uint8_t next = (uint8_t)at[i];
            if ((next & 0xC0) != 0x80) {
                return 0;
            }
            c = c << 6 | (next & 0x3F);
        }
        if (c < forms[n - 1].smallest || c > 0x10FFFF || (c >= 0xD800 && c <= 0xDFFF)) {
            return 0;
        }
        *code_point = c;
        return n;
    }
    return 0;
}

unsigned utf8_encode(uint32_t c, char to[UTF8_MAX_BYTES]) {
    if (c < 0x80) {
        to[0] = (char)c;
        return 1;
    }
    const unsigned n = c < 0x800 ? 2 : c < 0x10000 ? 3 : 4;
    for (unsigned i = n - 1; i > 0; i--) {
        to[i] = (char)(0x80 | (c & 0x3F));
        c >>= 6;
    }
    static const uint8_t leads[] = {0, 0, 0xC0, 0xE0, 0xF0};
    to[0] = (char)(leads[n] | c);
    return n;
}

// A short rule instead of the full East Asian Width table: the large blocks only. A caret under a
// rare character may be off by one column; no byte of the output depends on the host.
unsigned utf8_width(uint32_t c) {
    static const struct code_range zero[] = {
        {0x0300, 0x036F}, {0x200B, 0x200F}, {0x20D0, 0x20FF}, {0xFE00, 0xFE0F}, {0xFE20, 0xFE2F}};
    static const struct code_range wide[] = {
        {0x1100, 0x115F},   {0x2E80, 0x303E},   {0x3041, 0xA4CF},   {0xAC00, 0xD7A3},
        {0xF900, 0xFAFF},   {0xFE30, 0xFE6F},   {0xFF00, 0xFF60},   {0xFFE0, 0xFFE6},
        {0x1F300, 0x1F64F}, {0x1F680, 0x1F6FF}, {0x1F900, 0x1F9FF}, {0x20000, 0x3FFFD}};
    if (c < 0x300) {
        return 1;
    }
    return IN_RANGES(c, zero) ? 0 : IN_RANGES(c, wide) ? 2 : 1;
}

bool utf8_is_invisible(uint32_t c) {
    // Zero-width joiner and non-joiner (200D, 200C) are parts of words in several scripts.
    static const struct code_range invisible[] = {
        {0x00, 0x1F},     {0x7F, 0x9F},     {0x061C, 0x061C}, {0x200B, 0x200B}, {0x200E, 0x200F},
        {0x2028, 0x202E}, {0x2060, 0x206F}, {0xFEFF, 0xFEFF}, {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F}};
    return IN_RANGES(c, invisible);
}
