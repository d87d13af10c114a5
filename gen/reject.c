// SPDX-License-Identifier: Apache-2.0
// Errors of choice: collecting and reporting. In and out: see reject.h.
#include "gen/reject.h"

#include <string.h>

#include "gen/groups.h"
#include "gen/ruling.h"

#define BACKENDS_SHOWN 8

// ---- collecting

static bool same_rejection(const void *owner, uint32_t index, const void *key) {
    const struct rejection *a = ((const struct rejections *)owner)->list.at[index], *b = key;
    return a->map == b->map && a->automatic == b->automatic && a->kind == b->kind && a->m == b->m &&
           strcmp(a->signature, b->signature) == 0;
}

static void collect(struct rejections *all, struct rejection r, uint32_t op, enum phase phase) {
    struct arena *a = all->c->p->arena;
    uint64_t hash = hash_text(INTERN_SEED, r.signature);
    hash = hash_bytes(hash, &r.kind->index, sizeof r.kind->index);
    uint32_t found = intern_find(&all->table, hash, same_rejection, all, &r);
    if (found == INTERN_NONE) {
        found = (uint32_t)all->list.len;
        struct rejection *kept = ARENA_NEW(a, struct rejection);
        *kept = r;
        VEC_PUSH(a, &all->list, kept);
        intern_add(a, &all->table, hash, found);
    }
    struct refused_op refused = {op, phase};
    VEC_PUSH(a, &all->list.at[found]->ops, refused);
}

static struct rejection rejection_of(const struct rejections *all, uint32_t op, enum phase phase) {
    const struct op *o = &all->c->ops.at[op];
    return (struct rejection){.map = o->phase[phase].mapping,
                              .automatic = o->phase[phase].automatic,
                              .kind = o->set->kind,
                              .m = o->m};
}

void reject_explicit(struct rejections *all, uint32_t op, enum phase phase) {
    struct rejection r = rejection_of(all, op, phase);
    r.signature = ruling_signature(all->c, all->c->ops.at[op].phase[phase].ruling);
    collect(all, r, op, phase);
}

void reject_automatic(struct rejections *all, uint32_t op, enum phase phase) {
    struct decider *c = all->c;
    struct op *o = &c->ops.at[op];
    const struct preference *list = preference_of(c, o, phase);
    struct rejection r = rejection_of(all, op, phase);
    r.applies = list->applies;
    r.signature = "";
    for (size_t i = 0; i < list->entries.len; i++) {
        const struct decl *backend = list->entries.at[i].backend;
        if (backend->poisoned) {
            return; // only follows from the error in the backend
        }
        struct ruling *ruling = ruling_of(c, o, phase, backend);
        r.signature = arena_printf(c->p->arena, "%s%s\n%s", r.signature, backend->ast->name.text,
                                   ruling_signature(c, ruling));
    }
    collect(all, r, op, phase);
}

// ---- text

static const char *layers_of(const struct rejections *all, const struct rejection *r) {
    struct layer_list layers = {0};
    for (size_t i = 0; i < r->ops.len; i++) {
        VEC_PUSH(all->c->p->arena, &layers, all->c->ops.at[r->ops.at[i].op].o->layer);
    }
    layers_sort(&layers);
    return layers_text(all->c->p->arena, layers.at, layers.len);
}

// "`sliding_window` in decode (layers 0-4)"; the phase only where the other one is not refused too.
static const char *what_of(const struct rejections *all, const struct rejection *r) {
    bool in[PHASE_COUNT] = {false};
    for (size_t i = 0; i < r->ops.len; i++) {
        in[r->ops.at[i].phase] = true;
    }
    const char *phase = "";
    for (int i = 0; i < PHASE_COUNT; i++) {
        bool all_phases = true;
        for (int j = 0; j < PHASE_COUNT; j++) {
            all_phases = all_phases && in[j] == r->kind->phases[j];
        }
        if (in[i] && !all_phases) {
            phase = arena_printf(all->c->p->arena, " in %s", phase_names[i]);
        }
    }
    const char *model = all->c->d->models.len > 1 ? arena_printf(all->c->p->arena, " of model `%s`",
                                                                 r->m->model.decl->ast->name.text)
                                                  : "";
    return arena_printf(all->c->p->arena, "`%s`%s (%s%s)", r->kind->name, phase, layers_of(all, r),
                        model);
}

const char *reason_text(struct arena *a, const struct reason *reason) {
    if (reason->capability) {
        return arena_printf(a, "`%s`: wanted %s, has %s%s%s", reason->name, reason->wanted,
                            reason->has, reason->missing ? "; " : "",
                            reason->missing ? reason->missing : "");
    }
    const char *detail = reason->missing ? reason->missing : reason->has;
    return arena_printf(a, "rule%s%s%s fails: %s%s%s", reason->rule->label.text ? " `" : "",
                        reason->rule->label.text ? reason->rule->label.text : "",
                        reason->rule->label.text ? "`" : "", reason->wanted,
                        detail && *detail ? "; " : "", detail ? detail : "");
}

static const struct reason *first_loud(const struct ruling *r, size_t *loud) {
    const struct reason *first = NULL;
    *loud = 0;
    for (size_t i = 0; i < r->reasons.len; i++) {
        if (!r->reasons.at[i].quiet) {
            first = first ? first : &r->reasons.at[i];
            ++*loud;
        }
    }
    return first;
}

static const struct reason *find_reason(const struct ruling *r, const char *capability) {
    for (size_t i = 0; i < r->reasons.len; i++) {
        if (r->reasons.at[i].capability && strcmp(r->reasons.at[i].name, capability) == 0) {
            return &r->reasons.at[i];
        }
    }
    return NULL;
}

