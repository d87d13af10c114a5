// SPDX-License-Identifier: Apache-2.0
// Mapping lines: reading and precedence. In and out: see mapping.h.
// Among lines for one layer the more special counts: with operator and phase, with an operator,
// with a phase, plain. Of equals a model's own line counts, then the child's.
#include "gen/mapping.h"

#include <inttypes.h>
#include <string.h>

#include "gen/layers.h"
#include "gen/verdict.h"

#define RANK_OP 8u
#define RANK_PHASE 4u
#define RANK_OWN 2u

struct reader {
    struct deployment *d;
    struct program *p;
    bool good;
};

// A refused line that stays out of the tables. It may have been meant for any operator, so that
// what a lower level decides may not be what counts.
static void lose(struct reader *r, enum decision level) {
    r->good = false;
    r->d->lost = level < r->d->lost ? level : r->d->lost;
}

static bool speaks_for(const struct mapping *map, const struct deployed_model *m) {
    return !map->scope->model || map->scope == m->own;
}

// The library file that declares a backend which is not imported, or NULL.
static const char *library_home(struct arena *a, const char *backend) {
    const char *opening = arena_printf(a, "\nbackend %s ", backend);
    for (size_t i = 0; i < library_file_count; i++) {
        if (strstr(library_files[i].text, opening)) {
            return library_files[i].name;
        }
    }
    return NULL;
}

static const struct decl *need_backend(const struct program *p, const struct ast_name *name) {
    const struct decl *found = program_find(p, DECL_BACKEND, name->text);
    if (found) {
        return found;
    }
    size_t before = p->diags->list.len;
    program_need(p, DECL_BACKEND, name);
    const char *home = library_home(p->arena, name->text);
    if (home && p->diags->list.len > before) {
        diag_help(p->diags, p->diags->list.at[before], "`import \"%s\";` declares it", home);
    }
    return NULL;
}

// The backend of a line: a name, or NULL for `auto`.
static bool read_backend(struct reader *r, const struct ast_expr *e, const struct decl **backend) {
    *backend = NULL;
    if (e->kind == EXPR_AUTO) {
        return true;
    }
    if (e->kind != EXPR_NAME || e->path.len != 1) {
        if (e->kind != EXPR_ERROR) {
            diag_add(r->p->diags, DIAG_A0451, e->span,
                     "the name of a backend, or `auto`, expected");
        }
        return false;
    }
    *backend = need_backend(r->p, &e->path.at[0]);
    if (*backend && backend_is_family(*backend)) {
        diag_add(r->p->diags, DIAG_A0501, e->span,
                 "backend `%s` is a family, which serves no operator itself", e->path.at[0].text);
        return false;
    }
    return *backend && !(*backend)->poisoned;
}

static bool read_phase(struct reader *r, const struct ast_name *name, struct mapping *map) {
    if (!name->text) {
        return true;
    }
    for (int i = 0; i < PHASE_COUNT; i++) {
        if (strcmp(phase_names[i], name->text) == 0) {
            map->has_phase = true;
            map->phase = (enum phase)i;
            return true;
        }
    }
    struct diag *g =
        diag_add(r->p->diags, DIAG_A0356, name->span, "unknown phase `%s`", name->text);
    program_suggest(r->p, g, "phase", name->text, phase_names, PHASE_COUNT);
    diag_help(r->p->diags, g, "the phases are `%s` and `%s`", phase_names[PHASE_PREFILL],
              phase_names[PHASE_DECODE]);
    return false;
}

static struct mapping *add_mapping(struct reader *r, const struct scope *scope,
                                   const struct setting_line *line, enum decision level) {
    struct mapping *map = ARENA_NEW(r->p->arena, struct mapping);
    map->item = line->item;
    map->level = level;
    map->scope = scope;
    map->from = line->from;
    map->inherited = line->depth > 0;
    map->broken = !read_backend(r, line->item->value, &map->backend);
    bool placed = read_phase(r, &line->item->phase, map);
    if (line->item->when) {
        placed = item_misplaced(r->p, line->item, "a deployment with `when`");
    }
    r->good = !map->broken && r->good;
    VEC_PUSH(r->p->arena, &r->d->mappings, map);
    if (!placed) {
        lose(r, level);
    }
    return placed ? map : NULL;
}

// ---- backend, backend_per_kind

static void mapped_twice(struct reader *r, const struct mapping *second,
                         const struct mapping *first, const char *what) {
    struct diag *g =
        diag_add(r->p->diags, DIAG_A0360, second->item->span, "%s is mapped twice", what);
    diag_note(r->p->diags, g, first->item->span, "first mapped here");
    r->good = false;
}

// The first line that comes counts (own before general, child before parent).
static void keep_mapping(struct reader *r, struct mapping **kept, struct mapping *map) {
    if (!*kept) {
        *kept = map;
        return;
    }
    map->replaced = true;
    map->by = *kept;
    if ((*kept)->from == map->from) {
        const char *name = map->kind->name;
        mapped_twice(r, map, *kept,
                     map->has_phase
                         ? arena_printf(r->p->arena, "`%s.%s`", name, phase_names[map->phase])
                         : arena_printf(r->p->arena, "`%s`", name));
    }
}

