#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A11: head dim and KV heads are those of each layer: Gemma 4's full layers have their own.
. "$(dirname "$0")/lib.sh"

fields='"num_hidden_layers":6,"num_attention_heads":32,"head_dim":256,"global_head_dim":512,
"num_key_value_heads":16,"sliding_window":1024,"layer_types":["sliding_attention",
"sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention"]'
shapes() {
    attnc explain m.attn --json
    jq -c '[.operators[] | "\(.kv_heads)x\(.head_dim)"]' "$WORK/out"
}
five='"16x256","16x256","16x256","16x256","16x256"'

import_json "{\"model_type\":\"gemma4_text\",\"num_global_key_value_heads\":4,$fields}"
is "$(shapes)" "[$five,\"4x512\"]" "the full layer has 4 KV heads of 512"
tail -n +2 m.attn >flat.attn
import_json "{\"model_type\":\"gemma4\",\"text_config\":{\"num_global_key_value_heads\":4,$fields}}"
tail -n +2 m.attn >nested.attn
same flat.attn nested.attn "the nested form is the same model"
import_json "{\"model_type\":\"gemma4_text\",\"num_global_key_value_heads\":null,$fields}"
is "$(shapes)" "[$five,\"16x512\"]" "null means the plain number of KV heads"
import_json "{\"model_type\":\"gemma4_text\",\"num_global_key_value_heads\":4,
\"attention_k_eq_v\":false,$fields}"
is "$(shapes)" "[$five,\"16x512\"]" "... and so does attention_k_eq_v false"
import_json "{\"model_type\":\"gemma4_text\",$fields,
\"per_layer_config\":{\"05\":{\"head_dim\":512,\"num_key_value_heads\":2},\"0\":{\"head_dim\":128}}}"
is "$(shapes)" '["16x128","16x256","16x256","16x256","16x256","2x512"]' \
    "per_layer_config has the last word"
import_json "{\"model_type\":\"gemma4_text\",$fields,
\"per_layer_config\":{\"05\":{\"secret\":1}}}"
refused c.json:4:36 "\`per_layer_config.05.secret\`" "... and a field of it that is not read is refused"
done_testing
