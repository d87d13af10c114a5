// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at every allocation of every command, the arena's and jansson's: the command
// ends with exit status 70 and one line, releases what jansson had, and leaves its folder as it
// was.
#define _XOPEN_SOURCE 700
#include <dirent.h>
#include <fcntl.h>
#include <ftw.h>
#include <jansson.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include "gen/attnc.h"
#include "gen/command.h"
#include "gen/output.h"
#include "tests/tap.h"

#define LENGTHS 8
#define PADDING 1700 // bytes from one length to the next
#define MAX_ARGS 16

static const char deployment[] =
    "import \"std/cpu.attn\";\n"
    "model m {\n"
    "    layers = 40; heads = 4; kv_heads = 2; head_dim = 64; dtype = bf16;\n"
    "    layer 0..38 step 2 { window = 16; }\n"
    "    layer all as cross { attn = encoder_decoder; }\n"
    "}\n"
    "deploy d {\n"
    "    model = m; platform = x86_64_v3; max_seqs = 2; max_tokens = 256; max_batch_tokens = 64;\n"
    "    max_source_tokens = 32; backend_per_kind { full_attention = CPU_REF; }\n"
    "}\n";

static const char other[] =
    "import \"std/cpu.attn\";\n"
    "model m { layers = 8; heads = 4; kv_heads = 2; head_dim = 64; dtype = bf16; }\n"
    "deploy d {\n"
    "    model = m; platform = x86_64_v3; max_seqs = 2; max_tokens = 256; max_batch_tokens = 64;\n"
    "}\n";

static const char wrong[] = "import \"std/cpu.attn\";\n"
                            "model m { layers = 8; heads = 3; kv_heads = 2; head_dim = \"x\"; }\n"
                            "deploy d { modle = m; platform = x86_64_v9; }\n";

// With what readers of JSON have to tell apart: escapes, nesting, all kinds of number and word.
static const char config[] =
    "{\"model_type\": \"gemma3_text\", \"num_hidden_layers\": 6, \"hidden_size\": 1152,\n"
    " \"note\": \"caf\\u00e9 \\ud83d\\ude00 \\\"x\\\"\", \"num_attention_heads\": 4,\n"
    " \"num_key_value_heads\": 1, \"head_dim\": 256, \"sliding_window\": 512, \"x\": -0.5e+3,\n"
    " \"layer_types\": [\"sliding_attention\", \"sliding_attention\", \"sliding_attention\",\n"
    "   \"sliding_attention\", \"sliding_attention\", \"full_attention\"],\n"
    " \"rope_scaling\": {\"factor\": 8.0, \"rope_type\": \"linear\"}, \"y\": null}\n";

// A header, three keys with their types and values, no tensor.
#define U32(v) v "\0\0\0"
#define U64(v) v "\0\0\0\0\0\0\0"
#define NUMBER(length, key, v) U64(length) key U32("\4") U32(v)
static const char gguf[] =
    "GGUF" U32("\3") U64("\0") U64("\6") U64("\24") "general.architecture" U32("\10")
        U64("\5") "llama" NUMBER("\21", "llama.block_count", "\2")
            NUMBER("\26", "llama.embedding_length", "\x40")
                NUMBER("\32", "llama.attention.head_count", "\4")
                    NUMBER("\35", "llama.attention.head_count_kv", "\2")
                        NUMBER("\32", "llama.attention.key_length", "\x20");

static const struct input {
    const char *name, *text;
    size_t len;
} inputs[] = {
    {"d.attn", deployment, sizeof deployment - 1},
    {"e.attn", other, sizeof other - 1},
    {"wrong.attn", wrong, sizeof wrong - 1},
    {"c.json", config, sizeof config - 1},
    {"m.gguf", gguf, sizeof gguf - 1},
};

#define MAP                                                                                        \
    "{\"backend_per_kind\": {\"sliding_window\": \"TRITON_ATTN\"}, \"backend\": \"FLASHINFER\"}"

