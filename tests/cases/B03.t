#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B03: a pair of model and cache dtype that the compiler accepts is one that has a kernel: what is
# accepted is built and its instances compile. Names of cache dtypes are known or a located error.
# (Every other combination: tests/kernels/test_sweep.c, generated from the same rules.)
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
pair() { # BACKEND DTYPE KV_DTYPE
    deployment "" "backend = $1; kv_dtype = $3;"
    sed -i "s/64; dtype = f32;/64; dtype = $2;/" d.attn
    attnc build d.attn -o "$1_$2_$3"
}
kernels=""
for dtype in f32 bf16 f16; do
    for kv in f32 bf16 f16 fp8_e4m3 int8 fp8_e5m2 fp8 int4 nvfp4; do
        pair CPU_REF $dtype $kv
        case $kv in
        fp8_e5m2 | fp8 | int4 | nvfp4)
            exits 1 "CPU_REF, $dtype with a cache of $kv: refused"
            says "\`kv_dtype\`: wanted $kv" "... by the pair"
            ;;
        *)
            exits 0 "CPU_REF, $dtype with a cache of $kv: accepted"
            kernels="$kernels CPU_REF_${dtype}_$kv/d_kernels.c"
            ;;
        esac
    done
done
for kv in fp8_e4m3 int8; do
    pair CPU_FLASH bf16 $kv
    exits 1 "CPU_FLASH, bf16 with a cache of $kv: refused, although CPU_REF has it"
done
# shellcheck disable=SC2086
ok "what was accepted has kernels: all instances compile" \
    "$cc" -std=c11 -fsyntax-only "-I$ROOT/runtime/include" $kernels

for name in fp16 fp32 FP8 bfloat16 fp9; do
    deployment "" "kv_dtype = $name;"
    attnc check d.attn
    refused d.attn:9:16 "unknown cache dtype \`$name\`" "$name is no cache dtype"
done
for name in '""' '"FP8"' 8; do
    deployment "" "kv_dtype = $name;"
    attnc check d.attn
    refused d.attn:9:16 "takes a word" "$name is no word"
done
for name in fp8_ds_mla int8_per_token_head; do
    deployment "" "kv_dtype = $name;"
    attnc check d.attn
    refused d.attn:8:13 "no backend accepts" "$name is known, but served by no backend of the library"
done
done_testing
