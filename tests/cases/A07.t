#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A07: null is not a value: a window of null is no window, and never a made-up one; for every other
# field null counts as absent.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"gemma3_text","num_hidden_layers":2,"sliding_window":null}'
exits 0 "sliding_window null is accepted"
is "$(kinds_of m.attn)" "full_attention full_attention" "... and gives full attention"

import_json '{"model_type":"gemma2","num_hidden_layers":2}'
cp m.attn absent.attn
import_json '{"model_type":"gemma2","num_hidden_layers":2,"head_dim":null,"layer_types":null,
"num_attention_heads":null,"num_key_value_heads":null,"query_pre_attn_scalar":null,"dtype":null}'
same absent.attn m.attn "null and absent give the same bytes where the class has a default"

import_json '{"model_type":"mistral","num_hidden_layers":2,"hidden_size":4096,
"num_attention_heads":32,"num_key_value_heads":8,"sliding_window":null}'
is "$(kinds_of m.attn)" "full_attention full_attention" "mistral: null gives full attention"
cp m.attn null.attn
import_json '{"model_type":"mistral","num_hidden_layers":2,"hidden_size":4096,
"num_attention_heads":32,"num_key_value_heads":8}'
same null.attn m.attn "mistral: absent gives the same bytes"
says "[-Wimport-note]" "... with a note, since transformers' class has a window for a silent file"
import_json '{"model_type":"mixtral","num_hidden_layers":2,"sliding_window":null}'
cp m.attn null.attn
import_json '{"model_type":"mixtral","num_hidden_layers":2}'
same null.attn m.attn "mixtral, whose class has no window: null and absent give the same bytes"
done_testing