// A command line, the exit status that it has with enough memory, the file or folder that it makes.
static const struct line {
    const char *args[MAX_ARGS];
    int status;
    const char *output;
} lines[] = {
    {{"check", "d.attn"}, EXIT_STATUS_OK, NULL},
    {{"check", "wrong.attn"}, EXIT_STATUS_INPUT, NULL},
    {{"check", "wrong.attn", "--diagnostics", "sarif"}, EXIT_STATUS_INPUT, NULL},
    {{"build", "d.attn", "-o", "out"}, EXIT_STATUS_OK, "out"},
    {{"explain", "d.attn"}, EXIT_STATUS_OK, NULL},
    {{"explain", "d.attn", "--json", "--candidates"}, EXIT_STATUS_OK, NULL},
    {{"diff", "d.attn", "e.attn"}, EXIT_STATUS_OK, NULL},
    {{"fmt", "--check", "d.attn"}, EXIT_STATUS_INPUT, NULL},
    {{"import", "hf", "c.json", "-o", "hf.attn"}, EXIT_STATUS_OK, "hf.attn"},
    {{"import", "gguf", "m.gguf", "-o", "gguf.attn"}, EXIT_STATUS_OK, "gguf.attn"},
    {{"import", "vllm", "--model", "c.json", "--attention-config", MAP, "-w", "-o", "vllm.attn"},
     EXIT_STATUS_OK,
     "vllm.attn"},
    {{"export", "vllm", "served.attn"}, EXIT_STATUS_OK, NULL},
};

static long allocations, fails_at; // of the run; 0 = never
static long foreign;               // allocations of jansson outside the arena

static void *failing(size_t bytes) {
    return ++allocations == fails_at ? NULL : malloc(bytes);
}

static void *counted(size_t bytes) {
    foreign++;
    return malloc(bytes);
}

static void run_quietly(const struct line *l, int *status, char *said, size_t room) {
    char *argv[MAX_ARGS + 1] = {"attnc"};
    int argc = 1;
    while (l->args[argc - 1]) {
        argv[argc] = (char *)l->args[argc - 1];
        argc++;
    }
    const int out = dup(STDOUT_FILENO), err = dup(STDERR_FILENO);
    const int null = open("/dev/null", O_WRONLY),
              log = open("log", O_RDWR | O_CREAT | O_TRUNC, 0600);
    dup2(null, STDOUT_FILENO);
    dup2(log, STDERR_FILENO);
    *status = attnc_run(argc, argv, failing);
    fflush(stderr);
    const ssize_t n = pread(log, said, room - 1, 0);
    said[n > 0 ? n : 0] = '\0';
    dup2(out, STDOUT_FILENO);
    dup2(err, STDERR_FILENO);
    // What the command had open when it ended is above these.
    for (int fd = out; fd < out + 16; fd++) {
        close(fd);
    }
}

static size_t entries(const char *path) {
    DIR *d = opendir(path);
    size_t n = 0;
    while (d && readdir(d)) {
        n++;
    }
    if (d) {
        closedir(d);
    }
    return n;
}

static int remove_entry(const char *path, const struct stat *st, int type, struct FTW *at) {
    (void)st, (void)type, (void)at;
    return remove(path);
}

static void remove_all(const char *path) {
    nftw(path, remove_entry, 8, FTW_DEPTH | FTW_PHYS);
}

// Whether the command, with one allocation failing, ends as it should: `entries_before` are there,
// and at most the folder for its output, empty.
static bool ends(const struct line *l, long at, size_t entries_before) {
    int status;
    char said[256];
    allocations = 0;
    fails_at = at;
    run_quietly(l, &status, said, sizeof said);
    struct stat st;
    const bool folder = l->output && stat(l->output, &st) == 0 && S_ISDIR(st.st_mode);
    const size_t left = entries(".") - folder + (folder ? entries(l->output) - 2 : 0);
    if (folder) {
        remove_all(l->output);
    }
    const bool good = status == EXIT_STATUS_INTERNAL && left == entries_before &&
                      strcmp(said, "attnc: error: out of memory\n") == 0;
    if (!good) {
        diag("allocation %ld: status %d, %zu entries, wanted %zu, said: %.60s", at, status, left,
             entries_before, said);
    }
    return good;
}

