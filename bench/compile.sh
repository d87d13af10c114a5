#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What compiling costs. In: the compiler (build/attnc, or the first argument). Out: a table on stdout:
# for each shape of bench/large.awk user time and peak memory at four sizes, each the least of RUNS
# (5) runs, with the growth at each doubling; then a tiny file and 1,000 layers, checked and built. SHAPES (all)
# picks among the shapes. Fails when a doubling costs more than 2.2 times, where the time is long
# enough to be measured, or when 1,000 layers take 20 ms.
set -euo pipefail
cd "$(dirname "$0")/.."
attnc=$(realpath "${1:-build/attnc}")
runs=${RUNS:-5}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
input=$work/big.attn
failed=0

# least COMMAND...: "milliseconds kilobytes" of user time and peak memory.
least() {
    for ((i = 0; i < runs; i++)); do
        /usr/bin/time -f '%U %M' -o "$work/time" "$@" >/dev/null 2>&1 || true
        tail -n 1 "$work/time"
    done | sort -n | head -n 1 | awk '{ printf "%d %d\n", $1 * 1000, $2 }'
}

printf '%-12s %7s %8s %8s  %s\n' shape n ms MiB growth
for shape in ${SHAPES-layers blocks groups mappings backends lets models deployments errors}; do
    last=
    for n in 10000 20000 40000 80000; do
        awk -v shape=$shape -v n=$n -f bench/large.awk >"$input"
        read -r ms kib < <(least "$attnc" check -w "$input")
        growth=$(awk -v a="${last:-0}" -v b="$ms" 'BEGIN { if (a) printf "%.2f", b / a }')
        printf '%-12s %7d %8d %8d  %s\n' $shape $n "$ms" $((kib / 1024)) "$growth"
        if [[ -n $last && $last -ge 100 ]] && awk -v g="$growth" 'BEGIN { exit !(g > 2.2) }'; then
            failed=1
        fi
        last=$ms
    done
done

echo
mkdir "$work/out"
# By perf, for times below the clock tick of the above: least and median processor time of 50 runs.
limit=20 # milliseconds, for 1,000 layers
task() {
    for ((i = 0; i < 50; i++)); do
        perf stat -x, -e task-clock "${@:2}" 2>&1 >/dev/null | awk -F, '/task-clock/ { print $1 }'
    done | sort -n | awk -v what="$1" -v limit=$limit '
        { t[NR] = $1 }
        END { printf "%s: least %.2f ms, median %.2f ms\n", what, t[1], t[int((NR + 1) / 2)]; exit t[1] >= limit }'
}
if command -v perf >/dev/null; then
    echo 'model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }' >"$work/tiny.attn"
    task "check a model of one layer" "$attnc" check "$work/tiny.attn" || failed=1
    for shape in layers blocks; do
        awk -v shape=$shape -v n=1000 -f bench/large.awk >"$input"
        task "check 1000 layers ($shape)" "$attnc" check "$input" || failed=1
        task "build 1000 layers ($shape)" "$attnc" build "$input" -o "$work/out" || failed=1
    done
fi
exit "$failed"
