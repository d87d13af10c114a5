// SPDX-License-Identifier: Apache-2.0
// Diagnostics: the collector (severity, -W flags, order, repeats), the text form (first line,
// range, notes, help, clipping, escapes, colours, the error limit), nearest names, and the arena
// under them.
#include "test_grammar.h"

#include <stdalign.h>
#include <stdint.h>

// A run with one source file and no parse.
static struct parsed *run_with(const char *name, const char *text) {
    struct parsed *p = calloc(1, sizeof *p);
    p->text = calloc(1, strlen(text) + 1);
    memcpy(p->text, text, strlen(text));
    arena_init(&p->arena, &p->out_of_memory);
    p->sources.arena = &p->arena;
    p->diags.arena = &p->arena;
    p->diags.sources = &p->sources;
    source_add(&p->sources, name, NULL, p->text, (uint32_t)strlen(text), false);
    return p;
}

static struct span at(uint32_t begin, uint32_t end) {
    return (struct span){.file = 0, .begin = begin, .end = end};
}

static const struct diag_render plain = {.max_errors = 20};

static void text_is(struct parsed *p, const struct diag_render *how, const char *want,
                    const char *name) {
    diag_finish(&p->diags);
    is_str(parsed_rendered(p, how), want, name);
    parsed_free(p);
}

static void rendering(void) {
    struct parsed *p = run_with("m.attn", "model m {\n  kv = flashinfer;\n}\n");
    struct diag *g =
        diag_add(&p->diags, DIAG_A0501, at(17, 27), "backend `%s` cannot", "flashinfer");
    diag_label(&p->diags, g, "selected %s", "here");
    diag_note(&p->diags, g, at(6, 7), "required by `m`");
    diag_note_plain(&p->diags, g, "has %d", 512);
    diag_help(&p->diags, g, "use `%s`", "triton");
    text_is(p, &plain,
            "m.attn:2:8: error[A0501]: backend `flashinfer` cannot\n"
            "    2 |   kv = flashinfer;\n"
            "      |        ^~~~~~~~~~ selected here\n"
            "  note: required by `m`\n"
            "   m.attn:1:7\n"
            "    1 | model m {\n"
            "      |       ^\n"
            "  note: has 512\n"
            "  help: use `triton`\n",
            "first line, range, label, notes with and without places, help");

    p = run_with("m.attn", "a\n");
    diag_add_global(&p->diags, DIAG_A0801, "cannot write `%s`", "x.c");
    text_is(p, &plain, "attnc: error[A0801]: cannot write `x.c`\n", "a diagnostic about the run");

    p = run_with("m.attn", "\tx = 1;\n");
    diag_add(&p->diags, DIAG_A0401, at(5, 6), "w");
    text_is(p, &plain, "m.attn:1:6: error[A0401]: w\n    1 |     x = 1;\n      |         ^\n",
            "tabs are expanded so that the caret stands below its place");

    p = run_with("m.attn", "\xE5\xAD\x97\xC3\xA9 x\n");
    diag_add(&p->diags, DIAG_A0401, at(6, 7), "w");
    text_is(p, &plain,
            "m.attn:1:4: error[A0401]: w\n    1 | \xE5\xAD\x97\xC3\xA9 x\n      |     ^\n",
            "a wide character takes two columns of the picture and one of the place");

    p = run_with("m.attn", "ab\r\ncd\n");
    diag_add(&p->diags, DIAG_A0401, at(1, 7), "w");
    text_is(p, &plain, "m.attn:1:2: error[A0401]: w\n    1 | ab\n      |  ^\n",
            "a range over lines is drawn on the first, without its CR");

    p = run_with("m.attn", "ab");
    diag_add(&p->diags, DIAG_A0401, at(2, 2), "w");
    text_is(p, &plain, "m.attn:1:3: error[A0401]: w\n    1 | ab\n      |   ^\n",
            "an empty range at the end of the file");

    p = run_with("", "");
    diag_add(&p->diags, DIAG_A0401, at(0, 0), "w");
    text_is(p, &plain, ":1:1: error[A0401]: w\n    1 | \n      | ^\n", "an empty file");
}

static void escapes(void) {
    struct parsed *p = run_with("a\x1b[31m\n.attn", "x\x1b\xFF\xE2\x80\xAEy\n");
    diag_add(&p->diags, DIAG_A0401, at(6, 7), "bad \x07 \xC2");
    text_is(p, &plain,
            "a<1B>[31m<0A>.attn:1:5: error[A0401]: bad <07> <C2>\n"
            "    1 | x<1B><FF><U+202E>y\n"
            "      |                  ^\n",
            "control bytes, bad UTF-8 and direction marks are shown in escaped form");
}

