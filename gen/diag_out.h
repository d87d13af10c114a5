// SPDX-License-Identifier: Apache-2.0
// Diagnostics for machines: JSON Lines and SARIF 2.1.0, of a finished list. Both are ASCII, hold no
// time, host or absolute path that was not given, and are the same bytes for the same list.
#ifndef GEN_DIAG_OUT_H
#define GEN_DIAG_OUT_H

#include "gen/json.h"
#include "grammar/diag.h"

// What a run was about, for what is said of no place.
struct diag_run {
    unsigned max_errors; // 0 = no limit
    const char *subject; // the file that the command was given, or NULL
    const char *usage;   // what was wrong with the command line, or NULL
    const char *help;    // the remedy, or NULL
    int status;          // exit status
};

// One object a line, the most serious mistake of the command line included.
const char *diag_json(struct arena *a, const struct diags *d, const struct diag_run *run,
                      size_t *len);
// One log with one run, also when nothing was found.
const char *diag_sarif(struct arena *a, const struct diags *d, const struct diag_run *run,
                       size_t *len);

// `s` with each byte that is not UTF-8 written as `<E2>`, as text shows it.
const char *diag_utf8(struct arena *a, const char *s);
// A reference (RFC 3986) to a path: percent-encoded, `file://` before one that is absolute.
const char *diag_uri(struct arena *a, const char *path);
// Hashes by which GitHub code scanning knows a result again after edits: of each line (at least
// one), 64 bits of the 100 characters that are no blanks from its start.
VEC_TYPE(diag_line_hashes, uint64_t);
struct diag_line_hashes diag_line_hashes(struct arena *a, const char *text, size_t len);
// That of one line (from 1), in hexadecimal, and how often it stood in the file so far: "1f...:1".
const char *diag_line_hash(struct arena *a, const struct diag_line_hashes *hashes, uint32_t line);

#endif