static void read_kind_line(struct reader *r, const struct scope *scope,
                           const struct setting_line *line) {
    const struct ast_item *item = line->item;
    enum decision level = item->kind == ITEM_PHASE ? DECIDED_KIND_PHASE : DECIDED_KIND;
    if (item->kind != ITEM_SET && item->kind != ITEM_PHASE) {
        item_misplaced(r->p, item, "`backend_per_kind`");
        lose(r, level);
        return;
    }
    const struct kind *kind = kind_need(&r->d->kinds, r->p, &item->name);
    struct mapping *map = add_mapping(r, scope, line, level);
    if (!kind) {
        lose(r, level);
    }
    if (!kind || !map) {
        return;
    }
    map->kind = kind;
    if (map->has_phase && !kind->phases[map->phase]) {
        diag_add(r->p->diags, DIAG_A0356, item->phase.span, "kind `%s` has no phase `%s`",
                 kind->name, item->phase.text);
        lose(r, level);
        return;
    }
    for (size_t i = 0; i < r->d->models.len; i++) {
        struct deployed_model *m = r->d->models.at[i];
        if (speaks_for(map, m)) {
            keep_mapping(r,
                         map->has_phase ? &m->by_kind_phase[kind->index][map->phase]
                                        : &m->by_kind[kind->index],
                         map);
        }
    }
}

static void read_fallback(struct reader *r, const struct scope *scope) {
    const struct setting_line *line = &scope->line[SETTING_BACKEND];
    struct mapping *map = line->item ? add_mapping(r, scope, line, DECIDED_BACKEND) : NULL;
    for (size_t i = 0; map && i < r->d->models.len; i++) {
        struct deployed_model *m = r->d->models.at[i];
        if (speaks_for(map, m)) {
            map->replaced = m->fallback != NULL;
            map->by = m->fallback;
            m->fallback = m->fallback ? m->fallback : map;
        }
    }
}

// ---- backend_per_layer

static bool model_has_op(const struct model *m, const char *op) {
    for (size_t i = 0; i < m->operators.len; i++) {
        if (strcmp(m->operators.at[i].op, op) == 0) {
            return true;
        }
    }
    return false;
}

// The operator after `as` exists in some model that the line speaks of.
static bool check_op(struct reader *r, const struct mapping *map) {
    struct words names = {0};
    for (size_t i = 0; i < r->d->models.len; i++) {
        const struct deployed_model *m = r->d->models.at[i];
        if (!speaks_for(map, m)) {
            continue;
        }
        if (model_has_op(&m->model, map->op)) {
            return true;
        }
        for (size_t j = 0; j < m->model.operators.len; j++) {
            const char *op = m->model.operators.at[j].op;
            bool known = false;
            for (size_t k = 0; k < names.len; k++) {
                known = known || strcmp(names.at[k], op) == 0;
            }
            if (!known) {
                VEC_PUSH(r->p->arena, &names, op);
            }
        }
    }
    const struct ast_name *label = &map->item->label;
    struct diag *g =
        diag_add(r->p->diags, DIAG_A0355, label->span, "no operator is called `%s`", label->text);
    program_suggest(r->p, g, "operator", label->text, names.at, names.len);
    const char *all = "";
    for (size_t i = 0; i < names.len && i < 8; i++) {
        all = arena_printf(r->p->arena, "%s%s`%s`", all, i ? ", " : "", names.at[i]);
    }
    diag_help(r->p->diags, g, "the operators are %s", all);
    return false;
}

// Lines of a layer are kept from the highest rank to the lowest.
static bool add_to_layer(struct reader *r, struct deployed_model *m, int64_t layer,
                         struct mapping *map) {
    struct mappings *lines = &m->by_layer[layer];
    size_t at = lines->len;
    for (size_t i = 0; i < lines->len; i++) {
        const struct mapping *other = lines->at[i];
        bool same = other->from == map->from && other->rank == map->rank &&
                    other->phase == map->phase && (!map->op || strcmp(map->op, other->op) == 0);
        if (same) {
            mapped_twice(r, map, other, arena_printf(r->p->arena, "layer %" PRId64, layer));
            return false;
        }
        at = at == lines->len && other->rank < map->rank ? i : at;
    }
    VEC_PUSH(r->p->arena, lines, map);
    memmove(&lines->at[at + 1], &lines->at[at], (lines->len - 1 - at) * sizeof *lines->at);
    lines->at[at] = map;
    return true;
}

