// SPDX-License-Identifier: Apache-2.0
// Loading and linking: imports (case E02), the library, names, duplicates, extends.
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/program_fixture.h"

// Writes NAME, text pairs; loads the first; compares what was reported.
static void loads(const char *name, const char *const files[][2], size_t n, const char *want) {
    struct fixture f;
    fixture_start(&f);
    for (size_t i = 0; i < n; i++) {
        fixture_write(&f, files[i][0], files[i][1]);
    }
    fixture_load(&f, files[0][0]);
    is_str(fixture_reported(&f), want, name);
    fixture_end(&f);
}

#define FILES(...)                                                                                 \
    (const char *const[][2]){__VA_ARGS__},                                                         \
        sizeof((const char *const[][2]){__VA_ARGS__}) / (2 * sizeof(const char *))

static void imports(void) {
    loads(
        "an import brings in declarations",
        FILES({"a.attn", "import \"b.attn\"; backend B extends A {}"}, {"b.attn", "backend A {}"}),
        "");
    loads("E02: a cycle of two is one error that shows the chain",
          FILES({"a.attn", "import \"b.attn\";"}, {"b.attn", "import \"a.attn\";"}),
          "A0304 1:8 imports form a circle: a.attn -> b.attn -> a.attn");
    loads("E02: a file that imports itself", FILES({"a.attn", "import \"a.attn\";"}),
          "A0304 1:8 imports form a circle: a.attn -> a.attn");
    loads("E02: a cycle that the main file only leads to starts where it starts",
          FILES({"a.attn", "import \"b.attn\";"}, {"b.attn", "import \"c.attn\";"},
                {"c.attn", "import \"b.attn\";"}),
          "A0304 1:8 imports form a circle: b.attn -> c.attn -> b.attn");
    loads("E02: a diamond is read once",
          FILES({"a.attn", "import \"b.attn\"; import \"c.attn\";"},
                {"b.attn", "import \"d.attn\";"}, {"c.attn", "import \"d.attn\";"},
                {"d.attn", "platform P { device = cpu; }"}),
          "");
    loads("a missing file is an error at its import", FILES({"a.attn", "\n  import \"no.attn\";"}),
          "A0303 2:10 cannot read `no.attn`: No such file or directory");
    loads("an empty path is refused", FILES({"a.attn", "import \"\";"}),
          "A0303 1:8 cannot read ``: the path is empty");
    loads("an unknown library file is named", FILES({"a.attn", "import \"std/cuba.attn\";"}),
          "A0306 1:8 the library has no file `std/cuba.attn`");
    loads("what is always there may be imported", FILES({"a.attn", "import \"std/kinds.attn\";"}),
          "");
}

static void other_paths(void) {
    struct fixture f;
    fixture_start(&f);
    mkdir(fixture_path(&f, "x"), 0777);
    fixture_write(&f, "a.attn", "import \"./x/../b.attn\";");
    fixture_write(&f, "b.attn", "import \"link.attn\";");
    ok(symlink("a.attn", fixture_path(&f, "link.attn")) == 0, "a symbolic link to a.attn");
    fixture_load(&f, "a.attn");
    is_str(fixture_reported(&f),
           "A0304 1:8 imports form a circle: a.attn -> ./x/../b.attn -> a.attn",
           "E02: a cycle through ./x/../ and a symbolic link is seen");
    fixture_end(&f);

    fixture_start(&f);
    mkdir(fixture_path(&f, "inc"), 0777);
    mkdir(fixture_path(&f, "inc/deep"), 0777);
    fixture_write(&f, "a.attn", "import \"deep/b.attn\";");
    fixture_write(&f, "inc/deep/b.attn", "import \"c.attn\";");
    fixture_write(&f, "inc/deep/c.attn", "platform P { device = cpu; }");
    const char *dirs[] = {fixture_path(&f, "inc")};
    f.options.include_dirs = dirs;
    f.options.n_include_dirs = 1;
    fixture_load(&f, "a.attn");
    ok(f.diags.errors == 0 && program_find(&f.program, DECL_PLATFORM, "P"),
       "-I folders are searched, and imports are relative to the file that imports");
    fixture_end(&f);

    fixture_start(&f);
    fixture_write(&f, "a.attn", "import \"d\"; import \"fifo\";");
    mkdir(fixture_path(&f, "d"), 0777);
    mkfifo(fixture_path(&f, "fifo"), 0666);
    fixture_load(&f, "a.attn");
    is_str(fixture_reported(&f),
           "A0303 1:8 cannot read `d`: it is a directory; "
           "A0303 1:20 cannot read `fifo`: it is not a regular file",
           "directories and FIFOs are refused, without waiting");
    fixture_end(&f);

    fixture_start(&f);
    fixture_write(&f, "a.attn", "import \"large\";");
    fixture_write(&f, "large", "");
    if (truncate(fixture_path(&f, "large"), (off_t)INT32_MAX + 1) == 0) { // a hole: no disk used
        fixture_load(&f, "a.attn");
        is_str(fixture_reported(&f), "A0303 1:8 cannot read `large`: it is larger than 2 GiB",
               "files over 2 GiB are refused");
    } else {
        skip("no sparse files here", "files over 2 GiB are refused");
    }
    fixture_end(&f);

    fixture_start(&f);
    ok(!fixture_load(&f, "none.attn"), "a missing main file is an input error");
    is_str(fixture_reported(&f), "A0303 0:0 cannot read `none.attn`: No such file or directory",
           "and is reported");
    fixture_end(&f);
}

