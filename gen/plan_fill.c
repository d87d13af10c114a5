// SPDX-License-Identifier: Apache-2.0
// Copying decisions into the plan. In and out: see plan_fill.h.
// What depends on an attribute set alone is made once for the set and copied for each operator.
#include "gen/plan_fill.h"

#include <string.h>

#include "gen/edit.h"
#include "gen/groups.h"
#include "gen/mapping.h"
#include "gen/preference.h"
#include "gen/reject.h"
#include "gen/ruling.h"

const char *decision_text(enum decision d) {
    static const char *const names[] = {
#define DECISION(id, name) name,
        DECISIONS(DECISION)
#undef DECISION
    };
    return names[d];
}

static struct plan_int int_of(const struct operator_attrs *a, enum operator_attr attr) {
    struct plan_int n = {0};
    n.given = value_is_int(&a->at[attr], &n.v);
    return n;
}

static const char *word_of(const struct operator_attrs *a, enum operator_attr attr) {
    return a->at[attr].kind == VALUE_WORD ? a->at[attr].text : NULL;
}

static bool number_of(const struct operator_attrs *a, enum operator_attr attr, struct number *n) {
    *n = a->at[attr].kind == VALUE_NUMBER ? a->at[attr].number : number_int(0);
    return a->at[attr].kind == VALUE_NUMBER;
}

static void fill_attention(const struct operator_attrs *a, struct plan_operator *o) {
    o->heads = int_of(a, ATTR_HEADS);
    o->kv_heads = int_of(a, ATTR_KV_HEADS);
    o->head_dim = int_of(a, ATTR_HEAD_DIM);
    o->v_head_dim = int_of(a, ATTR_V_HEAD_DIM);
    o->has_mla = attr_given(a, ATTR_MLA);
    o->mla_latent = int_of(a, ATTR_MLA_LATENT);
    o->mla_rope = int_of(a, ATTR_MLA_ROPE);
    o->mla_nope = int_of(a, ATTR_MLA_NOPE);
    o->mla_v = int_of(a, ATTR_MLA_V);
    o->window = int_of(a, ATTR_WINDOW);
    o->window_left = int_of(a, ATTR_WINDOW_LEFT);
    o->window_right = int_of(a, ATTR_WINDOW_RIGHT);
    o->chunk = int_of(a, ATTR_CHUNK);
    o->sink_tokens = int_of(a, ATTR_SINK_TOKENS);
    o->sink_logits = attr_given(a, ATTR_SINK_LOGITS);
    o->alibi = attr_given(a, ATTR_ALIBI);
    o->has_softcap = number_of(a, ATTR_SOFTCAP, &o->softcap);
    o->has_scale = number_of(a, ATTR_SCALE, &o->scale);
    o->kv_share = int_of(a, ATTR_KV_SHARE);
    o->has_index = attr_given(a, ATTR_INDEX);
    o->index_topk = int_of(a, ATTR_INDEX_TOPK);
    o->index_heads = int_of(a, ATTR_INDEX_HEADS);
    o->index_head_dim = int_of(a, ATTR_INDEX_HEAD_DIM);
    o->index_share = int_of(a, ATTR_INDEX_SHARE);
    o->index_dtype = word_of(a, ATTR_INDEX_DTYPE);
    o->compress = int_of(a, ATTR_COMPRESS);
    o->dtype = word_of(a, ATTR_DTYPE);
    o->kv_dtype = word_of(a, ATTR_KV_DTYPE);
    o->k_width = int_of(a, ATTR_K_WIDTH);
    o->v_width = int_of(a, ATTR_V_WIDTH);
}

static void fill_state(const struct operator_attrs *a, struct plan_operator *o) {
    o->has_ssm = true;
    o->ssm_type = word_of(a, ATTR_SSM_TYPE);
    o->ssm_dtype = word_of(a, ATTR_SSM_DTYPE);
    o->ssm_heads = int_of(a, ATTR_SSM_HEADS);
    o->ssm_head_dim = int_of(a, ATTR_SSM_HEAD_DIM);
    o->ssm_state = int_of(a, ATTR_SSM_STATE);
    o->ssm_groups = int_of(a, ATTR_SSM_GROUPS);
    o->ssm_conv = int_of(a, ATTR_SSM_CONV);
}

