// SPDX-License-Identifier: Apache-2.0
// Names of declarations and what they extend. In: the syntax trees of all files, in order. Out:
// the declarations of each kind in order, a table of their names, parents linked. Always: chains
// of parents end, and are at most EXTENDS_MAX_DEPTH long; a name stands for one declaration.
#include "gen/program.h"

#include <string.h>

#include "gen/names.h"

#define INDEXED_ITEMS 32 // a declaration with more items gets a table of their names

const struct decl *program_find(const struct program *p, enum decl_kind kind, const char *name) {
    return name_get(p->names[kind], name);
}

bool decl_is_library(const struct program *p, const struct decl *d) {
    return p->sources->files.at[d->file].library;
}

// ---- unknown names

const char *program_other_kind(const struct program *p, enum decl_kind kind, const char *name) {
    for (int k = 0; k < DECL_KIND_COUNT; k++) {
        if (k != (int)kind && program_find(p, (enum decl_kind)k, name)) {
            return arena_printf(p->arena, "; `%s` is a %s", name,
                                decl_kind_text((enum decl_kind)k));
        }
    }
    return "";
}

void program_suggest(const struct program *p, struct diag *g, const char *what, const char *name,
                     const char *const *candidates, size_t n) {
    if (p->diags->errors > SUGGESTIONS_MAX) {
        return;
    }
    const char *nearest = diag_nearest(p->arena, name, candidates, n);
    if (nearest) {
        const char *article = strchr("aeiou", *what) ? "an" : "a";
        diag_help(p->diags, g, "%s %s named `%s` exists", article, what, nearest);
    }
}

const struct decl *program_need(const struct program *p, enum decl_kind kind,
                                const struct ast_name *name) {
    const struct decl *found = program_find(p, kind, name->text);
    if (found) {
        return found;
    }
    const char *what = decl_kind_text(kind), *other = program_other_kind(p, kind, name->text);
    VEC(const char *) names = {0};
    for (size_t i = 0; i < p->decls[kind].len && p->diags->errors <= SUGGESTIONS_MAX; i++) {
        VEC_PUSH(p->arena, &names, p->decls[kind].at[i]->ast->name.text);
    }
    // A name like no other may stand in the file that was not read; a near miss hardly does.
    if (p->diags->names_unread && !*other &&
        !diag_nearest(p->arena, name->text, names.at, names.len)) {
        return NULL;
    }
    struct diag *g =
        diag_add(p->diags, DIAG_A0301, name->span, "unknown %s `%s`%s", what, name->text, other);
    program_suggest(p, g, what, name->text, names.at, names.len);
    return NULL;
}

// ---- lines

static void add_line(struct arena *a, struct item_lines *lines, const struct ast_item *item,
                     enum item_kind kind, const char *name) {
    if (item->kind == kind && item->name.text && same_name(item->name.text, name)) {
        VEC_PUSH(a, lines, item);
    }
}

// A table pays off where a declaration has many items, each of which looks others up.
static void index_lines(struct arena *a, struct decl *d) {
    if (d->ast->items.len <= INDEXED_ITEMS) {
        return;
    }
    d->lines = ARENA_NEW(a, struct name_table);
    d->lines->arena = a;
    for (size_t i = 0; i < d->ast->items.len; i++) {
        const struct ast_item *item = d->ast->items.at[i];
        if (!item->name.text) {
            continue;
        }
        struct item_lines *named = name_get(d->lines, item->name.text);
        if (!named) {
            named = ARENA_NEW(a, struct item_lines);
            name_set(d->lines, item->name.text, named);
        }
        VEC_PUSH(a, named, item);
    }
}

