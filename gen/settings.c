// SPDX-License-Identifier: Apache-2.0
// Deployments: the collected lines read for each model. In and out: see settings.h.
// Order of precedence for one model: its `for` block, then the deployment; in each the child's line
// before the parent's.
#include "gen/settings.h"

#include <inttypes.h>
#include <string.h>

#include "gen/mapping.h"
#include "gen/names.h"
#include "gen/rank.h"
#include "gen/scope.h"

struct reader {
    struct program *p;
    struct deployment *d;
    struct name_table models; // name -> struct deployed_model
    bool good;
};

// Reports a required setting that is missing, unless it is there under a misspelt name.
static void not_given(struct reader *r, const char *name) {
    r->good = false;
    for (size_t i = 0; i < r->d->meant.len; i++) {
        if (strcmp(r->d->meant.at[i], name) == 0) {
            return;
        }
    }
    diag_add(r->p->diags, DIAG_A0462, r->d->decl->ast->name.span,
             "deployment `%s` does not give `%s`", r->d->decl->ast->name.text, name);
}

static bool need_line(struct reader *r, const struct setting_line *line, const char *name) {
    if (!line->item) {
        not_given(r, name);
    }
    return line->item != NULL;
}

static bool one_name(struct reader *r, const struct ast_expr *e, const char *what,
                     const struct ast_name **name) {
    if (e->kind == EXPR_NAME && e->path.len == 1) {
        *name = &e->path.at[0];
        return true;
    }
    if (e->kind != EXPR_ERROR) {
        diag_add(r->p->diags, DIAG_A0451, e->span, "the name of a %s expected", what);
    }
    r->good = false;
    return false;
}

// Calls `take` for a name, or for each name of a list or set.
static void each_name(struct reader *r, const struct ast_expr *e, const char *what,
                      void (*take)(struct reader *r, const struct ast_name *name, void *ctx),
                      void *ctx) {
    const struct ast_name *name;
    bool many = e->kind == EXPR_LIST || e->kind == EXPR_SET;
    for (size_t i = 0; many && i < e->elems.len; i++) {
        if (e->elems.at[i].when) {
            diag_add(r->p->diags, DIAG_A0358, e->elems.at[i].when->span,
                     "`when` cannot stand in a deployment");
            r->good = false;
        } else if (one_name(r, e->elems.at[i].value, what, &name)) {
            take(r, name, ctx);
        }
    }
    if (!many && one_name(r, e, what, &name)) {
        take(r, name, ctx);
    }
}

static void take_model(struct reader *r, const struct ast_name *name, void *ctx) {
    (void)ctx;
    const struct decl *found = program_need(r->p, DECL_MODEL, name);
    if (!found) {
        r->good = false;
        return;
    }
    if (name_get(&r->models, found->ast->name.text)) {
        diag_add(r->p->diags, DIAG_A0363, name->span, "model `%s` is deployed twice", name->text);
        r->good = false;
        return;
    }
    struct deployed_model *m = ARENA_NEW(r->p->arena, struct deployed_model);
    name_set(&r->models, found->ast->name.text, m);
    m->index = (uint32_t)r->d->models.len;
    struct decl *decl = r->p->decls[DECL_MODEL].at[found->index];
    r->good = model_build(r->p, &r->d->kinds, decl, &m->model) && r->good;
    VEC_PUSH(r->p->arena, &r->d->models, m);
}

static void read_models(struct reader *r) {
    const struct setting_line *line = &r->d->scope->line[SETTING_MODEL];
    if (!need_line(r, line, "model")) {
        return;
    }
    each_name(r, line->item->value, "model", take_model, NULL);
    if (r->good && r->d->models.len == 0) {
        diag_add(r->p->diags, DIAG_A0462, line->item->value->span, "deployment `%s` has no model",
                 r->d->decl->ast->name.text);
        r->good = false;
    }
    const bool all_known = r->good;
    for (size_t i = 0; i < r->d->scopes.len; i++) {
        const struct ast_name *name = r->d->scopes.at[i]->model;
        struct deployed_model *m = name ? name_get(&r->models, name->text) : NULL;
        if (m) {
            m->own = r->d->scopes.at[i];
        } else if (name && all_known) {
            diag_add(r->p->diags, DIAG_A0361, name->span,
                     "`%s` is not among the models of deployment `%s`", name->text,
                     r->d->decl->ast->name.text);
            r->good = false;
        }
    }
}

