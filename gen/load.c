// SPDX-License-Identifier: Apache-2.0
// Reads a file and all that it imports. In: a path, -I folders, the library. Out: the syntax trees,
// imports before importers, the library first. Always: a file is read once, whatever path leads to
// it (device and inode tell); chains of imports end; nothing but regular files is read.
#define _POSIX_C_SOURCE 200809L
#define _FILE_OFFSET_BITS 64
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/names.h"
#include "gen/program.h"
#include "grammar/parse.h"

#define LIBRARY_PREFIX "std/"
#define CHAIN_ENDS 3 // files shown at each end of a long chain

static const char *const always_there[] = {"std/kinds.attn", "std/capabilities.attn",
                                           "std/platforms.attn"};

// A file that is being read, linked to the one that imports it.
struct opened {
    const char *name;     // as messages show it
    const char *path;     // what was opened; NULL in the library
    const char *identity; // key in loader.seen
    const struct opened *importer;
    unsigned depth; // 1 for the main file
};

struct loader {
    struct program *p;
    const struct load_options *options;
    const struct library_file *library;
    size_t n_library;
    struct name_table seen; // identity -> the string "open" or "done"
};

struct content {
    const char *text;
    uint32_t len;
    const char *identity;
};

static const char OPEN[] = "open", DONE[] = "done";

// ---- files

// NULL, or why `path` cannot be read. `missing` is set when there is no such file.
static const char *read_content(struct arena *a, const char *path, struct content *c,
                                bool *missing) {
    *missing = false;
    int fd = open(path, O_RDONLY | O_NONBLOCK | O_CLOEXEC); // O_NONBLOCK: a FIFO must not hang
    if (fd < 0) {
        *missing = errno == ENOENT || errno == ENOTDIR;
        return strerror(errno);
    }
    struct stat st;
    const char *why = NULL;
    if (fstat(fd, &st) != 0) {
        why = strerror(errno);
    } else if (S_ISDIR(st.st_mode)) {
        why = "it is a directory";
    } else if (!S_ISREG(st.st_mode)) {
        why = "it is not a regular file";
    } else if (st.st_size > INT32_MAX) {
        why = "it is larger than 2 GiB";
    }
    if (why) {
        close(fd);
        return why;
    }
    char *text = arena_alloc(a, (size_t)st.st_size + 1);
    size_t len = 0;
    while (len < (size_t)st.st_size) {
        ssize_t n = read(fd, text + len, (size_t)st.st_size - len);
        if (n > 0) {
            len += (size_t)n;
        } else if (n == 0) {
            break; // shorter than it was
        } else if (errno != EINTR) {
            why = strerror(errno);
            break;
        }
    }
    close(fd);
    *c = (struct content){
        text, (uint32_t)len,
        arena_printf(a, "%llu:%llu", (unsigned long long)st.st_dev, (unsigned long long)st.st_ino)};
    return why;
}

static const char *shown_name(const struct loader *l, const char *path) {
    return l->options->map_name ? l->options->map_name(l->options->map_ctx, path) : path;
}

// `path` beside `file`, or as it is when absolute.
static const char *beside(struct arena *a, const char *file, const char *path) {
    const char *slash = strrchr(file, '/');
    if (*path == '/' || !slash) {
        return path;
    }
    return arena_printf(a, "%.*s/%s", (int)(slash - file), file, path);
}

static const struct library_file *library_find(const struct loader *l, const char *name) {
    for (size_t i = 0; i < l->n_library; i++) {
        if (strcmp(l->library[i].name, name) == 0) {
            return &l->library[i];
        }
    }
    return NULL;
}

// ---- chains

// "a.attn -> b.attn -> c.attn" from `from` (NULL = the main file) down to `file`; the middle of a
// long one is left out.
static const char *chain_text(struct arena *a, const struct opened *file,
                              const struct opened *from) {
    VEC(const char *) names = {0};
    for (const struct opened *o = file; o; o = o->importer) {
        VEC_PUSH(a, &names, o->name);
        if (o == from) {
            break;
        }
    }
    const char *text = names.at[names.len - 1];
    for (size_t i = names.len - 1; i-- > 0;) {
        size_t shown = names.len - 1 - i; // place in the chain
        if (shown < CHAIN_ENDS || i < CHAIN_ENDS) {
            text = arena_printf(a, "%s -> %s", text, names.at[i]);
        } else if (shown == CHAIN_ENDS) {
            text = arena_printf(a, "%s -> (%zu more)", text, names.len - (size_t)2 * CHAIN_ENDS);
        }
    }
    return text;
}

static void report_cycle(struct loader *l, const struct opened *importer, const char *identity,
                         struct span at) {
    const struct opened *from = importer;
    while (strcmp(from->identity, identity) != 0) {
        from = from->importer;
    }
    diag_add(l->p->diags, DIAG_A0304, at, "imports form a circle: %s -> %s",
             chain_text(l->p->arena, importer, from), from->name);
}

// ---- reading

static void load_imports(struct loader *l, const struct opened *file, const struct ast_file *tree);

// Parses a text and then reads what it imports; imports come before it in p->files.
static struct ast_file *load_text(struct loader *l, const struct opened *file,
                                  const struct content *c, const struct span *imported_at) {
    struct program *p = l->p;
    name_set(&l->seen, file->identity, (void *)OPEN);
    uint32_t number =
        source_add(p->sources, file->name, file->path, c->text, c->len, file->path == NULL);
    if (imported_at) {
        p->sources->files.at[number].has_import = true;
        p->sources->files.at[number].imported_at = *imported_at;
    }
    struct ast_file *tree = parse_file(p->arena, p->sources, number, p->diags);
    load_imports(l, file, tree);
    VEC_PUSH(p->arena, &p->files, tree);
    name_set(&l->seen, file->identity, (void *)DONE);
    return tree;
}

