// SPDX-License-Identifier: Apache-2.0
// Distinct kernels of a plan: what makes two of them differ, their keys, classes and workspace.
#include "gen/kernels.h"
#include "gen/text.h"
#include "tests/tap.h"
#include "tests/unit/plan_fixture.h"

static void test_sharing(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 26, 6);
    const struct plan *p = &f.plan;
    is_int((long long)p->kernels.len, 4, "26 layers of two kinds: two kernels and two writers");
    is_int((long long)p->classes.len, 2, "and two classes");
    is_int(p->operators.at[0].phase[PHASE_PREFILL].kernel, 0, "prefill of the first comes first");
    is_int(p->operators.at[0].phase[PHASE_DECODE].kernel, 0, "decode shares the instance");
    is_int(p->operators.at[0].write_kernel, 1, "then the writer");
    is_int(p->operators.at[5].phase[PHASE_PREFILL].kernel, 2, "then those of the next kind");
    is_int(p->operators.at[25].class_index, 0, "the last layer is of the first class");
    is_str(p->kernels.at[0].symbol,
           "g__cpu_flash__sliding_window__h4_kv1_d256_v256__bf16_bf16_b64_p65536__hnd__"
           "s3d800000_l511_r0_q1_isa3",
           "the symbol spells the key");
    is_str(p->kernels.at[3].key,
           "cpu_kv__full_attention__h4_kv1_d256_v256__bf16_bf16_b64_p65536__hnd__"
           "s3d800000_r0_q1_write",
           "a writer says so, and names no instruction set that it does not read");
    ok(p->kernels.at[0].fingerprint ==
           text_hash(p->kernels.at[0].key, strlen(p->kernels.at[0].key)),
       "the fingerprint is FNV-1a of the key");
    plan_fixture_free(&f);
}

static void test_hash(void) {
    ok(text_hash("", 0) == UINT64_C(0xcbf29ce484222325), "FNV-1a of nothing");
    ok(text_hash("a", 1) == UINT64_C(0xaf63dc4c8601ec8c), "FNV-1a of a");
    ok(text_hash("foobar", 6) == UINT64_C(0x85944171f73967e8), "FNV-1a of foobar");
}

// Each edit changes one constant of layer 1 of two equal layers.
static void edit_window(struct plan_operator *op) {
    op->window = given(513);
}
static void edit_heads(struct plan_operator *op) {
    op->heads = given(8);
}
static void edit_kv_heads(struct plan_operator *op) {
    op->kv_heads = given(2);
}
static void edit_head_dim(struct plan_operator *op) {
    op->head_dim = given(128);
}
static void edit_v_head_dim(struct plan_operator *op) {
    op->v_head_dim = given(128);
}
static void edit_k_width(struct plan_operator *op) {
    op->k_width = given(128);
}
static void edit_dtype(struct plan_operator *op) {
    op->dtype = "f16";
}
static void edit_kv_dtype(struct plan_operator *op) {
    op->kv_dtype = "int8";
}
static void edit_kind(struct plan_operator *op) {
    op->kind = "full_attention";
}
static void edit_chunk(struct plan_operator *op) {
    op->chunk = given(64);
}
static void edit_sink_tokens(struct plan_operator *op) {
    op->sink_tokens = given(4);
}
static void edit_sink_logits(struct plan_operator *op) {
    op->sink_logits = true;
}
static void edit_alibi(struct plan_operator *op) {
    op->alibi = true;
}
static void edit_deterministic(struct plan_operator *op) {
    op->deterministic = true;
}
static void edit_scale(struct plan_operator *op) {
    op->scale = number_int(1);
}
static void edit_softcap(struct plan_operator *op) {
    op->has_softcap = true;
    op->softcap = number_int(50);
}
static void edit_group(struct plan_operator *op) {
    op->group = 1;
}
static void edit_rope(struct plan_operator *op) {
    op->has_mla = true;
    op->mla_rope = given(64);
}
static void edit_index(struct plan_operator *op) {
    op->has_index = true;
    op->index_topk = given(2048);
}
static void edit_compress(struct plan_operator *op) {
    op->compress = given(4);
}

#define EDITS(X)                                                                                   \
    X(window)                                                                                      \
    X(heads)                                                                                       \
    X(kv_heads)                                                                                    \
    X(head_dim)                                                                                    \
    X(v_head_dim)                                                                                  \
    X(k_width)                                                                                     \
    X(dtype)                                                                                       \
    X(kv_dtype)                                                                                    \
    X(kind)                                                                                        \
    X(chunk)                                                                                       \
    X(sink_tokens)                                                                                 \
    X(sink_logits)                                                                                 \
    X(alibi)                                                                                       \
    X(deterministic)                                                                               \
    X(scale)                                                                                       \
    X(softcap)                                                                                     \
    X(group)                                                                                       \
    X(rope)                                                                                        \
    X(index)                                                                                       \
    X(compress)

