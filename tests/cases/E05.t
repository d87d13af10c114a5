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
mkdir locked && chmod 555 locked && chmod 755 .
as_nobody=
[ "$(id -u)" != 0 ] || as_nobody="setpriv --reuid=65534 --regid=65534 --clear-groups"
if $as_nobody test -r d.attn -a -x "$ATTNC" 2>/dev/null; then
    status=0
    $as_nobody "$ATTNC" build d.attn -o locked >"$WORK/out" 2>"$WORK/err" || status=$?
    exits 3 "a folder without leave to write is exit 3"
    is "$(find locked -type f)" "" "... and nothing is written"
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

# A write that fails.
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
# A file system of two pages, where one can be had.
if unshare -rm true 2>/dev/null; then
    status=0
    mkdir small
    unshare -rm sh -c 'mount -t tmpfs -o size=8k small small || exit 99
        "$1" build d.attn -o small
        status=$?
        find small -type f
        exit $status' sh "$ATTNC" >"$WORK/out" 2>"$WORK/err" || status=$?
fi
if [ "$status" != 99 ] && [ -d small ]; then
    exits 3 "a disk that is full is exit 3"
    is "$(cat "$WORK/out")" "" "... and nothing is left on it"
else
    point 0 "a disk that is full is exit 3 # SKIP no leave to mount one"
fi

# Killed 200 times, at times spread over a run that replaces old outputs: each file is old or new.
killed() { # K: the K-th of them, in a folder of its own; says what is neither
    cp -r out "kill$1"
    status=0
    us=$(($1 * span / 200))
    timeout -s KILL "$(printf '%d.%06d' $((us / 1000000)) $((us % 1000000)))" \
        "$ATTNC" build d.attn -o "kill$1" >/dev/null 2>&1 || status=$?
    for f in out/*; do
        f="kill$1/${f#out/}"
        cmp -s "$f" "out/${f#*/}" || cmp -s "$f" "new/${f#*/}" || echo "torn: $f"
    done
    echo "status $status"
    rm -r "kill$1"
}
deployment "" "backend = CPU_FLASH;"
began=$(date +%s%N)
attnc build d.attn -o new
# Twenty at a time take several times as long as one.
span=$((($(date +%s%N) - began) / 1000 * 4))
for batch in 0 1 2 3 4 5 6 7 8 9; do
    for k in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
        killed $((20 * batch + k)) >"kills.$batch.$k" 2>/dev/null &
    done
    wait
done
is "$(cat kills.* | grep -c '^status')" 200 "killed at 200 times"
ok "... some of them before the end" grep -q '^status 137' kills.*
is "$(cat kills.* | grep '^torn')" "" "... and each file is the old one or the new one, and whole"
deployment "" "backend = CPU_REF;"
attnc import hf nosuch.json -o m.attn
exits 3 "import: a missing input is exit 3"
echo old >m.attn
echo '{' >c.json
attnc import hf c.json -o m.attn
is "$(cat m.attn)" old "import: after an error the old file stands"
done_testing