static void read_platform(struct reader *r) {
    const struct setting_line *line = &r->d->scope->line[SETTING_PLATFORM];
    const struct ast_name *name;
    if (!need_line(r, line, "platform") || !one_name(r, line->item->value, "platform", &name)) {
        return;
    }
    r->d->platform = program_need(r->p, DECL_PLATFORM, name);
    r->good = r->d->platform && !r->d->platform->poisoned && r->good;
    if (!r->d->platform) {
        return;
    }
    struct item_lines lines = decl_lines(r->p->arena, r->d->platform, ITEM_SET, "device");
    struct value v;
    if (lines.len == 0 || !eval_constant(r->p, lines.at[0]->value, VOCAB_DEVICE, &v)) {
        return; // without a device no backend fits, which the choice reports
    }
    if (v.kind == VALUE_WORD) {
        VEC_PUSH(r->p->arena, &r->d->devices, v.text);
    }
    for (size_t i = 0; i < v.elems.len; i++) {
        if (v.elems.at[i].kind == VALUE_WORD) {
            VEC_PUSH(r->p->arena, &r->d->devices, v.elems.at[i].text);
        }
    }
}

static const struct setting_line *attr_line(const struct deployment *d,
                                            const struct deployed_model *m, enum deploy_attr attr) {
    return m->own && m->own->attr[attr].item ? &m->own->attr[attr] : &d->scope->attr[attr];
}

struct span setting_span(const struct deployment *d, const struct deployed_model *m,
                         enum deploy_attr attr) {
    const struct setting_line *line = attr_line(d, m, attr);
    return line->item ? line->item->value->span : d->decl->ast->name.span;
}

static void read_attrs(struct reader *r, struct deployed_model *m) {
    static const enum deploy_attr autos[] = {DEPLOY_KV_DTYPE, DEPLOY_BLOCK_SIZE, DEPLOY_LAYOUT};
    static const enum deploy_attr ones[] = {DEPLOY_DECODE_Q, DEPLOY_TP, DEPLOY_DCP, DEPLOY_PCP};
    for (int i = 0; i < DEPLOY_ATTR_COUNT; i++) {
        const struct setting_line *line = attr_line(r->d, m, (enum deploy_attr)i);
        const struct attr_info *info = &deploy_attr_infos[i];
        unsigned how = 0;
        for (size_t j = 0; j < sizeof autos / sizeof *autos; j++) {
            how |= (int)autos[j] == i ? ATTR_READ_AUTO : 0;
        }
        struct value *v = &m->attrs.at[i];
        *v = value_none();
        if (line->item && !attr_read(r->p, info, line->item, how, v)) {
            r->good = false;
        }
        if (info->type == TYPE_FLAG && v->kind == VALUE_NONE) {
            *v = value_bool(false);
        }
    }
    for (size_t i = 0; i < sizeof ones / sizeof *ones; i++) {
        if (m->attrs.at[ones[i]].kind == VALUE_NONE) {
            m->attrs.at[ones[i]] = value_int(1);
        }
    }
    m->attrs.platform = r->d->platform;
    if (m->own) {
        for (size_t i = 0; i < m->own->facts.len; i++) {
            VEC_PUSH(r->p->arena, &m->attrs.facts, m->own->facts.at[i]);
        }
    }
    for (size_t i = 0; i < r->d->scope->facts.len; i++) {
        VEC_PUSH(r->p->arena, &m->attrs.facts, r->d->scope->facts.at[i]);
    }
}

static int64_t need_int(struct reader *r, struct deployed_model *m, enum deploy_attr attr) {
    int64_t v = 1;
    if (m->attrs.at[attr].kind == VALUE_NONE && !attr_line(r->d, m, attr)->item) {
        not_given(r, deploy_attr_infos[attr].name);
    } else if (!value_is_int(&m->attrs.at[attr], &v)) {
        if (m->attrs.at[attr].kind == VALUE_NONE && r->good) {
            diag_add(r->p->diags, DIAG_A0462, setting_span(r->d, m, attr), "`%s` cannot be `none`",
                     deploy_attr_infos[attr].name);
        }
        r->good = false;
    }
    return v;
}

static bool has_source_rows(const struct model *m) {
    for (size_t i = 0; i < m->sets.len; i++) {
        if (m->sets.at[i]->kind && m->sets.at[i]->kind->cache == CACHE_SOURCE) {
            return true;
        }
    }
    return false;
}

static void read_limits(struct reader *r, struct deployed_model *m) {
    m->max_seqs = need_int(r, m, DEPLOY_MAX_SEQS);
    m->max_tokens = need_int(r, m, DEPLOY_MAX_TOKENS);
    m->max_batch_tokens = need_int(r, m, DEPLOY_MAX_BATCH_TOKENS);
    m->has_source = value_is_int(&m->attrs.at[DEPLOY_MAX_SOURCE_TOKENS], &m->max_source_tokens);
    if (has_source_rows(&m->model)) {
        m->max_source_tokens = need_int(r, m, DEPLOY_MAX_SOURCE_TOKENS);
    }
    m->has_cached = value_is_int(&m->attrs.at[DEPLOY_MAX_CACHED_TOKENS], &m->max_cached_tokens);
    if (!value_is_int(&m->attrs.at[DEPLOY_DCP], &m->dcp) ||
        !value_is_int(&m->attrs.at[DEPLOY_TP], &m->tp)) {
        r->good = false;
    }
}