static void test_every_constant(void) {
    static const struct {
        const char *name;
        void (*edit)(struct plan_operator *op);
    } edits[] = {
#define EDIT(name) {#name, edit_##name},
        EDITS(EDIT)
#undef EDIT
    };
    for (size_t i = 0; i < sizeof edits / sizeof *edits; i++) {
        struct plan_fixture f;
        plan_fixture_make(&f, "g", 2, 0);
        bool shared = f.plan.kernels.len == 2;
        f.plan.groups.at[1].block_size = 32;
        edits[i].edit(&f.plan.operators.at[1]);
        kernels_assign(&f.arena, &f.plan);
        ok(shared && f.plan.kernels.len == 4 && f.plan.classes.len == 2,
           "layers that differ in %s share no kernel", edits[i].name);
        plan_fixture_free(&f);
    }
}

static void test_external(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "int", 2, 0);
    for (uint32_t i = 0; i < 2; i++) {
        f.plan.operators.at[i].phase[PHASE_PREFILL].entry = "acme__attn";
        f.plan.operators.at[i].phase[PHASE_DECODE].entry = "acme_decode";
        f.plan.operators.at[i].write = "acme__attn";
    }
    kernels_assign(&f.arena, &f.plan);
    is_int((long long)f.plan.kernels.len, 3, "one function as kernel and as writer: two instances");
    ok(f.plan.kernels.at[0].external && f.plan.kernels.at[2].external, "both are external");
    ok(strncmp(f.plan.kernels.at[0].symbol, "name_int__name_acmezuzuattn__sliding_window__", 45) ==
           0,
       "names of the source are safe inside a symbol: %s", f.plan.kernels.at[0].symbol);
    ok(strstr(f.plan.kernels.at[0].key, "_isa") == NULL, "an external kernel has no level");
    f.plan.operators.at[0].phase[PHASE_PREFILL].entry = NULL;
    kernels_assign(&f.arena, &f.plan);
    ok(f.plan.operators.at[0].phase[PHASE_PREFILL].kernel == PLAN_NO_INDEX,
       "a backend without entry gives no kernel");
    plan_fixture_free(&f);
}

static void test_collisions(void) {
    struct plan_fixture f;
    uint32_t a, b;
    plan_fixture_make(&f, "g", 26, 6);
    ok(!kernels_collide(&f.arena, &f.plan, &a, &b), "different keys, different fingerprints");
    f.plan.kernels.at[3].fingerprint = f.plan.kernels.at[1].fingerprint;
    ok(kernels_collide(&f.arena, &f.plan, &a, &b) && a == 1 && b == 3,
       "two kernels of one fingerprint are found");
    plan_fixture_free(&f);
}

static void test_workspace(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 26, 6);
    is_int((long long)kernels_step_bytes(&f.plan), (long long)ATTN_STEP_BYTES(2, 2),
           "the step's part counts the classes");
    is_int((long long)kernels_worker_bytes(&f.plan),
           (long long)ATTN_CPU_FLASH_WORKSPACE(256u, 256u),
           "a worker needs what the hungriest kernel wants");
    is_int(kernels_workers(&f.plan), 2, "workers: the platform's cores");
    f.plan.cores.given = false;
    is_int(kernels_workers(&f.plan), 1, "or one");
    plan_fixture_free(&f);
}

static void test_masks(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 1, 0);
    struct plan_operator *op = &f.plan.operators.at[0];
    struct kernel_constants k = kernel_constants(&f.plan, op);
    ok(k.causal && k.window_left == 511 && k.window_right == 0,
       "window 512: 511 keys behind, causal");
    op->window.given = false;
    op->kind = "encoder_only_attention";
    op->window_left = given(128);
    op->group = PLAN_NO_INDEX;
    op->kv_dtype = "fp8_e5m2";
    k = kernel_constants(&f.plan, op);
    ok(!k.causal && k.window_left == 128 && k.window_right == ATTN_UNBOUNDED,
       "encoder_only: the bounds given, and none else");
    ok(strcmp(k.kv_dtype, "bf16") == 0 && k.block_size == 0 && !k.layout,
       "without a cache its dtype does not count");
    is_str(runtime_layout("acme_tile16"), "ATTN_LAYOUT_VENDOR", "a vendor's layout");
    is_str(runtime_layout(NULL), "ATTN_LAYOUT_NONE", "no layout");
    is_str(runtime_dtype("int4"), NULL, "a dtype that the runtime does not have");
    plan_fixture_free(&f);
}

int main(void) {
    test_hash();
    test_sharing();
    test_every_constant();
    test_external();
    test_collisions();
    test_workspace();
    test_masks();
    return done_testing();
}
