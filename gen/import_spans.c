// SPDX-License-Identifier: Apache-2.0
// Lists of layers as spans. In: rising layer numbers. Out: ranges and steps, as few as a reader
// would write; a step from three layers on.
#include "gen/import_spans.h"

#include "gen/text.h"

#define LISTED_LAYERS 8 // a comment spells out the layers of a step up to so many
#define STEPPED_RUN 3   // fewer are named one by one

// How many members from `i` on are in arithmetic progression.
static size_t run_length(const struct layer_numbers *l, size_t i, int64_t *step) {
    size_t n = 1;
    *step = i + 1 < l->len ? l->at[i + 1] - l->at[i] : 1;
    while (i + n < l->len && l->at[i + n] - l->at[i + n - 1] == *step) {
        n++;
    }
    return n;
}

// The span that begins at member `i`: a run of neighbours, or a step that does not take the first
// of a longer run.
static size_t span_length(const struct layer_numbers *l, size_t i, int64_t *step) {
    size_t n = run_length(l, i, step);
    if (*step == 1) {
        return n;
    }
    int64_t next;
    if (i + n < l->len && run_length(l, i + n - 1, &next) >= n && next < *step) {
        n--;
    }
    return n < STEPPED_RUN ? 1 : n;
}

const char *spans_text(struct arena *a, const struct layer_numbers *l) {
    struct text t = text_of(a);
    for (size_t i = 0; i < l->len;) {
        int64_t step;
        size_t n = span_length(l, i, &step);
        text_addf(&t, "%s%lld", i ? ", " : "", (long long)l->at[i]);
        if (n > 1) {
            text_addf(&t, "..%lld", (long long)l->at[i + n - 1]);
        }
        if (n > 1 && step > 1) {
            text_addf(&t, " step %lld", (long long)step);
        }
        i += n;
    }
    return text_string(&t);
}

const char *spans_list(struct arena *a, const struct layer_numbers *l) {
    bool stepped = false;
    for (size_t i = 0; i < l->len && l->len <= LISTED_LAYERS;) {
        int64_t step;
        size_t n = span_length(l, i, &step);
        stepped = stepped || (n > 1 && step > 1);
        i += n;
    }
    if (!stepped) {
        return NULL;
    }
    struct text t = text_of(a);
    for (size_t i = 0; i < l->len; i++) {
        text_addf(&t, "%s%lld", i ? ", " : "", (long long)l->at[i]);
    }
    return text_string(&t);
}
