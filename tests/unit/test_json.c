// SPDX-License-Identifier: Apache-2.0
// JSON: form, escapes, numbers, and every key of a plan in its order.
#include <locale.h>

#include "gen/emit.h"
#include "gen/json.h"
#include "tests/tap.h"
#include "tests/unit/plan_fixture.h"

static void test_form(struct arena *a) {
    struct json j = json_of(a);
    size_t len;
    json_open(&j, NULL, '{', false);
    json_int(&j, "i", INT64_MIN);
    json_open(&j, "line", '[', true);
    json_int(&j, NULL, 1);
    json_open(&j, NULL, '{', false);
    json_bool(&j, "b", true);
    json_close(&j, '}');
    json_close(&j, ']');
    json_open(&j, "empty", '{', false);
    json_close(&j, '}');
    json_null(&j, "n");
    json_close(&j, '}');
    is_str(json_finish(&j, &len),
           "{\n  \"i\": -9223372036854775808,\n  \"line\": [1, {\"b\": true}],\n  \"empty\": {},\n"
           "  \"n\": null\n}\n",
           "members one a line; a value that was opened in one line stays there");
}

static const char *string_of(struct arena *a, const char *s) {
    struct json j = json_of(a);
    size_t len;
    json_string(&j, NULL, s);
    return json_finish(&j, &len);
}

static void test_strings(struct arena *a) {
    is_str(string_of(a, "a\"b\\c"), "\"a\\\"b\\\\c\"\n", "quotes and backslashes");
    is_str(string_of(a, "\n\t\x7f"), "\"\\n\\u0009\\u007f\"\n", "controls");
    is_str(string_of(a, "\xc3\xa4\xe2\x80\xae"), "\"\\u00e4\\u202e\"\n", "beyond ASCII");
    is_str(string_of(a, "\xf0\x9f\x98\x80"), "\"\\ud83d\\ude00\"\n", "a surrogate pair");
    is_str(string_of(a, "a\xff\xc3"), "\"a\\ufffd\\ufffd\"\n", "bytes that are no UTF-8");
}

static const char *double_of(struct arena *a, double v) {
    struct json j = json_of(a);
    size_t len;
    json_double(&j, NULL, v);
    return json_finish(&j, &len);
}

static void test_numbers(struct arena *a) {
    bool set = setlocale(LC_ALL, "de_DE.UTF-8") != NULL;
    is_str(double_of(a, 0.0625), "0.0625\n", "an exact decimal");
    is_str(double_of(a, 1e-45), "1e-45\n", "a small one");
    is_str(double_of(a, 0.1), "0.1\n",
           set ? "the shortest, under a locale with a decimal comma" : "the shortest");
    setlocale(LC_ALL, "C");
}

static const char plan_json[] =
    "{\n"
    "  \"format\": 0,\n"
    "  \"deploy\": \"g\",\n"
    "  \"platform\": \"host\",\n"
    "  \"operators\": [\n"
    "    {\n"
    "      \"model\": \"m\",\n"
    "      \"layer\": 0,\n"
    "      \"op\": \"self\",\n"
    "      \"kind\": \"sliding_window\",\n"
    "      \"heads\": 4,\n"
    "      \"kv_heads\": 1,\n"
    "      \"head_dim\": 256,\n"
    "      \"v_head_dim\": 256,\n"
    "      \"mla\": {\"latent\": 512, \"rope\": 64, \"nope\": 128, \"v\": 128},\n"
    "      \"window\": 512,\n"
    "      \"window_left\": null,\n"
    "      \"window_right\": null,\n"
    "      \"chunk\": null,\n"
    "      \"sink_tokens\": null,\n"
    "      \"sink_logits\": false,\n"
    "      \"softcap\": 30,\n"
    "      \"alibi\": false,\n"
    "      \"scale\": 0.0625,\n"
    "      \"kv_share\": null,\n"
    "      \"ssm\": null,\n"
    "      \"index\": {\"topk\": null, \"heads\": null, \"head_dim\": 128, \"dtype\": \"bf16\", "
    "\"share\": null},\n"
    "      \"compress\": null,\n"
    "      \"demand\": [\"window\", \"lse\"],\n"
    "      \"dtype\": \"bf16\",\n"
    "      \"kv_dtype\": \"bf16\",\n"
    "      \"group\": 0,\n"
    "      \"prefill\": {\"backend\": \"CPU_FLASH\", \"decided_by\": \"kind\", \"kernel\": null},\n"
    "      \"decode\": null\n"
    "    }\n"
    "  ],\n"
    "  \"groups\": [\n"
    "    {\n"
    "      \"kind\": \"sliding_window\",\n"
    "      \"block_size\": 64,\n"
    "      \"layout\": \"hnd\",\n"
    "      \"page_bytes\": 65536,\n"
    "      \"blocks\": 24,\n"
    "      \"bytes\": 1572864,\n"
    "      \"operators\": [0]\n"
    "    }\n"
    "  ],\n"
    "  \"memory\": {\n"
    "    \"kv_bytes\": 1572864,\n"
    "    \"state_bytes\": 0,\n"
    "    \"workspace_bytes\": null,\n"
    "    \"total_bytes\": null,\n"
    "    \"budget_bytes\": 1073741824\n"
    "  }\n"
    "}\n";

