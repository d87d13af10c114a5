#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The examples of the documents are true: each block marked ```attn is accepted, and each marked
# ```attn CODE is refused with a code that begins so. Those of diagnostics.md are catalogue.t's.
. "$(dirname "$0")/tap.sh"

for doc in "$ROOT"/docs/*.md "$ROOT"/README.md; do
    [ -f "$doc" ] || continue
    [ "${doc##*/}" = diagnostics.md ] && continue
    rm -f block.*
    awk '/^```attn/ { n++; want = $2; file = sprintf("block.%02d.%s", n, want); line = NR; inside = 1
                      printf "" > file; print line > (file ".line"); next }
         /^```/ { inside = 0 }
         inside { print > file }' "$doc"
    for file in block.??.*; do
        case $file in *.line | 'block.??.*') continue ;; esac
        code=${file#block.??.}
        mv "$file" block.attn
        attnc check block.attn
        where="$(basename "$doc"):$(cat "$file.line")"
        if [ -z "$code" ]; then
            exits 0 "$where: the example is valid"
        else
            refused "$(sed -n 's/^\(block.attn:[0-9]*:[0-9]*\): error.*/\1/p' "$WORK/err" | head -1)" \
                "[$code" "$where: the example is refused with $code"
        fi
    done
done
done_testing
