// SPDX-License-Identifier: Apache-2.0
// NAME.c: the table. In: a linkable plan. Out: NAME_data (header, classes, operators, groups and
// strings in one constant without pointers), NAME_entry (the one array of pointers, and behind it
// the reference that makes a runtime of another ABI fail to link), and the table itself.
// Always: nothing writable, and no relocation but those of the pointers named here.

#include "gen/emit.h"

#include <stddef.h>
#include <string.h>

#include "gen/mangle.h"

#define LITERAL_LIMIT 4000 // C11 promises 4095 characters in a string literal

// The string blob, as members of at most LITERAL_LIMIT bytes that follow each other.
struct blob {
    struct text members;      // declarations
    struct text initialisers; // in the same order
    struct text part;         // literals of the member that is being filled
    size_t part_bytes;        // of it, NULs included
    uint32_t n_members;
    uint32_t bytes;
};

static void blob_flush(struct blob *b) {
    if (b->part_bytes == 0) {
        return;
    }
    text_addf(&b->members, "    char strings_%u[%zu];\n", (unsigned)b->n_members, b->part_bytes);
    text_addf(&b->initialisers, "    .strings_%u =%s\",\n", (unsigned)b->n_members,
              text_string(&b->part));
    b->n_members++;
    b->part = text_of(b->part.arena);
    b->part_bytes = 0;
}

// Adds a string and its NUL; returns its offset. The NUL of a member's last string is the
// literal's own, so every other one is written out before the next string.
static uint32_t blob_add(struct blob *b, const char *s) {
    size_t len = strlen(s) + 1;
    if (b->part_bytes + len > LITERAL_LIMIT) {
        blob_flush(b);
    }
    text_addf(&b->part, "%s\n        \"%s", b->part_bytes ? "\\0\"" : "", s);
    uint32_t at = b->bytes;
    b->part_bytes += len;
    b->bytes += (uint32_t)len;
    return at;
}

struct table {
    struct arena *arena;
    const struct plan *plan;
    const char *name;
    uint64_t fingerprint; // of the whole plan
    struct text out;
    struct blob blob;
    uint32_t *operator_names, *group_names; // offsets in the blob
    uint32_t *slots;                        // of each operator among the owners of its group
};

static uint32_t slot_of(const struct table *t, const struct plan_operator *op) {
    return op->group == PLAN_NO_INDEX ? 0 : t->slots[op->owner];
}

static void prepare(struct table *t) {
    const struct plan *plan = t->plan;
    t->operator_names = ARENA_ARRAY(t->arena, uint32_t, plan->operators.len + 1);
    t->group_names = ARENA_ARRAY(t->arena, uint32_t, plan->groups.len + 1);
    t->slots = ARENA_ARRAY(t->arena, uint32_t, plan->operators.len + 1);
    t->blob.members = t->blob.initialisers = t->blob.part = text_of(t->arena);
    for (size_t i = 0; i < plan->operators.len; i++) {
        const struct plan_operator *op = &plan->operators.at[i];
        t->operator_names[i] = blob_add(&t->blob, arena_printf(t->arena, "%s.%lld.%s", op->model,
                                                               (long long)op->layer, op->op));
    }
    for (size_t i = 0; i < plan->groups.len; i++) {
        const struct plan_group *g = &plan->groups.at[i];
        t->group_names[i] = blob_add(&t->blob, g->name);
        for (uint32_t slot = 0; slot < g->owners; slot++) {
            t->slots[g->operators.at[slot]] = slot;
        }
    }
    blob_flush(&t->blob);
}

// ---- the type of NAME_data, and what must be true of it
static void add_type(struct table *t) {
    const struct plan *plan = t->plan;
    text_addf(&t->out, "\nstruct %s_layout {\n    attn_header header;\n", t->name);
    text_addf(&t->out, "    _Alignas(8) attn_class classes[%zu];\n", plan->classes.len);
    text_addf(&t->out, "    _Alignas(8) attn_operator operators[%zu];\n", plan->operators.len);
    if (plan->groups.len > 0) {
        text_addf(&t->out, "    _Alignas(8) attn_group groups[%zu];\n", plan->groups.len);
    }
    text_add(&t->out, text_string(&t->blob.members));
    text_add(&t->out, "};\n\n");
}

