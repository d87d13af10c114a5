// SPDX-License-Identifier: Apache-2.0
// The deployment that stands for a vLLM server. In and out: see import_vllm_text.h. A kind gets one
// line where all its operators agree, else its layers do; what vLLM chooses by its priorities gets
// none.
#include "gen/import_vllm_text.h"

#include <inttypes.h>
#include <string.h>

#include "gen/import_spans.h"

struct writer {
    struct arena *a;
    const struct vllm_served *s;
    struct text t;
};

static bool same(const char *x, const char *y) {
    return x == y || (x && y && strcmp(x, y) == 0);
}

static const struct deployed_model *model_at(const struct writer *w, size_t i) {
    return w->s->deployment.models.at[i];
}

// ---- choices of one model by kind

struct kind_choice {
    bool present, mixed;
    const char *backend; // NULL: automatic
};

static struct kind_choice kind_choice(const struct writer *w, size_t model,
                                      const struct kind *kind) {
    const struct deployed_model *m = model_at(w, model);
    struct kind_choice k = {0};
    for (size_t i = 0; i < m->model.sets.len; i++) {
        const struct attr_set *set = m->model.sets.at[i];
        const char *backend = w->s->choices[model][i].backend;
        if (set->absent || set->kind != kind) {
            continue;
        }
        k.mixed = k.present && (k.mixed || !same(k.backend, backend));
        k.backend = k.present ? k.backend : backend;
        k.present = true;
    }
    return k;
}

// The global backend, where some operator has it from there; or the only one that there is.
static const char *global_backend(const struct writer *w, size_t model) {
    const struct deployed_model *m = model_at(w, model);
    const char *only = NULL;
    bool one = true;
    for (size_t i = 0; i < m->model.sets.len; i++) {
        const struct vllm_choice *c = &w->s->choices[model][i];
        if (m->model.sets.at[i]->absent || !c->attention) {
            continue;
        }
        if (c->origin == VLLM_BY_BACKEND) {
            return c->backend;
        }
        one = one && (!only || same(only, c->backend)) && c->backend;
        only = c->backend;
        one = one && c->origin != VLLM_BY_KEY;
    }
    return one ? only : NULL;
}

// Layers of a mixed kind, by operator name and backend.
static void add_layers(struct writer *w, size_t model, const struct kind *kind) {
    const struct deployed_model *m = model_at(w, model);
    VEC(size_t) done = {0};
    for (size_t i = 0; i < m->model.operators.len; i++) {
        const struct model_operator *o = &m->model.operators.at[i];
        const struct vllm_choice *c = &w->s->choices[model][o->set];
        struct layer_numbers layers = {0};
        bool seen = false;
        for (size_t k = 0; k < done.len; k++) {
            seen = seen || done.at[k] == i;
        }
        for (size_t k = i;
             !seen && m->model.sets.at[o->set]->kind == kind && k < m->model.operators.len; k++) {
            const struct model_operator *p = &m->model.operators.at[k];
            if (m->model.sets.at[p->set]->kind == kind && strcmp(p->op, o->op) == 0 &&
                same(w->s->choices[model][p->set].backend, c->backend)) {
                VEC_PUSH(w->a, &layers, p->layer);
                VEC_PUSH(w->a, &done, k);
            }
        }
        if (layers.len) {
            text_addf(&w->t, "%s as %s = %s;\n", spans_text(w->a, &layers), o->op,
                      c->backend ? c->backend : "auto");
        }
    }
}

// The lines that map one model's operators.
static const char *mapping_lines(struct writer *w, size_t model) {
    const struct kind_rows *rows = &w->s->deployment.kinds.rows;
    const char *global = global_backend(w, model);
    struct text kinds = text_of(w->a), keep = w->t;
    struct text layers = text_of(w->a);
    for (size_t i = 0; i < rows->len; i++) {
        struct kind_choice k = kind_choice(w, model, &rows->at[i]);
        if (k.mixed) {
            w->t = layers;
            add_layers(w, model, &rows->at[i]);
            layers = w->t;
        } else if (k.present && !same(k.backend, global)) {
            text_addf(&kinds, "%s = %s;\n", rows->at[i].name, k.backend ? k.backend : "auto");
        }
    }
    w->t = keep;
    struct text t = text_of(w->a);
    text_addf(&t, global ? "backend = %s;\n" : "%s", global ? global : "");
    if (kinds.bytes.len) {
        text_addf(&t, "backend_per_kind {\n%s}\n", text_string(&kinds));
    }
    if (layers.bytes.len) {
        text_addf(&t, "backend_per_layer {\n%s}\n", text_string(&layers));
    }
    return text_string(&t);
}