// A chain of n files; 64 are allowed.
static size_t chain_errors(unsigned n, bool *at_limit) {
    struct fixture f;
    fixture_start(&f);
    for (unsigned i = 0; i < n; i++) {
        fixture_write(&f, arena_printf(&f.arena, "f%u.attn", i),
                      i + 1 < n ? arena_printf(&f.arena, "import \"f%u.attn\";", i + 1) : "");
    }
    fixture_load(&f, "f0.attn");
    size_t errors = f.diags.errors;
    *at_limit = errors == 1 && f.diags.list.at[0]->code == DIAG_A0305 &&
                strstr(f.diags.list.at[0]->message, "f0.attn -> f1.attn -> f2.attn -> (59 more) -> "
                                                    "f62.attn -> f63.attn -> f64.attn");
    fixture_end(&f);
    return errors;
}

static void depth(void) {
    bool at_limit;
    is_int((long long)chain_errors(64, &at_limit), 0, "a chain of 64 files is allowed");
    is_int((long long)chain_errors(65, &at_limit), 1, "one of 65 is one error");
    ok(at_limit, "that shows both ends of the chain");
    is_int((long long)chain_errors(2000, &at_limit), 1, "E02: so is a very long one");
}

static void names(void) {
    loads("a name declared twice", FILES({"a.attn", "backend A {}\nbackend A {}"}),
          "A0302 2:9 backend `A` is declared twice");
    loads("names of different kinds do not clash",
          FILES({"a.attn", "model A { layers = 1; }\nbackend A {}"}), "");
    loads("a name of the library is taken", FILES({"a.attn", "platform h200 { device = cpu; }"}),
          "A0302 1:10 platform `h200` is already declared in the library");
    loads("even where the library file is imported later",
          FILES({"a.attn", "import \"b.attn\"; import \"std/cpu.attn\";"},
                {"b.attn", "backend CPU_REF {}"}),
          "A0302 1:9 backend `CPU_REF` is already declared in the library");
    loads("kinds and capabilities are declared in the library alone",
          FILES({"a.attn", "capability x : flag;\nkind y { }"}),
          "A0307 1:12 capability `x` is declared outside the library of attnc; "
          "A0307 2:6 kind `y` is declared outside the library of attnc");
}

static void extends(void) {
    loads("an unknown parent, with the nearest",
          FILES({"a.attn", "platform A extends aarch46 { }"}),
          "A0301 1:20 unknown platform `aarch46` -- a platform named `aarch64` exists");
    loads("a parent of another kind", FILES({"a.attn", "backend A extends h200 { }"}),
          "A0301 1:19 unknown backend `h200`; `h200` is a platform");
    loads("E02: declarations that extend each other",
          FILES({"a.attn", "backend A extends B {}\nbackend B extends A {}"}),
          "A0308 1:19 backend `A` extends itself: A -> B -> A");
    loads("one that extends itself",
          FILES({"a.attn", "deploy A extends A {}\ndeploy C extends A {}"}),
          "A0308 1:18 deployment `A` extends itself: A -> A");
    struct fixture f;
    fixture_start(&f);
    const char *text = "backend B0 {}";
    for (int i = 1; i < 200; i++) {
        text = arena_printf(&f.arena, "%s\nbackend B%d extends B%d {}", text, i, i - 1);
    }
    fixture_write(&f, "a.attn", text);
    fixture_load(&f, "a.attn");
    is_str(fixture_reported(&f),
           "A0309 65:21 backend `B64` stands at the end of a chain of 64 extends; limit is 63",
           "a chain of extends ends");
    fixture_end(&f);
}

// The lines of a name: the child's first.
static void lines(void) {
    struct fixture f;
    fixture_start(&f);
    fixture_write(&f, "a.attn",
                  "backend A { k_width = 1; k_width = 2; let k_width = 9; }\n"
                  "backend B extends A { head_dim = 7; k_width = 3; }");
    fixture_load(&f, "a.attn");
    const struct decl *b = program_find(&f.program, DECL_BACKEND, "B");
    struct item_lines found = decl_lines(&f.arena, b, ITEM_SET, "k_width");
    ok(found.len == 3 && found.at[0]->value->number.integer == 3 &&
           found.at[1]->value->number.integer == 1 && found.at[2]->value->number.integer == 2,
       "the child's lines come before the parent's");
    fixture_end(&f);
}

// E14: names are found in constant time; this would take minutes if they were not.
static void many(void) {
    enum { MANY = 20000, LINE = 48 };
    struct fixture f;
    fixture_start(&f);
    char *text = arena_alloc(&f.arena, (size_t)MANY * LINE), *end = text;
    for (int i = 0; i < MANY; i++) {
        end += sprintf(end, "backend B%d extends B%d {}\n", i, i ? (i - 1) / 2 : MANY - 1);
        if (i == 0) {
            end = text + sprintf(text, "backend B0 {}\n");
        }
    }
    fixture_write(&f, "a.attn", text);
    fixture_load(&f, "a.attn");
    is_str(fixture_reported(&f), "", "E14: twenty thousand declarations load");
    is_int((long long)program_find(&f.program, DECL_BACKEND, "B19999")->index,
           (long long)f.program.decls[DECL_BACKEND].len - 1, "in order of declaration");
    fixture_end(&f);
}

int main(void) {
    imports();
    other_paths();
    depth();
    names();
    extends();
    lines();
    many();
    return done_testing();
}
