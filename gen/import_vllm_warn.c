// SPDX-License-Identifier: Apache-2.0
// What an import says of settings that do not do what they seem to. In: the choices for all
// operators. Out: warnings, each at the setting where there is one, by the name of what is ignored.
#include <string.h>

#include "gen/import_vllm_text.h"

// At the setting that decided, or about the run where none did.
static void say(const struct vllm_served *s, const struct vllm_choice *c, enum diag_code code,
                const char *message) {
    struct diags *d = s->command->diags;
    if (c->at) {
        diag_add(d, code, c->at->span, "%s", message);
    } else {
        diag_add_global(d, code, "%s", message);
    }
}

static const char *layers_of(const struct vllm_served *s, size_t model, size_t set) {
    struct arena *a = s->command->arena;
    const struct model *m = &s->deployment.models.at[model]->model;
    const struct attr_set *x = m->sets.at[set];
    return arena_printf(a, "`%s` of `%s` (%s)", x->kind->name, m->decl->ast->name.text,
                        layers_text(a, x->layers.at, x->layers.len));
}

static const char *platform_of(const struct vllm_served *s) {
    return s->deployment.platform->ast->name.text;
}

static void warn_choice(const struct vllm_served *s, size_t model, size_t set) {
    struct arena *a = s->command->arena;
    const struct vllm_choice *c = &s->choices[model][set];
    const char *layers = layers_of(s, model, set), *platform = platform_of(s);
    const char *runs = c->backend ? arena_printf(a, "`%s` runs", c->backend) : "vLLM chooses";
    if (c->refused) {
        say(s, c, DIAG_A0933,
            arena_printf(a, "vLLM refuses %s on `%s`: %s", layers, platform, c->refused));
        return;
    }
    if (c->origin == VLLM_BY_MODEL) {
        say(s, c, DIAG_A0942,
            arena_printf(a,
                         "the model itself names the backend of %s, neither `backend` nor "
                         "`backend_per_kind` counts%s%s",
                         layers, c->backend ? ": " : "", c->backend ? runs : ""));
    } else if (c->ignored) {
        say(s, c, DIAG_A0941,
            arena_printf(a, "`%s` is ignored for %s on `%s`: %s", c->ignored, layers, platform,
                         runs));
    }
    if (c->origin == VLLM_BY_PLATFORM) {
        say(s, c, DIAG_A0944,
            arena_printf(a, "vLLM runs `%s` for %s on `%s` without asking its rules", c->backend,
                         layers, platform));
    }
}

// A setting that no operator has from there.
static void warn_unused(const struct vllm_served *s) {
    struct diags *d = s->command->diags;
    bool asked[VLLM_KIND_COUNT] = {false}, global = false;
    for (size_t i = 0; i < s->deployment.models.len; i++) {
        for (size_t k = 0; k < s->deployment.models.at[i]->model.sets.len; k++) {
            const struct vllm_choice *c = &s->choices[i][k];
            const bool named = c->origin == VLLM_BY_PLATFORM || c->origin == VLLM_BY_MODEL;
            if (c->attention && !s->deployment.models.at[i]->model.sets.at[k]->absent) {
                asked[c->key] = asked[c->key] || c->asks;
                global = global || c->origin == VLLM_BY_BACKEND || c->ignored || named;
            }
        }
    }
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        const struct config_value *at = s->config.kinds[i].at;
        if (at && vllm_kinds[i].asked && !asked[i]) {
            diag_add(d, DIAG_A0940, at->span,
                     "`%s` has no effect: no layer of the model asks for it", vllm_kinds[i].name);
        }
    }
    if (s->config.backend.backend && !global) {
        diag_add(d, DIAG_A0940, s->config.backend.at->span,
                 "the global `backend` has no effect: entries of `backend_per_kind` stand for all "
                 "layers");
    }
}

void vllm_warn(const struct vllm_served *s) {
    for (size_t i = 0; i < s->deployment.models.len; i++) {
        for (size_t k = 0; k < s->deployment.models.at[i]->model.sets.len; k++) {
            if (!s->deployment.models.at[i]->model.sets.at[k]->absent &&
                s->choices[i][k].attention) {
                warn_choice(s, i, k);
            }
        }
    }
    warn_unused(s);
}
