// SPDX-License-Identifier: Apache-2.0
// `attnc diff OLD [NEW]`: plans the deployments of both sides and prints what differs. A side is
// FILE or FILE:NAME, or --deploy picks: NAME on both sides, or OLD=NEW, then also of one FILE. Else
// a deployment is compared with the one of its name; the only one of each side are a pair anyway.
// Always: with errors on either side they are reported and nothing is compared.

#include <string.h>
#include <sys/stat.h>

#include "gen/command.h"
#include "gen/diff.h"
#include "gen/json.h"
#include "gen/output.h"
#include "gen/planner.h"

#define JSON_FORMAT 0

struct side {
    const char *path, *deploy; // deploy: NULL: all
    struct program *program;
    VEC(struct plan) plans;
};

struct pair {
    const struct plan *old, *new; // one of them may be NULL
    struct diff diff;
};

struct comparison {
    struct command *command;
    struct side old, new;
    VEC(struct pair) pairs;
};

// ---- which deployments

static bool is_name(const char *s) {
    const char *letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz_0123456789";
    return *s && !(*s >= '0' && *s <= '9') && strspn(s, letters) == strlen(s);
}

// FILE or FILE:NAME; a file that is called so comes first.
static struct side side_of(struct arena *a, const char *word) {
    struct stat st;
    const char *colon = strrchr(word, ':');
    if (!colon || !is_name(colon + 1) || stat(word, &st) == 0) {
        return (struct side){.path = word};
    }
    return (struct side){.path = arena_strndup(a, word, (size_t)(colon - word)),
                         .deploy = colon + 1};
}

static int choose(struct comparison *c) {
    const struct options *o = &c->command->options;
    struct arena *a = c->command->arena;
    const char *usage = "attnc diff OLD NEW, or attnc diff FILE --deploy OLD=NEW";
    const char *equals = o->deploy ? strchr(o->deploy, '=') : NULL;
    if (o->args.len < 1 || o->args.len > 2) {
        return command_usage(c->command, "diff needs two files", usage);
    }
    if (o->args.len == 1 && !equals) {
        return command_usage(c->command, "diff of one file needs two deployments", usage);
    }
    c->old = side_of(a, o->args.at[0]);
    c->new = side_of(a, o->args.at[o->args.len - 1]);
    if (o->deploy && (c->old.deploy || c->new.deploy)) {
        return command_usage(c->command, "FILE:NAME and option `--deploy` both pick a deployment",
                             usage);
    }
    if (o->deploy) {
        c->old.deploy =
            equals ? arena_strndup(a, o->deploy, (size_t)(equals - o->deploy)) : o->deploy;
        c->new.deploy = equals ? equals + 1 : o->deploy;
    }
    return EXIT_STATUS_OK;
}

// ---- plans

static void plan_side(struct command *c, struct side *s) {
    struct plan plan;
    c->options.deploy = s->deploy;
    struct decls deploys = command_deployments(c, s->program);
    for (size_t i = 0; i < deploys.len; i++) {
        plan_deployment(s->program, deploys.at[i], &(struct plan_options){0}, &plan);
        VEC_PUSH(c->arena, &s->plans, plan);
    }
    if (deploys.len == 0 && c->diags->errors == 0) {
        plan_models(s->program, &plan);
        VEC_PUSH(c->arena, &s->plans, plan);
    }
}

static bool read_sides(struct comparison *c) {
    struct command *k = c->command;
    c->old.program = ARENA_NEW(k->arena, struct program);
    c->new.program = c->old.program;
    if (strcmp(c->old.path, c->new.path) != 0) {
        c->new.program = ARENA_NEW(k->arena, struct program);
    }
    bool read = command_load(k, c->old.path, c->old.program);
    if (c->new.program != c->old.program) {
        read = command_load(k, c->new.path, c->new.program) && read;
    }
    if (read) {
        plan_side(k, &c->old);
        plan_side(k, &c->new);
    }
    command_unite_places(k);
    return read;
}

static const char *plan_name(const struct plan *plan) {
    return plan->has_deploy ? plan->deploy : "";
}

static const struct plan *find_plan(const struct side *s, const char *name) {
    for (size_t i = 0; i < s->plans.len; i++) {
        if (strcmp(plan_name(&s->plans.at[i]), name) == 0) {
            return &s->plans.at[i];
        }
    }
    return NULL;
}

