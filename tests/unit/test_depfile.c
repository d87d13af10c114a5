// SPDX-License-Identifier: Apache-2.0
// Dependency files: what is named in them, and that make reads the names back as they were.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "gen/depfile.h"
#include "tests/tap.h"

static const char *const odd_names[] = {"my layer#1.attn", "a$b.attn", "c:d.attn", "e\\f.attn",
                                        "g\\ h.attn"};
#define ODD (sizeof odd_names / sizeof *odd_names)

struct world {
    struct arena arena;
    jmp_buf out_of_memory;
    struct sources sources;
    struct diags diags;
};

static void begin(struct world *w) {
    memset(w, 0, sizeof *w);
    arena_init(&w->arena, &w->out_of_memory);
    w->sources.arena = w->diags.arena = &w->arena;
    w->diags.sources = &w->sources;
}

static void test_text(void) {
    static const char *const targets[] = {"out/x.c", "out/x.h"};
    struct world w;
    begin(&w);
    source_add(&w.sources, "std/kinds.attn", NULL, "", 0, true);
    source_add(&w.sources, "shown.attn", "dir/main.attn", "", 0, false);
    for (size_t i = 0; i < ODD; i++) {
        source_add(&w.sources, odd_names[i], odd_names[i], "", 0, false);
    }
    struct text t = text_of(&w.arena);
    ok(depfile_write(&t, &w.diags, targets, 2, &w.sources), "names without line breaks");
    is_str(text_string(&t),
           "out/x.c \\\n out/x.h: \\\n dir/main.attn \\\n my\\ layer\\#1.attn \\\n a$$b.attn \\\n"
           " c\\:d.attn \\\n e\\f.attn \\\n g\\\\\\ h.attn\n",
           "all outputs, all files that were opened, no library, odd names escaped");
    source_add(&w.sources, "x", "a\nb.attn", "", 0, false);
    ok(!depfile_write(&t, &w.diags, targets, 2, &w.sources) && w.diags.errors == 1 &&
           w.diags.list.at[0]->code == DIAG_A0804,
       "a line break is an error");
    arena_free(&w.arena);
}

static void shell(const char *command) {
    if (system(command) != 0) {
        diag("failed: %s", command);
    }
}

// `make` finds every odd name as an existing file, and rebuilds when one is newer.
static void test_make(void) {
    static const char *const targets[] = {"out.c"};
    struct world w;
    begin(&w);
    struct text t = text_of(&w.arena);
    for (size_t i = 0; i < ODD; i++) {
        FILE *f = fopen(odd_names[i], "w");
        ok(f && fclose(f) == 0, "made %s", odd_names[i]);
        source_add(&w.sources, odd_names[i], odd_names[i], "", 0, false);
    }
    depfile_write(&t, &w.diags, targets, 1, &w.sources);
    FILE *f = fopen("makefile", "w");
    if (f) {
        fprintf(f, "out.c:\n\ttouch $@\n%s", text_string(&t));
        fclose(f);
    }
    is_int(system("make >log 2>&1"), 0, "make knows how to make out.c from them");
    for (size_t i = 0; i < ODD; i++) {
        shell(arena_printf(&w.arena, "touch -d 2000-01-01 '%s'", odd_names[i]));
    }
    shell("touch -d 2001-01-01 out.c");
    is_int(system("make -q"), 0, "and is content when all of them are older");
    for (size_t i = 0; i < ODD; i++) {
        const char *name = odd_names[i];
        shell(arena_printf(&w.arena, "touch '%s'", name));
        ok(system("make -q") != 0, "a newer %s makes it old", name);
        remove(name);
        ok(system("make -q 2>/dev/null") != 0, "a missing one is missed");
        shell(arena_printf(&w.arena, "touch -d 2000-01-01 '%s'", name));
    }
    arena_free(&w.arena);
}

int main(void) {
    char dir[] = "/tmp/attnc-depfile.XXXXXX";
    if (!mkdtemp(dir) || chdir(dir) != 0) {
        return 1;
    }
    unsetenv("MAKEFLAGS");
    unsetenv("MAKELEVEL");
    test_text();
    test_make();
    char command[64];
    snprintf(command, sizeof command, "rm -rf %s", dir);
    ok(chdir("/") == 0 && system(command) == 0, "nothing is left behind");
    return done_testing();
}
