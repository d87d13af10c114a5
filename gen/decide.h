// SPDX-License-Identifier: Apache-2.0
// What is known of a deployment while it is being decided: its operators one after the other, the
// backend of each phase, the cache groups. Read and written by select, groups, reject, memory and
// planner; the plan is copied from it at the end.
#ifndef GEN_DECIDE_H
#define GEN_DECIDE_H

#include "gen/intern.h"
#include "gen/settings.h"
#include "gen/size.h"
#include "gen/verdict.h"

#define DEVICES_MAX 32 // of a platform: one bit each

struct cache_group;
struct rejection;

// Does a ruling agree with what a group has fixed, and if not, in what not?
enum fit { FIT_YES, FIT_DEVICE, FIT_BLOCK, FIT_LAYOUT };

// What one backend says to operators of one attribute set, in one phase.
struct ruling {
    struct deployed_model *m;
    const struct attr_set *set;
    uint32_t set_id; // number of the set among those of all models
    enum phase phase;
    const struct decl *backend;
    bool ok;
    struct reasons reasons; // why not
    uint32_t devices;       // bits of the platform's devices that it runs on
    struct value layout;    // its answer, unless that reads the block size
    bool layout_reads_block;
    int64_t asked_block; // the last block size asked about, and the answers
    bool takes_block;
    struct value block_layout;
    const struct cache_group *in, *refused; // the group that holds it; one that it never fits,
    enum fit refusal;                       // and why
    uint32_t mark;                          // scratch of remedy.c
    const char *signature;                  // text of all reasons; NULL until asked for
};

struct phase_choice {
    bool present;                  // the kind has the phase
    bool automatic;                // no line, or `auto`
    const struct mapping *mapping; // the line that counts, or NULL
    struct ruling *ruling;         // of the backend chosen, or of the one refused
    bool chosen;
};

struct op {
    struct deployed_model *m;
    const struct model_operator *o;
    const struct attr_set *set;
    uint32_t set_id;
    uint32_t owner; // among all operators
    uint32_t devices;
    struct phase_choice phase[PHASE_COUNT];
    struct cache_group *group; // NULL without a cache
};

struct cache_group {
    uint32_t index;
    struct deployed_model *m;
    const struct kind *kind;
    const struct operator_attrs *attrs; // of its first operator: what the cache depends on is equal
    VEC(uint32_t) ops;                  // owners in order, then sharers
    uint32_t owners;
    uint32_t devices;
    VEC(struct ruling *) members; // distinct, in the order in which they were fixed
    uint32_t candidate;           // number of the first block size that all members take
    struct value layouts;         // that all members accept at it: words, or any
    bool broken;                  // a conflict was reported
    // decided at the end
    int64_t block_size;
    const char *layout;              // NULL: none yet, or a state
    struct size page, blocks, bytes; // one block of one operator; blocks; all operators' bytes
};

// An error for which changes are tried when all is known: a refused choice, a choice that does not
// agree with others (`op`), or groups that cannot share a pool (neither).
struct open_error {
    struct diag *diag;
    const struct rejection *rejection;
    const struct op *op;
    enum phase phase;
};

struct decider {
    struct program *p;
    struct deployment *d;
    bool good;
    VEC(struct open_error) open_errors;
    VEC(struct op) ops;
    VEC(struct cache_group *) groups;
    VEC(struct ruling *) rulings;
    struct intern ruling_table;
    uint32_t n_sets;
    uint32_t marks;                 // of rulings, one for each look for remedies
    struct preference *preferences; // by set and phase: see preference.h
};

struct subject subject_of(const struct decider *c, const struct deployed_model *m,
                          const struct attr_set *set, enum phase phase);

#endif
