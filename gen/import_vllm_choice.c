// SPDX-License-Identifier: Apache-2.0
// Which backend vLLM takes for an operator, as far as that is no matter of rules: the key that its
// layer looks for, and platforms and models that decide by themselves. In: an operator's attributes
// in a deployment, the settings. Out: a choice; automatic ones are left to the priorities of
// std/vllm.attn.
#include <string.h>

#include "gen/import_vllm.h"

struct subject vllm_subject(const struct program *p, const struct deployed_model *m,
                            const struct attr_set *set) {
    return (struct subject){
        .program = p,
        .layer = &set->attrs,
        .model = &m->model.level,
        .model_kinds = &m->model.kinds,
        .deploy = &m->attrs,
        .has_phase = true,
    };
}

static bool is_word(const struct value *v, const char *word) {
    return v->kind == VALUE_WORD && strcmp(v->text, word) == 0;
}

bool vllm_has_device(const struct deployment *d, const char *device) {
    for (size_t i = 0; i < d->devices.len; i++) {
        if (strcmp(d->devices.at[i], device) == 0) {
            return true;
        }
    }
    return false;
}

// The value of `platform.NAME`, or of a let of `scope`.
static struct value named(const struct subject *s, const struct decl *scope, const char *root,
                          const char *name) {
    struct arena *a = s->program->arena;
    struct ast_expr e = {.kind = EXPR_NAME, .depth = 1};
    if (root) {
        VEC_PUSH(a, &e.path, ((struct ast_name){.text = root}));
    }
    VEC_PUSH(a, &e.path, ((struct ast_name){.text = name}));
    return eval(s, scope, &e, VOCAB_FREE);
}

bool vllm_fact(const struct subject *s, const char *name) {
    struct value v = named(s, NULL, "platform", name);
    return v.kind == VALUE_BOOL && v.yes;
}

bool vllm_let(const struct subject *s, const struct decl *backend, const char *name) {
    struct value v = named(s, backend, NULL, name);
    return v.kind == VALUE_BOOL && v.yes;
}

static bool demands(const struct subject *s, const char *flag) {
    struct value all = demands_of(s), word = value_word(flag);
    return value_in(&word, &all);
}

static const char *kv_dtype(const struct attr_set *set) {
    const struct value *v = &set->attrs.at[ATTR_KV_DTYPE];
    return set->attrs.kv_dtype_left || v->kind != VALUE_WORD ? "auto" : v->text;
}

static bool starts(const char *text, const char *prefix) {
    return strncmp(text, prefix, strlen(prefix)) == 0;
}

// ---- kinds and keys

// The kind that vLLM derives from a layer's latent cache, window and type, in its order.
static enum vllm_kind derived_kind(const struct operator_attrs *a) {
    const struct value *attn = &a->at[ATTR_ATTN];
    bool window = attr_given(a, ATTR_WINDOW) || attr_given(a, ATTR_WINDOW_LEFT) ||
                  attr_given(a, ATTR_WINDOW_RIGHT);
    if (is_word(attn, "encoder_only")) {
        return VLLM_KIND_ENCODER_ONLY;
    }
    if (is_word(attn, "encoder_decoder")) {
        return VLLM_KIND_CROSS;
    }
    if (attr_given(a, ATTR_MLA)) {
        return window ? VLLM_KIND_SLIDING_MLA : VLLM_KIND_MLA;
    }
    return window ? VLLM_KIND_SLIDING : VLLM_KIND_FULL;
}

// What its layer class asks the map for. A latent layer keeps its window to itself; chunked layers
// and those with static sinks wrap a backend that they choose as a plain layer.
static enum vllm_kind asked_kind(const struct operator_attrs *a, enum vllm_kind derived) {
    if (derived == VLLM_KIND_SLIDING_MLA) {
        return VLLM_KIND_MLA;
    }
    bool wrapped = attr_given(a, ATTR_CHUNK) || attr_given(a, ATTR_SINK_TOKENS);
    return wrapped && derived == VLLM_KIND_SLIDING ? VLLM_KIND_FULL : derived;
}

enum vllm_kind vllm_asked_kind(const struct operator_attrs *a) {
    return asked_kind(a, derived_kind(a));
}

// ---- models that name a class

struct named_class {
    const char *model_type;
    bool encoders;       // only the encoder half
    bool windowed_mla;   // only latent layers with a window
    const char *device;  // only there, or NULL
    const char *backend; // NULL: known to the model alone
};

// Never asked for by the map. DeepSeek V4 and MiMo choose by device: see below.
static const struct named_class classes[] = {
    {"whisper", true, false, NULL, NULL},
    {"bart", true, false, NULL, NULL},
    {"t5", true, false, NULL, NULL},
    {"dots3_note", false, true, NULL, "TRITON_MLA"},
    {"deepseek_v32", false, false, "rocm", "ROCM_AITER_MLA_SPARSE"},
    {"mt5", true, false, NULL, NULL},
    {"PanguProMoEV2", false, false, NULL, NULL},
    {"pangu_pro_moe_v2", false, false, NULL, NULL},
};

