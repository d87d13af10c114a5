// SPDX-License-Identifier: Apache-2.0
// Which bytes may stand in a source file. In: a text. Out: a located error for each run of bytes
// that may not. Always: every byte is looked at once, wherever it stands, so that the lexer can
// pass over what was reported here without a second word.
#include "lexer.h"

#include <string.h>

#include "utf8.h"

// The bytes that UTF-16 and UTF-32 files begin with, or have at every other place.
static bool is_utf16(const struct source *f) {
    static const char *const marks[] = {"\xFF\xFE", "\xFE\xFF"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        if (f->len >= 2 && memcmp(f->text, marks[i], 2) == 0) {
            return true;
        }
    }
    return f->len >= 4 && (!f->text[0] != !f->text[1]) && !f->text[0] == !f->text[2] &&
           !f->text[1] == !f->text[3];
}

enum trouble { FINE, NOT_UTF8, CONTROL, INVISIBLE };

static enum trouble trouble_at(const char *at, const char *end, unsigned *bytes, uint32_t *c) {
    *bytes = utf8_decode(at, end, c);
    if (*bytes == 0) {
        *bytes = 1;
        return NOT_UTF8;
    }
    if (*c == '\n' || *c == '\t' || (*c == '\r' && at + 1 < end && at[1] == '\n')) {
        return FINE;
    }
    if (*c < 0x20 || *c == 0x7F) {
        return CONTROL;
    }
    return *c >= 0x80 && utf8_is_invisible(*c) ? INVISIBLE : FINE;
}

static void report_trouble(struct reporter *r, const struct source *f, uint32_t begin, uint32_t end,
                           enum trouble trouble, uint32_t c) {
    const unsigned byte = (unsigned char)f->text[begin];
    const unsigned more = end - begin - 1;
    const char *extra = more ? arena_printf(r->diags->arena, " and %u more", more) : "";
    if (trouble == NOT_UTF8) {
        report(r, DIAG_A0102, begin, end, "byte <%02X>%s is not valid UTF-8", byte, extra);
    } else if (trouble == INVISIBLE) {
        struct diag *g = report(r, DIAG_A0103, begin, end, "invisible character U+%04X%s",
                                (unsigned)c, c == UTF8_BOM ? " (byte order mark)" : "");
        if (c == UTF8_BOM) {
            diag_help(r->diags, g, "one byte order mark may stand at the start of the file");
        }
    } else {
        struct diag *g = report(r, DIAG_A0101, begin, end, "control byte <%02X>%s%s", byte,
                                byte == '\r' ? " (carriage return without line feed)" : "", extra);
        if (byte == '\r') {
            diag_help(r->diags, g, "a line ends with LF or CR LF");
        }
    }
}

bool source_check(struct reporter *r, const struct source *f) {
    if (is_utf16(f)) {
        struct diag *g = report(r, DIAG_A0102, 0, 1, "the file is UTF-16 or UTF-32, not UTF-8");
        diag_help(r->diags, g, "save it as UTF-8");
        return false;
    }
    const char *end = f->text + f->len;
    const char *at = f->text + f->lines.at[0]; // after the byte order mark
    while (at < end && !r->stopped) {
        unsigned bytes;
        uint32_t c;
        const enum trouble trouble = trouble_at(at, end, &bytes, &c);
        const uint32_t begin = (uint32_t)(at - f->text);
        at += bytes;
        if (trouble == FINE) {
            continue;
        }
        // A run of such bytes (a binary file) is one error; an invisible character stands alone.
        uint32_t next;
        while (trouble != INVISIBLE && at < end && trouble_at(at, end, &bytes, &next) == trouble) {
            at += bytes;
        }
        report_trouble(r, f, begin, (uint32_t)(at - f->text), trouble, c);
    }
    return true;
}
