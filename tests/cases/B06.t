#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B06: a block size that is not given comes from the backends; one that they do not take is an error
# that lists those that they do; backends that share a pool agree on one or are told that they cannot.
. "$(dirname "$0")/lib.sh"

# latent BACKEND_LINES: a model with a latent cache, served on cc 10.0.
latent() {
    cat >m.attn <<EOF
import "std/vllm.attn";
model m {
    layers = 2; heads = 32; dtype = bf16;
    mla { latent = 512; rope = 64; nope = 128; v = 128; }
}
deploy d {
    model = m; platform = cuda_100; max_seqs = 2; max_tokens = 256; max_batch_tokens = 64;
    $1
}
EOF
    attnc explain m.attn --json
}

latent "backend = FLASHINFER_MLA;"
exits 0 "a block size that is not given is found"
is "$(jq '.groups[0].block_size' "$WORK/out")" 64 "... 64, which is documented"
latent "backend = FLASHINFER_MLA; block_size = 16;"
exits 1 "one that the backend does not take is an error"
says "wanted 16" "... with the size"
says "{multiple_of 32, multiple_of 64}" "... and those that it takes"

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
