// SPDX-License-Identifier: Apache-2.0
// The end of a run: everything that was found, in the form and to the place that were asked for.
// In: a command that has run, its exit status. Out: text, JSON Lines or a SARIF log on standard
// error or in a file, and the exit status, which errors raise. Always: whole or reported.

#include <errno.h>
#include <string.h>

#include "gen/command.h"
#include "gen/diag_out.h"
#include "gen/text.h"

// Words of the command line may hold anything; what could steer a terminal is shown in hexadecimal.
static const char *printable(struct arena *a, const char *s) {
    struct text t = text_of(a);
    for (const unsigned char *c = (const unsigned char *)s; *c; c++) {
        if (*c < ' ' || *c >= 0x7f) {
            text_addf(&t, "<%02X>", (unsigned)*c);
        } else {
            text_add_n(&t, (const char *)c, 1);
        }
    }
    return text_string(&t);
}

static void write_text(const struct command *c, bool color, FILE *to) {
    if (c->usage) {
        fprintf(to, "attnc: error: %s\n", printable(c->arena, c->usage));
    }
    if (c->usage && c->usage_help) {
        fprintf(to, "  help: %s\n", printable(c->arena, c->usage_help));
    }
    diag_render_text(
        c->diags, &(struct diag_render){.color = color, .max_errors = c->options.max_errors}, to);
}

static void write_diagnostics(const struct command *c, bool color, int status, FILE *to) {
    const struct options *o = &c->options;
    if (o->diagnostics == DIAG_FORMAT_TEXT) {
        write_text(c, color, to);
        return;
    }
    const char *subject = o->args.len ? o->args.at[o->args.len - 1] : NULL;
    const struct diag_run run = {
        .max_errors = o->max_errors,
        .subject = subject ? options_map_path((void *)o, subject) : NULL,
        .usage = c->usage ? printable(c->arena, c->usage) : NULL,
        .help = c->usage_help ? printable(c->arena, c->usage_help) : NULL,
        .status = status,
    };
    size_t len;
    const char *text = o->diagnostics == DIAG_FORMAT_JSON
                           ? diag_json(c->arena, c->diags, &run, &len)
                           : diag_sarif(c->arena, c->diags, &run, &len);
    fwrite(text, 1, len, to);
}

int command_report(struct command *c, bool color, int status) {
    diag_finish(c->diags);
    status = status == EXIT_STATUS_OK && c->diags->errors > 0 ? EXIT_STATUS_INPUT : status;
    const char *path = c->options.diagnostics_output;
    if (!path) {
        write_diagnostics(c, color, status, stderr);
        return status;
    }
    FILE *to = fopen(path, "wb");
    if (to) {
        write_diagnostics(c, c->options.color == COLOR_ALWAYS, status, to);
    }
    const bool written = to && !ferror(to);
    if ((to && fclose(to) != 0) || !written) {
        fprintf(stderr, "attnc: error: cannot write `%s`: %s\n", printable(c->arena, path),
                strerror(errno));
        write_text(c, color, stderr);
        return EXIT_STATUS_IO;
    }
    return status;
}