static void clipping(void) {
    char *a = repeated("a", 500), *b = repeated("b", 500), *text = joined(a, "X", b);
    struct parsed *p = run_with("m.attn", text);
    diag_add(&p->diags, DIAG_A0401, at(500, 501), "w");
    char want[512];
    snprintf(want, sizeof want,
             "m.attn:1:501: error[A0401]: w\n    1 | ...%.40sX%.55s...\n      | %43s^\n", a, b, "");
    text_is(p, &plain, want, "a long line is cut on both sides of the range");

    p = run_with("m.attn", text);
    diag_add(&p->diags, DIAG_A0401, at(0, 1001), "w");
    char *carets = repeated("~", 95);
    snprintf(want, sizeof want, "m.attn:1:1: error[A0401]: w\n    1 | %.96s...\n      | ^%s\n", a,
             carets);
    text_is(p, &plain, want, "a long range is cut");
    free(carets);
    free(text);
    free(b);
    free(a);
}

static void colors(void) {
    struct parsed *p = run_with("m", "ab");
    struct diag *g = diag_add(&p->diags, DIAG_A0401, at(0, 2), "w");
    diag_help(&p->diags, g, "h");
    const struct diag_render how = {.color = true, .max_errors = 20};
    text_is(p, &how,
            "\033[1mm:1:1: \033[1;31merror[A0401]:\033[0m w\n    1 | ab\n"
            "      | \033[1;32m^~\033[0m\n  \033[1;36mhelp:\033[0m h\n",
            "colours, when asked for");
}

static void order_and_repeats(void) {
    struct parsed *p = run_with("a", "one two three\n");
    source_add(&p->sources, "b", NULL, "x\n", 2, false);
    diag_add_global(&p->diags, DIAG_A0801, "run");
    diag_add(&p->diags, DIAG_A0401, (struct span){.file = 1, .begin = 0, .end = 1}, "other file");
    diag_add(&p->diags, DIAG_A0501, at(4, 7), "later code");
    diag_add(&p->diags, DIAG_A0401, at(4, 7), "first said");
    diag_add(&p->diags, DIAG_A0401, at(4, 7), "second said");
    diag_add(&p->diags, DIAG_A0401, at(4, 7), "first said");
    diag_add(&p->diags, DIAG_A0401, at(0, 3), "earlier place");
    diag_add_global(&p->diags, DIAG_A0801, "run");
    is_int((long long)p->diags.errors, 8, "errors are counted as they are added");
    diag_finish(&p->diags);
    static const char *const want[] = {"earlier place", "first said", "second said",
                                       "later code",    "other file", "run"};
    is_int((long long)p->diags.list.len, 6, "repeats of code, range and message are dropped");
    is_int((long long)p->diags.errors, 6, "... and not counted");
    for (size_t i = 0; i < p->diags.list.len && i < 6; i++) {
        is_str(p->diags.list.at[i]->message, want[i],
               "sorted by file, place and code; the run last");
    }
    parsed_free(p);
}

// Some warning of the table, for the flags.
static enum diag_code some_warning(void) {
    for (unsigned code = 0; code < DIAG_CODE_COUNT; code++) {
        if (diag_infos[code].severity == DIAG_WARNING) {
            return (enum diag_code)code;
        }
    }
    return DIAG_CODE_COUNT;
}

static void flags(void) {
    const enum diag_code code = some_warning();
    if (code == DIAG_CODE_COUNT) {
        skip("no code is a warning yet", "warning flags");
        return;
    }
    const char *id = diag_infos[code].id, *flag = diag_infos[code].flag;
    char want[256];
    struct parsed *p = run_with("m", "ab");
    diag_add_global(&p->diags, code, "w");
    is_int((long long)p->diags.errors, 0, "a warning is no error");
    snprintf(want, sizeof want, "attnc: warning[%s]: w [-W%s]\n", id, flag);
    text_is(p, &plain, want, "a warning names its flag");

    p = run_with("m", "ab");
    p->diags.warning_off[code] = true;
    struct diag *g = diag_add_global(&p->diags, code, "w");
    diag_help(&p->diags, g, "h");
    text_is(p, &plain, "", "a warning that is switched off takes notes and is not shown");

    for (int all = 0; all < 2; all++) {
        p = run_with("m", "ab");
        p->diags.warning_as_error[code] = !all;
        p->diags.all_warnings_as_errors = all;
        diag_add_global(&p->diags, code, "w");
        is_int((long long)p->diags.errors, 1, "a lifted warning is an error");
        snprintf(want, sizeof want, "attnc: error[%s]: w [-Werror=%s]\n", id, flag);
        text_is(p, &plain, want, "... and names the flag that lifts it");
    }
}

static void error_limit(void) {
    for (unsigned limit = 0; limit <= 3; limit++) {
        struct parsed *p = run_with("m", "abc");
        for (int i = 0; i < 3; i++) {
            diag_add_global(&p->diags, DIAG_A0801, "e%d", i);
        }
        const struct diag_render how = {.max_errors = limit};
        static const char *const want[] = {
            "attnc: error[A0801]: e0\nattnc: error[A0801]: e1\nattnc: error[A0801]: e2\n",
            "attnc: error[A0801]: e0\n"
            "attnc: too many errors (1 shown, 3 in all); --max-errors 0 shows all\n",
            "attnc: error[A0801]: e0\nattnc: error[A0801]: e1\n"
            "attnc: too many errors (2 shown, 3 in all); --max-errors 0 shows all\n",
            "attnc: error[A0801]: e0\nattnc: error[A0801]: e1\nattnc: error[A0801]: e2\n"};
        text_is(p, &how, want[limit], "the error limit; 0 is none");
    }
}

