#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The -W family: every warning can be switched off, on and into an error, by itself and all together;
# the last word on a warning counts, -w before all others; unknown names are refused with the nearest.
. "$(dirname "$0")/tap.sh"

cat >w.attn <<END
import "std/cpu.attn";
model m { layers = 2; heads = 4; head_dim = 64; dtype = f32;
    layer 0 { window = 256; } layer 1 { window = 64; } }
deploy d {
    model = m; platform = x86_64; max_seqs = 1; max_tokens = 256; max_batch_tokens = 64;
    backend_per_kind { full_attention = CPU_REF; }
}
END

# given WORDS WANT NAME: the tags of the messages, by name, and the exit status.
given() {
    # shellcheck disable=SC2086 # several words
    attnc check w.attn $1
    is "$(grep -oE '\[-W[a-z=-]+\]' "$WORK/err" | sort | tr '\n' ' ')$status" "$2" "${1:-(nothing)}: $3"
}
given "" "[-Wmixed-windows] [-Wunused-mapping] [-Wwindow-past-context] 0" "all warnings are on"
given "-w" 0 "none is shown"
given "-w -Werror" 0 "-w is before -Werror"
for name in window-past-context mixed-windows unused-mapping; do
    attnc check w.attn "-Wno-$name"
    silent_on "[-W$name]" "-Wno-$name switches it off"
    exits 0 "... with status 0"
    attnc check w.attn -W "no-$name" "-W$name"
    says "[-W$name]" "-W$name after -W no-$name switches it on again"
    attnc check w.attn "-Werror=$name"
    says "[-Werror=$name]" "-Werror=$name makes it an error"
    is "$(grep -c ': error\[' "$WORK/err")" 1 "... and no other"
    exits 1 "... with status 1"
    attnc check w.attn -Werror "-Wno-error=$name"
    says "[-W$name]" "-Wno-error=$name leaves it a warning under -Werror"
    exits 1 "... and the others errors"
    attnc check w.attn "-Wno-error=$name" -Werror
    says "[-W$name]" "... also before -Werror"
    attnc check w.attn "-Werror=$name" "-Wno-$name"
    silent_on "$name" "-Wno-$name after -Werror=$name switches it off"
    attnc check w.attn "-Wno-$name" "-Werror=$name"
    says "[-Werror=$name]" "-Werror=$name after -Wno-$name switches it on"
done
attnc check w.attn -Werror
is "$(grep -c ': warning\[' "$WORK/err")" 0 "-Werror lifts them all"
exits 1 "... with status 1"
attnc check w.attn -Werror -Wno-error
exits 0 "-Wno-error takes it back"

attnc help warnings
cp "$WORK/out" flags
for flag in $("$ATTNC" explain --list | sed -n 's/.*\[-W\(.*\)\]$/\1/p'); do
    ok "$flag is listed by help warnings" grep -q "^  $flag " flags
    attnc check /dev/null "-W$flag" "-Wno-$flag" "-Werror=$flag" "-Wno-error=$flag"
    silent_on "no warning is called" "$flag is taken by the -W family"
done
for word in -Wunused-maping -Wno-unused-maping -Werror=unused-maping -Wno-error=unused-maping; do
    attnc check w.attn $word
    exits 2 "$word is refused"
    says "a warning named \`unused-mapping\` exists" "... with the nearest"
done
for word in -W -W=x -Wno- -Werror= -Werrors -Wno-error=; do
    attnc check w.attn $word
    exits 2 "$word is refused"
done
done_testing
