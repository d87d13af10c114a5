// SPDX-License-Identifier: Apache-2.0
// `attnc import hf CONFIG.json` and `attnc import gguf FILE` [--name NAME] [-o FILE]: a Hugging
// Face configuration, or the metadata of a GGUF file, as a model (or two) in .attn form, to stdout
// or to a file that is replaced as a whole. Nothing is written after an error.
#include <string.h>

#include "gen/import_file.h"
#include "gen/import_gguf.h"
#include "gen/import_vllm.h"

static int read_hf(struct command *c, const char *path, const char *name, struct import_models *m) {
    uint32_t len;
    char *text = import_read_file(c, path, name, &len);
    if (!text) {
        return EXIT_STATUS_IO;
    }
    uint32_t file = source_add(c->sources, name, path, text, len, false);
    return import_hf(c->arena, c->diags, file, m) ? EXIT_STATUS_OK : EXIT_STATUS_INPUT;
}

static int read_gguf(struct command *c, const char *path, const char *name,
                     struct import_models *m) {
    struct gguf g = {.has_sinks = false};
    bool io;
    if (!gguf_read(c->arena, c->diags, c->sources, path, name, &g, &io)) {
        return io ? EXIT_STATUS_IO : EXIT_STATUS_INPUT;
    }
    const struct config_value *root = import_gguf_config(c->arena, c->diags, &g);
    m->format = "gguf";
    return root && import_config(c->arena, c->diags, root, m) ? EXIT_STATUS_OK : EXIT_STATUS_INPUT;
}

static const struct format {
    const char *name;
    int (*read)(struct command *c, const char *path, const char *name, struct import_models *m);
} formats[] = {{"hf", read_hf}, {"gguf", read_gguf}};

static int import_file(struct command *c, const struct format *format, const char *path) {
    struct import_models m = {0};
    size_t len;
    int status = format->read(c, path, options_map_path(&c->options, path), &m);
    if (status != EXIT_STATUS_OK) {
        return status;
    }
    m.source = import_base_name(path);
    m.name = c->options.name ? c->options.name : import_name(c->arena, path, m.model_type);
    const char *text = import_canonical(c, import_write(c->arena, &m, &len), &len);
    return import_deliver(c, text, len);
}

int cmd_import(struct command *c) {
    const struct options *o = &c->options;
    const char *usage =
        "attnc import hf CONFIG.json | gguf FILE | vllm [OPTION...] [--name NAME] [-o FILE]";
    const struct format *format = formats;
    if (o->args.len > 0 && strcmp(o->args.at[0], "vllm") == 0) {
        return import_vllm(c);
    }
    if (o->args.len == 0) {
        return command_usage(c, "import needs a format and a file", usage);
    }
    while (format < formats + sizeof formats / sizeof *formats &&
           strcmp(o->args.at[0], format->name) != 0) {
        format++;
    }
    if (format == formats + sizeof formats / sizeof *formats) {
        return command_usage(
            c, arena_printf(c->arena, "import does not know the format `%s`", o->args.at[0]),
            usage);
    }
    if (o->args.len != 2) {
        return command_usage(c, arena_printf(c->arena, "import %s takes one file", format->name),
                             usage);
    }
    if (o->name && !import_name_ok(o->name)) {
        return command_usage(c, arena_printf(c->arena, "--name `%s` is not a name", o->name),
                             "a name is a letter or `_`, then letters, digits and `_`");
    }
    return import_file(c, format, o->args.at[1]);
}
