#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# A05: EXAONE 4 spells its pattern as a number, as letters, or as null: none of them is divided by.
. "$(dirname "$0")/lib.sh"

pattern() {
    import_json "{\"model_type\":\"exaone4\",\"num_hidden_layers\":8,\"sliding_window\":4096,
\"sliding_window_pattern\":$1}"
}
three=$(repeat 3 sliding_window/4096)
by_four="$three full_attention $three full_attention"

pattern '"LLLG"'
is "$(kinds_of m.attn)" "$by_four" "LLLG: L slides, G is full, repeated"
cp m.attn letters.attn
pattern 4
same letters.attn m.attn "4 gives the same bytes"
pattern null
exits 0 "null is accepted"
is "$(kinds_of m.attn)" "$(repeat 8 full_attention)" "... and every layer is full"
pattern 0
refused c.json:2:26 "\`sliding_window_pattern\` must be from 1 to" "0 is refused"
pattern '"LLXG"'
refused c.json:2:29 "letter 3 of \`sliding_window_pattern\` must be \`L\` or \`G\`" \
    "another letter is refused at its column"
pattern '""'
refused c.json:2:26 "\`sliding_window_pattern\` has no letters" "an empty pattern is refused"
done_testing
