#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A03: Gemma-2 without layer_types: 0-based even layers slide, odd layers are full.
. "$(dirname "$0")/lib.sh"

import_json '{"model_type":"gemma2","num_hidden_layers":4,"sliding_window":4096}'
exits 0 "gemma2 is imported"
is "$(kinds_of m.attn)" "sliding_window/4096 full_attention sliding_window/4096 full_attention" \
    "layer 0 slides"
done_testing