static void add_pair(struct comparison *c, const struct plan *old, const struct plan *new) {
    struct pair p = {.old = old, .new = new};
    if (old && new) {
        diff_plans(c->command->arena, old, new, &p.diff);
    }
    VEC_PUSH(c->command->arena, &c->pairs, p);
}

static void compare(struct comparison *c) {
    if (c->old.plans.len == 1 && c->new.plans.len == 1) {
        add_pair(c, &c->old.plans.at[0], &c->new.plans.at[0]);
        return;
    }
    for (size_t i = 0; i < c->old.plans.len; i++) {
        const struct plan *old = &c->old.plans.at[i];
        add_pair(c, old, find_plan(&c->new, plan_name(old)));
    }
    for (size_t i = 0; i < c->new.plans.len; i++) {
        const struct plan *new = &c->new.plans.at[i];
        if (!find_plan(&c->old, plan_name(new))) {
            add_pair(c, NULL, new);
        }
    }
}

// ---- output

static const char *label(const struct comparison *c, const struct side *s,
                         const struct plan *plan) {
    const char *path = options_map_path(&c->command->options, s->path);
    return plan->has_deploy ? arena_printf(c->command->arena, "%s:%s", path, plan->deploy) : path;
}

static bool differs(const struct pair *p) {
    return !p->old || !p->new || p->diff.changes.len > 0;
}

static void add_text(const struct comparison *c, struct text *t, const struct pair *p) {
    if (!p->old || !p->new) {
        text_addf(t, "%s: %s\n", p->old ? label(c, &c->old, p->old) : label(c, &c->new, p->new),
                  p->old ? "removed" : "added");
    } else if (differs(p)) {
        text_addf(t, "%s -> %s\n", label(c, &c->old, p->old), label(c, &c->new, p->new));
        diff_text(t, &p->diff);
    }
}

static struct text all_text(const struct comparison *c) {
    struct text t = text_of(c->command->arena);
    for (size_t i = 0; i < c->pairs.len; i++) {
        if (differs(&c->pairs.at[i])) {
            text_add(&t, t.bytes.len ? "\n" : "");
            add_text(c, &t, &c->pairs.at[i]);
        }
    }
    return t;
}

static const char *all_json(const struct comparison *c, size_t *len) {
    struct json j = json_of(c->command->arena);
    json_open(&j, NULL, '{', false);
    json_int(&j, "format", JSON_FORMAT);
    json_open(&j, "comparisons", '[', false);
    for (size_t i = 0; i < c->pairs.len; i++) {
        const struct pair *p = &c->pairs.at[i];
        json_open(&j, NULL, '{', false);
        json_string(&j, "old", p->old ? label(c, &c->old, p->old) : NULL);
        json_string(&j, "new", p->new ? label(c, &c->new, p->new) : NULL);
        diff_json(&j, "changes", &p->diff);
        json_close(&j, '}');
    }
    json_close(&j, ']');
    json_close(&j, '}');
    return json_finish(&j, len);
}

static bool print(const struct comparison *c) {
    struct command *k = c->command;
    if (k->options.given[OPTION_JSON]) {
        size_t len;
        const char *text = all_json(c, &len);
        return output_stdout(k->arena, k->diags, text, len);
    }
    struct text t = all_text(c);
    return output_stdout(k->arena, k->diags, text_string(&t), t.bytes.len);
}

int cmd_diff(struct command *k) {
    struct comparison c = {.command = k};
    const int status = choose(&c);
    if (status != EXIT_STATUS_OK) {
        return status;
    }
    if (!read_sides(&c)) {
        return EXIT_STATUS_IO;
    }
    if (k->diags->errors > 0) {
        return EXIT_STATUS_INPUT;
    }
    compare(&c);
    if (!print(&c)) {
        return EXIT_STATUS_IO;
    }
    bool any = false;
    for (size_t i = 0; i < c.pairs.len; i++) {
        any = any || differs(&c.pairs.at[i]);
    }
    return any && k->options.given[OPTION_EXIT_CODE] ? EXIT_STATUS_DIFFERENT : EXIT_STATUS_OK;
}