static bool has_backend(const struct subject *s, const char *name) {
    return program_find(s->program, DECL_BACKEND, name) != NULL;
}

// The first of the classes whose capability answers for the platform.
static const char *class_for_platform(const struct subject *s, const char *const *names, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const struct decl *d = program_find(s->program, DECL_BACKEND, names[i]);
        struct verdict v = d ? verdict_of(s, d) : (struct verdict){0};
        bool fits = d != NULL;
        for (size_t k = 0; fits && k < v.reasons.len; k++) {
            fits = strcmp(v.reasons.at[k].name, "capability") != 0 &&
                   strcmp(v.reasons.at[k].name, "device") != 0;
        }
        if (fits) {
            return names[i];
        }
    }
    return NULL;
}

static const char *diffkv_class(const struct vllm_served *s, const struct subject *subject) {
    const char *global = s->config.backend.backend;
    if (global && strlen(global) > 7 && strcmp(global + strlen(global) - 7, "_DIFFKV") == 0) {
        return global;
    }
    const struct decl *flash = program_find(s->program, DECL_BACKEND, "FLASH_ATTN_DIFFKV");
    struct value version = flash ? named(subject, flash, NULL, "fa") : value_none();
    int64_t v = 0;
    return value_is_int(&version, &v) && v >= 3 ? "FLASH_ATTN_DIFFKV" : "TRITON_ATTN_DIFFKV";
}

// Whether the model names the layer's class itself; then *backend is its name, or NULL where it
// cannot be told.
static bool model_names_class(const struct vllm_served *s, const struct deployed_model *m,
                              const struct attr_set *set, const struct subject *subject,
                              const char **backend) {
    static const char *const v4[] = {"FLASHMLA_SPARSE_DSV4", "FLASHINFER_MLA_SPARSE_DSV4",
                                     "ROCM_FLASHMLA_SPARSE_DSV4"};
    const char *type = s->model_types[m->index];
    *backend = NULL;
    if (!type) {
        return false;
    }
    if (strcmp(type, "mimo_v2_flash") == 0) {
        *backend = diffkv_class(s, subject);
    } else if (strcmp(type, "deepseek_v4") == 0) {
        *backend = class_for_platform(subject, v4, sizeof v4 / sizeof *v4);
    }
    if (*backend) {
        return true;
    }
    for (size_t i = 0; i < sizeof classes / sizeof *classes; i++) {
        const struct named_class *c = &classes[i];
        const struct operator_attrs *a = &set->attrs;
        bool mine = strcmp(type, c->model_type) == 0 &&
                    (!c->encoders || is_word(&a->at[ATTR_ATTN], "encoder")) &&
                    (!c->windowed_mla || (attr_given(a, ATTR_MLA) && attr_given(a, ATTR_WINDOW))) &&
                    (!c->device || vllm_has_device(&s->deployment, c->device));
        if (mine) {
            *backend = c->backend && has_backend(subject, c->backend) ? c->backend : NULL;
            return true;
        }
    }
    return false;
}

// ---- platforms that decide

static void decide(struct vllm_choice *c, const char *backend) {
    if (c->backend && strcmp(c->backend, backend) != 0) {
        c->ignored = c->backend;
    }
    c->backend = backend;
    c->origin = VLLM_BY_PLATFORM;
}

static void choose_cpu(struct vllm_choice *c, const struct attr_set *set, const struct subject *s) {
    const char *kv = kv_dtype(set);
    if (attr_given(&set->attrs, ATTR_INDEX)) {
        c->refused = "it has no sparse attention on a CPU";
    } else if (attr_given(&set->attrs, ATTR_MLA)) {
        bool plain = !strcmp(kv, "auto") || !strcmp(kv, "bf16") || !strcmp(kv, "f16");
        bool amx = vllm_fact(s, "amx") && !(c->backend && strcmp(c->backend, "CPU_MLA") == 0);
        c->refused = plain ? NULL : "a latent cache on a CPU is bf16 or f16";
        decide(c, amx ? "AMX_MLA" : "CPU_MLA");
    } else {
        decide(c, "CPU_ATTN");
        const struct decl *d = program_find(s->program, DECL_BACKEND, "CPU_ATTN");
        struct value takes =
            d ? backend_answer(s, d, "kv_dtype") : (struct value){.kind = VALUE_ANY};
        struct value word = strcmp(kv, "auto") ? set->attrs.at[ATTR_KV_DTYPE] : value_auto();
        if (!value_in(&word, &takes)) {
            c->refused = "CPU_ATTN does not take this cache dtype here";
        }
    }
}

static bool asked_for(const struct vllm_choice *c, const char *backend) {
    return c->backend && strcmp(c->backend, backend) == 0;
}

// A latent layer without an index: the only step at which rules are asked, so that a request stands
// and without one FLASH_ATTN_MLA is first where it is valid, as std/vllm.attn has it.
static void choose_xpu_mla(struct vllm_choice *c, const struct subject *s) {
    const struct decl *flash = program_find(s->program, DECL_BACKEND, "FLASH_ATTN_MLA");
    if (c->backend && !asked_for(c, "TRITON_MLA") && !asked_for(c, "FLASH_ATTN_MLA")) {
        c->refused = "a latent layer on XPU takes FLASH_ATTN_MLA or TRITON_MLA";
    } else if (!c->backend && flash && !verdict_of(s, flash).ok) {
        decide(c, "TRITON_MLA");
    }
}

