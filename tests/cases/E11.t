#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E11: the same input gives the same bytes, whatever the run is like.
. "$(dirname "$0")/lib.sh"

# 200 models of four shapes: many groups, many names.
{
    echo 'import "std/cpu.attn";'
    i=0
    while [ $i -lt 200 ]; do
        echo "model m$i { layers = 2; heads = 2; head_dim = $((8 * (i % 4 + 1))); dtype = f32; layer 1 { window = $((i + 2)); } }"
        i=$((i + 1))
    done
    awk 'BEGIN { printf "deploy many { model = ["; for (i = 0; i < 200; i++) printf "%sm%d", i ? ", " : "", i
        print "]; platform = x86_64_v3; max_seqs = 1; max_tokens = 1K; max_batch_tokens = 16; }" }'
} >many.attn
attnc build many.attn -o first
exits 0 "400 operators in 400 groups are built"
is "$(jq '.groups | length' first/many.json)" 400 "... into 400 groups"
is "$(jq -c '[.operators[].model] == [range(200) as $i | range(2) | "m\($i)"]' first/many.json)" true \
    "... in the order of the source"
differ=0
for k in 1 2 3 4 5 6 7 8 9 10; do
    rm -rf again
    MALLOC_PERTURB_=$((k * 17)) HOME=/nonexistent/$k USER=u$k TZ=Asia/Kathmandu \
        "$ATTNC" build many.attn -o again >/dev/null 2>&1
    diff -r first again >/dev/null || differ=$((differ + 1))
done
is "$differ" 0 "10 runs with other heaps, homes and users: the same bytes"
rm -rf again
if setarch -R true 2>/dev/null; then
    setarch -R "$ATTNC" build many.attn -o again
    ok "without address randomisation: the same" diff -r first again
else
    point 0 "without address randomisation: the same # SKIP setarch -R is not allowed here"
fi
rm -rf again
mkdir elsewhere
(cd elsewhere && "$ATTNC" build "$PWD/../many.attn" -o ../again --prefix-map "$PWD/../=")
ok "from another folder, by an absolute path that is mapped: the same" diff -r first again
rm -rf again
(cd elsewhere && "$ATTNC" build ../many.attn -o ../again --prefix-map ../=)
ok "... and by a relative one" diff -r first again
done_testing
