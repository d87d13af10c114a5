// SPDX-License-Identifier: Apache-2.0
// Joined priority lists. In and out: see preference.h. Families are never candidates.
#include "gen/preference.h"

#include <string.h>

static bool admitted(const struct deployed_model *m, const struct decl *priority) {
    for (size_t i = 0; !m->all_priorities && i < m->priorities.len; i++) {
        if (m->priorities.at[i] == priority) {
            return true;
        }
    }
    return m->all_priorities;
}

static void add_backend(const struct decider *c, struct preference *list, const char *name,
                        bool independent) {
    const struct decl *backend = program_find(c->p, DECL_BACKEND, name);
    if (!backend || backend_is_family(backend)) {
        return; // reported where priorities are checked
    }
    for (size_t i = 0; i < list->entries.len; i++) {
        if (list->entries.at[i].backend == backend) {
            return;
        }
    }
    struct preferred entry = {backend, independent};
    VEC_PUSH(c->p->arena, &list->entries, entry);
}

static bool says_yes(const struct decider *c, const struct subject *s, const struct decl *priority,
                     const char *name) {
    struct item_lines lines = decl_lines(c->p->arena, priority, ITEM_SET, name);
    return lines.len > 0 && eval_holds(s, priority, lines.at[0]->value);
}

static void join(const struct decider *c, const struct subject *s, const struct decl *priority,
                 struct preference *list) {
    struct item_lines when = decl_lines(c->p->arena, priority, ITEM_SET, "when");
    if (when.len > 0 && !eval_holds(s, priority, when.at[0]->value)) {
        return;
    }
    list->applies = true;
    bool independent = says_yes(c, s, priority, "independent");
    struct item_lines orders = decl_lines(c->p->arena, priority, ITEM_SET, "order");
    for (size_t i = 0; i < orders.len; i++) {
        if (orders.at[i]->when && !eval_holds(s, priority, orders.at[i]->when)) {
            continue;
        }
        struct value order = eval(s, priority, orders.at[i]->value, VOCAB_BACKEND);
        if (order.kind == VALUE_WORD) {
            add_backend(c, list, order.text, independent);
        }
        for (size_t j = 0; j < order.elems.len; j++) {
            if (order.elems.at[j].kind == VALUE_WORD) {
                add_backend(c, list, order.elems.at[j].text, independent);
            }
        }
        return; // the first line whose condition holds
    }
}

const struct preference *preference_of(struct decider *c, const struct op *o, enum phase phase) {
    struct preference *list = &c->preferences[(size_t)o->set_id * PHASE_COUNT + phase];
    if (list->known) {
        return list;
    }
    list->known = true;
    struct subject s = subject_of(c, o->m, o->set, phase);
    const struct decls *all = &c->p->decls[DECL_PRIORITY];
    for (int library = 0; library < 2; library++) {
        for (size_t i = 0; i < all->len; i++) {
            const struct decl *priority = all->at[i];
            if (decl_is_library(c->p, priority) == (library == 1) && !priority->poisoned &&
                admitted(o->m, priority)) {
                join(c, &s, priority, list);
            }
        }
    }
    return list;
}
