#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B06: a block size that is not given comes from the backends; one that does not fit is an error
# with those that do; groups of one pool need a common page, or it is an error.
. "$(dirname "$0")/lib.sh"

# blocks_of FILE: block sizes of all groups.
blocks_of() {
    attnc explain "$1" --json
    jq -r '[.groups[].block_size] | join(" ")' "$WORK/out"
}
latent='backend MLA {
    device = cpu; entry = vendor_mla; write = vendor_mla_write; layout = latent;
    kinds = mla_attention; phases = { prefill, decode }; dtype = f32; kv_dtype = f32;
    head_dim = any; v_head_dim = any; group = any; block_size = { 32, 64 }; mla = yes;
    flags = { lse };
}'
mla() {
    deployment "" "backend = MLA; $1" "$latent"
    sed -i 's|layers = 2;.*|layers = 2; heads = 4; dtype = f32; mla { latent = 512; rope = 64; nope = 128; v = 128; }|' d.attn
}
mla ""
is "$(blocks_of d.attn)" 64 "not given: the largest up to 64 that the backend takes"
mla "block_size = 16;"
attnc check d.attn
exits 1 "16 is refused"
says '`block_size`: wanted 16, has {32, 64}' "... listing 32 and 64"
size=$(sed -n 's/.*write `block_size = \([0-9]*\);`.*/\1/p' "$WORK/err")
is "$size" 64 "... and proposing one"
mla "block_size = $size;"
attnc check d.attn
exits 0 "... which compiles"

two='backend SMALL extends CPU_REF { entry = cpu_ref; write = cpu_kv; block_size = { 16, 32 }; }
backend LARGE extends CPU_REF { entry = cpu_ref; write = cpu_kv; block_size = { 64, 128 }; }
backend BOTH extends CPU_REF { entry = cpu_ref; write = cpu_kv; block_size = { 32, 128 }; }'
each='backend_per_kind { full_attention = SMALL; sliding_window = LARGE; }'
deployment "layer 1 { window = 32; }" "$each" "$two"
is "$(blocks_of d.attn)" "32 64" "groups with pages of their own have block sizes of their own"
deployment "layer 1 { window = 32; }" "pool = unified; $each" "$two"
attnc check d.attn
exits 1 "in one pool, {16, 32} and {64, 128} have no common page"
says '`full_attention` (layer 0) accepts pages of 16384 bytes (16 tokens), 32768 (32)' \
    "... the message says what one group accepts"
says '`sliding_window` (layer 1) accepts pages of 65536 bytes (64 tokens), 131072 (128)' \
    "... and the other"
deployment "layer 1 { window = 32; }" \
    "pool = unified; kv_dtype_per_kind { sliding_window = bf16; } $each" "$two"
attnc check d.attn
exits 1 "32 tokens of f32 and 64 of bf16 have equal bytes, but less than a page must have"
says "a page has at least 65536 bytes, what the largest group needs for 64 tokens" \
    "... and the message says how much"
deployment "layer 1 { window = 32; }" \
    "pool = unified; $(echo "$each" | sed 's/SMALL/BOTH/')" "$two"
is "$(blocks_of d.attn)" "128 128" "a page that all groups take is found"
deployment "" "backend_per_kind { full_attention = SMALL; full_attention.decode = LARGE; }" "$two"
attnc check d.attn
exits 1 "the phases of one group must share a block size"
says '`SMALL` accepts block_size {16, 32}' "... one side is named"
says '`LARGE` accepts block_size {64, 128}' "... and the other"
deployment "" "backend_per_kind { full_attention = SMALL; full_attention.decode = BOTH; }" "$two"
is "$(blocks_of d.attn)" 32 "... and get the one that both take"

# ---- vLLM

# settles LIST KEY VALUE NAME [OPTION...]: what vLLM settles on.
settles() {
    list=$1 want=$2=$3 name=$4
    shift 4
    attnc import vllm --resolve "$list" "$@"
    is "$(tr '\t' '\n' <"$WORK/out" | grep "^${want%%=*}=")" "$want" "$name"
}

settles FLASHINFER_MLA cache_block 32 "vLLM itself takes the smallest block of the list"
settles FLASH_ATTN cache_block 16 "... or begins with 16 where that is taken"
settles CPU_ATTN cache_block 128 "... on a CPU with 128" --platform vllm_cpu
settles B12X cache_block 128 "... or with what the backend prefers"
settles FLASH_ATTN,FLASHMLA cache_block 64 "two backends: the smallest block that both take"
settles FLASHINFER,CUTLASS_MLA cache_block 128 "16, 32 or 64 beside 128: blocks of 128 divide"
settles FLASHINFER,CUTLASS_MLA kernel_block none "... but no kernel block suits both"
says "CUTLASS_MLA" "... which is told, not silent"
says "kernel blocks of 16, 32, 64" "... with the blocks of each"
settles CPU_MLA,B12X cache_block none "16 exactly beside 64 or 128 exactly: no block"
settles FLASHINFER,FLASH_ATTN kernel_block 32 "pages of 544 are walked in blocks of 32" --block-size 544
settles FLEX_ATTENTION,CPU_ATTN layouts none "no layout in common is told"

# What vLLM settles on is written into the deployment.
printf '{"model_type": "deepseek_v3", "kv_lora_rank": 512, "qk_rope_head_dim": 64,\n "qk_nope_head_dim": 128, "v_head_dim": 128}' >config.json
attnc import vllm --model config.json --platform cuda_100 -w \
    --attention-config '{"backend": "FLASHINFER_MLA"}' -o d.attn
attnc explain d.attn --json
is "$(jq '.groups[0].block_size' "$WORK/out")" 32 "an imported deployment holds the block of vLLM"
done_testing