static void nearest(void) {
    static const char *const names[] = {"heads",     "head_dim",  "kv_heads", "window",
                                        "CPU_FLASH", "cpu_flash", "in",       "x"};
    static const struct {
        const char *name, *want, *rule;
    } rows[] = {
        {"hedas", "heads", "two letters swapped are one step"},
        {"head", "heads", "a letter left out"},
        {"headss", "heads", "a letter too many"},
        {"windaw", "window", "another letter"},
        {"kv_haeds", "kv_heads", "the nearest of several"},
        {"WINDOW", "window", "equal but for case"},
        {"Cpu_Flash", "CPU_FLASH", "the first of those that are equal but for case"},
        {"hd", NULL, "too far: at most a third of the name"},
        {"window_left_x", NULL, "too far for a long name"},
        {"y", NULL, "a name of one letter is not replaced as a whole"},
        {"im", "in", "a name of two letters"},
        {"", NULL, "an empty name"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        is_str(diag_nearest(NULL, rows[i].name, names, sizeof names / sizeof *names), rows[i].want,
               rows[i].rule);
    }
    char *large = repeated("a", 1 << 20);
    const char *const candidates[] = {large};
    is_str(diag_nearest(NULL, "aaaaaa", candidates, 1), NULL, "a candidate of 1 MiB");
    is_str(diag_nearest(NULL, large, names, 1), NULL, "a name of 1 MiB");
    free(large);
}

static void codes(void) {
    bool good = true;
    for (unsigned i = 0; i < DIAG_CODE_COUNT; i++) {
        const struct diag_info *info = &diag_infos[i];
        good = good && strlen(info->id) == 5 && info->id[0] == 'A' && info->title[0] != '\0';
        good = good && (info->severity == DIAG_WARNING) == (info->flag != NULL);
        for (unsigned j = 0; j < i; j++) {
            good = good && strcmp(info->id, diag_infos[j].id) != 0;
            good = good && !(info->flag && diag_infos[j].flag &&
                             strcmp(info->flag, diag_infos[j].flag) == 0);
        }
        if (!good) {
            diag("at %s", info->id);
            break;
        }
    }
    ok(good, "every code has its own id and a title; warnings, and only they, a flag of their own");
}

static void positions(void) {
    struct parsed *p = run_with("m", "\xEF\xBB\xBF"
                                     "a\xC3\xA9\xFF"
                                     "b\r\n\nc");
    static const struct {
        uint32_t offset, line, column;
        const char *rule;
    } rows[] = {{0, 1, 1, "in the BOM"},        {3, 1, 1, "after the BOM"},
                {4, 1, 2, "a character"},       {5, 1, 2, "inside a character"},
                {6, 1, 3, "an invalid byte"},   {7, 1, 4, "after an invalid byte"},
                {9, 1, 6, "at the LF of CRLF"}, {10, 2, 1, "an empty line"},
                {11, 3, 1, "the last line"},    {12, 3, 2, "the end"},
                {99, 3, 2, "beyond the end"}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct position got = source_position(&p->sources, 0, rows[i].offset);
        ok(got.line == rows[i].line && got.column == rows[i].column, "line and column: %s (%u:%u)",
           rows[i].rule, (unsigned)got.line, (unsigned)got.column);
    }
    parsed_free(p);
}

static void *no_memory(size_t bytes) {
    (void)bytes;
    return NULL;
}

static void arena(void) {
    jmp_buf out;
    struct arena a;
    arena_init(&a, &out);
    bool good = true;
    for (size_t n = 0; n < 300; n++) {
        unsigned char *block = arena_alloc(&a, n * 37);
        good = good && (uintptr_t)block % alignof(max_align_t) == 0;
        for (size_t i = 0; i < n * 37; i++) {
            good = good && block[i] == 0;
        }
        memset(block, 0xA5, n * 37);
    }
    ok(good, "blocks are aligned and zeroed");
    VEC(int) v = {0};
    for (int i = 0; i < 1000; i++) {
        VEC_PUSH(&a, &v, i);
    }
    ok(v.len == 1000 && v.at[0] == 0 && v.at[999] == 999,
       "a vector keeps its elements as it grows");
    is_str(arena_printf(&a, "%s-%d", "x", 7), "x-7", "printf into the arena");
    is_str(arena_strndup(&a, "abcdef", 3), "abc", "part of a string");
    a.allocate = no_memory;
    volatile int jumps = 0;
    if (setjmp(out) == 0) {
        arena_alloc(&a, (size_t)64 << 20);
    } else {
        jumps++;
    }
    if (setjmp(out) == 0) {
        arena_alloc(&a, SIZE_MAX - 3);
    } else {
        jumps++;
    }
    is_int(jumps, 2, "an allocation that fails, or is larger than any, jumps to the owner");
    arena_free(&a);
}

int main(void) {
    rendering();
    escapes();
    clipping();
    colors();
    order_and_repeats();
    flags();
    error_limit();
    nearest();
    codes();
    positions();
    arena();
    return done_testing();
}
