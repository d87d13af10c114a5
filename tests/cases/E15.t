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
# In runs of 64 files: every message has a place, and a run ends as it should.
mkdir cuts
awk 'BEGIN { RS = "\001" }
    { for (i = 0; i < length($0); i++) { f = sprintf("cuts/%04d.attn", i); printf "%s", substr($0, 1, i) > f; close(f) } }' s.attn
is "$(find cuts -type f | wc -l)" "$(wc -c <s.attn)" "the sample is cut after every byte"
bad=0
find cuts -type f | sort | xargs -n 64 echo >runs
while read -r files; do
    # shellcheck disable=SC2086 # a list of names
    attnc check --max-errors 0 $files
    case $status in 0 | 1) ;; *) bad=$((bad + 1)) && comment "$WORK/err" ;; esac
    grep 'error\[' "$WORK/err" | grep -vE '^cuts/[0-9]{4}\.attn:[0-9]+:[0-9]+: error\[A0[0-9]{3}\]: ' >stray
    [ ! -s stray ] || { bad=$((bad + 1)) && comment stray; }
    grep -oE '^cuts/[0-9]{4}' "$WORK/err" | sort -u >>refused
done <runs
is "$bad" 0 "no cut does more than give located errors"
ok "... and hardly any cut is a valid file" [ "$(wc -l <refused)" -gt 1400 ]
done_testing
