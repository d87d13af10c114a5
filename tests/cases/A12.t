#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A12: fields that a file leaves out are the defaults of its architecture, and marked as such.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"gemma3","text_config":
{"hidden_size":2560,"num_hidden_layers":34,"sliding_window":1024}}'
exits 0 "the sparse Gemma-3-4B configuration is imported"
attnc explain m.attn --json
is "$(jq -c '[.operators[0] | .heads, .kv_heads, .head_dim]' "$WORK/out")" "[8,4,256]" \
    "8 query heads, 4 KV heads, dim 256 (not 2560/8)"
is "$(jq -c '[.operators[] | select(.kind == "full_attention").layer]' "$WORK/out")" \
    "[5,11,17,23,29]" "full at 5, 11, 17, 23, 29"
is "$(jq '[.operators[] | select(.kind == "sliding_window")] | length' "$WORK/out")" 29 \
    "29 layers slide"
is "$(grep -c '// default of gemma3_text' m.attn)" 4 "heads, KV heads, dim and scale are marked"
done_testing
