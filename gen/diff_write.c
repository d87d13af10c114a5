// SPDX-License-Identifier: Apache-2.0
// Changes for people and for programs. In: a diff. Out: lines, or a JSON array. Always: operators
// first removed and added, then field by field.

#include "gen/diff.h"
#include "gen/explain.h"
#include "gen/json.h"

#include <stdlib.h>
#include <string.h>

static const char *const subject_names[] = {
#define DIFF_SUBJECT(id, name) name,
    DIFF_SUBJECTS(DIFF_SUBJECT)
#undef DIFF_SUBJECT
};

// ---- order

struct ranked {
    const struct diff_change *change;
    size_t at; // qsort is not stable
};

static int rank_of(const struct diff_change *c) {
    return c->sort == DIFF_REMOVED ? 0 : c->sort == DIFF_ADDED ? 1 : 2;
}

static int compare_ranks(const void *a, const void *b) {
    const struct ranked *x = a, *y = b;
    if (x->change->subject != y->change->subject) {
        return x->change->subject < y->change->subject ? -1 : 1;
    }
    if (x->change->subject == DIFF_OPERATOR) {
        const int i = rank_of(x->change), k = rank_of(y->change);
        if (i != k) {
            return i - k;
        }
        if (x->change->order != y->change->order) {
            return x->change->order < y->change->order ? -1 : 1;
        }
    }
    return x->at < y->at ? -1 : 1;
}

static struct ranked *in_order(struct arena *a, const struct diff *d) {
    struct ranked *all = ARENA_ARRAY(a, struct ranked, d->changes.len + 1);
    for (size_t i = 0; i < d->changes.len; i++) {
        all[i] = (struct ranked){&d->changes.at[i], i};
    }
    qsort(all, d->changes.len, sizeof *all, compare_ranks);
    return all;
}

// ---- text

// Names in text; the rest is called as in JSON.
static const char *spoken(const char *field) {
    static const char *const names[][2] = {
        {"kv_bytes", "caches"},      {"state_bytes", "states"},  {"workspace_bytes", "workspace"},
        {"total_bytes", "total"},    {"budget_bytes", "budget"}, {"block_size", "block size"},
        {"page_bytes", "page bytes"}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (strcmp(field, names[i][0]) == 0) {
            return names[i][1];
        }
    }
    return field;
}

static const char *value_shown(struct arena *a, const struct diff_change *c, const char *value) {
    if (!value) {
        return "none";
    }
    if (!c->bytes) {
        return value;
    }
    return explain_bytes(a, (struct plan_int){.given = true, .v = strtoll(value, NULL, 10)});
}

static void add_subject(struct text *t, const struct diff *d, const struct diff_change *c) {
    switch (c->subject) {
    case DIFF_OPERATOR:
        text_addf(t, "layer%s %s", c->layers.len > 1 ? "s" : "",
                  explain_layers(t->arena, c->layers.at, c->layers.len));
        if (d->several_ops || d->several_models) {
            text_addf(t, ", %s", c->op);
        }
        if (d->several_models) {
            text_addf(t, " of %s", c->model);
        }
        break;
    case DIFF_GROUP:
        text_addf(t, "group %s", c->group);
        break;
    case DIFF_DEPLOYMENT:
    case DIFF_MEMORY:
        text_add(t, subject_names[c->subject]);
        break;
    }
}

static void add_decision(struct text *t, const struct diff_change *c) {
    const bool same = strcmp(c->old, c->new) == 0;
    const char *change = strcmp(c->old_by, c->new_by) == 0
                             ? c->new_by
                             : arena_printf(t->arena, "%s -> %s", c->old_by, c->new_by);
    if (same) {
        text_addf(t, "%s, decided by %s", c->new, change);
    } else {
        text_addf(t, "%s -> %s (%s)", c->old, c->new, change);
    }
}

static void add_line(struct text *t, const struct diff *d, const struct diff_change *c) {
    add_subject(t, d, c);
    if (c->sort != DIFF_CHANGED) {
        const char *value = c->sort == DIFF_ADDED ? c->new : c->old;
        text_addf(t, ": %s, %s\n", c->sort == DIFF_ADDED ? "added" : "removed",
                  c->bytes && !value ? "unknown size" : value_shown(t->arena, c, value));
        return;
    }
    text_addf(t, ": %s ", c->both_phases ? "prefill and decode" : spoken(c->field));
    if (c->old_by && c->new_by && c->old && c->new) {
        add_decision(t, c);
    } else {
        text_addf(t, "%s -> %s", value_shown(t->arena, c, c->old),
                  value_shown(t->arena, c, c->new));
    }
    text_add(t, "\n");
}

void diff_text(struct text *t, const struct diff *d) {
    const struct ranked *all = in_order(t->arena, d);
    for (size_t i = 0; i < d->changes.len; i++) {
        add_line(t, d, all[i].change);
    }
}

// ---- JSON

static void put_value(struct json *j, const char *key, const struct diff_change *c,
                      const char *value) {
    if (value && c->integer) {
        json_int(j, key, strtoll(value, NULL, 10));
    } else {
        json_string(j, key, value);
    }
}

static void put_change(struct json *j, const struct diff_change *c, const char *field) {
    static const char *const sorts[] = {"changed", "added", "removed"}; // as in enum diff_sort
    json_open(j, NULL, '{', true);
    json_string(j, "subject", subject_names[c->subject]);
    json_string(j, "change", sorts[c->sort]);
    if (c->subject == DIFF_OPERATOR) {
        json_string(j, "model", c->model);
        json_string(j, "op", c->op);
        json_open(j, "layers", '[', true);
        for (size_t i = 0; i < c->layers.len; i++) {
            json_int(j, NULL, c->layers.at[i]);
        }
        json_close(j, ']');
    }
    if (c->subject == DIFF_GROUP) {
        json_string(j, "group", c->group);
    }
    json_string(j, "field", field);
    put_value(j, "old", c, c->old);
    put_value(j, "new", c, c->new);
    if (c->old_by || c->new_by) {
        json_string(j, "old_decided_by", c->old_by);
        json_string(j, "new_decided_by", c->new_by);
    }
    json_close(j, '}');
}

void diff_json(struct json *j, const char *key, const struct diff *d) {
    const struct ranked *all = in_order(j->out.arena, d);
    json_open(j, key, '[', false);
    for (size_t i = 0; i < d->changes.len; i++) {
        const struct diff_change *c = all[i].change;
        put_change(j, c, c->field);
        if (c->both_phases) {
            put_change(j, c, phase_names[PHASE_DECODE]);
        }
    }
    json_close(j, ']');
}
