// SPDX-License-Identifier: Apache-2.0
// Memory that runs out at any allocation: the compiler gives up in one place, loses nothing and
// writes nothing. The whole way from text to emitted C, with an allocator that fails once.
#define _POSIX_C_SOURCE 200809L
#include <stdlib.h>
#include <unistd.h>

#include "gen/emit.h"
#include "gen/explain.h"
#include "gen/planner.h"
#include "gen/verdict.h"
#include "tests/tap.h"

static const char text[] =
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

static long allocations, fails_at; // of the run; 0 = never

static void *failing(size_t bytes) {
    return ++allocations == fails_at ? NULL : malloc(bytes);
}

// The length of all outputs together.
static size_t compile(struct arena *a, struct diags *d, struct sources *s, const char *path) {
    struct program p;
    struct plan plan;
    *s = (struct sources){.arena = a};
    *d = (struct diags){.arena = a, .sources = s};
    program_load(&p, a, s, d, path, NULL);
    check_library(&p);
    check_backends(&p);
    check_models(&p);
    const struct decl *deploy = program_find(&p, DECL_DEPLOY, "d");
    if (!deploy ||
        !plan_deployment(&p, deploy, &(struct plan_options){.candidates = true}, &plan)) {
        return 0;
    }
    struct text t = text_of(a);
    explain_text(&t, &plan, &(struct explain_filter){0});
    return t.bytes.len + emit_json(a, &plan, true).len + emit_header(a, &plan).len +
           emit_table(a, &plan, emit_json(a, &plan, false)).len + emit_kernels(a, &plan).len;
}

// 0 when memory ran out, else the length of the outputs.
static size_t run(const char *path, long at) {
    struct arena a;
    struct diags d;
    struct sources s;
    jmp_buf out_of_memory;
    volatile size_t length = 0;
    arena_init(&a, &out_of_memory);
    a.allocate = failing;
    allocations = 0;
    fails_at = at;
    if (setjmp(out_of_memory) == 0) {
        length = compile(&a, &d, &s, path);
    }
    arena_free(&a);
    return length;
}

int main(void) {
    char path[] = "/tmp/attnc-memory.XXXXXX";
    int fd = mkstemp(path);
    if (fd < 0 || write(fd, text, sizeof text - 1) != (ssize_t)sizeof text - 1 || close(fd) != 0) {
        return 1;
    }
    size_t whole = run(path, 0);
    long needed = allocations, ended = 0;
    ok(whole > 0, "with enough memory: %zu bytes of output after %ld allocations", whole, needed);
    for (long at = 1; at <= needed; at++) {
        ended += run(path, at) == 0;
    }
    is_int(ended, needed, "whichever allocation fails, the run ends there");
    is_int((long long)run(path, needed + 1), (long long)whole, "one more is not missed");
    remove(path);
    return done_testing();
}
