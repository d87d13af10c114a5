// SPDX-License-Identifier: Apache-2.0
// The table of kinds: reading std/kinds.attn and matching attributes against it.
// In and out: see kinds.h. A word that the table gets wrong is an error of the library.
#include "gen/kinds.h"

#include <string.h>

#include "gen/attr_read.h"

static bool table_error(const struct program *p, struct span span, const char *what) {
    diag_add(p->diags, DIAG_A0362, span, "%s", what);
    return false;
}

// Calls `take` for each word of a set, or of a single word.
static bool each_word(const struct program *p, const struct ast_item *item, enum vocabulary v,
                      struct kind *k,
                      bool (*take)(const struct program *p, struct kind *k, const char *word)) {
    struct value set;
    if (!eval_constant(p, item->value, v, &set)) {
        return false;
    }
    bool single = set.kind == VALUE_WORD;
    if (!single && set.kind != VALUE_SET) {
        return table_error(p, item->value->span, "words expected in the table of kinds");
    }
    size_t n = single ? 1 : set.elems.len;
    for (size_t i = 0; i < n; i++) {
        const struct value *w = single ? &set : &set.elems.at[i];
        if (w->kind != VALUE_WORD || !take(p, k, w->text)) {
            return table_error(p, item->value->span, "unknown word in the table of kinds");
        }
    }
    return true;
}

static bool take_cache(const struct program *p, struct kind *k, const char *word) {
    static const char *const words[CACHE_FORM_COUNT] = {
#define CACHE_FORM(id, text) text,
        CACHE_FORMS(CACHE_FORM)
#undef CACHE_FORM
    };
    (void)p;
    for (int i = 0; i < CACHE_FORM_COUNT; i++) {
        if (strcmp(words[i], word) == 0) {
            k->cache = (enum cache_form)i;
            return true;
        }
    }
    return false;
}

static bool take_phase(const struct program *p, struct kind *k, const char *word) {
    (void)p;
    for (int i = 0; i < PHASE_COUNT; i++) {
        if (strcmp(phase_names[i], word) == 0) {
            k->phases[i] = true;
            return true;
        }
    }
    return false;
}

static bool take_exclude(const struct program *p, struct kind *k, const char *word) {
    (void)p;
    for (int i = 0; i < ATTR_COUNT; i++) {
        if (operator_attr_infos[i].where == WHERE_ML &&
            strcmp(operator_attr_infos[i].name, word) == 0) {
            k->excludes[i] = true;
            return true;
        }
    }
    return false;
}

static bool take_restates(const struct program *p, struct kind *k, const char *word) {
    if (!program_find(p, DECL_CAPABILITY, word)) {
        return false;
    }
    VEC_PUSH(p->arena, &k->restates, word);
    return true;
}

static bool take_inherited(const struct program *p, struct kind *k, const char *word) {
    (void)p;
    k->ignores_inherited = strcmp(word, "ignored") == 0;
    return k->ignores_inherited;
}

static bool take_item(const struct program *p, struct kind *k, const struct ast_item *item) {
    static const struct {
        const char *name;
        enum vocabulary vocabulary;
        bool (*take)(const struct program *p, struct kind *k, const char *word);
    } word_items[] = {
        {"cache", VOCAB_FREE, take_cache},         {"phases", VOCAB_PHASE, take_phase},
        {"excludes", VOCAB_FREE, take_exclude},    {"restates", VOCAB_FREE, take_restates},
        {"inherited", VOCAB_FREE, take_inherited},
    };
    if (item->kind != ITEM_SET || item->when) {
        return item_misplaced(p, item, "the table of kinds");
    }
    if (strcmp(item->name.text, "when") == 0) {
        k->when = item->value;
        return true;
    }
    if (strcmp(item->name.text, "because") == 0) {
        k->because = item->value->kind == EXPR_STRING ? item->value->string : NULL;
        return k->because || table_error(p, item->value->span, "a string expected");
    }
    for (size_t i = 0; i < sizeof word_items / sizeof *word_items; i++) {
        if (strcmp(word_items[i].name, item->name.text) == 0) {
            return each_word(p, item, word_items[i].vocabulary, k, word_items[i].take);
        }
    }
    return table_error(p, item->name.span, "unknown item in the table of kinds");
}

bool kinds_load(const struct program *p, struct kinds *out) {
    memset(out, 0, sizeof *out);
    bool good = true;
    const struct decls *decls = &p->decls[DECL_KIND];
    for (size_t i = 0; i < decls->len; i++) {
        const struct decl *d = decls->at[i];
        struct kind k = {.name = d->ast->name.text, .decl = d, .index = (uint32_t)i};
        for (size_t j = 0; j < d->ast->items.len; j++) {
            good = take_item(p, &k, d->ast->items.at[j]) && good;
        }
        VEC_PUSH(p->arena, &out->rows, k);
    }
    return good;
}

const struct kind *kind_of(const struct kinds *k, const struct program *p,
                           const struct operator_attrs *attrs) {
    struct subject s = {.program = p, .layer = attrs};
    for (size_t i = 0; i < k->rows.len; i++) {
        const struct kind *row = &k->rows.at[i];
        if (!row->when || eval_holds(&s, NULL, row->when)) {
            return row;
        }
    }
    return NULL;
}

const struct kind *kind_find(const struct kinds *k, const char *name) {
    for (size_t i = 0; i < k->rows.len; i++) {
        if (strcmp(k->rows.at[i].name, name) == 0) {
            return &k->rows.at[i];
        }
    }
    return NULL;
}

const struct kind *kind_need(const struct kinds *k, const struct program *p,
                             const struct ast_name *name) {
    const struct kind *found = kind_find(k, name->text);
    if (found) {
        return found;
    }
    struct diag *g = diag_add(p->diags, DIAG_A0354, name->span, "unknown kind `%s`", name->text);
    const char **names = ARENA_ARRAY(p->arena, const char *, k->rows.len);
    const char *all = "";
    for (size_t i = 0; i < k->rows.len; i++) {
        names[i] = k->rows.at[i].name;
        all = arena_printf(p->arena, "%s%s`%s`", all, i ? ", " : "", names[i]);
    }
    const char *nearest = diag_nearest(p->arena, name->text, names, k->rows.len);
    if (nearest) {
        diag_help(p->diags, g, "a kind named `%s` exists", nearest);
    }
    diag_help(p->diags, g, "the kinds are %s", all);
    return NULL;
}