struct item_lines decl_lines(struct arena *a, const struct decl *d, enum item_kind kind,
                             const char *name) {
    struct item_lines lines = {0};
    for (; d; d = d->parent) {
        const struct item_lines *named = d->lines ? name_get(d->lines, name) : NULL;
        for (size_t i = 0; named && i < named->len; i++) {
            add_line(a, &lines, named->at[i], kind, name);
        }
        for (size_t i = 0; !d->lines && i < d->ast->items.len; i++) {
            add_line(a, &lines, d->ast->items.at[i], kind, name);
        }
    }
    return lines;
}

// ---- registration

static void duplicate(const struct program *p, const struct ast_decl *second,
                      const struct decl *first) {
    const char *what = decl_kind_text(second->kind);
    bool library = decl_is_library(p, first);
    struct diag *g =
        diag_add(p->diags, DIAG_A0302, second->name.span, "%s `%s` is %s", what, second->name.text,
                 library ? "already declared in the library" : "declared twice");
    diag_note(p->diags, g, first->ast->name.span, "first declared here");
}

static void register_decl(struct program *p, const struct ast_decl *ast, uint32_t file) {
    bool library = p->sources->files.at[file].library;
    if (!library && (ast->kind == DECL_KIND || ast->kind == DECL_CAPABILITY)) {
        diag_add(p->diags, DIAG_A0307, ast->name.span,
                 "%s `%s` is declared outside the library of attnc", decl_kind_text(ast->kind),
                 ast->name.text);
        return;
    }
    struct decl *first = name_get(p->names[ast->kind], ast->name.text);
    if (first && library && !decl_is_library(p, first)) {
        // The library came in after a file of the user: the user's name is the one to change.
        const struct ast_decl *user = first->ast;
        struct decl moved = {.ast = ast, .file = file, .index = first->index};
        *first = moved;
        index_lines(p->arena, first);
        duplicate(p, user, first);
        return;
    }
    if (first) {
        duplicate(p, ast, first);
        return;
    }
    struct decl *d = ARENA_NEW(p->arena, struct decl);
    d->ast = ast;
    d->file = file;
    d->index = (uint32_t)p->decls[ast->kind].len;
    index_lines(p->arena, d);
    VEC_PUSH(p->arena, &p->decls[ast->kind], d);
    name_set(p->names[ast->kind], ast->name.text, d);
}

// ---- extends

struct chain_state {
    bool on_walk, done;
    unsigned depth; // declarations from here to the root, itself included
};

static void report_circle(struct program *p, const struct decl *first) {
    const char *chain = first->ast->name.text;
    size_t shown = 0;
    for (const struct decl *d = first->parent; d != first; d = d->parent) {
        if (shown++ < EXTENDS_MAX_DEPTH) {
            chain = arena_printf(p->arena, "%s -> %s", chain, d->ast->name.text);
        }
    }
    diag_add(p->diags, DIAG_A0308, first->ast->parent.span, "%s `%s` extends itself: %s%s -> %s",
             decl_kind_text(first->ast->kind), first->ast->name.text, chain,
             shown > EXTENDS_MAX_DEPTH ? " -> ..." : "", first->ast->name.text);
}

// Cuts a circle that contains d: its members lose their parents and are poisoned.
static void cut_circle(struct program *p, struct decl *d) {
    struct decl *first = d;
    for (struct decl *m = (struct decl *)d->parent; m != d; m = (struct decl *)m->parent) {
        first = m->index < first->index ? m : first;
    }
    report_circle(p, first);
    while (d->parent) {
        struct decl *parent = (struct decl *)d->parent;
        d->parent = NULL;
        d->poisoned = true;
        d = parent;
    }
}

static void check_depth(struct program *p, struct decl *d, unsigned depth) {
    if (depth == EXTENDS_MAX_DEPTH + 1) {
        diag_add(p->diags, DIAG_A0309, d->ast->parent.span,
                 "%s `%s` stands at the end of a chain of %u extends; limit is %d",
                 decl_kind_text(d->ast->kind), d->ast->name.text, depth - 1, EXTENDS_MAX_DEPTH - 1);
    }
    if (depth > EXTENDS_MAX_DEPTH) {
        d->poisoned = true;
    }
}

