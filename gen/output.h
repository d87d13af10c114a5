// SPDX-License-Identifier: Apache-2.0
// Files, all or none: texts are collected, written under temporary names in the directory of each,
// and renamed when every one of them is complete. A file whose bytes do not change is not touched.
// After any error what stood there before stands there still, and no temporary is left.
#ifndef GEN_OUTPUT_H
#define GEN_OUTPUT_H

#include "grammar/diag.h"

struct output_file {
    const char *path;
    const char *text;
    size_t len;
    const char *temporary; // once it was made
    const char *keep;      // name for the next
    const char *kept;      // hard link to the file that it replaces, while that may be needed
    bool is_new;           // nothing stood there
    bool special;          // a device or a pipe
};

struct outputs {
    struct arena *arena;
    struct diags *diags;
    bool keep_modes; // a file that is replaced keeps its permissions
    VEC(struct output_file) files;
};

void outputs_init(struct outputs *o, struct arena *a, struct diags *d);
// `text` must live until outputs_commit. Paths must differ.
void outputs_add(struct outputs *o, const char *path, const char *text, size_t len);
// Makes missing directories of the paths, writes, renames. False: reported as A0801, exit status 3.
bool outputs_commit(struct outputs *o);
// To stdout, flushed and checked. False: reported as A0801, exit status 3.
bool output_stdout(struct arena *a, struct diags *d, const char *text, size_t len);

#endif
