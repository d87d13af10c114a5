#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E10: free text never leaves its comment or string: names of files, messages of rules.
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
builds() { # $1: a file name for the source
    deployment "" "backend = CPU_REF;"
    mv d.attn "$1"
    rm -rf out
    attnc build "$1" -o out
    [ "$status" = 0 ] || return 1
    for f in out/*.c; do
        "$cc" -std=c11 -trigraphs -Wall -Wextra -Werror -Werror=comment -pedantic "-I$ROOT/runtime/include" -Iout \
            -c "$f" -o x.o || return 1
    done
    jq -e . out/d.json >x.json
}
newline=$(printf 'a\nint x;b')
rlo=$(printf 'a\342\200\256b')
mkdir 'a' 'a/**'
for name in 'a/**/b.attn' '*- int x; -*.attn' "ends with \\" "$newline" '??- and ??' "$rlo" 'quote".attn' "quote'.attn" \
    "$(printf 'bell\007')" '%s%n'; do
    ok "a file named $(printf %s "$name" | tr '\n\007' '??')" builds "$name"
done
cat out/* >all
plain all "no output holds a byte beyond printable ASCII"

# The message of a rule, in JSON and in messages.
text='*/ int x; /* ?? \\ \" \n'
rule="backend PICKY extends CPU_REF {
    entry = cpu_ref; write = cpu_kv; require layer.head_dim == 1 : \"$text\";
}"
deployment "" "" "$rule"
attnc explain d.attn --json --candidates
exits 0 "a rule whose message is hostile is explained"
ok "... as JSON that parses" jq -e . "$WORK/out"
deployment "" "backend = PICKY;" "$rule"
attnc check d.attn
exits 1 "a rule whose message is hostile fails as any other"
plain "$WORK/err" "... and nothing in the message reorders or breaks the line"

deployment "" "" "$(printf %s "$rule" | sed 's|int x|\\u202e|')"
attnc check d.attn
exits 1 "a character that turns the text around is refused, also as an escape"
says 202E "... by its number"

# The comment of an import.
echo '{"model_type":"gemma2","num_hidden_layers":1}' >"$newline"
attnc import hf "$newline" -o m.attn
exits 0 "an import from a file with a line break in its name"
is "$(grep -c '^model ' m.attn)/$(grep -c '^int' m.attn)" 1/0 "... stays in its comment"
attnc check m.attn
exits 0 "... and is valid"
done_testing
