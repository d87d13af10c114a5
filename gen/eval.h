// SPDX-License-Identifier: Apache-2.0
// Evaluation of expressions: constants in models and deployments, and rules in backends, kinds,
// capabilities and priorities, per operator and phase. LANGUAGE.md "Names in rules" is the
// contract.
#ifndef GEN_EVAL_H
#define GEN_EVAL_H

#include "gen/attrs.h"
#include "gen/program.h"
#include "gen/value.h"

// An operator's attributes with defaults applied; what does not apply is VALUE_NONE.
struct operator_attrs {
    // at[ATTR_DEMAND] holds the operator's `demand` setting alone: rules that read layer.demand get
    // every flag demanded, by whatever route (demands_of).
    struct value at[ATTR_COUNT];
    bool kv_dtype_left; // the deployment left kv_dtype to the model: `auto` in an answer accepts it
};

struct deploy_attrs {
    struct value at[DEPLOY_ATTR_COUNT]; // for one model: `for MODEL` already applied
    const struct decl *platform;
    struct item_lines facts; // `fact` lines of the deployment, which override the platform's
};

// What a rule is asked about. Parts that do not apply are NULL.
struct subject {
    const struct program *program;
    const struct operator_attrs *layer;
    const struct operator_attrs
        *model;                      // model-level attributes, defaults applied where independent
    const struct value *model_kinds; // VALUE_SET of the kinds in the model
    const struct deploy_attrs *deploy;
    enum phase phase;
    bool has_phase;
    int64_t block_size; // candidate for deploy.block_size; 0 = use deploy's own value
    bool *read_block;   // set to true when deploy.block_size was read; may be NULL
};

// Is `word` of the vocabulary? Open ones (DEVICE, LAYOUT: vendors name their own) know the words
// that occur in declarations. `words` for suggestions, sorted by declaration.
bool vocab_has(const struct program *p, enum vocabulary v, const char *word);
VEC_TYPE(words, const char *);
struct words vocab_words(const struct program *p, enum vocabulary v);
const char *vocab_noun(enum vocabulary v); // what a word of it is called: "cache dtype"
// Bytes of a cache or compute dtype as a rational (int4 is 1/2); false when the size is unknown.
bool dtype_bytes(const char *dtype, struct rational *bytes);

// Evaluates `e`. `scope` is the backend (or priority, or NULL) whose `let`s bare names see; bare
// names that are no `let` are words of `expected`. Nothing is reported: what cannot be evaluated is
// a failure that carries what was missing. Unknown names are found by check_library and
// check_backends, before anything is evaluated.
struct value eval(const struct subject *s, const struct decl *scope, const struct ast_expr *e,
                  enum vocabulary expected);
// A condition: a failure does not hold.
bool eval_holds(const struct subject *s, const struct decl *scope, const struct ast_expr *when);
// Constant expression of a model or deployment: no rule names; errors are reported. Returns false
// (and reports) on a failure.
bool eval_constant(const struct program *p, const struct ast_expr *e, enum vocabulary expected,
                   struct value *out);
// Every flag demanded of the subject's operator, by whatever route (settings of operator and
// deployment, capabilities whose `when` holds): a set, in the order of the capabilities.
struct value demands_of(const struct subject *s);
// "layer.head_dim is 96, platform.npu_fw is 2.8": the value of each name in a rule, for messages.
const char *eval_names_text(const struct subject *s, const struct decl *scope,
                            const struct ast_expr *e);

#endif
