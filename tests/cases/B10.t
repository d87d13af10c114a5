#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B10: kinds are opt-in: an encoder on a causal-only backend is a compile error. (The runtime's half
# is in tests/kernels.)
. "$(dirname "$0")/lib.sh"

causal='backend CAUSAL extends CPU_REF {
    entry = cpu_ref; write = cpu_kv; kinds = { full_attention, sliding_window };
}'
deployment "attn = encoder_only;" "backend = CAUSAL;" "$causal"
attnc build d.attn -o out
exits 1 "encoder_only_attention on a causal-only backend is refused"
says "encoder_only_attention" "... naming the kind"
ok "... and nothing is written" test ! -e out
deployment "layer 1 as cross { attn = encoder_decoder; }" \
    "max_source_tokens = 64; backend = CAUSAL;" "$causal"
attnc check d.attn
exits 1 "cross_attention on a causal-only backend is refused"
says "cross_attention" "... naming the kind"
deployment "attn = encoder_only;" "backend = CPU_REF;" "$causal"
attnc check d.attn
exits 0 "a backend that lists the kind is taken"
done_testing
