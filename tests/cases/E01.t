#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E01: an integer is exact or an error at its place that tells the range: never wrapped or clamped.
. "$(dirname "$0")/lib.sh"

window() {
    printf 'model m {\n    layers = 1; heads = 1; head_dim = 8; dtype = f32;\n    window = %s;\n}\n' "$1" >w.attn
    attnc check w.attn
}
for bad in 0xFFFFFFFF00000000 18446744073709551616 9223372036854775808 99999999999999999999999 \
    -1 0 08 0x 1_000 1.5 9007199254740993G 1e400; do
    window "$bad"
    ok "$bad: refused on line 3" grep -qE '^w\.attn:3:[0-9]+: error\[A0[0-9]{3}\]' "$WORK/err"
    exits 1 "... with status 1"
done
for bad in '9223372036854775807 + 1' '9223372036854775807 * 2' '1 / 0' '1 - 2' '5 / 2'; do
    window "$bad"
    ok "$bad: refused on line 3" grep -qE '^w\.attn:3:[0-9]+: error\[A0[0-9]{3}\]' "$WORK/err"
done
for good in 4294967296:4294967296 2147483647+1:2147483648 0x10:16 4.0:4 8K:8192 1G:1073741824 '(1K+2)/2:513'; do
    window "${good%:*}"
    if [ "$status" = 0 ]; then
        attnc explain w.attn --json
        is "$(jq -c '.operators[0].window' "$WORK/out")" "${good#*:}" "${good%:*} is exactly ${good#*:}"
    else
        ok "${good%:*} is refused with its range" grep -qE '^w\.attn:3:.*error.*[0-9]' "$WORK/err"
    fi
done
window 2147483648
before=$(cat "$WORK/out" "$WORK/err")
window '2147483647 + 1'
is "$(sed 's/:3:[0-9]*:/:/; /|/d' "$WORK/err")" "$(printf %s "$before" | sed 's/:3:[0-9]*:/:/; /|/d')" \
    "a sum is judged like the literal"
done_testing
