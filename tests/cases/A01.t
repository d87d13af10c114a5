#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A01: a layer typed full never inherits the model-wide window: "none" and "not given" differ.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"gemma3n_text","num_hidden_layers":8,"sliding_window":512,
"layer_types":["sliding_attention","sliding_attention","sliding_attention","full_attention",
"sliding_attention","sliding_attention","sliding_attention","full_attention"]}'
exits 0 "gemma3n_text with layer_types is imported"
three="sliding_window/512 sliding_window/512 sliding_window/512"
is "$(kinds_of m.attn)" "$three full_attention $three full_attention" \
    "layers 3 and 7 are full without a window, the others slide"

cat >n.attn <<'EOF'
model n {
    layers = 3; heads = 2; head_dim = 64; dtype = f32; window = 16;
    layer 1 { window = none; }
    layer 2 { softcap = 50.0; }
}
EOF
is "$(kinds_of n.attn)" "sliding_window/16 full_attention sliding_window/16" \
    "in .attn: none removes the model's window, silence keeps it"
done_testing