// Flags demanded in some phase, in the order of the capabilities.
static void fill_demand(struct arena *a, struct subject s, const struct kind *kind,
                        struct plan_operator *o) {
    struct value demand[PHASE_COUNT] = {{0}};
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        s.phase = (enum phase)phase;
        s.has_phase = true;
        demand[phase] = kind->phases[phase] ? demands_of(&s) : value_none();
    }
    const struct decls *all = &s.program->decls[DECL_CAPABILITY];
    for (size_t i = 0; i < all->len; i++) {
        struct value flag = value_word(all->at[i]->ast->name.text);
        if (value_in(&flag, &demand[PHASE_PREFILL]) || value_in(&flag, &demand[PHASE_DECODE])) {
            VEC_PUSH(a, &o->demand, flag.text);
        }
    }
}

static struct plan_operator operator_of_set(struct subject s, const struct attr_set *set) {
    struct plan_operator o = {.kind = set->kind->name,
                              .group = PLAN_NO_INDEX,
                              .write_kernel = PLAN_NO_INDEX,
                              .class_index = PLAN_NO_INDEX};
    if (set->kind->cache == CACHE_STATE) {
        fill_state(&set->attrs, &o);
    } else {
        fill_attention(&set->attrs, &o);
    }
    fill_demand(s.program->arena, s, set->kind, &o);
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        o.phase[phase].present = set->kind->phases[phase];
        o.phase[phase].kernel = PLAN_NO_INDEX;
        o.phase[phase].decided_by = DECIDED_AUTO;
    }
    return o;
}

void plan_fill_model(struct program *p, const struct model *m, uint32_t index,
                     const struct deploy_attrs *deploy, struct plan *out) {
    const char *name = m->decl->ast->name.text;
    VEC_PUSH(p->arena, &out->models, name);
    struct plan_operator **made = ARENA_ARRAY(p->arena, struct plan_operator *, m->sets.len);
    uint32_t first = (uint32_t)out->operators.len;
    for (size_t i = 0; i < m->operators.len; i++) {
        const struct model_operator *from = &m->operators.at[i];
        const struct attr_set *set = m->sets.at[from->set];
        if (!made[from->set]) {
            struct subject s = {.program = p,
                                .layer = &set->attrs,
                                .model = &m->level,
                                .model_kinds = &m->kinds,
                                .deploy = deploy};
            made[from->set] = ARENA_NEW(p->arena, struct plan_operator);
            *made[from->set] = operator_of_set(s, set);
        }
        struct plan_operator o = *made[from->set];
        o.model = name;
        o.model_index = index;
        o.op = from->op;
        o.layer = from->layer;
        o.owner = first + from->owner;
        o.owns_cache = set->kind->cache != CACHE_NONE && from->owner == i;
        VEC_PUSH(p->arena, &out->operators, o);
    }
}

// ---- candidates

// In what a backend would not agree with the others of the group, if it took this one's place.
static const char *misfit_of(struct decider *c, const struct op *o, enum phase phase,
                             struct ruling *r) {
    if (!r->ok || !o->group || (o->phase[phase].chosen && o->phase[phase].ruling == r)) {
        return NULL;
    }
    VEC(struct ruling *) list = {0};
    for (size_t i = 0; i < o->group->members.len; i++) {
        struct ruling *member = o->group->members.at[i];
        if (member->set_id != o->set_id || member->phase != phase) {
            VEC_PUSH(c->p->arena, &list, member);
        }
    }
    VEC_PUSH(c->p->arena, &list, r);
    enum fit fit = rulings_fit(c, o->group->kind, list.at, list.len);
    return fit == FIT_YES ? NULL : fit_text(fit);
}

static struct plan_candidate candidate_of(struct decider *c, const struct op *o, enum phase phase,
                                          const struct decl *backend) {
    struct ruling *r = ruling_of(c, o, phase, backend);
    struct plan_candidate candidate = {
        .backend = backend->ast->name.text, .ok = r->ok, .misfit = misfit_of(c, o, phase, r)};
    for (size_t i = 0; !r->ok && i < r->reasons.len; i++) {
        const struct reason *reason = &r->reasons.at[i];
        const char *text = reason->quiet ? NULL : reason_text(c->p->arena, reason);
        VEC_PUSH(c->p->arena, &candidate.reasons, reason->name);
        VEC_PUSH(c->p->arena, &candidate.texts, text);
    }
    return candidate;
}

