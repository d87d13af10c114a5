// SPDX-License-Identifier: Apache-2.0
// `attnc export vllm FILE [--deploy NAME]`: the choices of a deployment as the JSON of vLLM's
// --attention-config, in one line. In: a deployment; whether its choices pass their rules is for
// `check`. Out: JSON that vLLM reads as the same choices; what its keys cannot say is an error,
// what belongs elsewhere a warning.
#include <inttypes.h>
#include <string.h>

#include "gen/export_vllm.h"
#include "gen/import_file.h"
#include "gen/import_vllm.h"
#include "gen/json.h"
#include "gen/mapping.h"

struct asked { // what the layers of one key have
    bool seen;
    const char *backend; // NULL: automatic
    const struct kind *kind;
    int64_t layer; // of the first
    bool global;   // from `backend`, not from the map
};

struct exporter {
    struct command *c;
    struct program *p;
    struct deployment d;
    struct asked keys[VLLM_KIND_COUNT];
    const char *global; // of the deployment's `backend`, where it counts
    struct json json;
    bool told;         // of layers whose backend the model names
    bool drafter_told; // of the drafter's own backend
    bool good;
};

static struct span here(const struct exporter *e) {
    return e->d.decl->ast->name.span;
}

static void cannot(struct exporter *e, const char *message) {
    diag_add(e->c->diags, DIAG_A0934, here(e), "%s", message);
    e->good = false;
}

static void lost(struct exporter *e, const char *what, const char *where) {
    diag_add(e->c->diags, DIAG_A0945, here(e),
             "%s is not part of vLLM's attention configuration%s%s", what, *where ? ": " : "",
             where);
}

// ---- choices

static bool same(const char *x, const char *y) {
    return x == y || (x && y && strcmp(x, y) == 0);
}

static const char *shown(const char *backend) {
    return backend ? backend : "auto";
}

// The backend that settings give an operator in its phases, NULL: automatic. False: they differ.
static bool one_backend(const struct deployed_model *m, const struct model_operator *o,
                        const struct attr_set *set, const char **backend, bool *global) {
    bool first = true;
    *global = false;
    for (int phase = 0; phase < PHASE_COUNT; phase++) {
        if (!set->kind->phases[phase]) {
            continue;
        }
        const struct mapping *map = mapping_of(m, o, set->kind, (enum phase)phase);
        const char *name = map && map->backend ? map->backend->ast->name.text : NULL;
        if (!first && !same(name, *backend)) {
            return false;
        }
        *backend = name;
        *global = name && map->level == DECIDED_BACKEND;
        first = false;
    }
    return true;
}

static bool ends(const char *text, const char *ending) {
    size_t n = strlen(text), e = strlen(ending);
    return n >= e && strcmp(text + n - e, ending) == 0;
}

// Layers for which vLLM's models name a class: encoder halves, windowed latent layers, and those of
// backends that are made for one model. What stands for them is no setting.
static bool is_named_by_model(const struct attr_set *set, const char *backend) {
    const struct value *attn = &set->attrs.at[ATTR_ATTN];
    return (attn->kind == VALUE_WORD && strcmp(attn->text, "encoder") == 0 && !backend) ||
           (attr_given(&set->attrs, ATTR_MLA) && attr_given(&set->attrs, ATTR_WINDOW)) ||
           (backend && (ends(backend, "_DSV4") || ends(backend, "_DSV41")));
}

