// SPDX-License-Identifier: Apache-2.0
// Errors of one file, up to a limit: a file that is no .attn file at all must not fill the memory
// with diagnostics. When the limit is reached `stopped` is set and the passes over the file end.
#ifndef GRAMMAR_REPORT_H
#define GRAMMAR_REPORT_H

#include "diag.h"

#define REPORT_MAX_ERRORS 1000 // of one file, lexical and syntax errors together

struct reporter {
    struct diags *diags;
    uint32_t file;
    unsigned errors;
    bool stopped;
};

struct span report_span(const struct reporter *r, uint32_t begin, uint32_t end);

// Adds an error at bytes [begin, end) of the file.
struct diag *report(struct reporter *r, enum diag_code code, uint32_t begin, uint32_t end,
                    const char *format, ...) __attribute__((format(printf, 5, 6)));

#endif
