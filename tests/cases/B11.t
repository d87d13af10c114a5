#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B11: layer > kind > default. A default that cannot serve some layer is an error that names layer
# and kind and gives the line that would override it; that line works.
. "$(dirname "$0")/lib.sh"

self='backend SELF_ONLY extends CPU_REF {
    entry = cpu_ref; write = cpu_kv; kinds = { full_attention };
}'
cross='layers = 3; layer 1 { attn = encoder_decoder; }'
deployment "" "max_source_tokens = 64; backend = SELF_ONLY;" "$self"
sed "s/layers = 2;/$cross/" d.attn >x.attn
attnc check x.attn
exits 1 "a default that cannot serve cross-attention is refused"
says "layer 1" "... naming the layer"
says "cross_attention" "... and the kind"
line=$(grep -oE '(help|note):.*cross_attention = [A-Z_]+;' "$WORK/err" |
    grep -oE 'backend_per_kind \{ cross_attention = [A-Z_]+; \}|cross_attention = [A-Z_]+;' | head -1)
is "${line:+given}" given "... and a line that would override it"
case $line in backend_per_kind*) ;; *) line="backend_per_kind { $line }" ;; esac
sed "s/backend = SELF_ONLY;/backend = SELF_ONLY; $line/" x.attn >y.attn
attnc check y.attn
exits 0 "the printed line works"
is "$(backends_of y.attn | tr ' ' '\n' | grep -c '^SELF_ONLY/SELF_ONLY$')" 2 \
    "... and layers 0 and 2 keep the default"
sed "s/backend = SELF_ONLY;/backend = SELF_ONLY; backend_per_kind { cross_attention = CPU_FLASH; } backend_per_layer { 1 = CPU_REF; }/" \
    x.attn >z.attn
is "$(backends_of z.attn)" \
    "SELF_ONLY/SELF_ONLY CPU_REF/CPU_REF SELF_ONLY/SELF_ONLY" "a layer's choice beats its kind's"
done_testing