// `global`: it has its backend from there. A later model may have another one: a drafter's.
static void join_key(struct exporter *e, const struct deployed_model *m,
                     const struct model_operator *o, const char *backend, bool global) {
    const struct attr_set *set = m->model.sets.at[o->set];
    enum vllm_kind key = vllm_asked_kind(&set->attrs);
    struct asked *k = &e->keys[key];
    if (!k->seen) {
        *k = (struct asked){true, backend, set->kind, o->layer, global};
    } else if (!same(k->backend, backend) && m->index > 0 && (k->global || !k->backend) &&
               (global || !backend)) {
        if (!e->drafter_told) {
            lost(e, "the drafter's `backend`", "see attention_backend of --speculative-config");
        }
        e->drafter_told = true;
    } else if (!same(k->backend, backend)) {
        cannot(e, arena_printf(e->c->arena,
                               "vLLM's key `%s` stands for `%s` of layer %" PRId64
                               " and `%s` of layer %" PRId64 " alike; they have `%s` and `%s`",
                               vllm_kinds[key].name, k->kind->name, k->layer, set->kind->name,
                               o->layer, shown(k->backend), shown(backend)));
    }
}

static void take_operator(struct exporter *e, const struct deployed_model *m,
                          const struct model_operator *o) {
    struct arena *a = e->c->arena;
    const struct attr_set *set = m->model.sets.at[o->set];
    const char *backend = NULL;
    bool global;
    const char *what = arena_printf(a, "`%s` of layer %" PRId64, o->op, o->layer);
    if (!one_backend(m, o, set, &backend, &global)) {
        cannot(e, arena_printf(a, "vLLM has one backend for prefill and decode, %s has two", what));
    } else if (set->kind->cache == CACHE_STATE) {
        if (backend) {
            cannot(e, arena_printf(a, "vLLM chooses recurrent layers by their type, %s names `%s`",
                                   what, backend));
        }
    } else if (backend && !vllm_backend_named(a, e->p, backend)) {
        cannot(e, arena_printf(a, "vLLM has no backend `%s`", backend));
    } else if (is_named_by_model(set, backend)) {
        if (backend && !e->told) {
            lost(e, arena_printf(a, "`%s` for %s", backend, what), "the model names its backend");
            e->told = true;
        }
    } else {
        join_key(e, m, o, backend, global);
        e->global = global && !e->global ? backend : e->global;
    }
}

static void take_operators(struct exporter *e) {
    for (size_t i = 0; i < e->d.models.len; i++) {
        const struct deployed_model *m = e->d.models.at[i];
        for (size_t k = 0; k < m->model.operators.len && e->good; k++) {
            take_operator(e, m, &m->model.operators.at[k]);
        }
    }
}

// A global backend leaves no way to say `auto` for a kind; two names of it only pick a kernel.
static bool global_fits(const struct exporter *e) {
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        if (e->keys[i].seen && !e->keys[i].backend) {
            return false;
        }
    }
    return e->global && strcmp(e->global, "CUTLASS_MSA") != 0 &&
           strcmp(e->global, "TRITON_MSA") != 0;
}

static void write_choices(struct exporter *e) {
    const char *global = global_fits(e) ? e->global : NULL;
    bool open = false;
    if (global) {
        json_string(&e->json, vllm_fields[VLLM_FIELD_BACKEND].key, global);
    }
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        const struct asked *k = &e->keys[i];
        if (!k->seen || !k->backend || (global && strcmp(global, k->backend) == 0)) {
            continue;
        }
        if (!open) {
            json_open(&e->json, vllm_fields[VLLM_FIELD_PER_KIND].key, '{', true);
            open = true;
        }
        json_string(&e->json, vllm_kinds[i].name, k->backend);
    }
    if (open) {
        json_close(&e->json, '}');
    }
}

// ---- other settings

// Is a fact's text a JSON object, as an import keeps one?
static bool is_object(struct exporter *e, const char *text) {
    struct diags quiet = {.arena = e->c->arena, .sources = e->c->sources};
    uint32_t file = source_add(e->c->sources, "<fact>", NULL, text, (uint32_t)strlen(text), false);
    return config_read(e->c->arena, &quiet, file) != NULL;
}

