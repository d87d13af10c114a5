// SPDX-License-Identifier: Apache-2.0
// Deployments: every setting read, inherited (`extends`, the child's line wins) and, for each
// model, overridden by `for MODEL`. In: a deployment's declaration. Out: its models with their
// settings, the platform, and the lines that map operators to backends. Always: a setting is read
// or refused.
#ifndef GEN_SETTINGS_H
#define GEN_SETTINGS_H

#include "gen/model.h"
#include "gen/plan.h"

// Settings that are no deploy.* attributes. X(enumerator, "name", it is a block, one model may
// have its own)
#define SETTINGS(X)                                                                                \
    X(MODEL, "model", false, false)                                                                \
    X(PLATFORM, "platform", false, false)                                                          \
    X(PRIORITY, "priority", false, true)                                                           \
    X(BACKEND, "backend", false, true)                                                             \
    X(BACKEND_PER_KIND, "backend_per_kind", true, true)                                            \
    X(BACKEND_PER_LAYER, "backend_per_layer", true, true)                                          \
    X(KV_DTYPE_PER_KIND, "kv_dtype_per_kind", true, true)

enum setting {
#define SETTING(id, name, block, own) SETTING_##id,
    SETTINGS(SETTING)
#undef SETTING
        SETTING_COUNT
};

struct setting_line {
    const struct ast_item *item;
    const struct ast_items *from; // the items that it stands among: a repeat there is an error
    uint32_t depth;               // 0: the deployment itself, 1: its parent ...
};
VEC_TYPE(setting_lines, struct setting_line);

struct scope {                    // a deployment's own settings, or those of one `for` block
    const struct ast_name *model; // of `for`, else NULL
    struct setting_line attr[DEPLOY_ATTR_COUNT];
    struct setting_line line[SETTING_COUNT];
    struct setting_lines entries[SETTING_COUNT]; // of blocks, the child's first
    struct item_lines facts;                     // the child's first
    struct setting_lines fors;                   // `for` blocks, of the outer scope alone
};

// A line that maps operators to a backend.
struct mapping {
    const struct ast_item *item;
    enum decision level;
    const struct kind *kind; // KIND, KIND_PHASE
    bool has_phase;          // else both
    enum phase phase;
    const char *op;             // LAYER: the name after `as`, or NULL for every operator
    const struct decl *backend; // NULL: auto
    const struct scope *scope;
    const struct ast_items *from;
    bool inherited;           // stands in a parent
    bool replaced;            // a model's own line, or a child's, stands for it
    bool broken;              // its backend was refused: nothing is said of what it decides
    uint32_t rank;            // among lines for one layer: the higher wins
    uint32_t matches, uses;   // operators and phases it speaks of, and decides
    const struct mapping *by; // one that decides in its place somewhere, or NULL
};
VEC_TYPE(mappings, struct mapping *);

struct deployed_model {
    struct model model;
    uint32_t index;
    const struct scope *own; // its `for` block, or NULL
    struct deploy_attrs attrs;
    const struct value *kind_kv_dtype; // by kind: the setting that counts, or none
    bool all_priorities;
    VEC(const struct decl *) priorities; // admitted, unless all are
    struct mapping *fallback;
    struct mapping **by_kind; // by kind
    struct mapping *(*by_kind_phase)[PHASE_COUNT];
    struct mappings *by_layer; // by layer, the highest rank first; NULL without such lines
    // Settings that memory and tables need, as integers.
    int64_t max_seqs, max_tokens, max_batch_tokens, max_source_tokens, dcp, tp;
    bool has_source, has_cached;
    int64_t max_cached_tokens;
};

struct line_edit;

struct deployment {
    struct program *program;
    const struct decl *decl, *platform;
    const struct line_edit *edit; // a change that is tried, or NULL
    struct kinds kinds;
    struct scope *scope;
    VEC(struct scope *) scopes; // the outer one, then each `for`
    VEC(struct deployed_model *) models;
    struct mappings mappings; // all of them, for warnings
    bool mappings_good;       // else some line was refused
    enum decision lost;   // the highest level of a line of which nobody knows what it speaks for
    struct words devices; // of the platform
    struct words meant;   // settings that an unknown name, reported, was probably meant for
    bool unified;
    struct plan_int memory, flash;
};

bool deployment_read(struct program *p, const struct decl *decl, struct deployment *out);
// As if a line had been changed (edit.h); NULL: as it is.
bool deployment_read_edited(struct program *p, const struct decl *decl,
                            const struct line_edit *edit, struct deployment *out);
// The span that messages about a setting point at; the deployment's name when it is not given.
struct span setting_span(const struct deployment *d, const struct deployed_model *m,
                         enum deploy_attr attr);

#endif
