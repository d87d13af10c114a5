// SPDX-License-Identifier: Apache-2.0
// The nearest name to a misspelt one. In: a name and candidates. Out: the candidate at the least
// Damerau-Levenshtein distance (insert, delete, replace, swap of neighbours), or NULL when all are
// too far. Always: an exact match but for case wins; of equals the first candidate does.
#include "diag.h"

#include <string.h>

// Longer names get no suggestion: the table is quadratic, and nobody types such a name by hand.
#define LONGEST_NAME 128

// Not tolower(): that would depend on the locale.
static char lower(char c) {
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

static bool equal_but_for_case(const char *a, const char *b) {
    while (*a && lower(*a) == lower(*b)) {
        a++;
        b++;
    }
    return *a == *b;
}

static unsigned least(unsigned a, unsigned b) {
    return a < b ? a : b;
}

// The variant that edits no part twice: three rows of the table are enough for it.
static unsigned distance(const char *a, size_t a_len, const char *b, size_t b_len) {
    unsigned table[3][LONGEST_NAME + 1];
    unsigned *before = table[0], *last = table[1], *row = table[2];
    for (size_t j = 0; j <= b_len; j++) {
        before[j] = 0;
        last[j] = (unsigned)j;
    }
    for (size_t i = 1; i <= a_len; i++) {
        row[0] = (unsigned)i;
        for (size_t j = 1; j <= b_len; j++) {
            const unsigned replaced = last[j - 1] + (a[i - 1] != b[j - 1]);
            row[j] = least(replaced, least(last[j], row[j - 1]) + 1);
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
                row[j] = least(row[j], before[j - 2] + 1);
            }
        }
        unsigned *oldest = before;
        before = last;
        last = row;
        row = oldest;
    }
    return last[b_len];
}

const char *diag_nearest(struct arena *a, const char *name, const char *const *candidates,
                         size_t n) {
    (void)a;
    const size_t len = strlen(name);
    if (len == 0 || len > LONGEST_NAME) {
        return NULL;
    }
    const char *best = NULL;
    // A name may not be replaced as a whole, hence the bound by its own length.
    unsigned limit = least(len / 3 > 1 ? (unsigned)len / 3 : 1, (unsigned)len - 1);
    for (size_t i = 0; i < n; i++) {
        const size_t other = strlen(candidates[i]);
        if (equal_but_for_case(name, candidates[i])) {
            return candidates[i];
        }
        const size_t gap = other > len ? other - len : len - other;
        if (limit == 0 || gap > limit || other > LONGEST_NAME) {
            continue;
        }
        const unsigned d = distance(name, len, candidates[i], other);
        if (d <= limit) {
            best = candidates[i];
            limit = d - 1; // the next must be nearer; an equal name has returned above
        }
    }
    return best;
}