static void write_fact(struct exporter *e, const struct vllm_field_info *f, const struct value *v) {
    int64_t n;
    if (v->kind == VALUE_BOOL) {
        json_bool(&e->json, f->key, v->yes);
    } else if (value_is_int(v, &n)) {
        json_int(&e->json, f->key, n);
    } else if (v->kind == VALUE_WORD || (v->kind == VALUE_STRING && f->type != VLLM_OBJECT)) {
        json_string(&e->json, f->key, v->text);
    } else if (v->kind == VALUE_STRING && is_object(e, v->text)) {
        json_raw(&e->json, f->key, v->text);
    } else if (v->kind != VALUE_NONE) {
        cannot(e, arena_printf(e->c->arena, "`%s` holds no value that vLLM reads", f->fact));
    }
}

static void write_facts(struct exporter *e) {
    const struct item_lines *facts = &e->d.models.at[0]->attrs.facts;
    for (int i = 0; i < VLLM_FIELD_COUNT; i++) {
        const struct ast_item *line = NULL;
        for (size_t k = 0; k < facts->len && !line && vllm_fields[i].fact; k++) {
            line = strcmp(facts->at[k]->name.text, vllm_fields[i].fact) == 0 ? facts->at[k] : NULL;
        }
        struct value v;
        if (line && eval_constant(e->p, line->value, VOCAB_FREE, &v)) {
            write_fact(e, &vllm_fields[i], &v);
        }
    }
}

static void write_demand(struct exporter *e) {
    static const struct {
        const char *flag, *where;
    } elsewhere[] = {{"batch_invariant", "set VLLM_BATCH_INVARIANT=1"},
                     {"kv_connector", "see --kv-transfer-config"},
                     {"adaptive", "see --speculative-config"}};
    struct value word = value_word("non_causal");
    const struct value *demand = &e->d.models.at[0]->attrs.at[DEPLOY_DEMAND];
    if (value_in(&word, demand)) {
        json_bool(&e->json, vllm_fields[VLLM_FIELD_NON_CAUSAL].key, true);
    }
    for (size_t i = 0; i < sizeof elsewhere / sizeof *elsewhere; i++) {
        word = value_word(elsewhere[i].flag);
        if (value_in(&word, demand)) {
            lost(e, arena_printf(e->c->arena, "`%s`", elsewhere[i].flag), elsewhere[i].where);
        }
    }
}

static void warn_lost(struct exporter *e) {
    const struct scope *s = e->d.scope;
    if (s->line[SETTING_PRIORITY].item) {
        lost(e, "`priority`", "vLLM's order is its own");
    }
    if (s->line[SETTING_KV_DTYPE_PER_KIND].item) {
        lost(e, "`kv_dtype_per_kind`", "vLLM has one --kv-cache-dtype");
    }
    const struct value *deterministic = &e->d.models.at[0]->attrs.at[DEPLOY_DETERMINISTIC];
    if (deterministic->kind == VALUE_BOOL && deterministic->yes) {
        lost(e, "`deterministic`", "");
    }
}

// ---- the command

int export_vllm(struct command *c, const char *path) {
    struct program p;
    struct exporter e = {.c = c, .p = &p, .json = json_of(c->arena), .good = true};
    if (!command_load(c, path, &p)) {
        return EXIT_STATUS_IO;
    }
    struct decls deploys = command_deployments(c, &p);
    if (deploys.len != 1) {
        struct diag *g =
            c->diags->errors
                ? NULL
                : diag_add_global(c->diags, DIAG_A0807,
                                  "vLLM serves one deployment, the file has %zu", deploys.len);
        if (g && deploys.len) {
            diag_help(c->diags, g, "pick one with `--deploy %s`", deploys.at[0]->ast->name.text);
        }
        return EXIT_STATUS_INPUT;
    }
    if (c->diags->errors || !deployment_read(&p, deploys.at[0], &e.d)) {
        return EXIT_STATUS_INPUT;
    }
    take_operators(&e);
    json_open(&e.json, NULL, '{', true);
    write_choices(&e);
    write_facts(&e);
    write_demand(&e);
    warn_lost(&e);
    json_close(&e.json, '}');
    size_t len;
    const char *text = json_finish(&e.json, &len);
    return e.good ? import_deliver(c, text, len) : EXIT_STATUS_INPUT;
}
