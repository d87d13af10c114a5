#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A13: an explicit head_dim stands, whatever hidden_size and the head count are.
. "$(dirname "$0")/lib.sh"

for try in "1792 24" "2560 32"; do
    hidden=${try% *}
    heads=${try#* }
    import_json "{\"model_type\":\"gemma3_text\",\"num_hidden_layers\":1,\"hidden_size\":$hidden,
\"num_attention_heads\":$heads,\"num_key_value_heads\":4,\"head_dim\":128}"
    exits 0 "hidden $hidden, $heads heads, head_dim 128 is accepted"
    attnc explain m.attn --json
    is "$(jq -c '[.operators[0] | .heads, .head_dim]' "$WORK/out")" "[$heads,128]" "... as it stands"
done
import_json '{"model_type":"gemma2","num_hidden_layers":1,"hidden_size":1792,"num_attention_heads":24}'
attnc explain m.attn --json
is "$(jq -c '[.operators[0] | .heads, .head_dim]' "$WORK/out")" "[24,256]" \
    "without head_dim the architecture's own counts, not a quotient"
import_json '{"model_type":"llama","num_hidden_layers":1,
"hidden_size":1792,"num_attention_heads":24}'
refused c.json:2:15 "\`hidden_size\` 1792 must be a multiple of \`num_attention_heads\` 24" \
    "where there is no such default, hidden_size must divide, and both numbers are told"
done_testing
