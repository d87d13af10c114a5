// SPDX-License-Identifier: Apache-2.0
// `attnc import vllm`: a model and vLLM's --attention-config as a deployment against std/vllm.attn.
// In: the command line. Out: .attn text, the configuration as vLLM reads it (no model), a list of
// the keys that its layers ask for (--keys), or block sizes and layouts (--resolve). The text is
// composed first with a bare deployment, so that the compiler's own passes tell kinds, shapes and
// ranks; then the choices are written into it.
#include "gen/import_vllm.h"

#include <string.h>

#include "gen/import.h"
#include "gen/import_file.h"
#include "gen/import_vllm_resolve.h"
#include "gen/import_vllm_text.h"
#include "gen/planner.h"

// What vLLM takes where nothing is said. Its own numbers differ by GPU and by caller.
#define DEFAULT_SEQS 256
#define DEFAULT_BATCH 8192
#define DEFAULT_TOKENS 8192 // of a model whose configuration does not tell
#define DEFAULT_PLATFORM "cuda_90"
#define COMPOSED_NAME "<deployment>"

// ---- reading

// Text given as such, or as @FILE: registered. False after an error.
static bool read_text(struct command *c, const char *option, const char *given, uint32_t *file) {
    if (*given == '@') {
        uint32_t len;
        const char *name = options_map_path(&c->options, given + 1);
        char *text = import_read_file(c, given + 1, name, &len);
        if (text) {
            *file = source_add(c->sources, name, given + 1, text, len, false);
        }
        return text != NULL;
    }
    *file = source_add(c->sources, option, NULL, given, (uint32_t)strlen(given), false);
    return true;
}

// std/vllm.attn alone, for names.
static bool load_library(struct command *c, struct program *p) {
    const struct load_options options = {.main_text = "import \"" VLLM_LIBRARY "\";\n"};
    return program_load(p, c->arena, c->sources, c->diags, COMPOSED_NAME, &options);
}

// ---- serving options

static const char *cache_dtype(const char *vllm) {
    static const char *const names[][2] = {
        {"float16", "f16"}, {"bfloat16", "bf16"}, {"half", "f16"}, {"auto", NULL}};
    for (size_t i = 0; vllm && i < sizeof names / sizeof *names; i++) {
        if (strcmp(vllm, names[i][0]) == 0) {
            return names[i][1];
        }
    }
    return vllm;
}

static int64_t number(const struct options *o, enum option_id id, int64_t otherwise) {
    return o->given[id] ? o->numbers[id] : otherwise;
}

static void read_serving(struct command *c, struct vllm_serving *s, const struct vllm_models *m) {
    const struct options *o = &c->options;
    bool known = m->max_tokens > 0;
    s->platform = o->given[OPTION_PLATFORM] ? o->values[OPTION_PLATFORM] : DEFAULT_PLATFORM;
    s->kv_dtype = cache_dtype(o->values[OPTION_KV_CACHE_DTYPE]);
    s->max_tokens = number(o, OPTION_MAX_MODEL_LEN, known ? m->max_tokens : DEFAULT_TOKENS);
    s->tokens_from = o->given[OPTION_MAX_MODEL_LEN] ? NULL
                     : known ? "of the model's configuration; --max-model-len"
                             : "assumed; --max-model-len";
    s->max_seqs = number(o, OPTION_MAX_NUM_SEQS, DEFAULT_SEQS);
    s->max_batch = number(o, OPTION_MAX_NUM_BATCHED_TOKENS, DEFAULT_BATCH);
    s->max_source = m->max_source;
    s->block_size = number(o, OPTION_BLOCK_SIZE, 0);
    s->tp = number(o, OPTION_TENSOR_PARALLEL_SIZE, 1);
    s->dcp = number(o, OPTION_DECODE_CONTEXT_PARALLEL_SIZE, 1);
    s->pcp = number(o, OPTION_PREFILL_CONTEXT_PARALLEL_SIZE, 1);
    s->prefix = m->prefix;
}

static bool known_platform(struct command *c, const struct program *library, const char *name) {
    if (program_find(library, DECL_PLATFORM, name)) {
        return true;
    }
    const struct decls *all = &library->decls[DECL_PLATFORM];
    const char **names = ARENA_ARRAY(c->arena, const char *, all->len + 1);
    for (size_t i = 0; i < all->len; i++) {
        names[i] = all->at[i]->ast->name.text;
    }
    struct diag *g = diag_add_global(c->diags, DIAG_A0936, "unknown platform `%s`", name);
    program_suggest(library, g, "platform", name, names, all->len);
    return false;
}

// ---- speculative decoding

static const char *member_text(const struct config_value *root, const char *key) {
    const struct config_value *v = config_get(root, key);
    return v && v->kind == CONFIG_STRING ? v->text : NULL;
}