static void take_priority(struct reader *r, const struct ast_name *name, void *ctx) {
    struct deployed_model *m = ctx;
    const struct decl *found = program_need(r->p, DECL_PRIORITY, name);
    r->good = found && r->good;
    if (found) {
        VEC_PUSH(r->p->arena, &m->priorities, found);
    }
}

static void read_priority(struct reader *r, struct deployed_model *m) {
    const struct setting_line *line = &r->d->scope->line[SETTING_PRIORITY];
    if (m->own && m->own->line[SETTING_PRIORITY].item) {
        line = &m->own->line[SETTING_PRIORITY];
    }
    m->all_priorities = !line->item || line->item->value->kind == EXPR_AUTO;
    if (!m->all_priorities) {
        each_name(r, line->item->value, "priority", take_priority, m);
    }
}

static void read_kv_entry(struct reader *r, const struct setting_line *entry,
                          const struct setting_line **seen, struct value *by_kind) {
    if (entry->item->kind != ITEM_SET || entry->item->when) {
        r->good = item_misplaced(r->p, entry->item, "`kv_dtype_per_kind`") && r->good;
        return;
    }
    const struct kind *k = kind_need(&r->d->kinds, r->p, &entry->item->name);
    if (!k) {
        r->good = false;
        return;
    }
    if (seen[k->index]) {
        if (seen[k->index]->from == entry->from) {
            scope_given_twice(r->p, &entry->item->name, seen[k->index]->item);
            r->good = false;
        }
        return;
    }
    seen[k->index] = entry;
    r->good = attr_read(r->p, &deploy_attr_infos[DEPLOY_KV_DTYPE], entry->item, ATTR_READ_AUTO,
                        &by_kind[k->index]) &&
              r->good;
}

static void read_kv_dtypes(struct reader *r, struct deployed_model *m) {
    size_t n = r->d->kinds.rows.len;
    struct arena *a = r->p->arena;
    struct value *by_kind = ARENA_ARRAY(a, struct value, n);
    const struct setting_line **seen = ARENA_ARRAY(a, const struct setting_line *, n);
    for (size_t i = 0; i < n; i++) {
        by_kind[i] = m->attrs.at[DEPLOY_KV_DTYPE];
    }
    const struct scope *scopes[] = {m->own, r->d->scope};
    for (size_t s = 0; s < 2; s++) {
        const struct setting_lines *entries =
            scopes[s] ? &scopes[s]->entries[SETTING_KV_DTYPE_PER_KIND] : NULL;
        for (size_t i = 0; entries && i < entries->len; i++) {
            read_kv_entry(r, &entries->at[i], seen, by_kind);
        }
    }
    m->kind_kv_dtype = by_kind;
}

static struct plan_int plan_int_of(const struct value *v) {
    struct plan_int n = {0};
    n.given = value_is_int(v, &n.v);
    return n;
}

bool deployment_read(struct program *p, const struct decl *decl, struct deployment *out) {
    return deployment_read_edited(p, decl, NULL, out);
}

bool deployment_read_edited(struct program *p, const struct decl *decl,
                            const struct line_edit *edit, struct deployment *out) {
    memset(out, 0, sizeof *out);
    out->program = p;
    out->decl = decl;
    out->edit = edit;
    struct reader r = {.p = p, .d = out, .models.arena = p->arena, .good = !decl->poisoned};
    if (!r.good || !kinds_load(p, &out->kinds)) {
        return false;
    }
    r.good = scopes_collect(p, decl, out);
    read_platform(&r);
    read_models(&r);
    for (size_t i = 0; i < out->models.len; i++) {
        struct deployed_model *m = out->models.at[i];
        read_attrs(&r, m);
        read_limits(&r, m);
        read_kv_dtypes(&r, m);
        read_priority(&r, m);
    }
    mappings_read(out);
    if (!r.good) {
        return false;
    }
    for (size_t i = 0; i < out->models.len; i++) {
        r.good = rank_apply(out, out->models.at[i]) && r.good;
    }
    const struct deploy_attrs *first = &out->models.at[0]->attrs;
    out->memory = plan_int_of(&first->at[DEPLOY_MEMORY]);
    out->flash = plan_int_of(&first->at[DEPLOY_FLASH]);
    out->unified = first->at[DEPLOY_POOL].kind == VALUE_WORD;
    return r.good;
}
