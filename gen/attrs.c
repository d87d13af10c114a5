// SPDX-License-Identifier: Apache-2.0
// The tables behind attrs.h: name, type, vocabulary and place of every attribute, by enumerator.
#include "gen/attrs.h"

#include "gen/names.h"

const struct attr_info operator_attr_infos[ATTR_COUNT] = {
#define OPERATOR_ATTR(id, name, type, vocabulary, where)                                           \
    {name, TYPE_##type, VOCAB_##vocabulary, WHERE_##where},
    OPERATOR_ATTRS(OPERATOR_ATTR)
#undef OPERATOR_ATTR
};

#define PLAIN_ATTR(id, name, type, vocabulary) {name, TYPE_##type, VOCAB_##vocabulary, WHERE_ML},
const struct attr_info deploy_attr_infos[DEPLOY_ATTR_COUNT] = {DEPLOY_ATTRS(PLAIN_ATTR)};
const struct attr_info platform_attr_infos[PLATFORM_ATTR_COUNT] = {PLATFORM_ATTRS(PLAIN_ATTR)};
#undef PLAIN_ATTR

const char *const phase_names[PHASE_COUNT] = {"prefill", "decode"};

int attr_find(const struct attr_info *infos, int n, const char *name) {
    for (int i = 0; i < n; i++) {
        if (same_name(infos[i].name, name)) {
            return i;
        }
    }
    return -1;
}
