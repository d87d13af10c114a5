// SPDX-License-Identifier: Apache-2.0
// Layer spans: checks and text. In and out: see layers.h.
// A span that fails one check is left out of the later ones, so that one mistake is one error.
#include "gen/layers.h"

#include <inttypes.h>
#include <stdlib.h>

#define RUNS_SHOWN 8

static bool span_sound(const struct program *p, const struct ast_range *r, int64_t layers) {
    if (r->step < 1) {
        diag_add(p->diags, DIAG_A0456, r->span,
                 "step of a layer range is %" PRId64 ", must be at least 1", r->step);
        return false;
    }
    if (r->last < r->first) {
        struct diag *g =
            diag_add(p->diags, DIAG_A0456, r->span,
                     "layer range %" PRId64 "..%" PRId64 " runs backwards", r->first, r->last);
        diag_help(p->diags, g, "write `%" PRId64 "..%" PRId64 "`; both ends are included", r->last,
                  r->first);
        return false;
    }
    if (layers > 0 && r->last >= layers) {
        struct diag *g = diag_add(p->diags, DIAG_A0455, r->span,
                                  "layer %" PRId64 " is not in the model, layers are 0 to %" PRId64,
                                  r->last, layers - 1);
        diag_label(p->diags, g, "%" PRId64 " layers", layers);
        return false;
    }
    return true;
}

// Do two spans share a layer? Only the shorter one is walked.
static bool spans_meet(const struct ast_range *a, const struct ast_range *b, int64_t *layer) {
    if (a->last < b->first || b->last < a->first) {
        return false;
    }
    if ((a->last - a->first) / a->step > (b->last - b->first) / b->step) {
        const struct ast_range *t = a;
        a = b;
        b = t;
    }
    for (int64_t l = a->first; l <= a->last; l += a->step) {
        if (l >= b->first && l <= b->last && (l - b->first) % b->step == 0) {
            *layer = l;
            return true;
        }
    }
    return false;
}

static int by_first(const void *a, const void *b) {
    const struct ast_range *x = *(const struct ast_range *const *)a;
    const struct ast_range *y = *(const struct ast_range *const *)b;
    if (x->first != y->first) {
        return x->first < y->first ? -1 : 1;
    }
    return x->span.begin < y->span.begin ? -1 : x->span.begin > y->span.begin;
}

bool layers_check(const struct program *p, const struct ast_ranges *ranges, int64_t layers) {
    const struct ast_range **sound = ARENA_ARRAY(p->arena, const struct ast_range *, ranges->len);
    size_t n = 0;
    for (size_t i = 0; i < ranges->len; i++) {
        if (span_sound(p, &ranges->at[i], layers)) {
            sound[n++] = &ranges->at[i];
        }
    }
    bool good = n == ranges->len;
    qsort(sound, n, sizeof *sound, by_first);
    // Spans before `from` end before every later one begins.
    int64_t reach = -1;
    for (size_t i = 0, from = 0; i < n; i++) {
        int64_t layer;
        from = sound[i]->first > reach ? i : from;
        reach = sound[i]->last > reach ? sound[i]->last : reach;
        for (size_t j = from; j < i; j++) {
            if (spans_meet(sound[j], sound[i], &layer)) {
                bool later = sound[i]->span.begin > sound[j]->span.begin;
                struct diag *g = diag_add(p->diags, DIAG_A0457, sound[later ? i : j]->span,
                                          "layer %" PRId64 " is named twice", layer);
                diag_note(p->diags, g, sound[later ? j : i]->span, "first named here");
                good = false;
                break;
            }
        }
    }
    return good;
}

static int by_number(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return x < y ? -1 : x > y;
}

void layers_sort(struct layer_list *layers) {
    if (layers->len > 0) {
        qsort(layers->at, layers->len, sizeof *layers->at, by_number);
    }
}

const char *layers_text(struct arena *a, const int64_t *layers, size_t n) {
    const char *text = "";
    size_t runs = 0, distinct = 0, shown = 0;
    for (size_t i = 0; i < n;) {
        size_t end = i + 1;
        size_t members = 1;
        while (end < n && layers[end] <= layers[end - 1] + 1) {
            members += layers[end] != layers[end - 1];
            end++;
        }
        if (runs < RUNS_SHOWN) {
            const char *between = runs ? ", " : "";
            text = members == 1 ? arena_printf(a, "%s%s%" PRId64, text, between, layers[i])
                                : arena_printf(a, "%s%s%" PRId64 "-%" PRId64, text, between,
                                               layers[i], layers[end - 1]);
            shown += members;
        }
        runs++;
        distinct += members;
        i = end;
    }
    if (shown < distinct) {
        text = arena_printf(a, "%s and %zu more", text, distinct - shown);
    }
    return arena_printf(a, "%s %s", distinct == 1 ? "layer" : "layers", text);
}
