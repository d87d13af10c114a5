#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A09: Llama 4: no_rope_layers has a 1 for each layer with RoPE, which is chunked, and a 0 for each
# without, which is full. Absent, null and empty mean every fourth.
. "$(dirname "$0")/lib.sh"

llama4() {
    import_json "{\"model_type\":\"llama4_text\",\"num_hidden_layers\":8$1}"
}
c=chunked_local_attention
three=$(repeat 3 $c)
by_four="$three full_attention $three full_attention"

llama4 ',"attention_chunk_size":8192,"no_rope_layers":[]'
is "$(kinds_of m.attn)" "$by_four" "an empty list means the default interval"
cp m.attn empty.attn
llama4 ',"attention_chunk_size":8192,"no_rope_layers":null'
same empty.attn m.attn "... as null does"
llama4 ',"attention_chunk_size":8192'
same empty.attn m.attn "... and silence"
llama4 ',"attention_chunk_size":8192,"no_rope_layers":[1,1,0,1,1,1,1,0]'
is "$(kinds_of m.attn)" "$c $c full_attention $c $c $c $c full_attention" "0 is full, 1 is chunked"
llama4 ',"no_rope_layers":[1,1,0,1,1,1,1,0,0,0]'
exits 0 "a longer list is accepted: its first entries count"
llama4 ',"no_rope_layers":[3,7]'
refused c.json:1:68 "\`no_rope_layers\` has 2 entries for 8 layers" "a shorter list is refused"
llama4 ',"no_rope_layers":[1,1,1,3,1,1,1,7]'
refused c.json:1:75 "\`no_rope_layers[3]\` must be from 0 to 1" "an index is no mask"
llama4 ',"attention_chunk_size":null'
is "$(kinds_of m.attn)" "$(repeat 8 full_attention)" "without a chunk size every layer is full"
llama4 ',"attention_chunk_size":0'
refused c.json:1:74 "\`attention_chunk_size\` must be from 1 to" "a chunk size of 0 is refused"
done_testing
