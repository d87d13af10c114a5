// SPDX-License-Identifier: Apache-2.0
// Diagnostics for machines: JSON Lines by key, texts of any bytes, references to files, and hashes
// of lines, which must be those that GitHub's upload computes. SARIF logs: tests/sarif.t.
#include "gen/diag_out.h"
#include "gen/text.h"
#include "tests/tap.h"

static struct arena arena;
static jmp_buf out_of_memory;

static const char *json_of_diags(struct diags *d, struct diag_run run) {
    size_t len;
    const char *text = diag_json(&arena, d, &run, &len);
    ok(strlen(text) == len, "the length is that of the text");
    return text;
}

static void lines(void) {
    const char *text = "model \xCE\xB1 {\n}\n";
    struct sources sources = {.arena = &arena};
    struct diags d = {.arena = &arena, .sources = &sources};
    is_str(json_of_diags(&d, (struct diag_run){0}), "", "nothing found: no line");
    source_add(&sources, "a\xFF\".attn", NULL, text, (uint32_t)strlen(text), false);
    const struct span name = {.begin = 6, .end = 8}, end = {.begin = 11, .end = 12};
    struct diag *g = diag_add(&d, DIAG_A0610, name, "\"%s\"\n", "\xE2");
    diag_label(&d, g, "here");
    diag_note(&d, g, end, "a note");
    diag_note_plain(&d, g, "another");
    diag_help(&d, g, "help");
    diag_add_global(&d, DIAG_A0801, "no place");
    diag_finish(&d);
    is_str(
        json_of_diags(&d, (struct diag_run){.max_errors = 20}),
        "{\"code\": \"A0610\", \"severity\": \"warning\", \"flag\": \"unused-mapping\", "
        "\"message\": \"\\\"<E2>\\\"\\n\", \"file\": \"a<FF>\\\".attn\", \"line\": 1, \"column\": "
        "7, "
        "\"end_line\": 1, \"end_column\": 8, \"begin\": 6, \"end\": 8, \"label\": \"here\", "
        "\"notes\": [{\"message\": \"a note\", \"file\": \"a<FF>\\\".attn\", \"line\": 2, "
        "\"column\": 1, \"end_line\": 2, \"end_column\": 2, \"begin\": 11, \"end\": 12}, "
        "{\"message\": \"another\", \"file\": null, \"line\": null, \"column\": null, "
        "\"end_line\": null, \"end_column\": null, \"begin\": null, \"end\": null}], "
        "\"helps\": [\"help\"]}\n"
        "{\"code\": \"A0801\", \"severity\": \"error\", \"flag\": null, \"message\": \"no place\", "
        "\"file\": null, \"line\": null, \"column\": null, \"end_line\": null, "
        "\"end_column\": null, \"begin\": null, \"end\": null, \"label\": null, \"notes\": [], "
        "\"helps\": []}\n",
        "every key in every object, null where it does not apply; columns in code points");
}

static void references(void) {
    is_str(diag_uri(&arena, "a/b-c_d.e~f.attn"), "a/b-c_d.e~f.attn", "plain names stay");
    is_str(diag_uri(&arena, "a b%\xC3\xA9\xFF:?#.attn"), "a%20b%25%C3%A9%FF%3A%3F%23.attn",
           "all else is encoded byte by byte");
    is_str(diag_uri(&arena, "/a b"), "file:///a%20b", "an absolute path is a file");
}

// As computed by the upload action of GitHub code scanning.
static void hashes(void) {
    static const struct {
        const char *text;
        const char *of[8];
    } rows[] = {
        {"", {"c129715d7a2bc9a3:1"}},
        {" a\nb\n  \t\tc\n d",
         {"271789c17abda88f:1", "54703d4cd895b18:1", "180aee12dab6264:1", "a23a3dc5e078b07b:1"}},
        {" hello; \t\r\nworld!!!\r\n\r\n\r\n  \t\tGreetings\r\n End\r\n",
         {"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
          "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"}},
        {" hello; \t\nworld!!!\r\r\r  \t\tGreetings\r End\r",
         {"e9496ae3ebfced30:1", "fb7c023a8b9ccb3f:1", "ce8ba1a563dcdaca:1", "e20e36e16fcb0cc8:1",
          "b3edc88f2938467e:1", "c8e28b0b4002a3a0:1", "c129715d7a2bc9a3:1"}},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const struct diag_line_hashes h =
            diag_line_hashes(&arena, rows[i].text, strlen(rows[i].text));
        for (uint32_t k = 0; k < 8 && rows[i].of[k]; k++) {
            is_str(diag_line_hash(&arena, &h, k + 1), rows[i].of[k], "hash of a line");
        }
    }
    struct text same = text_of(&arena);
    for (int i = 0; i < 10; i++) {
        text_add(&same, "Lorem ipsum dolor sit amet.\n");
    }
    const struct diag_line_hashes h = diag_line_hashes(&arena, text_string(&same), same.bytes.len);
    is_str(diag_line_hash(&arena, &h, 6), "a7f2ff13bc495cf2:6", "equal lines are counted");
    is_str(diag_line_hash(&arena, &h, 7), "a7f2ff1481e87703:1", "... until the end is near");
}

int main(void) {
    arena_init(&arena, &out_of_memory);
    if (setjmp(out_of_memory) == 0) {
        lines();
        references();
        hashes();
    }
    arena_free(&arena);
    return done_testing();
}
