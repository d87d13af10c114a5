// SPDX-License-Identifier: Apache-2.0
// May this backend serve this operator in this phase? Every capability of the library and every
// `require` of the backend is asked; the answer lists all that fail, in declaration order.
#ifndef GEN_VERDICT_H
#define GEN_VERDICT_H

#include "gen/eval.h"

struct reason {
    const char *name;              // the capability, the rule's `as` name, or "file:line"
    const struct decl *capability; // NULL for a rule
    const struct ast_item *rule;   // NULL for a capability
    const struct decl *rule_of;    // the backend that wrote the rule
    bool quiet;                    // only follows from the kind: kept out of text, not out of JSON
    const char *wanted, *has;      // capability: "window 512", "no"; rule: its message, the values
    struct span answer;            // where the backend answers (or its name, when it does not)
    const char *missing;           // what could not be evaluated, or NULL
};
VEC_TYPE(reasons, struct reason);

struct verdict {
    bool ok;
    // An answer or a rule read deploy.block_size: it holds for s->block_size alone. (That the block
    // size itself is answered for does not count.) While it is `auto` and no candidate is set, a
    // rule that reads it fails, and the capability block_size is not asked.
    bool read_block;
    bool certain; // a reason was found before deploy.block_size was read: no size would help
    struct reasons reasons;
};

struct verdict verdict_of(const struct subject *s, const struct decl *backend);

// Single answers, for the parts of the compiler that need their value: the first line whose `when`
// holds; VALUE_BOOL no when none does or none is given. NAME is a capability, or one of device,
// layout, page_bytes, kernel_block, block_size, entry, write.
struct value backend_answer(const struct subject *s, const struct decl *backend, const char *name);
// `entry` and `write` are not inherited.
const char *backend_word(const struct decl *backend, const char *name); // or NULL
bool backend_is_family(const struct decl *backend);
// Does this block size pass the backend's kernel_block / block_size answers and all rules?
bool backend_takes_block(const struct subject *s, const struct decl *backend, int64_t block_size);

// What a backend states beside its answers to capabilities. X(name, vocabulary of its value)
#define BACKEND_ATTRS(X)                                                                           \
    X("entry", FREE)                                                                               \
    X("write", FREE)                                                                               \
    X("family", NONE)                                                                              \
    X("layout", LAYOUT)                                                                            \
    X("page_bytes", NONE)                                                                          \
    X("kernel_block", NONE)                                                                        \
    X("flags", FLAG)

bool capability_is_flag(const struct decl *capability);
// The answer where a backend gives none; false when it has to answer.
bool capability_default(const struct program *p, const struct decl *capability,
                        struct value *answer);
// The words that an answer is made of.
enum vocabulary answer_vocabulary(const struct program *p, const char *name);

// Checks of the declarations themselves, once per run, before anything is planned; a declaration
// with an error is poisoned. check_library: capabilities are well formed, the schema is closed.
// check_backends: platforms (known attributes of the right type), backends (known attributes,
// answers of the right type, every library capability answered, names in rules and flags, lines
// given twice or never counting), priorities (orders that name backends).
void check_library(const struct program *p);
void check_backends(const struct program *p);

#endif
