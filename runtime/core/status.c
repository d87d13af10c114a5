// SPDX-License-Identifier: Apache-2.0
// The text of each status, from the rows of the ABI header. In: any number. Out: one line, never
// NULL, also for numbers that no status has.
#include "attn/abi.h"

const char *attn_status_text(attn_status status) {
    switch (status) {
#define STATUS_TEXT(name, value, text)                                                             \
    case name:                                                                                     \
        return text;
        ATTN_STATUSES(STATUS_TEXT)
#undef STATUS_TEXT
    }
    return "unknown status";
}