static void choose_xpu_prefix(struct vllm_choice *c, const struct attr_set *set) {
    int64_t width = attr_int(&set->attrs, ATTR_K_WIDTH, 0);
    bool composite = width == 256 || width == 512;
    bool f32 = is_word(&set->attrs.at[ATTR_DTYPE], "f32");
    bool open = !c->backend || asked_for(c, "TRITON_FLASH_ATTN");
    if (asked_for(c, "FLASH_ATTN")) {
        return;
    }
    if (open && !f32 && !composite && c->backend) {
        c->refused = "TRITON_FLASH_ATTN on XPU needs heads of 256 or 512";
    }
    decide(c, open && !f32 && composite ? "TRITON_FLASH_ATTN" : "TRITON_ATTN");
}

// Its chain of conditions, in order.
static void choose_xpu(struct vllm_choice *c, const struct attr_set *set, const struct subject *s) {
    if (starts(kv_dtype(set), "turboquant_")) {
        decide(c, "TURBOQUANT");
    } else if (attr_given(&set->attrs, ATTR_INDEX)) {
        decide(c, "XPU_MLA_SPARSE");
    } else if (attr_given(&set->attrs, ATTR_MLA)) {
        choose_xpu_mla(c, s);
    } else if (asked_for(c, "TRITON_ATTN")) {
        return;
    } else if (demands(s, "batch_invariant")) {
        decide(c, asked_for(c, "FLASH_ATTN") ? "FLASH_ATTN" : "TRITON_ATTN");
    } else if (demands(s, "mm_prefix")) {
        choose_xpu_prefix(c, set);
    } else if (is_word(&set->attrs.at[ATTR_DTYPE], "f32")) {
        decide(c, "TRITON_ATTN");
    } else if (c->backend && !asked_for(c, "FLASH_ATTN")) {
        c->refused = "XPU takes FLASH_ATTN or TRITON_ATTN";
    } else {
        decide(c, "FLASH_ATTN");
    }
}

// In a run with such a cache a request that fails on nothing but the cache dtype, or its layout, is
// dropped.
static void choose_rocm(struct vllm_choice *c, const struct attr_set *set,
                        const struct subject *s) {
    const char *kv = kv_dtype(set);
    const struct decl *d = c->backend ? program_find(s->program, DECL_BACKEND, c->backend) : NULL;
    if (!d || (!starts(kv, "turboquant_") && !starts(kv, "ultraquant_"))) {
        return;
    }
    struct verdict v = verdict_of(s, d);
    for (size_t i = 0; i < v.reasons.len; i++) {
        const char *name = v.reasons.at[i].name;
        if (strcmp(name, "kv_dtype") != 0 && !starts(name, "layout_")) {
            return;
        }
    }
    if (!v.ok) {
        c->ignored = c->backend;
        c->backend = NULL;
        c->origin = VLLM_AUTOMATIC;
    }
}

// ---- the choice

static struct vllm_choice requested(const struct vllm_served *s, const struct deployed_model *m,
                                    const struct attr_set *set) {
    struct vllm_choice c = {.attention = true, .asks = true, .origin = VLLM_AUTOMATIC};
    const struct vllm_request *global = s->draft[m->index] ? &s->draft_backend : &s->config.backend;
    c.kind = derived_kind(&set->attrs);
    c.key = asked_kind(&set->attrs, c.kind);
    const struct vllm_request *entry = &s->config.kinds[c.key];
    if (entry->at) {
        c.backend = entry->backend;
        c.at = entry->at;
        c.origin = VLLM_BY_KEY;
    } else if (global->backend) {
        c.backend = global->backend;
        c.at = global->at;
        c.origin = VLLM_BY_BACKEND;
    }
    return c;
}

struct vllm_choice vllm_choose(const struct vllm_served *s, const struct deployed_model *m,
                               const struct attr_set *set) {
    if (attr_given(&set->attrs, ATTR_SSM_TYPE)) {
        return (struct vllm_choice){.kind = VLLM_KIND_MAMBA, .key = VLLM_KIND_MAMBA};
    }
    struct vllm_choice c = requested(s, m, set);
    struct subject subject = vllm_subject(s->program, m, set);
    const char *own;
    if (model_names_class(s, m, set, &subject, &own)) {
        c.ignored = c.backend && (!own || strcmp(c.backend, own) != 0) ? c.backend : NULL;
        c.asks = false;
        c.backend = own;
        c.origin = VLLM_BY_MODEL;
    } else if (vllm_has_device(&s->deployment, "cpu")) {
        choose_cpu(&c, set, &subject);
    } else if (vllm_has_device(&s->deployment, "xpu")) {
        choose_xpu(&c, set, &subject);
    } else if (vllm_has_device(&s->deployment, "rocm")) {
        choose_rocm(&c, set, &subject);
    }
    return c;
}
