// SPDX-License-Identifier: Apache-2.0
// Runs the corpus of a fuzz target through it as a test, without a fuzzer: every file of
// tests/fuzz/corpus/NAME, or the files and folders that are named. In: those. Out: TAP; an input
// that fails ends the process before its point.
#define _POSIX_C_SOURCE 200809L
#include <dirent.h>
#include <sys/stat.h>

#include "tests/fuzz/fuzz.h"
#include "tests/tap.h"

static void replay_file(const char *path, const char *name) {
    FILE *from = fopen(path, "rb");
    struct stat st;
    if (!from || fstat(fileno(from), &st) != 0) {
        ok(false, "cannot read %s", path);
        return;
    }
    // Of its exact size, so that a sanitizer sees what reads beyond it.
    uint8_t *data = malloc(st.st_size > 0 ? (size_t)st.st_size : 1);
    const size_t got = data ? fread(data, 1, (size_t)st.st_size, from) : 0;
    fclose(from);
    printf("# %s\n", path);
    fflush(stdout);
    if (data && got == (size_t)st.st_size) {
        LLVMFuzzerTestOneInput(data, got);
    }
    ok(data && got == (size_t)st.st_size, "%s: %s", fuzz_name, name);
    free(data);
}

static int visible(const struct dirent *e) {
    return e->d_name[0] != '.';
}

static void replay(const char *path) {
    struct dirent **names;
    struct stat st;
    if (stat(path, &st) == 0 && !S_ISDIR(st.st_mode)) {
        replay_file(path, path);
        return;
    }
    const int n = scandir(path, &names, visible, alphasort);
    ok(n > 0, "%s has a corpus of %d files", fuzz_name, n);
    for (int i = 0; i < n; i++) {
        char file[4096];
        snprintf(file, sizeof file, "%s/%s", path, names[i]->d_name);
        replay_file(file, names[i]->d_name);
        free(names[i]);
    }
    if (n >= 0) {
        free(names);
    }
}

int main(int argc, char *argv[]) {
    char corpus[256];
    snprintf(corpus, sizeof corpus, "tests/fuzz/corpus/%s", fuzz_name);
    if (argc == 1) {
        replay(corpus);
    }
    for (int i = 1; i < argc; i++) {
        replay(argv[i]);
    }
    return done_testing();
}
