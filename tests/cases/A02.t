#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A02: layer_types > sliding_window_pattern or _sliding_window_pattern > default of the architecture.
. "$(dirname "$0")/lib.sh"

base='"model_type":"gemma3_text","num_hidden_layers":12,"sliding_window":1024'
s=sliding_window/1024
five=$(repeat 5 $s)
by_six="$five full_attention $five full_attention"
three=$(repeat 3 $s)
by_four="$three full_attention $three full_attention $three full_attention"

import_json "{$base}"
is "$(kinds_of m.attn)" "$by_six" "neither: every sixth layer is full"
import_json "{$base,\"sliding_window_pattern\":4}"
is "$(kinds_of m.attn)" "$by_four" "sliding_window_pattern 4: layers 3, 7, 11"
import_json "{$base,\"_sliding_window_pattern\":4}"
is "$(kinds_of m.attn)" "$by_four" "_sliding_window_pattern 4: the same"
silent_on warning "... without a warning"

types='"sliding_attention","sliding_attention","sliding_attention","sliding_attention","sliding_attention","full_attention"'
import_json "{$base,
\"sliding_window_pattern\":4,
\"layer_types\":[$types,
$types]}"
exits 0 "a pattern that disagrees with layer_types is no error"
says "c.json:2:26: warning[A0920]: \`sliding_window_pattern\` disagrees with \`layer_types\`, first at layer 3" \
    "... but a warning names the first differing layer"
is "$(kinds_of m.attn)" "$by_six" "... and layer_types wins"
import_json "{$base,\"sliding_window_pattern\":6,\"layer_types\":[$types,$types]}"
silent_on warning "a pattern that agrees is quiet"
done_testing
