// SPDX-License-Identifier: Apache-2.0
// UTF-8, independent of the locale: decoding, encoding, column width, and which code points a
// source file may not hold because a reader cannot see them.
#ifndef GRAMMAR_UTF8_H
#define GRAMMAR_UTF8_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define UTF8_BOM 0xFEFFu
#define UTF8_MAX_BYTES 4

// Reads one code point at `at` (at < end). Returns its length in bytes, or 0 when the bytes there
// are no valid UTF-8 (overlong forms and surrogates included).
unsigned utf8_decode(const char *at, const char *end, uint32_t *code_point);

// Writes a code point (not a surrogate, at most U+10FFFF) and returns its length in bytes.
unsigned utf8_encode(uint32_t code_point, char to[UTF8_MAX_BYTES]);

// Columns of a terminal that it takes: 0, 1 or 2.
unsigned utf8_width(uint32_t code_point);

// Controls, direction marks, and other code points that show nothing.
bool utf8_is_invisible(uint32_t code_point);

#endif
