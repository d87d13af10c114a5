// SPDX-License-Identifier: Apache-2.0
// An --attention-config of vLLM: it is refused with an error; or what is printed of it reads as the
// same, and a model served with it becomes a deployment that is refused or written whole.
#define _GNU_SOURCE
#include <sys/mman.h>
#include <unistd.h>

#include "gen/import_vllm.h"
#include "tests/fuzz/fuzz.h"

const char fuzz_name[] = "vllm";

// Layers with and without a window, so that several kinds ask for a backend.
static const char model[] =
    "{\"model_type\": \"gemma3_text\", \"num_hidden_layers\": 3, \"hidden_size\": 512,\n"
    " \"num_attention_heads\": 4, \"num_key_value_heads\": 2, \"head_dim\": 128,\n"
    " \"sliding_window\": 64, \"query_pre_attn_scalar\": 128,\n"
    " \"layer_types\": [\"sliding_attention\", \"full_attention\", \"sliding_attention\"]}\n";

static const char *memory_file(struct fuzz *f, const void *data, size_t size, int *fd) {
    *fd = memfd_create("input.json", MFD_CLOEXEC);
    FUZZ_ASSERT(*fd >= 0 && write(*fd, data, size) == (ssize_t)size);
    return arena_printf(&f->arena, "/proc/self/fd/%d", *fd);
}

// The printed form is a fixed point: its own reading prints the same.
static void check_print(struct fuzz *f, struct command *c, uint32_t file) {
    const struct load_options options = {.main_text = "import \"" VLLM_LIBRARY "\";\n"};
    struct program library;
    struct vllm_config first, second;
    FUZZ_ASSERT(program_load(&library, &f->arena, &f->sources, &f->diags, "library", &options));
    if (!vllm_config_read(c, &library, file, &first)) {
        FUZZ_ASSERT(f->diags.errors > 0);
        return;
    }
    FUZZ_ASSERT(f->diags.errors == 0);
    struct text once = text_of(&f->arena), twice = text_of(&f->arena);
    vllm_config_print(&first, &once);
    const uint32_t printed =
        fuzz_source(f, "printed.json", (const uint8_t *)once.bytes.at, once.bytes.len);
    FUZZ_ASSERT(vllm_config_read(c, &library, printed, &second));
    vllm_config_print(&second, &twice);
    FUZZ_ASSERT(strcmp(text_string(&once), text_string(&twice)) == 0);
}

static void serve(struct fuzz *f, struct command *c, const char *config) {
    int fd;
    char *argv[] = {"attnc",
                    "import",
                    "vllm",
                    "--model",
                    arena_strdup(&f->arena, memory_file(f, model, sizeof model - 1, &fd)),
                    "--attention-config",
                    arena_printf(&f->arena, "@%s", config),
                    "-o",
                    "/dev/null/x"};
    const char *help;
    FUZZ_ASSERT(
        !options_parse(&f->arena, sizeof argv / sizeof *argv, argv, &f->diags, &c->options, &help));
    // Only a text that is complete gets as far as the output, which cannot be written.
    const int status = cmd_import(c);
    FUZZ_ASSERT(status == EXIT_STATUS_IO || status == EXIT_STATUS_INPUT);
    FUZZ_ASSERT(f->diags.errors > 0);
    FUZZ_ASSERT(status == EXIT_STATUS_INPUT || f->diags.errors == 1);
    close(fd);
}

void fuzz_one(struct fuzz *f, const uint8_t *data, size_t size) {
    struct command c = {.arena = &f->arena, .sources = &f->sources, .diags = &f->diags};
    int fd;
    check_print(f, &c, fuzz_source(f, "config.json", data, size));
    if (f->diags.errors == 0) {
        serve(f, &c, memory_file(f, data, size, &fd));
        close(fd);
    }
    fuzz_check_diagnostics(f, true);
    fuzz_check_forms(f);
}