static void assert_that(struct table *t, const char *condition, const char *why) {
    text_addf(&t->out, "_Static_assert(%s,\n               \"%s\");\n", condition, why);
}

static void assert_size(struct table *t, const char *type, size_t size) {
    assert_that(t, arena_printf(t->arena, "sizeof(%s) == %zu", type, size),
                arena_printf(t->arena, "%s has another size than attnc knows", type));
}

static void assert_count(struct table *t, const char *suffix, size_t n) {
    assert_that(t, arena_printf(t->arena, "%s_%s == %zu", t->name, suffix, n),
                arena_printf(t->arena, "%s.h is of another build", t->plan->deploy));
}

static void add_asserts(struct table *t) {
    const struct plan *plan = t->plan;
    // Its last field ends here on every processor; what follows is padding for the 64-bit keys.
    size_t class_bytes = offsetof(attn_class, reserved) + sizeof(uint8_t);
    assert_size(t, "attn_header", sizeof(attn_header));
    assert_that(t,
                arena_printf(t->arena,
                             "sizeof(attn_class) == ATTN_ROUND_UP(%zu, _Alignof(attn_class))",
                             class_bytes),
                "attn_class has another size than attnc knows");
    assert_size(t, "attn_operator", sizeof(attn_operator));
    assert_size(t, "attn_group", sizeof(attn_group));
    assert_count(t, "OPERATORS", plan->operators.len);
    assert_count(t, "CLASSES", plan->classes.len);
    assert_count(t, "GROUPS", plan->groups.len);
    assert_count(t, "KERNELS", plan->kernels.len);
    assert_that(t,
                arena_printf(t->arena,
                             "sizeof(struct %s_layout) >= offsetof(struct %s_layout, "
                             "strings_0) + %u",
                             t->name, t->name, (unsigned)t->blob.bytes),
                "the strings lie behind each other");
}

// ---- the parts of NAME_data
static void add_header(struct table *t) {
    const struct plan *plan = t->plan;
    struct text *o = &t->out;
    text_add(o,
             "    .header = {\n        .abi = ATTN_ABI,\n        .size = sizeof(attn_header),\n");
    text_addf(o, "        .fingerprint = 0x%016llxu,\n", (unsigned long long)t->fingerprint);
    text_addf(o, "        .n_classes = %zu,\n", plan->classes.len);
    text_addf(o, "        .n_operators = %zu,\n", plan->operators.len);
    text_addf(o, "        .n_groups = %zu,\n", plan->groups.len);
    text_addf(o, "        .n_entries = %zu,\n", plan->kernels.len);
    text_addf(o, "        .classes = offsetof(struct %s_layout, classes),\n", t->name);
    text_addf(o, "        .operators = offsetof(struct %s_layout, operators),\n", t->name);
    if (plan->groups.len > 0) {
        text_addf(o, "        .groups = offsetof(struct %s_layout, groups),\n", t->name);
    }
    text_addf(o, "        .strings = offsetof(struct %s_layout, strings_0),\n", t->name);
    text_addf(o, "        .strings_bytes = %u,\n", (unsigned)t->blob.bytes);
#define LIMIT(field, suffix) text_addf(o, "        ." field " = %s_" suffix ",\n", t->name)
    LIMIT("max_seqs", "MAX_SEQS");
    LIMIT("max_tokens", "MAX_TOKENS");
    LIMIT("max_batch_tokens", "MAX_BATCH_TOKENS");
    LIMIT("max_source_tokens", "MAX_SOURCE_TOKENS");
    LIMIT("decode_q", "DECODE_Q");
    text_addf(o, "        .workers = %u,\n", (unsigned)kernels_workers(plan));
    text_addf(o, "        .step_bytes = %lluu,\n", (unsigned long long)kernels_step_bytes(plan));
    text_addf(o, "        .worker_bytes = %lluu,\n",
              (unsigned long long)kernels_worker_bytes(plan));
    LIMIT("kv_bytes", "KV_BYTES");
    LIMIT("state_bytes", "STATE_BYTES");
    LIMIT("workspace_bytes", "WORKSPACE_BYTES");
#undef LIMIT
    text_add(o, "    },\n");
}

