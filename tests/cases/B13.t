#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B13: query heads are a multiple of KV heads, both are positive: anything else is a compile error
# with both numbers.
. "$(dirname "$0")/lib.sh"

for try in 33/2 3/2 8/16 8/0 0/0 8/-1; do
    deployment "" ""
    sed "s|heads = 4; kv_heads = 2;|heads = ${try%/*}; kv_heads = ${try#*/};|" d.attn >x.attn
    attnc check x.attn
    exits 1 "$try is refused"
    case $try in *0 | *-*) says "${try#*/}" "... with the number" ;;
    *) ok "... with both numbers" grep -qE "error.*\b${try%/*}\b.*\b${try#*/}\b" "$WORK/err" ;;
    esac
done
for try in 71/1 14/2 96/8; do
    deployment "" ""
    sed "s|heads = 4; kv_heads = 2;|heads = ${try%/*}; kv_heads = ${try#*/};|" d.attn >x.attn
    attnc check x.attn
    exits 0 "$try is accepted"
done
done_testing