// The drafter's model and backend. False after an error.
static bool read_speculative(struct command *c, const struct program *library,
                             struct vllm_served *s, struct vllm_models *m) {
    const char *given = c->options.values[OPTION_SPECULATIVE_CONFIG];
    uint32_t file;
    if (!given) {
        return true;
    }
    if (!read_text(c, "--speculative-config", given, &file)) {
        return false;
    }
    const struct config_value *root = config_read(c->arena, c->diags, file);
    if (!root) {
        return false;
    }
    const struct config_value *own = config_get(root, "attention_backend");
    const char *path = member_text(root, "model");
    if (own) {
        const char *name =
            own->kind == CONFIG_STRING ? vllm_backend_named(c->arena, library, own->text) : NULL;
        if (!name) {
            diag_add(c->diags, DIAG_A0932, own->span, "vLLM has no backend %s",
                     config_shown(c->arena, c->diags, own));
            return false;
        }
        s->draft_backend = (struct vllm_request){name, own};
    }
    for (int i = 0; i < VLLM_KIND_COUNT; i++) {
        if (s->config.kinds[i].at && vllm_kinds[i].asked) {
            diag_add(c->diags, DIAG_A0943, s->config.kinds[i].at->span,
                     "the drafter inherits `%s = %s`: only its global backend is its own",
                     vllm_kinds[i].name, s->config.kinds[i].backend);
        }
    }
    return !path || vllm_read_models(c, path, "draft", m);
}

// ---- the whole

static int usage(struct command *c, const char *message) {
    return command_usage(c, message,
                         "attnc import vllm --model CONFIG.json [--attention-config JSON] "
                         "[--platform P] [-o FILE]");
}

// Reads the text that was composed and its deployment; what is wrong goes to `diags`.
static bool load_composed(struct vllm_served *s, const char *text, struct diags *diags) {
    struct command *c = s->command;
    const struct load_options options = {
        .include_dirs = c->options.include_dirs.at,
        .n_include_dirs = c->options.include_dirs.len,
        .map_name = options_map_path,
        .map_ctx = &c->options,
        .main_text = text,
    };
    const char *name = c->options.output ? c->options.output : COMPOSED_NAME;
    s->program = ARENA_NEW(c->arena, struct program);
    program_load(s->program, c->arena, c->sources, diags, name, &options);
    const struct decl *d = program_find(s->program, DECL_DEPLOY, VLLM_DEPLOYMENT);
    const char *platform = c->options.values[OPTION_PLATFORM];
    return d && diags->errors == 0 && (!platform || known_platform(c, s->program, platform)) &&
           deployment_read(s->program, d, &s->deployment);
}

bool vllm_plan_quietly(struct vllm_served *s, const char *text, struct plan *plan) {
    struct diags quiet = {.arena = s->command->arena, .sources = s->command->sources};
    if (!load_composed(s, text, &quiet)) {
        return false;
    }
    const struct decl *d = program_find(s->program, DECL_DEPLOY, VLLM_DEPLOYMENT);
    bool good = plan_deployment(s->program, d, NULL, plan);
    s->program->diags = s->command->diags;
    return good && quiet.errors == 0;
}

// Gemma 4 with heads of two sizes wants one backend for all layers: FlashAttention 4 where it runs,
// else Triton. Entries of the map stand.
static void force_gemma4(struct vllm_served *s) {
    const char *type = s->model_types[0];
    const struct deployed_model *m = s->deployment.models.at[0];
    int64_t low = INT64_MAX, high = 0;
    for (size_t i = 0; i < m->model.sets.len; i++) {
        int64_t width = attr_int(&m->model.sets.at[i]->attrs, ATTR_HEAD_DIM, 0);
        low = width && width < low ? width : low;
        high = width > high ? width : high;
    }
    if (!type || strncmp(type, "gemma4", strlen("gemma4")) != 0 || low >= high ||
        !vllm_has_device(&s->deployment, "cuda") || s->config.backend.backend) {
        return;
    }
    struct subject subject = vllm_subject(s->program, m, m->model.sets.at[0]);
    const struct decl *flash = program_find(s->program, DECL_BACKEND, "FLASH_ATTN");
    bool fa4 = flash && vllm_let(&subject, flash, "fa4_ok");
    const struct config_value *version = s->config.fields[VLLM_FIELD_FA_VERSION];
    s->forced_version = fa4 && (!version || strcmp(version->text, "4") == 0);
    if (!fa4) {
        s->config.backend.backend = "TRITON_ATTN";
        s->config.backend.at = s->config.root;
    }
    diag_add_global(s->command->diags, DIAG_A0942,
                    "the model has heads of %lld and of %lld: vLLM sets %s for all layers",
                    (long long)low, (long long)high,
                    fa4 ? "`flash_attn_version` 4" : "the global `backend` TRITON_ATTN");
}