static void add_entry(struct table *t, const char *role, uint32_t kernel) {
    if (kernel == PLAN_NO_INDEX) {
        text_addf(&t->out, "            .%s_entry = ATTN_NO_ENTRY,\n", role);
        return;
    }
    text_addf(&t->out, "            .%s_key = 0x%016llxu,\n            .%s_entry = %u,\n", role,
              (unsigned long long)t->plan->kernels.at[kernel].fingerprint, role, (unsigned)kernel);
}

static void add_class(struct table *t, uint32_t index) {
    const struct plan_class *c = &t->plan->classes.at[index];
    const struct plan_operator *op = &t->plan->operators.at[c->op];
    struct kernel_constants k = kernel_constants(t->plan, op);
    struct text *o = &t->out;
    text_addf(o, "        /* %u: %s */ {\n", (unsigned)index, op->kind);
    add_entry(t, "prefill", c->prefill);
    add_entry(t, "decode", c->decode);
    add_entry(t, "write", c->write);
    text_addf(o, "            .kind = %s,\n", runtime_kind(k.kind));
    text_addf(o, "            .dtype = %s,\n", runtime_dtype(k.dtype));
    text_addf(o, "            .kv_dtype = %s,\n", runtime_dtype(k.kv_dtype));
    text_addf(o, "            .layout = %s,\n", runtime_layout(k.layout));
    if (op->group == PLAN_NO_INDEX) {
        text_add(o, "            .group = ATTN_NO_ENTRY,\n");
    } else {
        text_addf(o, "            .group = %u,\n", (unsigned)op->group);
    }
    text_addf(o, "            .heads = %lld,\n", (long long)k.heads);
    text_addf(o, "            .kv_heads = %lld,\n", (long long)k.kv_heads);
    text_addf(o, "            .head_dim = %lld,\n", (long long)k.head_dim);
    text_addf(o, "            .v_head_dim = %lld,\n", (long long)k.v_head_dim);
    text_addf(o, "            .k_width = %lld,\n", (long long)k.k_width);
    text_addf(o, "            .v_width = %lld,\n", (long long)k.v_width);
    text_addf(o, "            .sink_tokens = %lld,\n", (long long)k.sink_tokens);
    text_addf(o, "            .sink_logits = %d,\n", k.sink_logits);
    text_addf(o, "            .alibi = %d,\n", k.alibi);
    text_addf(o, "            .causal = %d,\n        },\n", k.causal);
}

static void add_operators(struct table *t) {
    text_add(&t->out, "        /* class, model, slot, owner, layer, name, max_tokens, "
                      "max_batch_tokens */\n");
    for (size_t i = 0; i < t->plan->operators.len; i++) {
        const struct plan_operator *op = &t->plan->operators.at[i];
        text_addf(&t->out, "        {%u, %u, %u, %u, %lld, %u, %lld, %lld}, /* %lld %s %s */\n",
                  (unsigned)op->class_index, (unsigned)op->model_index, (unsigned)slot_of(t, op),
                  (unsigned)op->owner, (long long)op->layer, (unsigned)t->operator_names[i],
                  (long long)op->max_tokens, (long long)op->max_batch_tokens, (long long)op->layer,
                  op->op, op->kind);
    }
}

static int64_t blocks_of(const struct plan_group *g, int64_t compress) {
    int64_t rows = (g->max_length + compress - 1) / compress;
    return g->has_block_size ? (rows + g->block_size - 1) / g->block_size : 1;
}

