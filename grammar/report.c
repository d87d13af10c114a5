// SPDX-License-Identifier: Apache-2.0
// Reports the errors of one file. In: a code, bytes and a message. Out: a diagnostic.
// Always: the error that reaches the limit is followed by one that says so, and is the last.
#include "report.h"

struct span report_span(const struct reporter *r, uint32_t begin, uint32_t end) {
    return (struct span){.file = r->file, .begin = begin, .end = end};
}

struct diag *report(struct reporter *r, enum diag_code code, uint32_t begin, uint32_t end,
                    const char *format, ...) {
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(r->diags->arena, format, args);
    va_end(args);
    struct diag *g = diag_add(r->diags, code, report_span(r, begin, end), "%s", message);
    r->errors++;
    if (r->errors == REPORT_MAX_ERRORS) {
        r->stopped = true;
        diag_add(r->diags, DIAG_A0207, report_span(r, end, end),
                 "too many errors in this file (limit is %d); the rest of it was not read",
                 REPORT_MAX_ERRORS);
    }
    return g;
}
