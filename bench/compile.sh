#!/bin/bash
# SPDX-License-Identifier: Apache-2.0
# What compiling costs. In: the compiler (build/attnc, or the first argument). Out: a table on stdout:
# for each shape of bench/large.awk user time and peak memory at four sizes, each the least of RUNS
# (5) runs, with the growth at each doubling; then a tiny file and 1,000 layers, checked and built.
# Fails when a doubling costs more than 2.2 times, where the time is long enough to be measured.
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
for shape in layers blocks groups mappings backends lets models deployments errors; do
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
# By perf, for times below the clock tick of the above: milliseconds of processor time.
task() {
    perf stat -r "$runs" -x, -e task-clock "$@" 2>&1 >/dev/null | awk -F, '/task-clock/ { printf "%.2f", $1 }'
}
if command -v perf >/dev/null; then
    echo 'model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }' >"$work/tiny.attn"
    echo "check a model of one layer: $(task "$attnc" check "$work/tiny.attn") ms"
    for shape in layers blocks; do
        awk -v shape=$shape -v n=1000 -f bench/large.awk >"$input"
        echo "check 1000 layers ($shape): $(task "$attnc" check "$input") ms"
        echo "build 1000 layers ($shape): $(task "$attnc" build "$input" -o "$work/out") ms"
    done
fi
exit "$failed"