static void add_group(struct table *t, uint32_t index) {
    const struct plan_group *g = &t->plan->groups.at[index];
    const struct plan_operator *op = &t->plan->operators.at[g->operators.at[0]];
    struct kernel_constants k = kernel_constants(t->plan, op);
    struct text *o = &t->out;
    text_addf(o, "        /* %u: %s */ {\n", (unsigned)index, g->name);
    text_addf(o, "            .page_bytes = %s_GROUP_%s_PAGE_BYTES,\n", t->name, g->name);
    text_addf(o, "            .blocks = %s_GROUP_%s_BLOCKS,\n", t->name, g->name);
    text_addf(o, "            .block_size = %s_GROUP_%s_BLOCK_SIZE,\n", t->name, g->name);
    text_addf(o, "            .cols = %lld,\n",
              (long long)blocks_of(g, op->compress.given ? op->compress.v : 1));
    text_addf(o, "            .window_left = %lld,\n",
              (long long)(g->window.given ? g->window.v - 1 : ATTN_UNBOUNDED));
    text_addf(o, "            .chunk = %lld,\n", (long long)(g->chunk.given ? g->chunk.v : 0));
    text_addf(o, "            .operators = %s_GROUP_%s_OPERATORS,\n", t->name, g->name);
    text_addf(o, "            .kind = %s,\n", runtime_kind(k.kind));
    text_addf(o, "            .layout = %s,\n", runtime_layout(k.layout));
    text_addf(o, "            .kv_dtype = %s,\n", runtime_dtype(k.kv_dtype));
    text_addf(o, "            .source = %d,\n", strcmp(g->kind, "cross_attention") == 0);
    text_addf(o, "            .name = %u,\n", (unsigned)t->group_names[index]);
    text_addf(o, "            .max_length = %lld,\n        },\n", (long long)g->max_length);
}

static void add_data(struct table *t) {
    const struct plan *plan = t->plan;
    text_addf(&t->out, "\nstatic const struct %s_layout %s_data = {\n", t->name, t->name);
    add_header(t);
    text_add(&t->out, "    .classes = {\n");
    for (uint32_t i = 0; i < plan->classes.len; i++) {
        add_class(t, i);
    }
    text_add(&t->out, "    },\n    .operators = {\n");
    add_operators(t);
    text_add(&t->out, "    },\n");
    if (plan->groups.len > 0) {
        text_add(&t->out, "    .groups = {\n");
        for (uint32_t i = 0; i < plan->groups.len; i++) {
            add_group(t, i);
        }
        text_add(&t->out, "    },\n");
    }
    text_add(&t->out, text_string(&t->blob.initialisers));
    text_add(&t->out, "};\n");
}

// ---- pointers
static void add_entries(struct table *t) {
    const struct plan *plan = t->plan;
    text_add(&t->out,
             "\n/* The only pointers. `abi` makes a runtime of another ABI fail to link. */\n"
             "static const struct {\n");
    text_addf(&t->out, "    const attn_kernel *kernel[%zu];\n    const uint32_t *abi;\n",
              plan->kernels.len);
    text_addf(&t->out, "} %s_entry = {\n    {\n", t->name);
    for (size_t i = 0; i < plan->kernels.len; i++) {
        text_addf(&t->out, "        &%s,\n", plan->kernels.at[i].symbol);
    }
    text_addf(&t->out, "    },\n    &attn_abi_%d,\n};\n\n", ATTN_ABI);
    text_addf(&t->out, "const attn_table %s = {&%s_data.header, %s_entry.kernel};\n", t->name,
              t->name, t->name);
}

struct emitted emit_table(struct arena *a, const struct plan *plan, struct emitted json) {
    struct table t = {
        .arena = a,
        .plan = plan,
        .name = mangle(a, plan->deploy),
        .fingerprint = text_hash(json.text, json.len),
        .out = text_of(a),
    };
    prepare(&t);
    emit_banner(&t.out, plan, "An attention dispatch table.");
    text_addf(&t.out, "#include \"%s.h\"\n\n#include <stddef.h>\n\n", plan->deploy);
    emit_abi_check(&t.out, plan);
    text_add(&t.out, "\n");
    for (size_t i = 0; i < plan->kernels.len; i++) {
        text_addf(&t.out, "extern const attn_kernel %s;\n", plan->kernels.at[i].symbol);
    }
    add_type(&t);
    add_asserts(&t);
    add_data(&t);
    add_entries(&t);
    return emit_finish(&t.out);
}
