// SPDX-License-Identifier: Apache-2.0
// Reading one written attribute or setting: its expression is evaluated, its type and range are
// checked against the closed schema (attrs.h). In: the item. Out: a value of the right type, or a
// located error. A value that comes back is VALUE_NONE or what its type says, never anything else.
#ifndef GEN_ATTR_READ_H
#define GEN_ATTR_READ_H

#include "gen/eval.h"

#define ATTR_INT_MAX INT32_MAX         // tokens, heads, widths: what tables and kernels hold
#define ATTR_BYTES_MAX (INT64_MAX / 2) // so that a sum of two fits

#define ATTR_READ_AUTO 1u   // `auto` is allowed and reads as none
#define ATTR_READ_SIGNED 2u // the caller judges the lower end of an integer's range

// The value of `item` as `info` wants it; `none` is always allowed. False after an error.
bool attr_read(const struct program *p, const struct attr_info *info, const struct ast_item *item,
               unsigned how, struct value *out);

// The one message for an item that its place does not take; false, so that callers can pass it on.
bool item_misplaced(const struct program *p, const struct ast_item *item, const char *place);

#endif
