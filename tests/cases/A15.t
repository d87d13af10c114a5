#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A15: old and new spellings of a layer type are one type; a hybrid architecture may have no
# recurrent layer at all; what linear_attention means depends on the architecture.
. "$(dirname "$0")/lib.sh"

granite() {
    import_json "{\"model_type\":\"granitemoehybrid\",\"num_hidden_layers\":$1,\"layer_types\":[$2]}"
}
granite 4 '"attention","attention","attention","attention"'
is "$(kinds_of m.attn)" "$(repeat 4 full_attention)" "attention alone: no mamba entries"
cp m.attn old.attn
granite 4 '"full_attention","full_attention","full_attention","full_attention"'
same old.attn m.attn "full_attention is the same"
granite 2 '"mamba","attention"'
cp m.attn old.attn
granite 2 '"linear_attention","full_attention"'
same old.attn m.attn "linear_attention is what mamba was"
is "$(kinds_of m.attn)" "mamba full_attention" "... of kind mamba"

ssm() {
    attnc explain m.attn --json
    jq -r '.operators[0] | .kind + " " + .ssm.type' "$WORK/out"
}
is "$(ssm)" "mamba mamba2" "in Granite it is Mamba 2"
import_json '{"model_type":"qwen3_next","num_hidden_layers":2,
"layer_types":["linear_attention","full_attention"]}'
is "$(ssm)" "mamba gated_delta_net" "in Qwen3-Next a gated delta net, never full attention"
granite 1 '"sliding_attention"'
refused c.json:1:71 "unknown type \`\"sliding_attention\"\`" "a type of other architectures is refused"
done_testing
