#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# D07: memory is planned kind by kind: a windowed layer keeps its window, a sharer nothing, a state
# does not grow. The shape is gpt-oss's: 24 layers, 8 KV heads of 64, two bytes, context 131072.
. "$(dirname "$0")/lib.sh"

gpt_oss() { # $1: items of the model, $2: the context
    cat >g.attn <<EOF
import "std/cpu.attn";
model m {
    layers = 24; heads = 64; kv_heads = 8; head_dim = 64; dtype = bf16;
    $1
}
deploy d {
    model = m; platform = x86_64_v3; max_seqs = 1; max_tokens = $2; max_batch_tokens = 1;
    block_size = 16;
}
EOF
    attnc explain g.attn --json
}
bytes() { # of the groups of kind $1
    jq "[.groups[] | select(.kind == \"$1\") | .bytes] | add // 0" "$WORK/out"
}

gpt_oss "" 128K
is "$(jq .memory.kv_bytes "$WORK/out")" $((6 << 30)) "all layers full: 6 GiB"
is "$(jq '.groups[0].page_bytes / .groups[0].block_size' "$WORK/out")" 2048 "2048 bytes a token and layer"

gpt_oss "layer 0..22 step 2 { window = 128; }" 128K
is "$(bytes full_attention)" $((3 << 30)) "every second layer full: 3 GiB"
# 128 keys lie in at most ceil((128 + 1 - 2) / 16) + 1 = 9 blocks.
is "$(bytes sliding_window)" $((12 * 9 * 16 * 2048)) "the others keep nine blocks of 16 tokens each"
is "$(jq .memory.kv_bytes "$WORK/out")" $(((3 << 30) + 12 * 9 * 16 * 2048)) "together 3 GiB and 3.4 MiB"

gpt_oss "layer 12..23 { kv_share = 11; }" 128K
is "$(bytes full_attention)" $((3 << 30)) "layers that share a cache add nothing"

# heads x head_dim x state, and conv - 1 rows of heads x head_dim + 2 x groups x state, in f32
state=$((4 * (8 * 64 * 16 + 3 * (8 * 64 + 2 * 16))))
for context in 4K 128K; do
    gpt_oss "layer 0..22 step 2 {
        ssm { type = mamba2; heads = 8; head_dim = 64; state = 16; groups = 1; conv = 4; dtype = f32; }
    }" $context
    is "$(bytes mamba)" $((12 * state)) "states: the same at a context of $context"
done
done_testing
