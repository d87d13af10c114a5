// SPDX-License-Identifier: Apache-2.0
// What differs between two plans: a list of changes, those of operators gathered over all layers
// that they are equal on. diff.c makes it, diff_write.c prints it.
#ifndef GEN_DIFF_H
#define GEN_DIFF_H

#include "gen/plan.h"
#include "gen/text.h"

enum diff_sort { DIFF_CHANGED, DIFF_ADDED, DIFF_REMOVED };

// What a change is about; the name stands in JSON.
#define DIFF_SUBJECTS(X)                                                                           \
    X(DEPLOYMENT, "deployment")                                                                    \
    X(OPERATOR, "operator")                                                                        \
    X(GROUP, "group")                                                                              \
    X(MEMORY, "memory")

enum diff_subject {
#define DIFF_SUBJECT(id, name) DIFF_##id,
    DIFF_SUBJECTS(DIFF_SUBJECT)
#undef DIFF_SUBJECT
};

struct diff_change {
    enum diff_subject subject;
    enum diff_sort sort;
    const char *model, *op;      // of operators; the new model's name
    VEC(int64_t) layers;         // of operators, ascending
    const char *group;           // of groups
    const char *field;           // NULL where the whole was added or removed
    const char *old, *new;       // values as text; NULL: none
    const char *old_by, *new_by; // of a phase: what decided
    bool both_phases;            // the same change in prefill and decode
    bool integer;                // the values are integers
    bool bytes;                  // and sizes
    unsigned order;              // of the field
};

struct diff {
    VEC(struct diff_change) changes;
    bool several_models, several_ops; // then changes of operators say which
};

void diff_plans(struct arena *a, const struct plan *old, const struct plan *new, struct diff *out);

// One line a change; nothing where nothing differs.
void diff_text(struct text *t, const struct diff *d);

struct json;
// The changes as an array, behind a key.
void diff_json(struct json *j, const char *key, const struct diff *d);

#endif
