// SPDX-License-Identifier: Apache-2.0
// Access to a table's parts, for the runtime's own files. A table is trusted once
// attn_table_check has passed: offsets stand inside it and counts fit the ABI; indexes found in
// classes and operators are checked where they are used.
#ifndef ATTN_CORE_TABLE_H
#define ATTN_CORE_TABLE_H

#include "attn/attn.h"

#include <stdbool.h>

// ATTN_OK when `table` is one of this ABI and can be read.
attn_status attn_table_check(const attn_table *table);

static inline const attn_class *attn_classes(const attn_table *table) {
    return (const attn_class *)(const void *)((const char *)table->data + table->data->classes);
}

static inline const attn_operator *attn_operators(const attn_table *table) {
    return (const attn_operator *)(const void *)((const char *)table->data +
                                                 table->data->operators);
}

static inline const attn_group *attn_groups(const attn_table *table) {
    return (const attn_group *)(const void *)((const char *)table->data + table->data->groups);
}

// Blocks of `group` that hold the first `length` tokens of a sequence; a state is one block.
static inline uint32_t attn_group_blocks(const attn_group *group, uint32_t length) {
    if (group->layout == ATTN_LAYOUT_STATE) {
        return length > 0;
    }
    return (uint32_t)(((uint64_t)length + group->block_size - 1) / group->block_size);
}

#endif
