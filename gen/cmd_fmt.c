// SPDX-License-Identifier: Apache-2.0
// `attnc fmt [--check] FILE...`: the canonical form of each file, in its place, or of standard
// input (`-`) on standard output. Always: a file with errors is reported and left as it is; an
// unchanged one is not touched; links are followed, permissions kept; imports are not read.
#define _XOPEN_SOURCE 700
#define _FILE_OFFSET_BITS 64

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/command.h"
#include "gen/output.h"
#include "gen/text.h"
#include "grammar/format.h"
#include "grammar/parse.h"

#define READ_AT_ONCE 65536

struct formatting {
    struct command *command;
    struct outputs outputs;
    struct text report; // of --check
    bool unreadable, unwritable, differs;
};

// Everything from `fd`. NULL, or why it cannot be read.
static const char *read_all(struct arena *a, int fd, char **text, uint32_t *len) {
    struct stat st;
    size_t n = 0, room = READ_AT_ONCE;
    *text = arena_alloc(a, room + 1);
    if (fstat(fd, &st) == 0 && S_ISDIR(st.st_mode)) {
        return "it is a directory";
    }
    for (;;) {
        if (n == room) {
            *text = arena_grow(a, *text, n, 2 * room + 1);
            room *= 2;
        }
        const ssize_t got = read(fd, *text + n, room - n);
        if (got < 0 && errno != EINTR) {
            return strerror(errno);
        }
        if (got == 0) {
            break;
        }
        n += got > 0 ? (size_t)got : 0;
        if (n > INT32_MAX) {
            return "it is larger than 2 GiB";
        }
    }
    (*text)[n] = '\0';
    *len = (uint32_t)n;
    return NULL;
}

// The file's number in the source table, or UINT32_MAX after an error.
static uint32_t read_source(struct formatting *f, const char *path, bool standard_input) {
    struct command *c = f->command;
    const char *name = standard_input ? "<stdin>" : options_map_path(&c->options, path);
    const int fd = standard_input ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
    char *text = NULL;
    uint32_t len = 0;
    const char *why = fd < 0 ? strerror(errno) : read_all(c->arena, fd, &text, &len);
    if (fd >= 0 && !standard_input) {
        close(fd);
    }
    if (why) {
        diag_add_file(c->diags, DIAG_A0303, name, "cannot read `%s`: %s", name, why);
        f->unreadable = true;
        return UINT32_MAX;
    }
    return source_add(c->sources, name, path, text, len, false);
}

// ---- --check

static size_t line_length(const char *at, const char *end) {
    const char *stop = memchr(at, '\n', (size_t)(end - at));
    return (size_t)((stop ? stop + 1 : end) - at);
}

// "FILE:LINE: wanted `...`" of the first line that differs.
static void report_difference(struct formatting *f, const struct source *s, const char *text,
                              uint32_t len) {
    const char *old = s->text, *old_end = s->text + s->len, *new = text, *new_end = text + len;
    size_t line = 1, n = 0, m = 0;
    for (;; line++, old += n, new += m) {
        n = line_length(old, old_end);
        m = line_length(new, new_end);
        if (n != m || memcmp(old, new, n) != 0) {
            break;
        }
    }
    text_addf(&f->report, "%s:%zu: ", s->name, line);
    if (m == 0) {
        text_add(&f->report, "wanted the end of the file\n");
    } else {
        text_addf(&f->report, "wanted `%.*s`\n", (int)(m - (new[m - 1] == '\n')), new);
    }
    f->differs = true;
}

// ---- files

// Where the file really is, so that a link stays a link. NULL: it is among the outputs already.
static const char *target_of(struct formatting *f, const char *path) {
    char real[PATH_MAX];
    const char *target = realpath(path, real) ? arena_strdup(f->command->arena, real) : path;
    for (size_t i = 0; i < f->outputs.files.len; i++) {
        if (strcmp(f->outputs.files.at[i].path, target) == 0) {
            return NULL;
        }
    }
    return target;
}

static void format_one(struct formatting *f, const char *path) {
    struct command *c = f->command;
    const bool standard_input = strcmp(path, "-") == 0;
    const uint32_t file = read_source(f, path, standard_input);
    if (file == UINT32_MAX || parse_file(c->arena, c->sources, file, c->diags)->incomplete) {
        return;
    }
    uint32_t len;
    const char *text = format_file(c->arena, c->sources, file, c->diags, &len);
    const struct source *s = &c->sources->files.at[file];
    const bool same = len == s->len && memcmp(text, s->text, len) == 0;
    if (c->options.given[OPTION_CHECK]) {
        if (!same) {
            report_difference(f, s, text, len);
        }
    } else if (standard_input) {
        f->unwritable |= !output_stdout(c->arena, c->diags, text, len);
    } else if (!same) {
        const char *target = target_of(f, path);
        if (target) {
            outputs_add(&f->outputs, target, text, len);
        }
    }
}

int cmd_fmt(struct command *c) {
    if (c->options.args.len == 0) {
        return command_usage(c, "fmt needs at least one file", "attnc fmt [--check] FILE...");
    }
    struct formatting f = {.command = c, .report = text_of(c->arena)};
    outputs_init(&f.outputs, c->arena, c->diags);
    f.outputs.keep_modes = true;
    for (size_t i = 0; i < c->options.args.len; i++) {
        format_one(&f, c->options.args.at[i]);
    }
    f.unwritable |= !outputs_commit(&f.outputs);
    f.unwritable |= !output_stdout(c->arena, c->diags, text_string(&f.report), f.report.bytes.len);
    return f.unreadable || f.unwritable ? EXIT_STATUS_IO
           : f.differs                  ? EXIT_STATUS_INPUT
                                        : EXIT_STATUS_OK;
}
