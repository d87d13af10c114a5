// SPDX-License-Identifier: Apache-2.0
// Names of other engines' settings. In and out: see foreign.h.
// Nothing here changes what is decided: a foreign name is an error, a foreign variable a warning.
#include "gen/foreign.h"

#include <string.h>

const char *foreign_name(const char *where, const char *name) {
    static const struct {
        const char *theirs, *where, *ours;
    } rows[] = {
#define FOREIGN_NAME(theirs, where, ours) {theirs, where, ours},
        FOREIGN_NAMES(FOREIGN_NAME)
#undef FOREIGN_NAME
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (strcmp(rows[i].where, where) == 0 && strcmp(rows[i].theirs, name) == 0) {
            return rows[i].ours;
        }
    }
    return NULL;
}

void foreign_environment(struct diags *d, char *(*get)(const char *name)) {
    static const struct {
        const char *variable, *setting;
    } rows[] = {
#define FOREIGN_VARIABLE(variable, setting) {variable, setting},
        FOREIGN_ENVIRONMENT(FOREIGN_VARIABLE)
#undef FOREIGN_VARIABLE
    };
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        if (get(rows[i].variable)) {
            struct diag *g = diag_add_global(
                d, DIAG_A0712, "environment variable `%s` is set, but attnc does not read it",
                rows[i].variable);
            diag_help(d, g, "set `%s` in the deployment", rows[i].setting);
        }
    }
}
