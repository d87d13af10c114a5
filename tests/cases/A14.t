#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A14: KV heads go by many names; Falcon's rule has two switches.
. "$(dirname "$0")/lib.sh"

shape() {
    attnc explain m.attn --json
    jq -c '.operators[0] | [.heads, .kv_heads, .head_dim]' "$WORK/out"
}
import_json '{"model_type":"falcon","num_hidden_layers":1,"hidden_size":4544,
"num_attention_heads":71,"multi_query":true,"new_decoder_architecture":false}'
is "$(shape)" "[71,1,64]" "falcon with multi_query has one KV head"
import_json '{"model_type":"falcon","num_hidden_layers":1,"hidden_size":8192,
"num_attention_heads":128,"num_kv_heads":8,"new_decoder_architecture":true,"multi_query":true}'
is "$(shape)" "[128,8,64]" "the new architecture has num_kv_heads"
import_json '{"model_type":"falcon","n_layer":1,"hidden_size":2048,"n_head":32,"alibi":true,
"multi_query":false}'
is "$(shape)" "[32,32,64]" "neither: each head has its own"
is "$(jq .operators[0].alibi "$WORK/out")" true "... and ALiBi is kept"
import_json '{"model_type":"llama","num_hidden_layers":1,"num_attention_heads":32,
"num_key_value_heads":null}'
is "$(shape)" "[32,32,128]" "null means as many as query heads"
import_json '{"model_type":"mistral","num_hidden_layers":1,"num_attention_heads":24,
"hidden_size":3072,"num_key_value_heads":null}'
is "$(shape)" "[24,24,128]" "... also where the class has a default for silence"
done_testing
