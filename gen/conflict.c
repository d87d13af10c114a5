// SPDX-License-Identifier: Apache-2.0
// Conflicts inside a group: backends that were chosen one by one and do not go together.
// In: a group with its members, the choice that disagrees. Out: one diagnostic for the group, with
// what each of its backends accepts.
#include <string.h>

#include "gen/groups.h"
#include "gen/pages.h"
#include "gen/ruling.h"

static const struct {
    enum diag_code code;
    const char *answer; // the backend's line to look at
    const char *what;
} conflicts[] = {
    [FIT_DEVICE] = {DIAG_A0508, "device", "device"},
    [FIT_BLOCK] = {DIAG_A0505, "block_size", "block size"},
    [FIT_LAYOUT] = {DIAG_A0504, "layout", "layout"},
};

// A backend that answers alike for several operators or phases is said once.
static void note_member(struct decider *c, struct diag *g, const struct cache_group *group,
                        struct ruling *r, enum fit fit) {
    struct subject s = subject_of(c, r->m, r->set, r->phase);
    s.block_size = block_candidate(group->m, group->candidate);
    const char *name = conflicts[fit].answer;
    struct item_lines lines = decl_lines(c->p->arena, r->backend, ITEM_SET, name);
    if (lines.len == 0 && fit == FIT_BLOCK) {
        lines = decl_lines(c->p->arena, r->backend, ITEM_SET, "kernel_block");
    }
    struct value answer = backend_answer(&s, r->backend, name);
    const char *text = arena_printf(c->p->arena, "`%s` accepts %s %s", r->backend->ast->name.text,
                                    name, value_text(c->p->arena, &answer));
    for (size_t i = 0; i < g->notes.len; i++) {
        if (strcmp(g->notes.at[i].text, text) == 0) {
            return;
        }
    }
    diag_note(c->p->diags, g, lines.len ? lines.at[0]->value->span : r->backend->ast->name.span,
              "%s", text);
}

void group_conflict(struct decider *c, struct cache_group *g, const struct op *o, enum phase phase,
                    enum fit fit) {
    c->good = false;
    if (g->broken) {
        return;
    }
    g->broken = true;
    const struct phase_choice *choice = &o->phase[phase];
    const struct setting_line *models = &c->d->scope->line[SETTING_MODEL];
    struct span span =
        choice->mapping ? choice->mapping->item->value->span : models->item->value->span;
    const struct value *layout = &g->m->attrs.at[DEPLOY_LAYOUT];
    bool wanted = layout->kind == VALUE_WORD && fit == FIT_LAYOUT;
    struct diag *d =
        wanted && g->members.len == 0
            ? diag_add(c->p->diags, conflicts[fit].code, span,
                       "backend `%s` of group %s does not have layout `%s`",
                       choice->ruling->backend->ast->name.text, group_text(c, g), layout->text)
            : diag_add(c->p->diags, conflicts[fit].code, span,
                       "backends of group %s have no %s in common", group_text(c, g),
                       conflicts[fit].what);
    struct open_error error = {.diag = d, .op = o, .phase = phase};
    VEC_PUSH(c->p->arena, &c->open_errors, error);
    for (size_t i = 0; i < g->members.len; i++) {
        note_member(c, d, g, g->members.at[i], fit);
    }
    note_member(c, d, g, choice->ruling, fit);
    if (wanted) {
        diag_note(c->p->diags, d, setting_span(c->d, g->m, DEPLOY_LAYOUT),
                  "the deployment wants this layout");
    }
}
