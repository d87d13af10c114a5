// SPDX-License-Identifier: Apache-2.0
// The models that vLLM is to serve. In: the path of a config.json, a GGUF file or an .attn file.
// Out: their text and names, and what the configuration says beside its layers. Without a path: a
// plain model, for questions that hang on none.
#include <string.h>

#include "gen/import.h"
#include "gen/import_file.h"
#include "gen/import_gguf.h"
#include "gen/import_vllm_text.h"

// Of --resolve without a model: heads of 128, four to each KV head.
#define PLAIN_MODEL                                                                                \
    "model plain { layers = 1; heads = 32; kv_heads = 8; head_dim = 128; dtype = bf16; }\n"

// `path` as seen from the folder of the output file, where that lies below this one.
static const char *from_output(struct command *c, const char *path) {
    const char *output = c->options.output ? c->options.output : "";
    if (*path == '/' || *output == '/' || strstr(output, "..")) {
        return path;
    }
    for (const char *at = output; (at = strchr(at, '/')) != NULL; at++) {
        bool dot = at == output + 1 && *output == '.';
        path = dot ? path : arena_printf(c->arena, "../%s", path);
    }
    return path;
}

// A path between the quotes of an import.
static const char *escaped(struct arena *a, const char *path) {
    struct text t = text_of(a);
    for (const char *c = path; *c; c++) {
        text_add(&t, *c == '"' || *c == '\\' ? "\\" : "");
        text_add_n(&t, c, 1);
    }
    return text_string(&t);
}

// The models of an .attn file, in its order.
static bool names_of_attn(struct command *c, const char *path, struct vllm_models *m) {
    uint32_t len;
    if (!import_read_file(c, path, options_map_path(&c->options, path), &len)) {
        return false;
    }
    struct sources sources = {.arena = c->arena};
    struct diags diags = {.arena = c->arena, .sources = &sources};
    struct program p;
    const struct load_options options = {.include_dirs = c->options.include_dirs.at,
                                         .n_include_dirs = c->options.include_dirs.len};
    program_load(&p, c->arena, &sources, &diags, path, &options);
    for (size_t i = 0; i < p.decls[DECL_MODEL].len; i++) {
        const struct decl *d = p.decls[DECL_MODEL].at[i];
        if (p.main_file && d->file == p.main_file->file) {
            VEC_PUSH(c->arena, &m->names, d->ast->name.text);
        }
    }
    m->text = arena_printf(c->arena, "import \"%s\";\n", escaped(c->arena, from_output(c, path)));
    if (m->names.len == 0) {
        diag_add_global(c->diags, DIAG_A0936, "`%s` holds no model", path);
    }
    return m->names.len > 0;
}

static int64_t config_int(const struct config_value *root, const char *key) {
    const struct config_value *text = config_get(root, "text_config");
    const struct config_value *v = config_get(root, key);
    v = !v && text && text->kind == CONFIG_OBJECT ? config_get(text, key) : v;
    int64_t n = 0;
    for (const char *d = v && v->kind == CONFIG_NUMBER ? v->text : ""; *d >= '0' && *d <= '9';
         d++) {
        n = n < INT32_MAX ? 10 * n + (*d - '0') : n;
    }
    return n;
}

// Do image tokens see each other both ways? A property of the model: its text layers have it too.
static bool is_prefix_model(const struct config_value *root) {
    const struct config_value *text = config_get(root, "text_config");
    const struct config_value *type = config_get(root, "model_type");
    if (!text || text->kind != CONFIG_OBJECT || !type || type->kind != CONFIG_STRING) {
        return false;
    }
    const struct config_value *both = config_get(text, "use_bidirectional_attention");
    return strcmp(type->text, "gemma3") == 0 ||
           (strncmp(type->text, "gemma4", 6) == 0 && both && import_is(both, "vision"));
}

// The root of a configuration, or of what a GGUF file says in its place. NULL after an error.
static const struct config_value *read_root(struct command *c, const char *path, bool is_gguf) {
    const char *shown = options_map_path(&c->options, path);
    if (is_gguf) {
        struct gguf g = {.has_sinks = false};
        bool io;
        return gguf_read(c->arena, c->diags, c->sources, path, shown, &g, &io)
                   ? import_gguf_config(c->arena, c->diags, &g)
                   : NULL;
    }
    uint32_t len;
    char *text = import_read_file(c, path, shown, &len);
    return text ? config_read(c->arena, c->diags,
                              source_add(c->sources, shown, path, text, len, false))
                : NULL;
}

static bool models_of_config(struct command *c, const char *path, const char *name, bool is_gguf,
                             struct vllm_models *m) {
    struct import_models imported = {.format = is_gguf ? "gguf" : "hf"};
    const struct config_value *root = read_root(c, path, is_gguf);
    if (!root || !import_config(c->arena, c->diags, root, &imported)) {
        return false;
    }
    imported.source = import_base_name(path);
    imported.name = name ? name : import_name(c->arena, path, imported.model_type);
    size_t len;
    m->text = import_write(c->arena, &imported, &len);
    m->model_type = imported.model_type;
    for (size_t i = 0; i < imported.list.len; i++) {
        VEC_PUSH(c->arena, &m->names,
                 arena_printf(c->arena, "%s%s", imported.name, imported.list.at[i]->suffix));
    }
    m->max_tokens = config_int(root, "max_position_embeddings");
    m->max_source = config_int(root, "max_source_positions");
    m->prefix = is_prefix_model(root);
    return true;
}

static bool has_ending(const char *path, const char *ending) {
    size_t n = strlen(path), e = strlen(ending);
    return n > e && strcmp(path + n - e, ending) == 0;
}

// No path: the plain model.
bool vllm_read_models(struct command *c, const char *path, const char *name,
                      struct vllm_models *m) {
    if (!path) {
        m->text = PLAIN_MODEL;
        VEC_PUSH(c->arena, &m->names, "plain");
        return true;
    }
    return has_ending(path, ".attn")
               ? names_of_attn(c, path, m)
               : models_of_config(c, path, name, has_ending(path, ".gguf"), m);
}
