// SPDX-License-Identifier: Apache-2.0
// Files, all or none. In: paths and complete texts. Out: files replaced by rename once every one
// of them is on disk under a temporary name; signals that end the process wait until that is over.
// Always: an error leaves what stood there before and no temporary; equal bytes are not written.
// A device or a pipe is written to, and a link followed: they stay what they are.

#define _XOPEN_SOURCE 700

#include "gen/output.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define COMPARED_BYTES 65536 // at a time

void outputs_init(struct outputs *o, struct arena *a, struct diags *d) {
    *o = (struct outputs){.arena = a, .diags = d};
}

void outputs_add(struct outputs *o, const char *path, const char *text, size_t len) {
    struct output_file f = {.path = path, .text = text, .len = len};
    VEC_PUSH(o->arena, &o->files, f);
}

static bool fail(struct outputs *o, const char *what, const char *path, int error) {
    diag_add_global(o->diags, DIAG_A0801, "cannot %s `%s`: %s", what, path, strerror(error));
    return false;
}

// Makes the missing directories above the last component of `path`.
static bool make_parents(struct outputs *o, const char *path) {
    char *copy = arena_strdup(o->arena, path);
    for (char *c = copy + 1; *copy && *c; c++) {
        if (*c != '/') {
            continue;
        }
        *c = '\0';
        struct stat st;
        if (mkdir(copy, 0777) != 0 && (stat(copy, &st) != 0 || !S_ISDIR(st.st_mode))) {
            return fail(o, "make the directory", copy, errno == EEXIST ? ENOTDIR : errno);
        }
        *c = '/';
    }
    return true;
}

static bool write_all(int fd, const char *text, size_t len) {
    while (len > 0) {
        ssize_t n = write(fd, text, len);
        if (n < 0 && errno == EINTR) {
            continue;
        }
        if (n <= 0) {
            errno = n == 0 ? ENOSPC : errno;
            return false;
        }
        text += n;
        len -= (size_t)n;
    }
    return true;
}

// Does the file at `path` hold exactly these bytes?
static bool holds(const char *path, const char *text, size_t len) {
    struct stat st;
    FILE *f = stat(path, &st) == 0 && S_ISREG(st.st_mode) && (size_t)st.st_size == len
                  ? fopen(path, "rb")
                  : NULL;
    if (!f) {
        return false;
    }
    char part[COMPARED_BYTES];
    size_t at = 0, n;
    bool same = true;
    while (same && (n = fread(part, 1, sizeof part, f)) > 0) {
        same = n <= len - at && memcmp(part, text + at, n) == 0;
        at += n;
    }
    same = same && at == len && !ferror(f);
    fclose(f);
    return same;
}

static bool write_temporary(struct outputs *o, struct output_file *f) {
    struct stat st;
    const bool exists = lstat(f->path, &st) == 0;
    if (exists && S_ISDIR(st.st_mode)) {
        return fail(o, "write", f->path, EISDIR);
    }
    const char *name = arena_printf(o->arena, "%s.%ld.tmp", f->path, (long)getpid());
    f->keep = arena_printf(o->arena, "%s.%ld.old", f->path, (long)getpid());
    int fd = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0) {
        return fail(o, "write", f->path, errno);
    }
    f->temporary = name;
    bool good = write_all(fd, f->text, f->len) &&
                (!o->keep_modes || !exists || fchmod(fd, st.st_mode & 07777) == 0);
    int error = errno;
    if (close(fd) != 0 && good) {
        good = false;
        error = errno;
    }
    return good || fail(o, "write", f->path, error);
}

// Puts back what the first `n` renames replaced.
static void undo(struct outputs *o, size_t n) {
    for (size_t i = 0; i < n; i++) {
        struct output_file *f = &o->files.at[i];
        if (f->kept) {
            rename(f->kept, f->path);
            f->kept = NULL;
        } else if (f->temporary && f->is_new) {
            unlink(f->path);
        }
    }
}

static bool rename_all(struct outputs *o) {
    for (size_t i = 0; i < o->files.len; i++) {
        struct output_file *f = &o->files.at[i];
        if (!f->temporary) {
            continue;
        }
        if (link(f->path, f->keep) == 0) {
            f->kept = f->keep;
        } else {
            f->is_new = errno == ENOENT; // else the file system has no links: no way back
        }
        if (rename(f->temporary, f->path) != 0) {
            const int error = errno;
            undo(o, i);
            return fail(o, "write", f->path, error);
        }
    }
    return true;
}

static const char *behind_link(struct outputs *o, const char *path) {
    struct stat st;
    char real[PATH_MAX];
    bool link = lstat(path, &st) == 0 && S_ISLNK(st.st_mode) && realpath(path, real);
    return link ? arena_strdup(o->arena, real) : path;
}

// A device or a pipe cannot be replaced, only written to.
static bool is_special(const char *path) {
    struct stat st;
    return stat(path, &st) == 0 && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static bool write_specials(struct outputs *o) {
    for (size_t i = 0; i < o->files.len; i++) {
        struct output_file *f = &o->files.at[i];
        if (!f->special) {
            continue;
        }
        int fd = open(f->path, O_WRONLY | O_NOCTTY | O_CLOEXEC);
        bool good = fd >= 0 && write_all(fd, f->text, f->len);
        int error = errno;
        if (fd >= 0 && close(fd) != 0 && good) {
            good = false;
            error = errno;
        }
        if (!good) {
            return fail(o, "write", f->path, error);
        }
    }
    return true;
}

static bool commit_all(struct outputs *o) {
    for (size_t i = 0; i < o->files.len; i++) {
        struct output_file *f = &o->files.at[i];
        f->path = behind_link(o, f->path);
        f->special = is_special(f->path);
        if (!f->special && (!make_parents(o, f->path) ||
                            (!holds(f->path, f->text, f->len) && !write_temporary(o, f)))) {
            return false;
        }
    }
    return write_specials(o) && rename_all(o);
}

struct commit {
    struct outputs *outputs;
    bool good;
};

static void commit(void *ctx) {
    struct commit *c = ctx;
    c->good = commit_all(c->outputs);
}

bool outputs_commit(struct outputs *o) {
    struct commit c = {.outputs = o};
    sigset_t ending, before;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigprocmask(SIG_BLOCK, &ending, &before);
    const bool in_memory = arena_try(o->arena, commit, &c);
    for (size_t i = 0; i < o->files.len; i++) {
        struct output_file *f = &o->files.at[i];
        if (!c.good && f->temporary) {
            unlink(f->temporary);
        }
        if (f->kept) {
            unlink(f->kept);
        }
    }
    sigprocmask(SIG_SETMASK, &before, NULL);
    if (!in_memory) {
        arena_out_of_memory(o->arena);
    }
    return c.good;
}

bool output_stdout(struct arena *a, struct diags *d, const char *text, size_t len) {
    struct outputs o = {.arena = a, .diags = d};
    return write_all(STDOUT_FILENO, text, len) || fail(&o, "write", "standard output", errno);
}