// Is this file still to be read? Reports circles and chains that are too long.
static bool is_new(struct loader *l, const struct opened *importer, const char *identity,
                   const char *name, struct span at) {
    const char *state = name_get(&l->seen, identity);
    if (state == OPEN) {
        report_cycle(l, importer, identity, at);
    } else if (!state && importer->depth >= IMPORT_MAX_DEPTH) {
        struct opened next = {.name = name, .importer = importer};
        diag_add(l->p->diags, DIAG_A0305, at, "imports nested too deeply: %s; limit is %d files",
                 chain_text(l->p->arena, &next, NULL), IMPORT_MAX_DEPTH);
        return false;
    }
    return !state;
}

// The file as it is compiled in, or the one that --library has instead.
static struct content library_content(const struct loader *l, const struct library_file *f) {
    struct content c;
    bool missing;
    if (l->options->library_dir) {
        const char *path = arena_printf(l->p->arena, "%s/%s", l->options->library_dir, f->name);
        if (!read_content(l->p->arena, path, &c, &missing)) {
            return c;
        }
    }
    return (struct content){f->text, f->len, f->name};
}

static void load_library(struct loader *l, const char *name, const struct opened *importer,
                         const struct span *at) {
    const struct library_file *f = library_find(l, name);
    if (!f) {
        struct diag *g =
            diag_add(l->p->diags, DIAG_A0306, *at, "the library has no file `%s`", name);
        const char *all = "";
        for (size_t i = 0; i < l->n_library; i++) {
            all = arena_printf(l->p->arena, "%s%s`%s`", all, i ? ", " : "", l->library[i].name);
        }
        diag_note_plain(l->p->diags, g, "it has %s", all);
        return;
    }
    if (importer && !is_new(l, importer, f->name, f->name, *at)) {
        return;
    }
    struct opened file = {f->name, NULL, f->name, importer, importer ? importer->depth + 1 : 1};
    struct content c = library_content(l, f);
    load_text(l, &file, &c, at);
}

// The first place that has the file: beside the importer, then the -I folders.
static const char *search(struct loader *l, const struct opened *importer, const char *path,
                          struct content *c, const char **why) {
    struct arena *a = l->p->arena;
    const char *first = beside(a, importer->path, path), *place = first;
    bool missing;
    *why = read_content(a, place, c, &missing);
    for (size_t i = 0; missing && *path != '/' && i < l->options->n_include_dirs; i++) {
        place = arena_printf(a, "%s/%s", l->options->include_dirs[i], path);
        *why = read_content(a, place, c, &missing);
    }
    return missing ? first : place;
}

static void load_import(struct loader *l, const struct opened *importer,
                        const struct ast_import *import) {
    struct program *p = l->p;
    if (strncmp(import->path, LIBRARY_PREFIX, strlen(LIBRARY_PREFIX)) == 0 || !importer->path) {
        load_library(l, import->path, importer, &import->span);
        return;
    }
    struct content c;
    const char *why = "the path is empty";
    const char *place = import->path;
    if (*import->path) {
        place = search(l, importer, import->path, &c, &why);
    }
    if (why) {
        struct diag *g = diag_add(p->diags, DIAG_A0303, import->span, "cannot read `%s`: %s",
                                  shown_name(l, place), why);
        if (l->options->n_include_dirs && *import->path && *import->path != '/') {
            diag_note_plain(p->diags, g, "the folders given with -I were searched too");
        }
        return;
    }
    const char *name = shown_name(l, place);
    if (is_new(l, importer, c.identity, name, import->span)) {
        struct opened file = {name, place, c.identity, importer, importer->depth + 1};
        load_text(l, &file, &c, &import->span);
    }
}

static void load_imports(struct loader *l, const struct opened *file, const struct ast_file *tree) {
    for (size_t i = 0; i < tree->imports.len; i++) {
        load_import(l, file, &tree->imports.at[i]);
    }
}

static bool load_main(struct loader *l, const char *path) {
    struct program *p = l->p;
    const char *text = l->options->main_text;
    struct content c = {text, text ? (uint32_t)strlen(text) : 0, path};
    bool missing;
    const char *why = text ? NULL : read_content(p->arena, path, &c, &missing);
    if (why) {
        diag_add_file(p->diags, DIAG_A0303, shown_name(l, path), "cannot read `%s`: %s",
                      shown_name(l, path), why);
        return false;
    }
    struct opened file = {shown_name(l, path), path, c.identity, NULL, 1};
    p->main_file = load_text(l, &file, &c, NULL);
    return true;
}

bool program_load(struct program *p, struct arena *a, struct sources *s, struct diags *d,
                  const char *path, const struct load_options *options) {
    static const struct load_options none = {0};
    struct loader l = {.p = p, .options = options ? options : &none, .seen.arena = a};
    l.library = l.options->library ? l.options->library : library_files;
    l.n_library = l.options->library ? l.options->n_library : library_file_count;
    *p = (struct program){.arena = a, .sources = s, .diags = d};
    for (size_t i = 0; i < sizeof always_there / sizeof *always_there; i++) {
        if (!name_get(&l.seen, always_there[i]) && library_find(&l, always_there[i])) {
            load_library(&l, always_there[i], NULL, NULL);
        }
    }
    bool read = load_main(&l, path);
    program_link(p);
    return read;
}