static void note_origin(const struct rejections *all, struct diag *g, const struct rejection *r) {
    const struct op *o = &all->c->ops.at[r->ops.at[0].op];
    struct span span = kind_span(&o->m->model, o->set);
    const struct ast_name *model = &o->m->model.decl->ast->name;
    if (span.begin == model->span.begin && span.file == model->span.file) {
        diag_note(all->c->p->diags, g, span, "model `%s` makes %s `%s`", model->text,
                  layers_of(all, r), r->kind->name);
    } else {
        diag_note(all->c->p->diags, g, span, "this makes %s `%s`", layers_of(all, r),
                  r->kind->name);
    }
}

// ---- reporting

static void leave_open(struct decider *c, struct diag *g, const struct rejection *r) {
    struct open_error error = {.diag = g, .rejection = r};
    VEC_PUSH(c->p->arena, &c->open_errors, error);
}

static void note_reasons(const struct rejections *all, struct diag *g, const struct ruling *ruling,
                         const char *prefix) {
    struct program *p = all->c->p;
    for (size_t i = 0; i < ruling->reasons.len; i++) {
        const struct reason *reason = &ruling->reasons.at[i];
        if (!reason->quiet) {
            diag_note(p->diags, g, reason->answer, "%s%s", prefix, reason_text(p->arena, reason));
        }
    }
}

static void report_explicit(struct rejections *all, const struct rejection *r) {
    struct decider *c = all->c;
    const struct refused_op *first = &r->ops.at[0];
    const struct ruling *ruling = c->ops.at[first->op].phase[first->phase].ruling;
    const char *name = ruling->backend->ast->name.text;
    bool unchecked = r->m->attrs.at[DEPLOY_UNCHECKED].yes;
    const struct reason *phases = find_reason(ruling, "phases");
    enum diag_code code = unchecked                       ? DIAG_A0550
                          : phases                        ? DIAG_A0502
                          : find_reason(ruling, "device") ? DIAG_A0701
                                                          : DIAG_A0501;
    size_t loud;
    const struct reason *why = phases ? phases : first_loud(ruling, &loud);
    struct diag *g =
        diag_add(c->p->diags, code, r->map->item->value->span, "backend `%s` cannot serve %s: %s",
                 name, what_of(all, r), reason_text(c->p->arena, why));
    diag_label(c->p->diags, g, "chosen here");
    note_origin(all, g, r);
    note_reasons(all, g, ruling, "");
    c->good = c->good && unchecked;
    if (unchecked) {
        return;
    }
    leave_open(c, g, r);
}

static void note_candidate(struct rejections *all, struct diag *g, struct op *o,
                           struct ruling *ruling) {
    struct decider *c = all->c;
    const struct decl *backend = ruling->backend;
    const char *name = backend->ast->name.text;
    if (!ruling->ok) {
        note_reasons(all, g, ruling, arena_printf(c->p->arena, "`%s`: ", name));
        return;
    }
    enum fit fit = o->group ? group_try(c, o->group, ruling) : FIT_DEVICE;
    diag_note(c->p->diags, g, backend->ast->name.span,
              "`%s`: its %s %s not agree with what is chosen for its group", name, fit_text(fit),
              fit == FIT_DEVICE ? "does" : "do");
}

static bool is_loaded(const struct program *p, const char *name) {
    for (size_t i = 0; i < p->sources->files.len; i++) {
        if (p->sources->files.at[i].library && strcmp(p->sources->files.at[i].name, name) == 0) {
            return true;
        }
    }
    return false;
}

// Where no priority applies the library may have one, in a file that is not imported.
static void help_import(const struct decider *c, struct diag *g) {
    struct program *p = c->p;
    for (size_t d = 0; d < c->d->devices.len; d++) {
        const char *rule =
            arena_printf(p->arena, "when  = platform.device has %s;", c->d->devices.at[d]);
        for (size_t i = 0; i < library_file_count; i++) {
            if (strstr(library_files[i].text, rule) && !is_loaded(p, library_files[i].name)) {
                diag_help(p->diags, g, "`import \"%s\";` declares backends of the device `%s`",
                          library_files[i].name, c->d->devices.at[d]);
            }
        }
    }
}

static void report_automatic(struct rejections *all, const struct rejection *r) {
    struct decider *c = all->c;
    struct program *p = c->p;
    struct op *o = &c->ops.at[r->ops.at[0].op];
    const struct setting_line *models = &c->d->scope->line[SETTING_MODEL];
    struct span span = r->map ? r->map->item->value->span : models->item->value->span;
    c->good = false;
    if (!r->applies) {
        struct diag *g = diag_add(
            p->diags, DIAG_A0602, span,
            "no priority applies to %s, so nothing can be chosen automatically", what_of(all, r));
        note_origin(all, g, r);
        if (o->m->all_priorities) {
            help_import(c, g);
        }
        leave_open(c, g, r);
        return;
    }
    struct diag *g = diag_add(p->diags, DIAG_A0601, span, "no backend accepts %s", what_of(all, r));
    note_origin(all, g, r);
    const struct preference *list = preference_of(c, o, r->ops.at[0].phase);
    for (size_t i = 0; i < list->entries.len && i < BACKENDS_SHOWN; i++) {
        note_candidate(all, g, o, ruling_of(c, o, r->ops.at[0].phase, list->entries.at[i].backend));
    }
    leave_open(c, g, r);
}

void rejections_report(struct rejections *all) {
    for (size_t i = 0; i < all->list.len; i++) {
        const struct rejection *r = all->list.at[i];
        if (r->automatic) {
            report_automatic(all, r);
        } else {
            report_explicit(all, r);
        }
    }
}
