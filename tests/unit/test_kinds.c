// SPDX-License-Identifier: Apache-2.0
// The table of kinds: every cell of the attribute space has exactly one kind or is an error, and
// every kind is reached. The rules are written here a second time, from the language's text.
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

#include "gen/model.h"

enum { SSM = 1, MLA = 2, SINKS = 4, CHUNK = 8, WINDOW = 16, LEFT = 32, CELLS = 64 };
static const char *const attns[] = {"decoder", "encoder_only", "encoder", "encoder_decoder"};

struct cell {
    unsigned attrs;
    unsigned attn; // 0: not given
};

static const char *wanted_kind(struct cell c) { // NULL: an error
    bool encoder = c.attn == 1 || c.attn == 2, cross = c.attn == 3;
    if (c.attrs & SSM) {
        return c.attrs == SSM && c.attn == 0 ? "mamba" : NULL;
    }
    if (encoder) {
        return c.attrs & WINDOW ? NULL : "encoder_only_attention";
    }
    if (c.attrs & LEFT) {
        return NULL;
    }
    if (cross) {
        return c.attrs & (WINDOW | CHUNK | SINKS) ? NULL : "cross_attention";
    }
    if (c.attrs & MLA) {
        return c.attrs & CHUNK ? NULL : c.attrs & WINDOW ? "sliding_window_mla" : "mla_attention";
    }
    return c.attrs & SINKS    ? "sink_full_attention"
           : c.attrs & CHUNK  ? "chunked_local_attention"
           : c.attrs & WINDOW ? "sliding_window"
                              : "full_attention";
}

// The attributes stand in a layer block, so that they are the operator's own.
static const char *cell_text(struct fixture *f, struct cell c, unsigned number) {
    return arena_printf(
        &f->arena,
        "model m%u { layers = 1; heads = 8; head_dim = 64; dtype = f32;\n  layer 0 { "
        "%s%s%s%s%s%s%s%s } "
        "}\n",
        number, c.attn ? "attn = " : "",
        c.attn ? arena_printf(&f->arena, "%s; ", attns[c.attn]) : "",
        c.attrs & SSM ? "ssm { type = mamba2; heads = 2; head_dim = 4; state = 8; conv = 4; } "
                      : "",
        c.attrs & MLA ? "mla { latent = 512; rope = 64; nope = 128; v = 128; } " : "",
        c.attrs & SINKS ? "sink_tokens = 16; " : "", c.attrs & CHUNK ? "chunk = 32; " : "",
        c.attrs & WINDOW ? "window = 16; " : "", c.attrs & LEFT ? "window_left = 8; " : "");
}

static void every_cell_has_one_kind(void) {
    struct fixture f;
    fixture_start(&f);
    const char *text = "";
    struct cell cells[CELLS * 4];
    unsigned n = 0;
    for (unsigned attrs = 0; attrs < CELLS; attrs++) {
        for (unsigned attn = 0; attn < 4; attn++) {
            cells[n] = (struct cell){attrs, attn};
            text = arena_printf(&f.arena, "%s%s", text, cell_text(&f, cells[n], n));
            n++;
        }
    }
    fixture_write(&f, "main.attn", text);
    fixture_load(&f, "main.attn");
    struct kinds kinds;
    ok(kinds_load(&f.program, &kinds), "the table of kinds is sound");
    unsigned right = 0, legal = 0;
    bool reached[16] = {false};
    for (unsigned i = 0; i < n; i++) {
        const char *name = arena_printf(&f.arena, "m%u", i);
        const struct decl *d = program_find(&f.program, DECL_MODEL, name);
        struct model m;
        size_t before = f.diags.errors;
        bool built = model_build(&f.program, &kinds, f.program.decls[DECL_MODEL].at[d->index], &m);
        const char *want = wanted_kind(cells[i]), *got = built ? m.sets.at[0]->kind->name : NULL;
        bool same = want && got ? strcmp(want, got) == 0 : !want && !got && f.diags.errors > before;
        if (!same) {
            diag("%s: got %s, want %s", cell_text(&f, cells[i], i), got ? got : "an error",
                 want ? want : "an error");
        }
        right += same;
        legal += got != NULL;
        if (got) {
            reached[m.sets.at[0]->kind->index] = true;
        }
    }
    is_int(right, n, "every cell has the kind of the language's text, or is an error");
    ok(legal > 0 && legal < n, "some cells are legal, some are not");
    for (size_t i = 0; i < kinds.rows.len; i++) {
        ok(reached[i], "kind %s is reached", kinds.rows.at[i].name);
    }
    fixture_end(&f);
}

