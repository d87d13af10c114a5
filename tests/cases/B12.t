#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B12: shared memory is a formula of the tile, head size and element, held against the platform's
# limit: a smaller tile is taken where one fits, and the refusal shows the numbers. (Tested on the
# rules of std/cuda.attn; that the kernel asks for the same bytes is the kernels' test.)
. "$(dirname "$0")/lib.sh"

# on SMEM CC HEAD_DIM DTYPE BACKEND: that backend for prefill on such a device.
on() {
    deployment "" "backend_per_kind { full_attention.prefill = $5; }" 'import "std/cuda.attn";
platform gpu { device = cuda; cc = '"$2"'; smem = '"$1"'; }
backend ANY_CC extends CUDA_FAMILY {            // the tile rule of CUDA_FLASH without its others
    dtype = { f32, f16, bf16 }; kv_dtype = { f32, f16, bf16 };
    head_dim = any; v_head_dim = any;
    let row_bytes = (2 * layer.head_dim + layer.v_head_dim) * bytes(layer.dtype);
    let tile = 64 when 64 * row_bytes <= platform.smem;
    let tile = 32 when 32 * row_bytes <= platform.smem;
    let tile = 16;
    require tile * row_bytes <= platform.smem : "the tiles must fit shared memory" as smem;
}'
    sed -i "s/head_dim = 64; dtype = f32;/head_dim = $3; dtype = $4;/; s/platform = x86_64_v3/platform = gpu/" d.attn
    attnc check d.attn
}
# Q, K and V rows of 512 values of bf16 take 3072 bytes: tiles of 64, 32 and 16 rows.
on 65536 8.0 512 bf16 CUDA_FLASH
exits 0 "bf16, head_dim 512 with 65536 B: the tile of 16 rows (49152 B) fits"
on 101376 8.6 512 bf16 CUDA_FLASH
exits 0 "... with 101376 B: 32 rows (98304 B)"
on 101376 12.0 512 bf16 CUDA_FLASH
exits 0 "... also on compute capability 12.0"
on 49151 8.0 512 bf16 CUDA_FLASH
exits 1 "one byte less than the smallest tile needs is refused"
says "the Q, K and V tiles must fit shared memory" "... by the rule on shared memory"
says "platform.smem is 49151" "... with the limit"
says "is 16" "... and the tile"
on 49152 8.0 512 bf16 CUDA_FLASH
exits 0 "exactly the limit is accepted"
on 65536 7.5 512 bf16 CUDA_FLASH
exits 1 "compute capability 7.5 lacks the instruction"
says "mma.sync with bf16 needs compute capability 8.0; platform.cc is 7.5" "... and the message says so"
on 65536 7.5 512 bf16 CUDA_REF
exits 0 "... but the scalar kernels serve head_dim 512 there"

on 101376 8.6 256 f32 ANY_CC
exits 0 "f32, head_dim 256 with 101376 B: 32 rows (98304 B), not a larger tile"
on 98303 8.6 256 f32 ANY_CC
exits 0 "... with one byte less than that: 16 rows"
on 49151 8.6 256 f32 ANY_CC
exits 1 "... and below 49152 B none"
says '`smem` fails' "... naming the rule"

# Hopper: 128 query rows, two stages of 64 key rows above head_dim 128.
on 232448 9.0 256 bf16 CUDA_HOPPER
exits 0 "head_dim 256 on 227 KiB: 196608 B fit"
on 196607 9.0 256 bf16 CUDA_HOPPER
exits 1 "... and not in one byte less"
says "platform.smem is 196607" "... with the limit"
for cc in 8.9 10.0 12.0; do
    on 232448 $cc 128 bf16 CUDA_HOPPER
    exits 1 "compute capability $cc is not 9.0, the only one of that family"
    says "wgmma needs compute capability 9.0; platform.cc is $cc" "... and the message says so"
done
done_testing