static void spread_layers(struct reader *r, struct deployed_model *m, struct mapping *map) {
    if (!m->by_layer) {
        m->by_layer = ARENA_ARRAY(r->p->arena, struct mappings, m->model.layers);
    }
    for (size_t i = 0; i < map->item->ranges.len; i++) {
        const struct ast_range *range = &map->item->ranges.at[i];
        for (int64_t l = range->first; l <= range->last && l < m->model.layers; l += range->step) {
            if (!add_to_layer(r, m, l, map)) {
                return; // one report for a line
            }
        }
    }
}

static void read_layer_line(struct reader *r, const struct scope *scope,
                            const struct setting_line *line) {
    if (line->item->kind != ITEM_PER_LAYER) {
        item_misplaced(r->p, line->item, "`backend_per_layer`");
        lose(r, DECIDED_LAYER);
        return;
    }
    struct mapping *map = add_mapping(r, scope, line, DECIDED_LAYER);
    if (!map) {
        return;
    }
    int64_t layers = 0;
    for (size_t i = 0; i < r->d->models.len; i++) {
        const struct deployed_model *m = r->d->models.at[i];
        if (m->model.operators.len == 0) {
            return; // the model has errors: its layers are not known
        }
        layers = speaks_for(map, m) && m->model.layers > layers ? m->model.layers : layers;
    }
    map->op = line->item->label.text;
    map->rank =
        (map->op ? RANK_OP : 0) + (map->has_phase ? RANK_PHASE : 0) + (scope->model ? RANK_OWN : 0);
    bool good = !map->op || check_op(r, map);
    good = layers_check(r->p, &line->item->ranges, layers) && good;
    if (!good) {
        lose(r, DECIDED_LAYER);
    }
    for (size_t i = 0; good && i < r->d->models.len; i++) {
        if (speaks_for(map, r->d->models.at[i])) {
            spread_layers(r, r->d->models.at[i], map);
        }
    }
}

// ---- all

static void read_scope(struct reader *r, const struct scope *scope) {
    const struct setting_lines *kinds = &scope->entries[SETTING_BACKEND_PER_KIND];
    const struct setting_lines *layers = &scope->entries[SETTING_BACKEND_PER_LAYER];
    read_fallback(r, scope);
    for (size_t i = 0; i < kinds->len; i++) {
        read_kind_line(r, scope, &kinds->at[i]);
    }
    for (size_t i = 0; i < layers->len; i++) {
        read_layer_line(r, scope, &layers->at[i]);
    }
}

void mappings_read(struct deployment *d) {
    struct reader r = {.d = d, .p = d->program, .good = true};
    d->lost = DECIDED_AUTO;
    for (size_t i = 0; i < d->models.len; i++) {
        struct deployed_model *m = d->models.at[i];
        m->by_kind = ARENA_ARRAY(r.p->arena, struct mapping *, d->kinds.rows.len);
        m->by_kind_phase = arena_alloc(r.p->arena, sizeof *m->by_kind_phase * d->kinds.rows.len);
    }
    // `for` blocks first: their lines count before the deployment's.
    for (size_t i = d->scopes.len; i-- > 0;) {
        read_scope(&r, d->scopes.at[i]);
    }
    d->mappings_good = r.good;
}

// ---- look-up

static bool speaks_of(const struct mapping *map, const struct model_operator *o, enum phase phase) {
    return (!map->has_phase || map->phase == phase) && (!map->op || strcmp(map->op, o->op) == 0);
}

static const struct mapping *count(const struct mapping *found, struct mapping *map) {
    if (map) {
        map->matches++;
        map->uses += found == NULL;
        map->by = map->by ? map->by : found;
    }
    return found ? found : map;
}

struct mapping_chain mapping_chain_of(struct arena *a, const struct deployed_model *m,
                                      const struct model_operator *o, const struct kind *kind,
                                      enum phase phase) {
    struct mapping_chain chain = {0};
    const struct mappings *lines = m->by_layer ? &m->by_layer[o->layer] : NULL;
    for (size_t i = 0; lines && i < lines->len; i++) {
        if (speaks_of(lines->at[i], o, phase)) {
            VEC_PUSH(a, &chain, lines->at[i]);
        }
    }
    const struct mapping *const wider[] = {m->by_kind_phase[kind->index][phase],
                                           m->by_kind[kind->index], m->fallback};
    for (size_t i = 0; i < sizeof wider / sizeof *wider; i++) {
        if (wider[i]) {
            VEC_PUSH(a, &chain, wider[i]);
        }
    }
    return chain;
}

const struct mapping *mapping_of(const struct deployed_model *m, const struct model_operator *o,
                                 const struct kind *kind, enum phase phase) {
    const struct mapping *found = NULL;
    const struct mappings *lines = m->by_layer ? &m->by_layer[o->layer] : NULL;
    for (size_t i = 0; lines && i < lines->len; i++) {
        found = speaks_of(lines->at[i], o, phase) ? count(found, lines->at[i]) : found;
    }
    found = count(found, m->by_kind_phase[kind->index][phase]);
    found = count(found, m->by_kind[kind->index]);
    return count(found, m->fallback);
}
