#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E14: time grows with the input, not with its square; large tokens and many errors are no trouble.
# Growth over a factor of four is measured in user time, the less of two runs: 4 is linear, 16 is
# quadratic, and the limit of 8 leaves room for a busy machine. bench/compile.sh has exact figures.
. "$(dirname "$0")/lib.sh"

if nm "$ATTNC" 2>/dev/null | grep -q __asan_init; then
    skip_all "sanitizers have a growth of their own"
fi
large() { awk -v shape="$1" -v n="$2" -f "$ROOT/bench/large.awk" >big.attn; }

# user_time ARGS: hundredths of a second, at least 1.
user_time() {
    best=
    for _ in 1 2; do
        t=$( { LC_ALL=C bash -c 'TIMEFORMAT=%U; time "$0" "$@" >/dev/null 2>&1' "$ATTNC" "$@"; } 2>&1)
        t=$(awk -v t="$t" 'BEGIN { printf "%d", t * 100 + 1 }')
        { [ -n "$best" ] && [ "$best" -le "$t" ]; } || best=$t
    done
    echo "$best"
}

for shape in layers:20000 blocks:10000 groups:1000 mappings:20000 backends:10000 lets:20000 models:1500 \
    deployments:1000 errors:20000; do
    n=${shape#*:}
    shape=${shape%:*}
    large "$shape" "$n"
    small=$(user_time check -w big.attn)
    large "$shape" $((4 * n))
    attnc check -w big.attn
    case $shape in errors) exits 1 "$((4 * n)) $shape are reported" ;; *) exits 0 "$((4 * n)) $shape compile" ;; esac
    big=$(user_time check -w big.attn)
    ok "... in time that grows as they do ($n: $small, $((4 * n)): $big hundredths of a second)" \
        [ "$big" -le $((8 * small + 8)) ]
done

large layers 20000
attnc build big.attn -o out
exits 0 "a table of 20,000 operators is built"
ok "... and compiles" timeout 60 "${CC:-gcc}" -std=c11 -I"$ROOT/runtime/include" -c -o t.o out/d.c

base='model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }'
{ printf '/*' && head -c 67108864 /dev/zero | tr '\0' 'x' && printf '*/\n%s\n' "$base"; } >big.attn
attnc check big.attn
exits 0 "a comment of 64 MiB"
{ printf 'model ' && head -c 1048576 /dev/zero | tr '\0' 'n' && printf ' { layers = 1; }\n'; } >big.attn
attnc check big.attn
exits 1 "a name of 1 MiB is an error"
ok "... with a place, and messages that can be read" \
    sh -c 'grep -q "^big.attn:1:" "$1" && [ "$(wc -c <"$1")" -lt 20000 ]' sh "$WORK/err"
{ head -c 10485760 /dev/zero | tr '\0' ' ' && printf '%s @\n' "$base"; } >big.attn
attnc check big.attn
exits 1 "an error at the end of a line of 10 MiB"
ok "... is shown in a few bytes" sh -c '[ "$(wc -c <"$1")" -lt 20000 ]' sh "$WORK/err"
awk 'BEGIN { for (i = 0; i < 1000000; i++) print "@" }' >big.attn
attnc check big.attn
exits 1 "a million errors"
is "$(grep -c 'error\[' "$WORK/err")" 20 "... are capped at 20"
attnc check --max-errors 0 big.attn
ok "... and at the limit of one file when all are asked for" [ "$(grep -c 'error\[' "$WORK/err")" -le 1001 ]
done_testing
