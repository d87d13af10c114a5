#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E15: a near miss of an import is an error, what is not closed is reported where it starts, and a
# file cut anywhere gives exit 0 or a located error.
. "$(dirname "$0")/lib.sh"

echo 'model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }' >b.attn
for line in 'import b.attn;' 'includee "b.attn";' 'import "b.attn"' 'imports "b.attn";' 'import '\''b.attn'\'';' \
    '#include "b.attn"' 'import "b.attn", "c.attn";'; do
    echo "$line" >a.attn
    attnc check a.attn
    ok "$line: an error on line 1 or at the end" grep -qE '^a\.attn:[12]:[0-9]+: error\[A0' "$WORK/err"
    exits 1 "... with status 1"
done
printf 'model m {\n    dtype = "abc;\n}\n' >a.attn
attnc check a.attn
refused a.attn:2:13 "" "a string without an end is reported at its start"
printf 'model m {\n  /* layers = 1;\n}\n' >a.attn
attnc check a.attn
refused a.attn:2:3 "" "a comment without an end is reported at its start"

cp "$ROOT/tests/cases/sample.attn" s.attn
attnc check s.attn
exits 0 "the sample is valid"
size=$(wc -c <s.attn)
bad=0
cut=0
while [ $cut -lt "$size" ]; do
    head -c $cut s.attn >t.attn
    attnc check t.attn
    case $status in
    0) ;;
    1) grep -qE '^t\.attn:[0-9]+:[0-9]+: error\[A0[0-9]{3}\]' "$WORK/err" || bad=$((bad + 1)) ;;
    *) bad=$((bad + 1)) ;;
    esac
    [ $bad -eq 0 ] || break
    cut=$((cut + 1))
done
is "$bad at $cut" "0 at $size" "cut after every byte: exit 0, or exit 1 with a place"
done_testing
