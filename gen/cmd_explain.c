// SPDX-License-Identifier: Apache-2.0
// `attnc explain FILE`: the plan of each deployment, for people or as JSON, also where it cannot be
// built or a choice is wrong. Without a deployment: the models. `attnc explain CODE` and `--list`:
// the catalogue of diagnostics; a file that is named like a code is a file.

#include <stdio.h>
#include <string.h>

#include "gen/catalogue.h"
#include "gen/command.h"
#include "gen/emit.h"
#include "gen/explain.h"
#include "gen/output.h"
#include "gen/planner.h"

struct report {
    struct command *command;
    struct program program;
    struct explain_filter filter;
    VEC(struct plan) plans;
};

static void plan_all(struct report *r) {
    const struct options *o = &r->command->options;
    struct plan plan;
    struct decls deploys = command_deployments(r->command, &r->program);
    if (deploys.len == 0 && r->command->diags->errors == 0) {
        plan_models(&r->program, &plan);
        VEC_PUSH(r->command->arena, &r->plans, plan);
        return;
    }
    struct plan_options options = {.candidates =
                                       !o->given[OPTION_JSON] || o->given[OPTION_CANDIDATES]};
    for (size_t i = 0; i < deploys.len; i++) {
        plan_deployment(&r->program, deploys.at[i], &options, &plan);
        if (plan.has_deploy) { // else its settings could not be read
            VEC_PUSH(r->command->arena, &r->plans, plan);
        }
    }
}

// A filter that finds nothing is a mistake in the filter. False after reporting it.
static bool check_filter(struct report *r) {
    struct diags *d = r->command->diags;
    VEC(const char *) kinds = {0};
    for (size_t i = 0; i < r->plans.len; i++) {
        for (size_t k = 0; k < r->plans.at[i].operators.len; k++) {
            const struct plan_operator *op = &r->plans.at[i].operators.at[k];
            if (explain_matches(&r->filter, op)) {
                return true;
            }
            VEC_PUSH(r->command->arena, &kinds, op->kind);
        }
    }
    if (kinds.len == 0 || (!r->filter.has_layer && !r->filter.kind)) {
        return true;
    }
    struct diag *g = diag_add_global(d, DIAG_A0808, "no operator matches --layer and --kind");
    const char *near = r->filter.kind
                           ? diag_nearest(r->command->arena, r->filter.kind, kinds.at, kinds.len)
                           : NULL;
    if (near) {
        diag_help(d, g, "operators of kind `%s` exist", near);
    }
    return false;
}

static bool print_json(struct report *r) {
    struct command *c = r->command;
    if (r->plans.len > 1) {
        struct diag *g = diag_add_global(
            c->diags, DIAG_A0807, "--json shows one deployment, the file has %zu", r->plans.len);
        diag_help(c->diags, g, "pick one with `--deploy %s`", r->plans.at[0].deploy);
        return true;
    }
    struct emitted e = emit_json(c->arena, &r->plans.at[0], c->options.given[OPTION_CANDIDATES]);
    return output_stdout(c->arena, c->diags, e.text, e.len);
}

static bool print_text(struct report *r) {
    struct text t = text_of(r->command->arena);
    for (size_t i = 0; i < r->plans.len; i++) {
        text_add(&t, i ? "\n" : "");
        explain_text(&t, &r->plans.at[i], &r->filter);
    }
    return output_stdout(r->command->arena, r->command->diags, text_string(&t), t.bytes.len);
}

// Whether the word is to be looked up in the catalogue: it has the form of a code, and no file has
// its name.
static bool names_code(const char *word) {
    if (!catalogue_is_code(word)) {
        return false;
    }
    FILE *f = fopen(word, "rb");
    if (f) {
        fclose(f);
    }
    return !f;
}

static int print_catalogue(struct command *c, const char *text) {
    if (c->options.given[OPTION_JSON] || c->options.given[OPTION_LAYER] ||
        c->options.given[OPTION_KIND] || c->options.given[OPTION_DEPLOY]) {
        return command_usage(c, "--json, --layer, --kind and --deploy belong to a FILE", NULL);
    }
    return output_stdout(c->arena, c->diags, text, strlen(text)) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
}

static int explain_code(struct command *c, const char *word) {
    enum diag_code code = catalogue_find(word);
    if (code == DIAG_CODE_COUNT) {
        return command_usage(c, arena_printf(c->arena, "no diagnostic has the code `%s`", word),
                             "attnc explain --list shows all codes");
    }
    return print_catalogue(c, catalogue_explain(c->arena, code));
}

int cmd_explain(struct command *c) {
    const struct options *o = &c->options;
    if (o->args.len == 0) {
        return print_catalogue(c, catalogue_list(c->arena));
    }
    if (o->args.len != 1 || o->given[OPTION_LIST]) {
        return command_usage(c, "explain needs one file or one code",
                             "attnc explain FILE, attnc explain CODE, attnc explain --list");
    }
    if (names_code(o->args.at[0])) {
        return explain_code(c, o->args.at[0]);
    }
    if (o->given[OPTION_CANDIDATES] && !o->given[OPTION_JSON]) {
        return command_usage(c, "option `--candidates` belongs to `--json`",
                             "without --json all candidates are shown");
    }
    struct report r = {
        .command = c,
        .filter = {.has_layer = o->given[OPTION_LAYER], .layer = o->layer, .kind = o->kind}};
    if (o->given[OPTION_JSON] && (r.filter.has_layer || r.filter.kind)) {
        return command_usage(c, "--json shows the whole plan: --layer and --kind do not apply",
                             NULL);
    }
    if (!command_load(c, o->args.at[0], &r.program)) {
        return EXIT_STATUS_IO;
    }
    plan_all(&r);
    if (!check_filter(&r) || r.plans.len == 0) {
        return EXIT_STATUS_OK;
    }
    return (o->given[OPTION_JSON] ? print_json(&r) : print_text(&r)) ? EXIT_STATUS_OK
                                                                     : EXIT_STATUS_IO;
}
