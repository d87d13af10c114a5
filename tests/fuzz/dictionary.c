// SPDX-License-Identifier: Apache-2.0
// A dictionary for fuzzers, from the compiler's own tables: every mark and word of the language,
// and the name of every attribute, setting and library file. Out: one quoted string a line, as
// libFuzzer and AFL++ read them.
#include <stdio.h>
#include <string.h>

#include "gen/attrs.h"
#include "gen/program.h"
#include "gen/settings.h"
#include "grammar/token.h"

static void entry(const char *word) {
    putchar('"');
    for (; *word; word++) {
        if (*word == '"' || *word == '\\') {
            putchar('\\');
        }
        putchar(*word);
    }
    puts("\"");
}

// Names such as "mla.latent" come in parts, as the text has them.
static void parts(const char *name) {
    char part[64];
    const char *dot = strrchr(name, '.');
    snprintf(part, sizeof part, "%s", dot ? dot + 1 : name);
    entry(part);
}

int main(void) {
    for (size_t i = 0; i < TOKEN_COUNT; i++) {
        if (token_infos[i].fixed) {
            entry(token_infos[i].text);
        }
    }
    for (size_t i = 0; i < library_file_count; i++) {
        entry(library_files[i].name);
    }
#define OPERATOR(id, name, type, vocabulary, where) parts(name);
    OPERATOR_ATTRS(OPERATOR)
#undef OPERATOR
#define SETTING_NAME(id, name, ...) entry(name);
    DEPLOY_ATTRS(SETTING_NAME)
    PLATFORM_ATTRS(SETTING_NAME)
    SETTINGS(SETTING_NAME)
#undef SETTING_NAME
    return 0;
}
