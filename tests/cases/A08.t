#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A08: the kind comes from each entry's own name: neither chunks nor a recurrence make a window.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"granitemoehybrid","num_hidden_layers":4,"sliding_window":null,
"layer_types":["mamba","mamba","attention","mamba"]}'
is "$(kinds_of m.attn)" "mamba mamba full_attention mamba" "attention beside mamba is full"

import_json '{"model_type":"llama4_text","num_hidden_layers":4,"attention_chunk_size":8192,
"layer_types":["chunked_attention","chunked_attention","chunked_attention","full_attention"]}'
three=$(repeat 3 chunked_local_attention)
is "$(kinds_of m.attn)" "$three full_attention" "chunked entries are chunked"
is "$(jq -c '[.operators[] | .chunk, .window]' "$WORK/out")" \
    "[8192,null,8192,null,8192,null,null,null]" "... with the chunk size, and no layer has a window"
done_testing
