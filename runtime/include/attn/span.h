/* SPDX-License-Identifier: Apache-2.0
 * Every mask as one interval of keys: row p of a sequence sees keys [lo, hi), and both bounds never
 * decrease as p grows. Sink rows are visible besides. Pure functions of the operator's constants,
 * for C, CUDA and tests; with constants known at compile time they fold away.
 * Source: facts of the field; causal rows are aligned to the bottom right, per sequence.
 */
#ifndef ATTN_SPAN_H
#define ATTN_SPAN_H

#include <stdint.h>

#ifndef ATTN_FN
#define ATTN_FN static inline
#endif

typedef struct attn_span {
    int32_t lo, hi; /* lo <= hi; equal when the row sees nothing */
} attn_span;

/* p: position of the query (k_len - q_len + row, may be negative), k_len: keys of the sequence.
   left, right: bounds behind and ahead of p, negative = none; chunk: 0 = none. */
ATTN_FN attn_span attn_span_of(int32_t p, int32_t k_len, int32_t left, int32_t right,
                               uint32_t chunk) {
    attn_span s = {0, k_len};
    if (right >= 0 && (int64_t)p + right + 1 < s.hi) {
        s.hi = p + right + 1;
    }
    if (left >= 0 && p > left) {
        s.lo = p - left;
    }
    if (chunk > 0 && p > 0) {
        int32_t start = (int32_t)((uint32_t)p - (uint32_t)p % chunk);
        if (start > s.lo) {
            s.lo = start;
        }
        if ((int64_t)start + chunk < s.hi) {
            s.hi = (int32_t)(start + chunk);
        }
    }
    if (s.hi < 0) {
        s.hi = 0;
    }
    if (s.lo > s.hi) {
        s.lo = s.hi;
    }
    return s;
}

/* Of adjacent rows, the first and last of which see `first` and `last`: the keys that some row
   sees, without gaps, and the keys that every row sees (empty when lo >= hi). A tile of keys is
   visited when it meets the former and needs no mask when it lies in the latter. */
ATTN_FN attn_span attn_span_union(attn_span first, attn_span last) {
    attn_span s = {first.lo, last.hi > first.hi ? last.hi : first.hi};
    return s;
}

ATTN_FN attn_span attn_span_common(attn_span first, attn_span last) {
    attn_span s = {last.lo, first.hi};
    return s;
}

/* Parts that one row tile's keys are split into, for parallel work. length: keys that the tile sees
   (never the whole context of a windowed operator), units: row tiles times KV heads of the call,
   most: parts that may exist at once, of all units. One when there is work enough without. */
#define ATTN_SPLIT_LEAST 256u /* keys in a part: below, merging costs more than it saves */
ATTN_FN uint32_t attn_split_count(uint32_t length, uint32_t units, uint32_t most) {
    uint32_t by_room = units > 0 ? most / units : 1;
    uint32_t by_length = length / ATTN_SPLIT_LEAST;
    uint32_t parts = by_room < by_length ? by_room : by_length;
    return parts > 1 ? parts : 1;
}

#endif
