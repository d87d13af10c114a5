// SPDX-License-Identifier: Apache-2.0
// Models: the layer cascade attribute by attribute, defaults, the difference between "not given"
// and `none`, and every error of a model with its place (cases A01, A03, B13, B14).
#define _POSIX_C_SOURCE 200809L
#include "tests/tap.h"
#include "tests/unit/planner_fixture.h"

#include "gen/model.h"

// ---- errors

static const struct {
    const char *rule, *model, *want; // the model stands on line 1
} errors[] = {
    {"heads are a multiple of KV heads",
     "model m { layers = 2; heads = 33; kv_heads = 2; head_dim = 64; dtype = bf16; }",
     "A0453 1:46 `heads` is 33 and `kv_heads` is 2, heads must be a multiple of kv_heads (layers "
     "0-1)"},
    {"there are no more KV heads than heads",
     "model m { layers = 1; heads = 8; kv_heads = 16; head_dim = 64; dtype = bf16; }",
     "A0453 1:45 `heads` is 8 and `kv_heads` is 16, there are no more KV heads than heads (layer "
     "0)"},
    {"KV heads are at least 1",
     "model m { layers = 1; heads = 8; kv_heads = 0; head_dim = 64; dtype = bf16; }",
     "A0453 1:45 `heads` is 8 and `kv_heads` is 0, both must be at least 1 (layer 0)"},
    {"heads are at least 1", "model m { layers = 1; heads = -3; head_dim = 64; dtype = bf16; }",
     "A0453 1:31 `heads` is -3 and `kv_heads` is -3, both must be at least 1 (layer 0)"},
    {"a soft cap is not negative",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; softcap = -50.0; }",
     "A0450 1:73 `softcap` is -50, must not be negative (layer 0)"},
    {"a scale is above 0",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; scale = 0; }",
     "A0450 1:71 `scale` is 0, must be above 0 (layer 0)"},
    {"integers have 31 bits",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; window = 4294967296; }",
     "A0450 1:72 `window` is 4294967296, limit is 2147483647"},
    {"a window is at least 1",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; window = 0; }",
     "A0450 1:72 `window` is 0, must be 1 to 2147483647"},
    {"an integer has no fraction",
     "model m { layers = 1; heads = 8; head_dim = 9 / 2; dtype = bf16; }",
     "A0451 1:45 `head_dim` takes an integer, not 9/2"},
    {"a flag is yes or no",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; alibi = 3; }",
     "A0451 1:71 `alibi` takes `yes` or `no`, not `3`"},
    {"a block is no value",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; ssm = 3; }",
     "A0451 1:69 `ssm` takes a block or `none`, not `3` -- write `ssm { ... }`"},
    {"an unknown attribute has its nearest",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; windw = 3; }",
     "A0350 1:63 unknown attribute `windw` -- an attribute named `window` exists"},
    {"so has one of a block",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; mla { latentt = 3; } }",
     "A0350 1:69 unknown attribute `latentt` of `mla` -- an attribute named `latent` exists"},
    {"another engine's name is told apart",
     "model m { layers = 1; num_attention_heads = 8; head_dim = 64; dtype = bf16; }",
     "A0359 1:23 `num_attention_heads` is another engine's name for `heads` -- write `heads`"},
    {"an attribute stands once in a block",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; window = 1; window = 2; }",
     "A0352 1:75 attribute `window` is given twice"},
    {"... and once in a layer block",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; layer 0 { chunk = 1; chunk = "
     "1; } }",
     "A0352 1:84 attribute `chunk` is given twice"},
    {"a layer is one of the model's",
     "model m { layers = 2; heads = 8; head_dim = 64; dtype = bf16; layer 1..2 { window = 3; } }",
     "A0455 1:69 layer 2 is not in the model, layers are 0 to 1"},
    {"a range runs forwards",
     "model m { layers = 9; heads = 8; head_dim = 64; dtype = bf16; layer 5..3 { window = 3; } }",
     "A0456 1:69 layer range 5..3 runs backwards -- write `3..5`; both ends are included"},
    {"a step is at least 1",
     "model m { layers = 9; heads = 8; head_dim = 64; dtype = bf16; layer 0..3 step 0 { window = "
     "3; } }",
     "A0456 1:69 step of a layer range is 0, must be at least 1"},
    {"spans do not overlap",
     "model m { layers = 9; heads = 8; head_dim = 64; dtype = bf16; layer 0..8 step 2, 3, 6 { "
     "window = "
     "3; } }",
     "A0457 1:85 layer 6 is named twice"},
    {"layers are given", "model m { heads = 8; head_dim = 64; dtype = bf16; }",
     "A0452 1:7 model `m` does not give `layers`"},
    {"layers have a limit", "model m { layers = 2M; heads = 8; head_dim = 64; dtype = bf16; }",
     "A0450 1:20 `layers` is 2097152, limit is 1048576"},
    {"attention needs a head size", "model m { layers = 1; heads = 8; dtype = bf16; }",
     "A0452 1:7 model `m` does not give `head_dim`"},
    {"a latent needs its widths",
     "model m { layers = 1; heads = 8; dtype = bf16; mla { latent = 512; rope = 64; v = 8; } }",
     "A0452 1:48 block `mla` does not give `nope` (layer 0)"},
    {"a head has a width",
     "model m { layers = 1; heads = 8; dtype = f32; mla { latent = 8; rope = 0; nope = 0; v = 8; } "
     "}",
     "A0450 1:47 widths of `mla`: nope + rope is 0, latent + rope is 8, each must be 1 to "
     "2147483647 "
     "(layer 0)"},
    {"a layer does not contradict its latent",
     "model m { layers = 1; heads = 8; dtype = f32;\n layer 0 { head_dim = 64; mla { latent = 512; "
     "rope = 64; nope = 128; v = 128; } } }",
     "A0464 2:23 `head_dim` is 64, for MLA it is nope + rope, 192 (layer 0)"},
    {"a recurrence needs its shape",
     "model m { layers = 1; layer 0 { ssm { type = short_conv; heads = 1; head_dim = 8; dtype = "
     "f32; } "
     "} }",
     "A0452 1:33 block `ssm` does not give `conv` (layer 0)"},
    {"a model has operators", "model m { layers = 4; attn = none; }",
     "A0461 1:7 model `m` has no operators"},
    {"rules have no place in a model",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; let x = 4; }",
     "A0358 1:63 `let` cannot stand in a model"},
    {"nor has `when`",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; window = 4 when yes; }",
     "A0358 1:63 an attribute cannot stand in a model: `when` belongs to rules"},
    {"a cache is shared with an earlier layer",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16; layer 1 { kv_share = 2; } }",
     "A0458 1:84 `kv_share` of `self` names layer 2, which is not an earlier layer (layer 1)"},
    {"... that has the operator",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16; layer 2 as x { kv_share = 1; } "
     "}",
     "A0458 1:89 `kv_share` of `x` names layer 1, which has no such operator (layer 2)"},
    {"... that owns its cache",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16;\n layer 1 { kv_share = 0; } "
     "layer 2 "
     "{ kv_share = 1; } }",
     "A0458 2:49 `kv_share` of `self` names layer 1, which shares a cache itself (layer 2)"},
    {"... of the same kind",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16;\n layer 1 { window = 4; "
     "kv_share = 0; "
     "} }",
     "A0458 2:35 `kv_share` of `self` names layer 0, whose kind is `full_attention`, not "
     "`sliding_window` (layer 1)"},
    {"... of the same shape",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16;\n layer 1 { head_dim = 32; "
     "kv_share = "
     "0; } }",
     "A0458 2:38 `kv_share` of `self` names layer 0, whose `k_width` is 64, not 32 (layer 1)"},
    {"... and the same window",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16;\n layer 0 { window = 8; } "
     "layer 1 { "
     "window = 4; kv_share = 0; } }",
     "A0458 2:59 `kv_share` of `self` names layer 0, whose `window` is 8, not 4 (layer 1)"},
    {"an index is shared with a layer that has one",
     "model m { layers = 4; heads = 8; head_dim = 64; dtype = bf16;\n layer 1 { index { share = 0; "
     "} } }",
     "A0459 2:28 `share` of the index names layer 0, which has no index (layer 1)"},
    {"an index has rows of some width",
     "model m { layers = 1; heads = 8; head_dim = 64; dtype = bf16; index { topk = 4; } }",
     "A0452 1:63 block `index` does not give `head_dim` (layer 0)"},
};

static void errors_have_their_places(void) {
    for (size_t i = 0; i < sizeof errors / sizeof *errors; i++) {
        struct fixture f;
        fixture_start(&f);
        fixture_text(&f, errors[i].model);
        check_models(&f.program);
        check_models(&f.program); // a second look reports nothing new
        is_str(fixture_reported(&f), errors[i].want, errors[i].rule);
        fixture_end(&f);
    }
}

// ---- cascade and defaults

struct view {
    struct fixture f;
    struct plan plan;
};

static void view_models(struct view *v, const char *text, const char *reported) {
    fixture_start(&v->f);
    fixture_text(&v->f, text);
    check_models(&v->f.program);
    plan_models(&v->f.program, &v->plan);
    is_str(fixture_reported(&v->f), reported, *reported ? "only this is reported" : "no error");
}

static void none_is_not_the_same_as_not_given(void) {
    struct view v;
    view_models(&v,
                "model m { layers = 8; heads = 4; head_dim = 64; dtype = bf16; window = 512;\n"
                "  layer 3, 7 { window = none; } layer 4 { softcap = 50.0; } }",
                "");
    is_str(kinds_text(&v.f, &v.plan),
           "0:sliding_window 1:sliding_window 2:sliding_window 3:full_attention 4:sliding_window "
           "5:sliding_window 6:sliding_window 7:full_attention",
           "A01: `none` is kept apart from the model's window");
    ok(operator_at(&v.plan, 4, "self")->has_softcap &&
           operator_at(&v.plan, 4, "self")->window.v == 512,
       "a block changes the attributes that it gives, and no others");
    fixture_end(&v.f);
}

static void later_blocks_override(void) {
    struct view v;
    view_models(&v,
                "model m { layers = 6; heads = 4; head_dim = 64; dtype = bf16;\n"
                "  layer all { window = 16; softcap = 30.0; } layer 0..4 step 2 { window = 8; }\n"
                "  layer 2 { window = none; chunk = 32; } layer 5 as self { window = 4; } }",
                "A0613 2:24 kind `sliding_window` of model `m` has different values of `window`");
    static const int64_t windows[] = {8, 16, 0, 16, 8, 4};
    for (int64_t i = 0; i < 6; i++) {
        const struct plan_operator *o = operator_at(&v.plan, i, "self");
        ok(o->window.given == (windows[i] != 0) && o->window.v == windows[i] && o->has_softcap,
           "layer %d: the last block that gives the window counts", (int)i);
    }
    is_str(operator_at(&v.plan, 2, "self")->kind, "chunked_local_attention", "the kind follows");
    fixture_end(&v.f);
}

static void blocks_cascade_by_attribute(void) {
    struct view v;
    view_models(&v,
                "model m { layers = 3; heads = 16; dtype = bf16; head_dim = 64;\n"
                "  mla { latent = 512; rope = 64; nope = 128; v = 128; }\n"
                "  layer 1 { mla { nope = 64; } } layer 2 { mla = none; } }",
                "");
    const struct plan_operator *o = operator_at(&v.plan, 1, "self");
    ok(o->mla_latent.v == 512 && o->mla_nope.v == 64 && o->head_dim.v == 128,
       "a block of a layer changes one attribute of the model's");
    o = operator_at(&v.plan, 0, "self");
    ok(o->head_dim.v == 192 && o->v_head_dim.v == 128 && o->kv_heads.v == 1 &&
           o->k_width.v == 576 && o->v_width.v == 0,
       "MLA: widths follow from the block");
    double scale = number_to_double(o->scale) * number_to_double(o->scale) * 192;
    ok(scale > 0.999999 && scale < 1.000001, "MLA: the scale is rsqrt(nope + rope)");
    o = operator_at(&v.plan, 2, "self");
    is_str(o->kind, "full_attention", "`mla = none` removes it");
    ok(!o->mla_latent.given && o->head_dim.v == 64, "... with all that was in it");
    fixture_end(&v.f);
}

static void operators_stand_beside_self(void) {
    struct view v;
    view_models(&v,
                "model m { layers = 3; heads = 4; head_dim = 64; dtype = bf16; attn = none;\n"
                "  layer 1 as cross { attn = encoder_decoder; } layer 1, 2 as a { window = 8; }\n"
                "  layer 0 { ssm { type = short_conv; heads = 1; head_dim = 8; conv = 3; } }\n"
                "  layer 2 { attn = encoder_only; } }",
                "");
    is_str(kinds_text(&v.f, &v.plan),
           "0:mamba 1.a:sliding_window 1.cross:cross_attention 2:encoder_only_attention "
           "2.a:sliding_window",
           "`self` first, then by bytes; `attn = none` is for `self` alone");
    is_str(operator_at(&v.plan, 0, "self")->ssm_dtype, "bf16",
           "a recurrence takes the model's dtype");
    is_int(operator_at(&v.plan, 0, "self")->ssm_groups.v, 1, "... and one group");
    fixture_end(&v.f);
}

static void defaults_apply(void) {
    struct view v;
    view_models(&v, "model m { layers = 1; heads = 6; head_dim = 16; dtype = f32; softcap = 0; }",
                "");
    const struct plan_operator *o = operator_at(&v.plan, 0, "self");
    ok(o->kv_heads.v == 6, "kv_heads is heads");
    ok(o->v_head_dim.v == 16 && o->k_width.v == 16 && o->v_width.v == 16, "widths are head_dim");
    ok(number_to_double(o->scale) == 0.25, "scale is rsqrt(head_dim)");
    ok(!o->has_softcap, "B14: a soft cap of 0 is off");
    ok(!o->kv_dtype && !v.plan.has_deploy, "without a deployment there is no cache dtype");
    fixture_end(&v.f);
}

static void gemma2_alternates(void) {
    struct view v;
    view_models(&v,
                "model m { layers = 4; heads = 8; kv_heads = 4; head_dim = 256; dtype = bf16;\n"
                "  layer 0..3 step 2 { window = 4096; } }",
                "");
    is_str(kinds_text(&v.f, &v.plan),
           "0:sliding_window 1:full_attention 2:sliding_window 3:full_attention",
           "A03: even layers slide");
    fixture_end(&v.f);
}

static void a_model_can_extend_another(void) {
    struct view v;
    view_models(&v,
                "model base { layers = 2; heads = 8; head_dim = 64; dtype = f32; window = 8;\n"
                "  layer 1 { window = none; } }\n"
                "model m extends base { layers = 3; heads = 4; layer 1 { chunk = 16; } }",
                "");
    const struct plan_operator *o = &v.plan.operators.at[2];
    ok(v.plan.operators.len == 5 && o->heads.v == 4 && o->head_dim.v == 64 && o->window.v == 8,
       "the child's attributes count before the parent's");
    is_str(v.plan.operators.at[3].kind, "chunked_local_attention",
           "the parent's layer blocks come before the child's");
    fixture_end(&v.f);
}

// E14: each layer has a block of its own; equal layers share one set.
static void many_layers(void) {
    enum { LAYERS = 20000 };
    struct fixture f;
    fixture_start(&f);
    FILE *to = fopen(fixture_path(&f, "main.attn"), "w");
    fprintf(to, "model m { layers = %d; heads = 8; head_dim = 64; dtype = bf16;\n", LAYERS);
    for (int i = 0; i < LAYERS; i++) {
        fprintf(to, "layer %d { window = %d; }\n", i, 128 + i % 3);
    }
    fprintf(to, "}\n");
    fclose(to);
    fixture_load(&f, "main.attn");
    struct kinds kinds;
    struct model m;
    kinds_load(&f.program, &kinds);
    ok(model_build(&f.program, &kinds, f.program.decls[DECL_MODEL].at[0], &m), "20,000 layers");
    is_int((long long)m.sets.len, 3, "... have three attribute sets");
    is_int((long long)m.operators.len, LAYERS, "... and an operator each");
    fixture_end(&f);
}

static void layers_are_written_as_ranges(void) {
    struct fixture f;
    fixture_start(&f);
    const int64_t some[] = {0, 1, 2, 3, 4, 6, 6, 7, 9};
    is_str(layers_text(&f.arena, some, 9), "layers 0-4, 6-7, 9", "runs");
    is_str(layers_text(&f.arena, some, 1), "layer 0", "one layer");
    int64_t odd[20];
    for (int i = 0; i < 20; i++) {
        odd[i] = 2 * i + 1;
    }
    is_str(layers_text(&f.arena, odd, 20), "layers 1, 3, 5, 7, 9, 11, 13, 15 and 12 more",
           "at most eight runs");
    fixture_end(&f);
}

int main(void) {
    errors_have_their_places();
    none_is_not_the_same_as_not_given();
    later_blocks_override();
    blocks_cascade_by_attribute();
    operators_stand_beside_self();
    defaults_apply();
    gemma2_alternates();
    a_model_can_extend_another();
    many_layers();
    layers_are_written_as_ranges();
    return done_testing();
}