// Walks from each declaration up to the first that is known, then back down.
static void check_chains(struct program *p, const struct decls *decls) {
    struct chain_state *state = ARENA_ARRAY(p->arena, struct chain_state, decls->len);
    struct decl **walk = ARENA_ARRAY(p->arena, struct decl *, decls->len);
    for (size_t i = 0; i < decls->len; i++) {
        size_t n = 0;
        struct decl *d = decls->at[i];
        while (d && !state[d->index].done && !state[d->index].on_walk) {
            state[d->index].on_walk = true;
            walk[n++] = d;
            d = (struct decl *)d->parent;
        }
        if (d && !state[d->index].done) {
            cut_circle(p, d);
        }
        while (n--) {
            const struct decl *parent = walk[n]->parent;
            struct chain_state *s = &state[walk[n]->index];
            s->depth = parent ? state[parent->index].depth + 1 : 1;
            s->done = true;
            check_depth(p, walk[n], s->depth);
            walk[n]->poisoned = walk[n]->poisoned || (parent && parent->poisoned);
        }
    }
    for (size_t i = 0; i < decls->len; i++) {
        if (state[i].depth > EXTENDS_MAX_DEPTH) {
            decls->at[i]->parent = NULL;
        }
    }
}

static void link_parents(struct program *p, const struct decls *decls) {
    for (size_t i = 0; i < decls->len; i++) {
        struct decl *d = decls->at[i];
        if (d->ast->parent.text) {
            d->parent = program_need(p, d->ast->kind, &d->ast->parent);
            d->poisoned = d->parent == NULL;
        }
    }
    check_chains(p, decls);
}

// ---- what errors of reading hide

static const struct ast_file *file_at(const struct program *p, uint32_t file) {
    for (size_t i = 0; i < p->files.len; i++) {
        if (p->files.at[i]->file == file) {
            return p->files.at[i];
        }
    }
    return NULL;
}

static const struct ast_decl *decl_at(const struct ast_file *f, struct span place) {
    for (size_t i = 0; i < f->decls.len; i++) {
        const struct span *s = &f->decls.at[i]->span;
        if (s->begin <= place.begin && place.begin <= s->end) {
            return f->decls.at[i];
        }
    }
    return NULL;
}

// A syntax error in a declaration hides parts of it; one outside, and a file that cannot be read,
// hides names. A run may load several programs: only this one's files count.
static void note_unread(struct program *p) {
    p->diags->names_unread = false;
    for (size_t i = 0; i < p->diags->list.len; i++) {
        const struct diag *g = p->diags->list.at[i];
        const struct ast_file *f = g->has_span ? file_at(p, g->span.file) : NULL;
        if (!f || g->severity != DIAG_ERROR) {
            continue;
        }
        const struct ast_decl *torn = g->code < DIAG_A0301 ? decl_at(f, g->span) : NULL;
        if (torn) {
            VEC_PUSH(p->arena, &p->diags->torn, torn->span);
        } else if (g->code < DIAG_A0301 || (g->code >= DIAG_A0303 && g->code <= DIAG_A0306)) {
            p->diags->names_unread = true;
        }
    }
}

void program_link(struct program *p) {
    p->vocab = vocab_cache_new(p->arena);
    note_unread(p);
    for (int k = 0; k < DECL_KIND_COUNT; k++) {
        p->names[k] = ARENA_NEW(p->arena, struct name_table);
        p->names[k]->arena = p->arena;
    }
    for (size_t i = 0; i < p->files.len; i++) {
        const struct ast_file *f = p->files.at[i];
        for (size_t j = 0; j < f->decls.len; j++) {
            register_decl(p, f->decls.at[j], f->file);
        }
    }
    for (int k = 0; k < DECL_KIND_COUNT; k++) {
        link_parents(p, &p->decls[k]);
    }
}