static void test_line(const struct line *l) {
    int status;
    char said[4096];
    allocations = fails_at = 0;
    run_quietly(l, &status, said, sizeof said);
    const long needed = allocations;
    ok(status == l->status && needed > 0, "%s %s: exit status %d after %ld allocations", l->args[0],
       l->args[1], status, needed);
    if (l->output) {
        remove_all(l->output);
    }
    const size_t before = entries(".");
    long ended = 0;
    for (long at = 1; at <= needed; at++) {
        ended += ends(l, at, before);
    }
    is_int(ended, needed, "... whichever allocation fails, it ends with 70 and leaves nothing");
}

static bool write_inputs(int length) {
    bool good = true;
    for (size_t i = 0; i < sizeof inputs / sizeof *inputs; i++) {
        FILE *f = fopen(inputs[i].name, "wb");
        good = f && fwrite(inputs[i].text, 1, inputs[i].len, f) == inputs[i].len && good;
        good = f && fprintf(f, "%*s", length * PADDING, "") >= 0 && good;
        good = f && fclose(f) == 0 && good;
    }
    return good;
}

// So many outputs that memory runs out when some of their temporaries are on disk already.
static void commit_many(long at, bool *ended) {
    struct arena a;
    jmp_buf out_of_memory;
    struct outputs o;
    struct sources sources = {.arena = &a};
    struct diags diags = {.arena = &a, .sources = &sources};
    arena_init(&a, &out_of_memory);
    a.allocate = failing;
    allocations = 0;
    fails_at = at;
    *ended = false;
    if (setjmp(out_of_memory) == 0) {
        outputs_init(&o, &a, &diags);
        for (int i = 0; i < 400; i++) {
            outputs_add(&o, arena_printf(&a, "many/%0100d", i), "new\n", strlen("new\n"));
        }
        outputs_commit(&o);
        *ended = true;
    }
    arena_free(&a);
}

static void test_outputs(void) {
    bool ended;
    commit_many(0, &ended);
    const long needed = allocations;
    ok(ended && entries("many") == 402, "400 outputs, %ld allocations", needed);
    long bad = 0;
    for (long at = 1; at <= needed; at++) {
        remove_all("many");
        commit_many(at, &ended);
        bad += ended || entries("many") > 2;
    }
    is_int(bad, 0, "... whichever allocation fails, neither outputs nor temporaries are left");
}

int main(void) {
    char folder[] = "/tmp/attnc-memory.XXXXXX";
    // The one input that attnc has to make.
    const struct line served = {
        {"import", "vllm", "--model", "c.json", "-w", "-o", "served.attn"}, EXIT_STATUS_OK, NULL};
    if (!mkdtemp(folder) || chdir(folder) != 0) {
        return 1;
    }
    json_set_alloc_funcs(counted, free);
    for (int length = 0; length < LENGTHS; length++) {
        int status;
        char said[4096];
        ok(write_inputs(length), "inputs with %d blanks behind", length * PADDING);
        fails_at = 0;
        run_quietly(&served, &status, said, sizeof said);
        is_int(status, EXIT_STATUS_OK, "a served model to export");
        for (size_t i = 0; i < sizeof lines / sizeof *lines; i++) {
            test_line(&lines[i]);
        }
    }
    test_outputs();
    is_int(foreign, 0, "jansson takes all memory from the arena");
    if (chdir("/") == 0) {
        remove_all(folder);
    }
    return done_testing();
}