static void choose_all(struct vllm_served *s) {
    for (size_t i = 0; i < s->deployment.models.len && i < VLLM_MODELS; i++) {
        const struct deployed_model *m = s->deployment.models.at[i];
        s->choices[i] = ARENA_ARRAY(s->command->arena, struct vllm_choice, m->model.sets.len);
        for (size_t k = 0; k < m->model.sets.len; k++) {
            if (!m->model.sets.at[k]->absent) {
                s->choices[i][k] = vllm_choose(s, m, m->model.sets.at[k]);
            }
        }
    }
}

// Reads the model and all settings, and decides. False after errors.
static bool prepare(struct vllm_served *s, const struct program *library,
                    struct vllm_models *models, struct vllm_serving *serving) {
    struct command *c = s->command;
    const struct options *o = &c->options;
    struct vllm_models draft = {0};
    if (!vllm_read_models(c, o->values[OPTION_MODEL], o->name, models) ||
        !read_speculative(c, library, s, &draft)) {
        return false;
    }
    read_serving(c, serving, models);
    if (models->names.len + draft.names.len > VLLM_MODELS) {
        diag_add_global(c->diags, DIAG_A0936,
                        "a deployment serves one model, or an encoder and a "
                        "decoder, or a model and its drafter; these are %zu",
                        models->names.len + draft.names.len);
        return false;
    }
    for (size_t i = 0; i < models->names.len; i++) {
        s->model_types[i] = models->model_type;
    }
    if (draft.text) {
        s->draft[models->names.len] = true;
        s->model_types[models->names.len] = draft.model_type;
        VEC_PUSH(c->arena, &models->names, draft.names.at[0]);
        models->text = arena_printf(c->arena, "%s%s", models->text, draft.text);
    }
    if (!load_composed(s, vllm_compose(c->arena, NULL, models, serving), c->diags)) {
        return false;
    }
    force_gemma4(s);
    choose_all(s);
    return true;
}

static int print_config(struct command *c, const struct vllm_config *v) {
    struct text t = text_of(c->arena);
    vllm_config_print(v, &t);
    return import_deliver(c, text_string(&t), t.bytes.len);
}

static bool read_config(struct command *c, const struct program *library, struct vllm_config *v) {
    const struct options *o = &c->options;
    const char *given = o->values[OPTION_ATTENTION_CONFIG];
    uint32_t file;
    return read_text(c, "--attention-config", given ? given : "{}", &file) &&
           vllm_config_read(c, library, file, v);
}

// Names that go into the text as they are.
static bool names_are_plain(struct command *c) {
    static const enum option_id named[] = {OPTION_PLATFORM, OPTION_KV_CACHE_DTYPE, OPTION_NAME};
    bool good = true;
    for (size_t i = 0; i < sizeof named / sizeof *named; i++) {
        const char *name = named[i] == OPTION_NAME ? c->options.name : c->options.values[named[i]];
        if (name && !import_name_ok(name)) {
            diag_add_global(c->diags, DIAG_A0936, "`%s` is not a name", name);
            good = false;
        }
    }
    return good;
}

// An input that could not be read is not the input's fault.
static int failure_status(const struct command *c) {
    for (size_t i = 0; i < c->diags->list.len; i++) {
        if (c->diags->list.at[i]->code == DIAG_A0912) {
            return EXIT_STATUS_IO;
        }
    }
    return EXIT_STATUS_INPUT;
}

int import_vllm(struct command *c) {
    const struct options *o = &c->options;
    struct vllm_served s = {.command = c};
    struct vllm_models models = {0};
    struct vllm_serving serving = {0};
    struct program library;
    if (o->args.len != 1) {
        return usage(c, "import vllm takes options only");
    }
    if (!o->given[OPTION_MODEL] && !o->given[OPTION_ATTENTION_CONFIG] && o->resolve.len == 0) {
        return usage(c, "import vllm needs --model, --attention-config or --resolve");
    }
    if (!names_are_plain(c)) {
        return EXIT_STATUS_INPUT;
    }
    if (!load_library(c, &library) || !read_config(c, &library, &s.config)) {
        return failure_status(c);
    }
    if (!o->given[OPTION_MODEL] && o->resolve.len == 0) {
        return print_config(c, &s.config);
    }
    if (!prepare(&s, &library, &models, &serving)) {
        return failure_status(c);
    }
    if (o->resolve.len > 0) {
        int status = import_vllm_resolve(&s);
        return status == EXIT_STATUS_INPUT ? failure_status(c) : status;
    }
    if (o->given[OPTION_KEYS]) {
        const char *keys = vllm_keys_text(&s);
        return import_deliver(c, keys, strlen(keys));
    }
    vllm_warn(&s);
    serving.settled = vllm_settled_lines(&s, &models, &serving);
    size_t len;
    const char *text = vllm_compose(c->arena, &s, &models, &serving);
    text = import_canonical(c, text, &len);
    return import_deliver(c, text, len);
}
