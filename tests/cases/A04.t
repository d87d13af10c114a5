#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A04: Qwen 2 and 3: layer i slides iff use_sliding_window is true, sliding_window is set and
# i >= max_window_layers, which is 28 by default. A window that no layer uses is worth a note.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"qwen2","num_hidden_layers":36,"use_sliding_window":true,
"sliding_window":32768,"max_window_layers":28}'
is "$(kinds_of m.attn)" "$(repeat 28 full_attention) $(repeat 8 sliding_window/32768)" \
    "layers from max_window_layers on slide, not those before it"

import_json '{"model_type":"qwen2","num_hidden_layers":28,"use_sliding_window":true,
"sliding_window":32768,"max_window_layers":28}'
exits 0 "max_window_layers equal to the number of layers is legal"
says "c.json:2:18: warning[A0922]: \`sliding_window\` is given, but no layer has a window" \
    "... with a note at the window"
is "$(kinds_of m.attn)" "$(repeat 28 full_attention)" "... and every layer is full"

import_json '{"model_type":"qwen2","num_hidden_layers":28,"use_sliding_window":false,
"sliding_window":131072,"max_window_layers":28}'
silent_on warning "a window that is switched off needs no note"
is "$(kinds_of m.attn)" "$(repeat 28 full_attention)" "... and is no window"

import_json '{"model_type":"qwen3","num_hidden_layers":5,"use_sliding_window":true,
"sliding_window":2048}'
says "max_window_layers is 28 by default, of 5 layers" "the default of max_window_layers is told"
is "$(kinds_of m.attn)" "$(repeat 5 full_attention)" "... and all five layers are full"
done_testing
