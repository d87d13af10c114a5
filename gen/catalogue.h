// SPDX-License-Identifier: Apache-2.0
// The catalogue of diagnostics: for each code of diag_codes.h an explanation, a failing and a
// mended example. The texts are gen/catalogue/*.md, compiled in; their form stands in
// CONTRIBUTING.md. `attnc explain CODE`, docs/diagnostics.md and the rules of SARIF logs are views
// of it.
#ifndef GEN_CATALOGUE_H
#define GEN_CATALOGUE_H

#include "gen/program.h"
#include "gen/text.h"

extern const struct library_file catalogue_files[];
extern const size_t catalogue_file_count;

// Whether `word` has the form of a code, A and four digits.
bool catalogue_is_code(const char *word);
// The code spelled `word`, or DIAG_CODE_COUNT.
enum diag_code catalogue_find(const char *word);

// The body of a code's entry as it stands in the catalogue; NULL when it has none.
const char *catalogue_markdown(struct arena *a, enum diag_code code);
// The first paragraph of a body, in one line, without marks.
const char *catalogue_summary(struct arena *a, const char *markdown);
// A body for people who read plain text: examples indented, each under a word that says what it is.
void catalogue_plain(struct text *t, const char *markdown);

// What `attnc explain CODE` prints, what `attnc explain --list` prints, and docs/diagnostics.md.
const char *catalogue_explain(struct arena *a, enum diag_code code);
const char *catalogue_list(struct arena *a);
const char *catalogue_page(struct arena *a);

#endif
