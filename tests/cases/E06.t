#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E06: generated C has no #line that could be wrong, and names of sources stand in it, if at all, in
# a form that no character can break out of.
. "$(dirname "$0")/lib.sh"

strict="-std=c11 -Wall -Wextra -Werror -pedantic -I$ROOT/runtime/include -Iout -c -o out.o"
k=0
for name in 'back\slash' 'quo"te' '%s%n' "$(printf 'caf\303\251')" "$(printf 'bad\377')" '*/ int x; /*' '??)'; do
    case $name in */*) dir=$(dirname "$name") && mkdir -p "$dir" ;; esac
    deployment "" "backend = CPU_REF;"
    [ "$name" = d ] || mv d.attn "$name.attn"
    rm -rf out
    attnc build "$name.attn" -o out
    exits 0 "source $k with an odd name is built"
    k=$((k + 1))
    is "$(grep -lE '^[[:blank:]]*#[[:blank:]]*(line|[0-9])' out/*.[ch])" "" "... without a line directive"
    plain out/d.c "... into printable ASCII"
    # shellcheck disable=SC2086 # options
    ok "... and compiles without a warning" ${CC:-gcc} $strict out/d.c
    [ "$k" = 1 ] && cp -r out first
    ok "... to the same files, whatever the source is called" diff -r first out
done

# An error after an import of nine lines is on the line of the outer file.
printf '// a\n%.0s' 1 2 3 4 5 6 7 8 9 >nine.attn
printf '// one\nimport "nine.attn";\nmodel m { layers = = 1; }\n' >outer.attn
attnc check outer.attn
refused outer.attn:3:20 "" "an error after an import of nine lines is on line 3"
done_testing