// In priority order, then the rest in order of declaration; families never.
static void fill_candidates(struct decider *c, const struct op *o, enum phase phase,
                            struct plan_phase *out) {
    const struct preference *list = preference_of(c, o, phase);
    const struct decls *all = &c->p->decls[DECL_BACKEND];
    bool *listed = ARENA_ARRAY(c->p->arena, bool, all->len);
    for (size_t i = 0; i < list->entries.len; i++) {
        const struct decl *backend = list->entries.at[i].backend;
        struct plan_candidate candidate = candidate_of(c, o, phase, backend);
        listed[backend->index] = true;
        VEC_PUSH(c->p->arena, &out->candidates, candidate);
    }
    for (size_t i = 0; i < all->len; i++) {
        if (!listed[i] && !backend_is_family(all->at[i])) {
            struct plan_candidate candidate = candidate_of(c, o, phase, all->at[i]);
            VEC_PUSH(c->p->arena, &out->candidates, candidate);
        }
    }
}

// ---- deployment

static const char *place_of(const struct program *p, struct span span) {
    const struct source *file = &p->sources->files.at[span.file];
    struct position at = source_position(p->sources, span.file, span.begin);
    return arena_printf(p->arena, "%s:%u", file->name, (unsigned)at.line);
}

static void fill_lines(struct decider *c, const struct op *o, enum phase phase,
                       struct plan_phase *out) {
    struct mapping_chain chain = mapping_chain_of(c->p->arena, o->m, o->o, o->set->kind, phase);
    for (size_t i = 0; i < chain.len; i++) {
        struct span span = chain.at[i]->item->span;
        struct plan_line line = {chain.at[i]->level, written_text(c->p, span),
                                 place_of(c->p, span)};
        VEC_PUSH(c->p->arena, &out->lines, line);
    }
}

static void fill_phase(struct decider *c, const struct phase_choice *choice,
                       struct plan_phase *out) {
    if (!choice->present) {
        return;
    }
    if (!choice->automatic) {
        out->decided_by = choice->mapping->level;
        out->decided_at = place_of(c->p, choice->mapping->item->span);
    }
    if (choice->chosen) {
        out->backend = choice->ruling->backend->ast->name.text;
        out->entry = backend_word(choice->ruling->backend, "entry");
    }
}

static void fill_operator(struct decider *c, const struct op *o, struct plan_operator *out) {
    out->group = o->group ? o->group->index : PLAN_NO_INDEX;
    out->max_tokens = o->m->max_tokens;
    out->max_batch_tokens = o->m->max_batch_tokens;
    out->deterministic = o->m->attrs.at[DEPLOY_DETERMINISTIC].yes;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        fill_phase(c, &o->phase[phase], &out->phase[phase]);
        if (out->owns_cache && o->phase[phase].chosen && !out->write) {
            out->write = backend_word(o->phase[phase].ruling->backend, "write");
        }
    }
}

struct plan_int plan_int_of_size(struct size s) {
    return (struct plan_int){.given = s.state == SIZE_KNOWN, .v = s.v};
}

// Tokens of a longest sequence, as one rank has them.
static int64_t length_of(const struct cache_group *g) {
    const struct deployed_model *m = g->m;
    return g->kind->cache == CACHE_SOURCE  ? m->max_source_tokens
           : g->kind->cache == CACHE_PAGED ? (m->max_tokens + m->dcp - 1) / m->dcp
                                           : m->max_tokens;
}

static void fill_group(struct decider *c, const struct cache_group *g, uint32_t number,
                       struct plan *out) {
    struct plan_group group = {
        .name = number == 1 ? g->kind->name
                            : arena_printf(c->p->arena, "%s_%u", g->kind->name, (unsigned)number),
        .kind = g->kind->name,
        .model_index = g->m->index,
        .has_block_size = g->kind->cache != CACHE_STATE,
        .block_size = g->block_size,
        .layout = g->layout,
        .page_bytes = plan_int_of_size(g->page),
        .blocks = plan_int_of_size(g->blocks),
        .bytes = plan_int_of_size(g->bytes),
        .window = int_of(g->attrs, ATTR_WINDOW),
        .chunk = int_of(g->attrs, ATTR_CHUNK),
        .max_length = length_of(g),
        .kv_dtype = g->kind->cache == CACHE_STATE ? word_of(g->attrs, ATTR_SSM_DTYPE)
                                                  : word_of(g->attrs, ATTR_KV_DTYPE),
        .owners = g->owners,
    };
    for (size_t i = 0; i < g->ops.len; i++) {
        VEC_PUSH(c->p->arena, &group.operators, g->ops.at[i]);
    }
    VEC_PUSH(c->p->arena, &out->groups, group);
}

