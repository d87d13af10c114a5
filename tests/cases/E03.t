#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E03: nesting has a limit and a located error; breadth has none.
. "$(dirname "$0")/lib.sh"

many() { awk -v n="$1" -v s="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s", s }'; }

many 100000 '[' >c.json
attnc import hf c.json
refused c.json:1:101 "limit is 100" "100000 open brackets of JSON"
many 100000 '{"a":' >c.json
attnc import hf c.json
refused c.json:1:501 "limit is 100" "100000 open objects of JSON"
{ printf '{"model_type":"gemma2","x":'; many 99 '['; many 99 ']'; printf '}'; } >c.json
attnc import hf c.json
exits 0 "the limit itself is accepted"
{ printf '{"model_type":"gemma2","x":['; many 5000 '{},'; printf '{}]}'; } >c.json
attnc import hf c.json
exits 0 "5001 flat objects are accepted"

{ printf 'model m {\n    layers = '; many 100000 '('; } >d.attn
attnc check d.attn
exits 1 "100000 open parentheses of .attn"
ok "... one located error" grep -qE '^d\.attn:2:[0-9]+: error' "$WORK/err"
{ printf 'model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; demand = { '; many 5000 'lse, '; printf 'lse }; }\n'; } >d.attn
attnc check d.attn
ok "5001 elements of a set are no matter of depth" test "$status" -le 1
silent_on deep "... and not called so"
done_testing
