#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A20: NaN and Infinity are accepted where nobody reads them, and located errors where somebody does.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"gemma2","num_hidden_layers":2,
"time_step_limit":[0.0,Infinity],"a":{"b":[NaN,-Infinity]}}'
exits 0 "fields that are not read may hold NaN and Infinity"
is "$(grep -c 'warning\[' "$WORK/err")" 1 "... with one warning"
says "c.json:2:24: warning[A0921]: \`time_step_limit[1]\` is the first of 3 values" "... that is located"

import_json '{"model_type":"gemma3","text_config":{
  "sliding_window": Infinity}}'
refused c.json:2:21 "\`text_config.sliding_window\` must be an integer, has \`Infinity\`" \
    "a field that is read: place and key path"
ok "... and nothing is written" test ! -e m.attn

import_json '{"model_type":"gemma2",
 "x": Infinit}'
refused c.json:2:7 "invalid token \`Infinit\`" "a misspelling is a syntax error"

import_json '{"model_type":"nemotron_h","hybrid_override_pattern":"M*-E",
"time_step_limit":[0.0,Infinity]}'
exits 0 "a Mamba configuration with a bare Infinity is imported"
is "$(grep -c 'warning\[A0921' "$WORK/err")" 1 "... with one warning"
is "$(kinds_of m.attn)" "mamba full_attention" "... and neither MLP nor MoE layers have an operator"
done_testing
