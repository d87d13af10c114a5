#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E05: outputs are replaced together, after everything has succeeded; after any error the old files
# stand as they were, and no temporary is left.
. "$(dirname "$0")/lib.sh"

state() { # names, times and sums of what stands in a folder
    (cd "$1" && find . -type f -printf '%p %T@\n' | sort && find . -type f -exec sha256sum {} + | sort)
}

deployment "" "backend = CPU_REF;"
attnc build d.attn -o out
exits 0 "a valid input is built"
state out >before
attnc build d.attn -o out
state out >after
same before after "building again changes neither bytes nor times"

for bad in 'backend = NOSUCH;' 'block_size = "x";' '= ;' 'memory = 1K;'; do
    deployment "" "$bad"
    attnc build d.attn -o out
    exits 1 "an error ($bad) is exit 1"
    state out >after
    same before after "... and leaves every old file alone"
done
attnc build nosuch.attn -o out
exits 3 "a missing input is exit 3"
state out >after
same before after "... and leaves every old file alone"

deployment "" "backend = CPU_REF;"
echo >plain_file
attnc build d.attn -o plain_file
exits 3 "an output folder that is a file is exit 3"
attnc build d.attn -o plain_file/below
exits 3 "... or below one"
if [ "$(id -u)" != 0 ]; then
    mkdir locked && chmod 555 locked
    attnc build d.attn -o locked
    exits 3 "a folder without leave to write is exit 3"
else
    point 0 "a folder without leave to write is exit 3 # SKIP root may write anywhere"
fi
# One output cannot be replaced: none is.
deployment "" "backend = CPU_FLASH;"
rm -rf half && cp -rp out half && rm half/d.json && mkdir half/d.json && touch half/d.json/x
state half >before
attnc build d.attn -o half
exits 3 "an output that cannot be replaced is exit 3"
state half >after
same before after "... and the others keep their old state"

# A full disk, and a writer killed at any time.
attnc build d.attn -o new
deployment "" "backend = CPU_REF;"
status=0
sh -c 'trap "" XFSZ; ulimit -f 1; exec "$1" build d.attn -o full' sh "$ATTNC" \
    >"$WORK/out" 2>"$WORK/err" || status=$?
exits 3 "a write that fails is exit 3"
is "$(find . -path './full/*' -type f)" "" "... and leaves neither outputs nor temporaries"
if [ -c /dev/full ]; then
    echo '{"model_type":"gemma2"}' >c.json
    status=0
    "$ATTNC" import hf c.json >/dev/full 2>"$WORK/err" || status=$?
    exits 3 "a full standard output is exit 3"
fi
torn=0
k=0
while [ $k -lt 40 ]; do
    timeout -s KILL "0.00$((k % 10))" "$ATTNC" build d.attn -o kill >/dev/null 2>&1
    for f in kill/d.*; do
        [ ! -e "$f" ] || cmp -s "$f" "out/${f#kill/}" || torn=$((torn + 1))
    done
    k=$((k + 1))
done
is "$torn" 0 "killed at any time: a file is whole or not there"
attnc import hf nosuch.json -o m.attn
exits 3 "import: a missing input is exit 3"
echo old >m.attn
echo '{' >c.json
attnc import hf c.json -o m.attn
is "$(cat m.attn)" old "import: after an error the old file stands"
done_testing