static void fill_groups(struct decider *c, struct plan *out) {
    uint32_t *count = ARENA_ARRAY(c->p->arena, uint32_t, c->d->kinds.rows.len);
    for (size_t i = 0; i < c->groups.len; i++) {
        const struct cache_group *g = c->groups.at[i];
        fill_group(c, g, ++count[g->kind->index], out);
    }
}

// What a plan needs to be linked, beside an entry for each backend.
static bool can_link(const struct plan_operator *o, const struct plan *plan) {
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (o->phase[phase].present && !o->phase[phase].entry) {
            return false;
        }
    }
    if (o->owns_cache && !o->write) {
        return false;
    }
    bool derived = !o->k_width.given ||
                   o->k_width.v == (o->has_mla ? o->mla_latent.v + o->mla_rope.v : o->head_dim.v);
    return derived && (o->group == PLAN_NO_INDEX || plan->groups.at[o->group].page_bytes.given);
}

static int64_t larger(int64_t a, int64_t b) {
    return a > b ? a : b;
}

static void fill_limits(const struct decider *c, struct plan *out) {
    for (size_t i = 0; i < c->d->models.len; i++) {
        const struct deployed_model *m = c->d->models.at[i];
        out->max_seqs = larger(out->max_seqs, m->max_seqs);
        out->max_tokens = larger(out->max_tokens, m->max_tokens);
        out->max_batch_tokens = larger(out->max_batch_tokens, m->max_batch_tokens);
        if (m->has_source) {
            out->max_source_tokens.given = true;
            out->max_source_tokens.v = larger(out->max_source_tokens.v, m->max_source_tokens);
        }
    }
    value_is_int(&c->d->models.at[0]->attrs.at[DEPLOY_DECODE_Q], &out->decode_q);
}

static void fill_platform(const struct decider *c, struct plan *out) {
    struct program *p = c->p;
    out->platform = c->d->platform->ast->name.text;
    struct item_lines isa = decl_lines(p->arena, c->d->platform, ITEM_SET, "isa");
    struct item_lines cores = decl_lines(p->arena, c->d->platform, ITEM_SET, "cores");
    struct value v;
    if (isa.len && eval_constant(p, isa.at[0]->value, VOCAB_ISA, &v) && v.kind == VALUE_WORD) {
        out->isa = v.text;
    }
    if (cores.len && eval_constant(p, cores.at[0]->value, VOCAB_NONE, &v)) {
        out->cores.given = value_is_int(&v, &out->cores.v);
    }
}

void plan_fill(struct decider *c, bool candidates, struct plan *out) {
    out->has_deploy = true;
    fill_platform(c, out);
    fill_limits(c, out);
    fill_groups(c, out);
    for (size_t i = 0; i < c->d->models.len; i++) {
        const struct deployed_model *m = c->d->models.at[i];
        plan_fill_model(c->p, &m->model, m->index, &m->attrs, out);
    }
    struct plan_phase *made = NULL; // candidates of each set and phase
    if (candidates) {
        made = ARENA_ARRAY(c->p->arena, struct plan_phase, (size_t)c->n_sets * PHASE_COUNT);
    }
    out->complete = true;
    out->linkable = true;
    for (size_t i = 0; i < c->ops.len; i++) {
        const struct op *o = &c->ops.at[i];
        struct plan_operator *to = &out->operators.at[i];
        fill_operator(c, o, to);
        for (int phase = 0; phase < PHASE_COUNT; phase++) {
            bool present = o->phase[phase].present;
            out->complete = out->complete && (!present || o->phase[phase].chosen);
            if (candidates && present) {
                fill_lines(c, o, (enum phase)phase, &to->phase[phase]);
                struct plan_phase *memo = &made[(size_t)o->set_id * PHASE_COUNT + (size_t)phase];
                if (!memo->present) {
                    memo->present = true;
                    fill_candidates(c, o, (enum phase)phase, memo);
                }
                memcpy(&to->phase[phase].candidates, &memo->candidates, sizeof memo->candidates);
            }
        }
        out->linkable = out->linkable && can_link(to, out);
    }
}
