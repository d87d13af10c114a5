#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B07: sinks are a capability of backend, architecture and cache dtype. `auto` takes a backend that
# has them, a forced one without them is an error that names the sink, and they are never dropped.
# (The GPU half is tested on the rules of std/cuda.attn.)
. "$(dirname "$0")/lib.sh"

# sinks PLATFORM SETTINGS DECLARATIONS: a model with sinks, head_dim 64, 64 query and 8 KV heads.
sinks() {
    deployment "sink_tokens = 1; sink_logits = yes;" "$2" 'import "std/cuda.attn";
platform t4 { device = cuda; cc = 7.5; smem = 64K; }
platform b200 { device = cuda; cc = 10.0; smem = 227K; }
'"$3"
    sed -i "s/heads = 4; kv_heads = 2; head_dim = 64; dtype = f32;/heads = 64; kv_heads = 8; head_dim = 64; dtype = bf16;/; s/platform = x86_64_v3/platform = $1/" d.attn
}
for target in t4/CUDA_REF/CUDA_REF a100/CUDA_FLASH/CUDA_SPLITKV h100/CUDA_HOPPER/CUDA_HOPPER \
    b200/CUDA_FLASH/CUDA_SPLITKV x86_64_v3/CPU_FLASH/CPU_FLASH; do
    sinks "${target%%/*}" "" ""
    attnc check d.attn
    exits 0 "${target%%/*}: auto finds a backend with sinks"
    attnc explain d.attn --json
    is "$(jq -r '[.operators[] | "\(.kind) \(.sink_tokens) \(.sink_logits) \(.prefill.backend)/\(.decode.backend)"]
        | unique | join(" ")' "$WORK/out")" "sink_full_attention 1 true ${target#*/}" \
        "... and the sinks are kept"
done

plain='backend PLAIN extends CUDA_FLASH { flags = { window, softcap, lse }; }'
sinks a100 "backend = PLAIN;" "$plain"
attnc build d.attn -o out
exits 1 "a forced backend without sinks is refused"
says '`sink_logits`: wanted yes, has no' "... naming the sink"
says 'backends that accept all of it: ' "... with those that have them"
ok "... and nothing is written" test ! -e out

by_cache='backend FP8 extends CUDA_FAMILY {
    head_dim = any; v_head_dim = any; dtype = bf16;
    kv_dtype = { bf16, fp8_e4m3 };
    flags    = { window, lse, sink_tokens when layer.kv_dtype == bf16,
                 sink_logits when layer.kv_dtype == bf16 and platform.cc >= 9.0 };
}'
sinks h100 "backend = FP8; kv_dtype = fp8_e4m3;" "$by_cache"
attnc check d.attn
exits 1 "a path for fp8 that lacks sinks is refused"
says '`sink_logits`: wanted yes, has no' "... naming the sink"
sinks h100 "backend = FP8; kv_dtype = bf16;" "$by_cache"
attnc check d.attn
exits 0 "the same backend is taken with a bf16 cache"
sinks a100 "backend = FP8; kv_dtype = bf16;" "$by_cache"
attnc check d.attn
exits 1 "... but not on an architecture on which it has no sinks"
says '`sink_logits`: wanted yes, has no' "... naming the sink"
done_testing