static void test_plan(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 1, 0);
    struct plan_operator *op = &f.plan.operators.at[0];
    op->has_mla = true;
    op->mla_latent = given(512);
    op->mla_rope = given(64);
    op->mla_nope = op->mla_v = given(128);
    op->has_softcap = true;
    op->softcap = number_int(30);
    op->has_index = true;
    op->index_head_dim = given(128);
    op->index_dtype = "bf16";
    VEC_PUSH(&f.arena, &op->demand, "window");
    VEC_PUSH(&f.arena, &op->demand, "lse");
    op->phase[PHASE_PREFILL].kernel = PLAN_NO_INDEX;
    op->phase[PHASE_DECODE].present = false;
    f.plan.workspace_bytes.given = f.plan.total_bytes.given = false;
    is_str(emit_json(&f.arena, &f.plan, false).text, plan_json, "every key, in order, null or not");
    f.plan.has_deploy = false;
    const char *models = emit_json(&f.arena, &f.plan, false).text;
    ok(strstr(models, "\"deploy\": null,\n  \"platform\": null") &&
           strstr(models, "\"group\": null,\n      \"prefill\": null,\n      \"decode\": null") &&
           strstr(models, "\"groups\": null,\n  \"memory\": null"),
       "without a deployment, what needs one is null");
    plan_fixture_free(&f);
}

static void test_candidates(void) {
    struct plan_fixture f;
    plan_fixture_make(&f, "g", 1, 0);
    struct plan_phase *p = &f.plan.operators.at[0].phase[PHASE_PREFILL];
    struct plan_candidate good = {.backend = "CPU_FLASH", .ok = true},
                          bad = {.backend = "CUDA_REF"};
    VEC_PUSH(&f.arena, &bad.reasons, "device");
    VEC_PUSH(&f.arena, &bad.texts, "device: wanted cpu, has {cuda}");
    VEC_PUSH(&f.arena, &p->candidates, good);
    VEC_PUSH(&f.arena, &p->candidates, bad);
    ok(strstr(emit_json(&f.arena, &f.plan, true).text,
              "        \"candidates\": [\n"
              "          {\"backend\": \"CPU_FLASH\", \"ok\": true, \"reasons\": []},\n"
              "          {\"backend\": \"CUDA_REF\", \"ok\": false, \"reasons\": [\"device\"]}\n"
              "        ]\n") != NULL,
       "candidates with their reasons, one a line");
    ok(!strstr(emit_json(&f.arena, &f.plan, false).text, "candidates"), "only when asked for");
    plan_fixture_free(&f);
}

int main(void) {
    jmp_buf out_of_memory;
    struct arena a;
    arena_init(&a, &out_of_memory);
    test_form(&a);
    test_strings(&a);
    test_numbers(&a);
    test_plan();
    test_candidates();
    arena_free(&a);
    return done_testing();
}
