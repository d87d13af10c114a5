// SPDX-License-Identifier: Apache-2.0
// Outputs are replaced together or not at all; equal bytes are left alone; no temporary survives.
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/output.h"
#include "tests/tap.h"

struct world {
    struct arena arena;
    jmp_buf out_of_memory;
    struct sources sources;
    struct diags diags;
    struct outputs outputs;
};

static void begin(struct world *w) {
    memset(w, 0, sizeof *w);
    arena_init(&w->arena, &w->out_of_memory);
    w->sources.arena = &w->arena;
    w->diags.arena = &w->arena;
    w->diags.sources = &w->sources;
    outputs_init(&w->outputs, &w->arena, &w->diags);
}

static bool write_two(struct world *w, const char *first, const char *a, const char *second,
                      const char *b) {
    begin(w);
    outputs_add(&w->outputs, first, a, strlen(a));
    outputs_add(&w->outputs, second, b, strlen(b));
    return outputs_commit(&w->outputs);
}

static const char *content(const char *path) {
    static char text[256];
    FILE *f = fopen(path, "r");
    size_t n = f ? fread(text, 1, sizeof text - 1, f) : 0;
    text[n] = '\0';
    if (f) {
        fclose(f);
    }
    return f ? text : NULL;
}

static int files_in(const char *path) {
    DIR *d = opendir(path);
    int n = 0;
    for (struct dirent *e; d && (e = readdir(d)) != NULL;) {
        n += e->d_name[0] != '.';
    }
    if (d) {
        closedir(d);
    }
    return n;
}

static void test_write(void) {
    struct world w;
    ok(write_two(&w, "deep/er/a", "one\n", "deep/er/b", "two\n"), "missing directories are made");
    is_str(content("deep/er/a"), "one\n", "the first file is there");
    is_str(content("deep/er/b"), "two\n", "and the second");
    is_int(files_in("deep/er"), 2, "and nothing else");
    arena_free(&w.arena);
}

static void test_unchanged(void) {
    struct world w;
    struct stat before, after, other;
    struct timespec past[2] = {{.tv_sec = 1000}, {.tv_sec = 1000}};
    utimensat(AT_FDCWD, "deep/er/a", past, 0);
    stat("deep/er/a", &before);
    ok(write_two(&w, "deep/er/a", "one\n", "deep/er/b", "changed\n"), "one of two changes");
    stat("deep/er/a", &after);
    stat("deep/er/b", &other);
    ok(after.st_mtime == 1000 && after.st_ino == before.st_ino, "equal bytes keep file and time");
    ok(other.st_mtime > 1000, "other bytes are written");
    is_str(content("deep/er/b"), "changed\n", "with their new text");
    arena_free(&w.arena);
}

static void test_obstacle(void) {
    struct world w;
    mkdir("obstacle", 0777);
    mkdir("obstacle/b", 0777);
    ok(write_two(&w, "obstacle/a", "old\n", "obstacle/c", "old\n"), "old outputs stand");
    arena_free(&w.arena);
    ok(!write_two(&w, "obstacle/a", "new\n", "obstacle/b", "new\n"), "a directory is in the way");
    is_int((long long)w.diags.errors, 1, "one error");
    ok(w.diags.list.at[0]->code == DIAG_A0801, "of the right code");
    is_str(content("obstacle/a"), "old\n", "the other output keeps its old bytes");
    is_int(files_in("obstacle"), 3, "no temporary is left");
    arena_free(&w.arena);
    ok(!write_two(&w, "obstacle/a/x", "new\n", "obstacle/c", "new\n"), "a file is not a directory");
    is_str(content("obstacle/c"), "old\n", "nothing was written");
    arena_free(&w.arena);
}

// A limit on the size of files stands for a full disk: write fails after some bytes.
static void test_short_write(void) {
    struct world w;
    static char big[8192];
    memset(big, 'x', sizeof big - 1);
    ok(write_two(&w, "full/a", "old\n", "full/b", "old\n"), "old outputs stand");
    arena_free(&w.arena);
    struct rlimit old, small = {.rlim_cur = 4096};
    getrlimit(RLIMIT_FSIZE, &old);
    small.rlim_max = old.rlim_max;
    signal(SIGXFSZ, SIG_IGN);
    setrlimit(RLIMIT_FSIZE, &small);
    bool good = write_two(&w, "full/a", "new\n", "full/b", big);
    setrlimit(RLIMIT_FSIZE, &old);
    ok(!good && w.diags.errors == 1, "a short write is an error");
    is_str(content("full/a"), "old\n", "files that were complete are not renamed");
    is_int(files_in("full"), 2, "no temporary is left");
    arena_free(&w.arena);
}

// A device is not asked here: one that was replaced by mistake would be missed by all others.
static void test_pipe(void) {
    struct world w;
    struct stat st;
    mkdir("pipe", 0777);
    mkfifo("pipe/p", 0666);
    int reader = open("pipe/p", O_RDONLY | O_NONBLOCK);
    ok(write_two(&w, "pipe/p", "through\n", "pipe/a", "one\n"), "an output may be a pipe");
    char text[16] = "";
    ok(read(reader, text, sizeof text - 1) == 8, "which the bytes go through");
    is_str(text, "through\n", "all of them");
    ok(lstat("pipe/p", &st) == 0 && S_ISFIFO(st.st_mode), "and it stays a pipe");
    close(reader);
    arena_free(&w.arena);
}

static void test_link(void) {
    struct world w;
    struct stat st;
    ok(symlink("a", "pipe/l") == 0, "a link to a file");
    ok(write_two(&w, "pipe/l", "two\n", "pipe/b", "three\n"), "an output may be a link");
    is_str(content("pipe/a"), "two\n", "the file behind it is written");
    ok(lstat("pipe/l", &st) == 0 && S_ISLNK(st.st_mode), "and it stays a link");
    is_int(files_in("pipe"), 4, "no temporary is left");
    arena_free(&w.arena);
}

static void test_stdout(void) {
    struct world w;
    begin(&w);
    int saved = dup(STDOUT_FILENO);
    fflush(stdout);
    FILE *full = fopen("/dev/full", "w");
    if (full) {
        dup2(fileno(full), STDOUT_FILENO);
        bool good = output_stdout(&w.arena, &w.diags, "text\n", 5);
        dup2(saved, STDOUT_FILENO);
        fclose(full);
        ok(!good && w.diags.errors == 1, "a full standard output is an error");
    } else {
        skip("no /dev/full", "a full standard output is an error");
    }
    close(saved);
    arena_free(&w.arena);
}

int main(void) {
    char dir[] = "/tmp/attnc-output.XXXXXX";
    if (!mkdtemp(dir) || chdir(dir) != 0) {
        return 1;
    }
    test_write();
    test_unchanged();
    test_obstacle();
    test_short_write();
    test_pipe();
    test_link();
    test_stdout();
    static const char *const files[] = {"deep/er/a",  "deep/er/b",  "deep/er",    "deep",
                                        "obstacle/a", "obstacle/b", "obstacle/c", "obstacle",
                                        "full/a",     "full/b",     "full",       "pipe/p",
                                        "pipe/a",     "pipe/b",     "pipe/l",     "pipe"};
    for (size_t i = 0; i < sizeof files / sizeof *files; i++) {
        remove(files[i]);
    }
    rmdir(dir);
    return done_testing();
}