static void add_mappings(struct writer *w) {
    size_t n = w->s->deployment.models.len;
    const char *first = mapping_lines(w, 0);
    bool equal = true;
    for (size_t i = 1; i < n; i++) {
        equal = equal && strcmp(first, mapping_lines(w, i)) == 0;
    }
    if (equal) {
        text_add(&w->t, first);
        return;
    }
    for (size_t i = 0; i < n; i++) {
        const char *lines = mapping_lines(w, i);
        if (*lines) {
            text_addf(&w->t, "for %s {\n%s}\n", model_at(w, i)->model.decl->ast->name.text, lines);
        }
    }
}

// ---- settings

static void add_number(struct writer *w, const char *name, int64_t v, const char *comment) {
    text_addf(&w->t, "%s = %" PRId64 ";%s%s\n", name, v, comment ? " // " : "",
              comment ? comment : "");
}

static bool has_kind(const struct writer *w, const char *kind) {
    for (size_t i = 0; w->s && i < w->s->deployment.models.len; i++) {
        struct value word = value_word(kind);
        if (value_in(&word, &model_at(w, i)->model.kinds)) {
            return true;
        }
    }
    return false;
}

// JSON again, without blanks: what a fact keeps of an object.
static void add_json(struct text *t, const struct config_value *v) {
    static const char *const words[] = {"false", "true"};
    if (v->kind == CONFIG_OBJECT || v->kind == CONFIG_ARRAY) {
        text_add(t, v->kind == CONFIG_OBJECT ? "{" : "[");
        for (size_t i = 0; i < v->members.len; i++) {
            text_add(t, i ? "," : "");
            if (v->kind == CONFIG_OBJECT) {
                text_addf(t, "\\\"%s\\\":", v->members.at[i]->key);
            }
            add_json(t, v->members.at[i]);
        }
        text_add(t, v->kind == CONFIG_OBJECT ? "}" : "]");
    } else if (v->kind == CONFIG_STRING) {
        text_addf(t, "\\\"%s\\\"", v->text);
    } else {
        text_add(t, v->kind == CONFIG_NULL   ? "null"
                    : v->kind == CONFIG_BOOL ? words[v->yes]
                                             : v->text);
    }
}

static void add_fact(struct writer *w, enum vllm_field field) {
    const struct config_value *v = w->s->config.fields[field];
    const char *name = vllm_fields[field].fact;
    if (field == VLLM_FIELD_MSA && strcmp(w->s->config.msa, "cutlass") == 0) {
        text_addf(&w->t, "fact %s = \"cutlass\";\n", name);
    }
    bool forced = field == VLLM_FIELD_FA_VERSION && w->s->forced_version;
    if (!v || !name || forced || field == VLLM_FIELD_MSA) {
        return;
    }
    text_addf(&w->t, "fact %s = ", name);
    if (v->kind == CONFIG_BOOL) {
        text_add(&w->t, v->yes ? "yes" : "no");
    } else if (v->kind == CONFIG_NUMBER) {
        text_add(&w->t, v->text);
    } else {
        struct text json = text_of(w->a);
        add_json(&json, v);
        const char *text = text_string(&json);
        bool word = v->kind == CONFIG_STRING; // its quotes are the fact's own
        text_addf(&w->t, "\"%.*s\"", (int)(strlen(text) - (word ? 4 : 0)), text + (word ? 2 : 0));
    }
    text_addf(&w->t, ";%s\n", strcmp(name, vllm_fields[field].key) ? "" : " // vLLM's own");
}

static void add_demand(struct writer *w, const struct vllm_serving *v) {
    bool non_causal = w->s && w->s->config.fields[VLLM_FIELD_NON_CAUSAL];
    if (v->prefix || non_causal) {
        text_addf(&w->t, "demand = { %s%s%s };%s\n", v->prefix ? "mm_prefix" : "",
                  v->prefix && non_causal ? ", " : "", non_causal ? "non_causal" : "",
                  v->prefix ? " // image tokens see each other" : "");
    }
}