static void kinds_say_what_they_keep(void) {
    static const struct {
        const char *kind;
        enum cache_form cache;
        bool decode;
    } rows[] = {{"mamba", CACHE_STATE, true},
                {"encoder_only_attention", CACHE_NONE, false},
                {"cross_attention", CACHE_SOURCE, true},
                {"sliding_window_mla", CACHE_PAGED, true},
                {"mla_attention", CACHE_PAGED, true},
                {"sink_full_attention", CACHE_PAGED, true},
                {"chunked_local_attention", CACHE_PAGED, true},
                {"sliding_window", CACHE_PAGED, true},
                {"full_attention", CACHE_PAGED, true}};
    struct fixture f;
    fixture_start(&f);
    fixture_text(&f, "");
    struct kinds kinds;
    kinds_load(&f.program, &kinds);
    is_int((long long)kinds.rows.len, sizeof rows / sizeof *rows, "there are nine kinds");
    for (size_t i = 0; i < sizeof rows / sizeof *rows && i < kinds.rows.len; i++) {
        const struct kind *k = &kinds.rows.at[i];
        ok(strcmp(k->name, rows[i].kind) == 0 && k->cache == rows[i].cache &&
               k->phases[PHASE_PREFILL] && k->phases[PHASE_DECODE] == rows[i].decode,
           "%s: its place in the table, its cache and its phases", rows[i].kind);
    }
    fixture_end(&f);
}

static void inherited_attributes_are_ignored(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    bool good =
        plan_text(&f,
                  "model m { " MODEL "window = 16;\n"
                  "  layer 1 { ssm { type = linear; heads = 2; head_dim = 4; state = 8; } }\n"
                  "  layer 2 as cross { attn = encoder_decoder; } }\n"
                  "deploy d { " DEPLOY "max_source_tokens = 8; }",
                  &plan, &reported);
    ok(good, "an ssm and a named operator ignore what they only inherit");
    is_str(reported, "", "... without a word");
    is_str(kinds_text(&f, &plan),
           "0:sliding_window 1:mamba 2:sliding_window 2.cross:cross_attention 3:sliding_window",
           "... and keep their kinds");
    const struct plan_operator *cross = operator_at(&plan, 2, "cross");
    ok(cross && !cross->window.given, "the window of the model does not reach cross-attention");
    const struct plan_operator *ssm = operator_at(&plan, 1, "self");
    ok(ssm && !ssm->heads.given && !ssm->window.given && !ssm->dtype && ssm->has_ssm,
       "a recurrence has no attributes of attention");
    fixture_end(&f);
}

static void self_does_not_ignore(void) {
    struct fixture f;
    struct plan plan;
    const char *reported;
    plan_text(&f,
              "model m { " MODEL "window = 16;\n  layer 1 { attn = encoder; } }\n"
              "deploy d { " DEPLOY "}",
              &plan, &reported);
    is_str(reported,
           "A0454 8:86 `window` does not apply to kind `encoder_only_attention` (layer 1)",
           "`self` of another kind has the model's attributes as its own");
    fixture_end(&f);
}

static void table_of_kinds_is_checked(void) {
    static const struct {
        const char *name, *text, *want;
    } rows[] = {
        {"an unknown form of cache", "kind k { cache = heap; phases = prefill; }",
         "A0362 1:18 unknown word in the table of kinds"},
        {"an unknown attribute", "kind k { cache = paged; excludes = { windoww }; }",
         "A0362 1:36 unknown word in the table of kinds"},
        {"an unknown item", "kind k { cash = paged; }",
         "A0362 1:10 unknown item in the table of kinds"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        struct fixture f;
        fixture_start(&f);
        struct library_file library = {"std/kinds.attn", rows[i].text,
                                       (uint32_t)strlen(rows[i].text)};
        f.options.library = &library;
        f.options.n_library = 1;
        fixture_write(&f, "main.attn", "");
        fixture_load(&f, "main.attn");
        struct kinds kinds;
        ok(!kinds_load(&f.program, &kinds), "%s is refused", rows[i].name);
        is_str(fixture_reported(&f), rows[i].want, "... where it stands");
        fixture_end(&f);
    }
}

int main(void) {
    every_cell_has_one_kind();
    kinds_say_what_they_keep();
    inherited_attributes_are_ignored();
    self_does_not_ignore();
    table_of_kinds_is_checked();
    return done_testing();
}
