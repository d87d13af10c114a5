// SPDX-License-Identifier: Apache-2.0
// What differs between two plans: each change once, gathered over layers, and nothing where nothing
// differs.
#include "gen/diff.h"
#include "tests/tap.h"
#include "tests/unit/plan_fixture.h"

// Two equal plans, to change one of them.
struct sides {
    struct plan_fixture old, new;
};

static void sides_make(struct sides *s) {
    plan_fixture_make(&s->old, "a", 12, 6);
    plan_fixture_make(&s->new, "b", 12, 6);
}

static void differs_by(struct sides *s, const char *want, const char *name) {
    struct diff d;
    struct text t = text_of(&s->old.arena);
    diff_plans(&s->old.arena, &s->old.plan, &s->new.plan, &d);
    diff_text(&t, &d);
    is_str(text_string(&t), want, name);
    plan_fixture_free(&s->old);
    plan_fixture_free(&s->new);
}

static void test_operators(void) {
    struct sides s;
    sides_make(&s);
    differs_by(&s, "", "equal plans of two deployments: nothing");

    sides_make(&s);
    for (size_t i = 0; i < 12; i++) {
        struct plan_phase *p = &s.new.plan.operators.at[i].phase[PHASE_DECODE];
        p->backend = i % 6 == 5 ? p->backend : "CPU_REF";
    }
    differs_by(&s, "layers 0..4, 6..10: decode CPU_FLASH -> CPU_REF (kind)\n",
               "equal changes of several layers are one line");

    sides_make(&s);
    for (int p = 0; p < PHASE_COUNT; p++) {
        s.new.plan.operators.at[3].phase[p].decided_by = DECIDED_LAYER;
    }
    differs_by(&s, "layer 3: prefill and decode CPU_FLASH, decided by kind -> layer\n",
               "the same backend, decided by something else");

    sides_make(&s);
    s.new.plan.operators.at[3].phase[PHASE_PREFILL].decided_by = DECIDED_AUTO;
    s.new.plan.operators.at[3].phase[PHASE_PREFILL].backend = "CPU_REF";
    s.new.plan.operators.at[3].phase[PHASE_DECODE].backend = NULL;
    differs_by(&s,
               "layer 3: prefill CPU_FLASH -> CPU_REF (kind -> auto)\n"
               "layer 3: decode CPU_FLASH -> none\n",
               "phases apart");

    sides_make(&s);
    s.new.plan.operators.at[5].window = given(128);
    s.new.plan.operators.at[11].window = given(128);
    s.new.plan.operators.at[11].kv_dtype = "int8";
    s.new.plan.operators.at[0].scale = number_int(1);
    s.new.plan.operators.at[0].sink_logits = true;
    VEC_PUSH(&s.new.arena, &s.new.plan.operators.at[0].demand, "sink_logits");
    differs_by(&s,
               "layers 5, 11: window none -> 128\n"
               "layer 0: sink_logits no -> yes\n"
               "layer 0: scale 1/16 -> 1\n"
               "layer 0: demand none -> sink_logits\n"
               "layer 11: kv_dtype bf16 -> int8\n",
               "field by field");
}

static void test_matching(void) {
    struct sides s;
    sides_make(&s);
    s.new.plan.operators.len = 10;
    s.old.plan.operators.at[1].op = "cross";
    differs_by(&s,
               "layer 1, cross: removed, sliding_window\n"
               "layer 10, self: removed, sliding_window\n"
               "layer 11, self: removed, full_attention\n"
               "layer 1, self: added, sliding_window\n",
               "operators of one side only");

    sides_make(&s);
    s.new.plan.models.at[0] = "other";
    for (size_t i = 0; i < 12; i++) {
        s.new.plan.operators.at[i].model = "other";
    }
    differs_by(&s, "deployment: model m -> other\n", "the only models of both sides are compared");
}

static void test_sums(void) {
    struct sides s;
    sides_make(&s);
    struct plan *p = &s.new.plan;
    p->groups.at[0].block_size = 32;
    p->groups.at[0].blocks = given(48);
    p->groups.at[0].page_bytes = (struct plan_int){0};
    p->platform = "board";
    p->max_seqs = 4;
    p->kv_bytes = given(INT64_C(5) << 20);
    s.old.plan.kv_bytes = given(INT64_C(4) << 20);
    p->budget_bytes = (struct plan_int){0};
    differs_by(&s,
               "deployment: platform host -> board\n"
               "deployment: max_seqs 2 -> 4\n"
               "group sliding_window: block size 64 -> 32\n"
               "group sliding_window: page bytes 65536 (64 KiB) -> none\n"
               "group sliding_window: blocks 24 -> 48\n"
               "memory: caches 4194304 (4 MiB) -> 5242880 (5 MiB)\n"
               "memory: budget 1073741824 (1 GiB) -> none\n",
               "limits, groups, memory");

    sides_make(&s);
    s.new.plan.groups.at[1].name = "full_attention_2";
    s.new.plan.groups.at[1].bytes = (struct plan_int){0};
    differs_by(&s,
               "layers 5, 11: group full_attention -> full_attention_2\n"
               "group full_attention: removed, 4194304 (4 MiB)\n"
               "group full_attention_2: added, unknown size\n",
               "groups of one side only");
}

int main(void) {
    test_operators();
    test_matching();
    test_sums();
    return done_testing();
}
