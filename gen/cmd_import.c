// SPDX-License-Identifier: Apache-2.0
// `attnc import hf CONFIG.json` and `attnc import gguf FILE` [--name NAME] [-o FILE]: a Hugging
// Face configuration, or the metadata of a GGUF file, as a model (or two) in .attn form, to stdout
// or to a file that is replaced as a whole. Nothing is written after an error.
#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "gen/command.h"
#include "gen/import_gguf.h"
#include "gen/output.h"
#include "grammar/format.h"

#define CONFIG_MAX_BYTES (64u << 20) // real ones have a few kilobytes

// The whole file, NUL-terminated. NULL after an error that names the cause.
static char *read_config(struct command *c, const char *path, const char *name, uint32_t *len) {
    errno = 0;
    FILE *f = fopen(path, "rb");
    VEC(char) text = {0};
    char part[BUFSIZ];
    size_t n;
    while (f && text.len <= CONFIG_MAX_BYTES && (n = fread(part, 1, sizeof part, f)) > 0) {
        for (size_t i = 0; i < n; i++) {
            VEC_PUSH(c->arena, &text, part[i]);
        }
    }
    int why = !f || ferror(f) ? errno : 0;
    if (f) {
        fclose(f);
    }
    if (why) {
        diag_add_global(c->diags, DIAG_A0912, "cannot read `%s`: %s", name, strerror(why));
        return NULL;
    }
    if (text.len > CONFIG_MAX_BYTES) {
        diag_add_global(c->diags, DIAG_A0912, "cannot read `%s`: limit is %u MiB", name,
                        CONFIG_MAX_BYTES >> 20);
        return NULL;
    }
    *len = (uint32_t)text.len;
    VEC_PUSH(c->arena, &text, 0);
    return text.at;
}

// The model as text in canonical form, as `attnc fmt` would leave it.
static const char *model_text(struct command *c, const struct import_models *m, size_t *len) {
    size_t n;
    uint32_t formatted;
    const char *text = import_write(c->arena, m, &n);
    uint32_t file = source_add(c->sources, "<model>", NULL, text, (uint32_t)n, false);
    text = format_file(c->arena, c->sources, file, c->diags, &formatted);
    *len = formatted;
    return text;
}

static int read_hf(struct command *c, const char *path, const char *name, struct import_models *m) {
    uint32_t len;
    char *text = read_config(c, path, name, &len);
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
    size_t out_len;
    int status = format->read(c, path, options_map_path(&c->options, path), &m);
    if (status != EXIT_STATUS_OK) {
        return status;
    }
    m.source = import_base_name(path);
    m.name = c->options.name ? c->options.name : import_name(c->arena, path, m.model_type);
    const char *out = model_text(c, &m, &out_len);
    // A warning that -Werror lifted counts: nothing is written.
    if (c->diags->errors) {
        return EXIT_STATUS_INPUT;
    }
    if (!c->options.output) {
        return output_stdout(c->arena, c->diags, out, out_len) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
    }
    struct outputs o;
    outputs_init(&o, c->arena, c->diags);
    outputs_add(&o, c->options.output, out, out_len);
    return outputs_commit(&o) ? EXIT_STATUS_OK : EXIT_STATUS_IO;
}

int cmd_import(struct command *c) {
    const struct options *o = &c->options;
    const char *usage = "attnc import hf CONFIG.json | gguf FILE [--name NAME] [-o FILE]";
    const struct format *format = formats;
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