static bool unvalidated(const struct vllm_served *s) {
    for (size_t i = 0; i < s->deployment.models.len; i++) {
        const struct deployed_model *m = s->deployment.models.at[i];
        for (size_t k = 0; k < m->model.sets.len; k++) {
            const struct vllm_choice *c = &s->choices[i][k];
            if (c->backend && (c->origin == VLLM_BY_PLATFORM || c->origin == VLLM_BY_MODEL)) {
                return true;
            }
        }
    }
    return false;
}

static void add_ranks(struct writer *w, const struct vllm_serving *v) {
    if (v->tp > 1) {
        add_number(w, "tp", v->tp, NULL);
    }
    if (v->dcp > 1) {
        add_number(w, "dcp", v->dcp, NULL);
    }
    if (v->pcp > 1) {
        add_number(w, "pcp", v->pcp, NULL);
    }
}

static void add_settings(struct writer *w, const struct vllm_models *m,
                         const struct vllm_serving *v) {
    text_addf(&w->t, "model = %s", m->names.len > 1 ? "[" : "");
    for (size_t i = 0; i < m->names.len; i++) {
        text_addf(&w->t, "%s%s", i ? ", " : "", m->names.at[i]);
    }
    text_addf(&w->t, "%s;\nplatform = %s;\n", m->names.len > 1 ? "]" : "", v->platform);
    add_number(w, "max_seqs", v->max_seqs, NULL);
    add_number(w, "max_tokens", v->max_tokens, v->tokens_from);
    add_number(w, "max_batch_tokens", v->max_batch, NULL);
    if (!w->s || has_kind(w, "cross_attention")) {
        add_number(w, "max_source_tokens", v->max_source ? v->max_source : v->max_tokens, NULL);
    }
    if (v->kv_dtype) {
        text_addf(&w->t, "kv_dtype = %s;\n", v->kv_dtype);
    }
    add_ranks(w, v);
    if (v->block_size) {
        add_number(w, "block_size", v->block_size, NULL);
    }
    add_demand(w, v);
}

const char *vllm_compose(struct arena *a, const struct vllm_served *s, const struct vllm_models *m,
                         const struct vllm_serving *v) {
    struct writer w = {.a = a, .s = s, .t = text_of(a)};
    text_addf(&w.t, "import \"%s\";\n%s\ndeploy %s {\n", VLLM_LIBRARY, m->text, VLLM_DEPLOYMENT);
    add_settings(&w, m, v);
    if (s) {
        for (int i = 0; i < VLLM_FIELD_COUNT; i++) {
            add_fact(&w, (enum vllm_field)i);
        }
        text_add(&w.t, s->forced_version ? "fact fa_version = 4; // set by the model\n" : "");
        text_add(&w.t, v->settled ? v->settled : "");
        text_add(&w.t,
                 unvalidated(s) ? "unchecked = yes; // vLLM does not check these choices\n" : "");
        add_mappings(&w);
    }
    text_add(&w.t, "}\n");
    return text_string(&w.t);
}

// ---- keys

// What decides, in the words of the list.
static const char *origin_text(const struct vllm_choice *c) {
    static const char *const texts[] = {[VLLM_BY_KEY] = "backend_per_kind",
                                        [VLLM_BY_BACKEND] = "backend",
                                        [VLLM_AUTOMATIC] = "automatic",
                                        [VLLM_BY_PLATFORM] = "platform",
                                        [VLLM_BY_MODEL] = "model"};
    return texts[c->origin];
}

const char *vllm_keys_text(const struct vllm_served *s) {
    struct arena *a = s->command->arena;
    struct text t = text_of(a);
    text_add(&t, "model\tlayers\tkind\tvllm_kind\tkey\tbackend\tdecided_by\n");
    for (size_t i = 0; i < s->deployment.models.len; i++) {
        const struct model *m = &s->deployment.models.at[i]->model;
        for (size_t k = 0; k < m->sets.len; k++) {
            const struct attr_set *set = m->sets.at[k];
            const struct vllm_choice *c = &s->choices[i][k];
            struct layer_numbers layers = {set->layers.at, set->layers.len, set->layers.cap};
            if (!set->absent) {
                text_addf(&t, "%s\t%s\t%s\t%s\t%s\t%s\t%s\n", m->decl->ast->name.text,
                          spans_text(a, &layers), set->kind->name, vllm_kinds[c->kind].name,
                          c->asks ? vllm_kinds[c->key].name : "-", c->backend ? c->backend : "auto",
                          c->attention ? origin_text(c) : "type");
            }
        }
    }
    return text_string(&t);
}
