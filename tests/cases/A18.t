#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A18: a model of the DeepSeek family is latent only when kv_lora_rank says so.
. "$(dirname "$0")/lib.sh"

v2() {
    import_json "{\"model_type\":\"deepseek_v2\",\"num_hidden_layers\":2,\"hidden_size\":1280,
\"num_attention_heads\":10$1}"
}
v2 ',"kv_lora_rank":null,"head_dim":64'
is "$(kinds_of m.attn)" "full_attention full_attention" "null: ordinary heads"
is "$(jq -c '.operators[0] | [.head_dim, .kv_heads]' "$WORK/out")" "[128,10]" \
    "... of hidden_size / heads; head_dim is the RoPE part in such files"
v2 ',"kv_lora_rank":512,"qk_nope_head_dim":128,"qk_rope_head_dim":64,"v_head_dim":128'
is "$(kinds_of m.attn)" "mla_attention mla_attention" "512: latent"
is "$(jq -c '.operators[0].mla | .latent + .rope' "$WORK/out")" 576 "... with rows of 576"
v2 ',"kv_lora_rank":0'
refused c.json:2:41 "\`kv_lora_rank\` must be from 1 to" "0 is refused"
v2 ',"kv_lora_rank":-1'
refused c.json:2:41 "\`kv_lora_rank\` must be from 1 to" "... and so is -1"
v2 ',"kv_lora_rank":512,"qk_nope_head_dim":128,"v_head_dim":128'
refused c.json:1:15 "\`qk_rope_head_dim\` is missing" "a dim of the latent rows that is missing is refused"
done_testing
