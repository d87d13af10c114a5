#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E04: a dependency file names every output and every input, with names that make and ninja read back
# as they were; none is left by a run that fails.
. "$(dirname "$0")/lib.sh"
unset MAKEFLAGS MAKELEVEL

model='{ layers = 1; heads = 1; head_dim = 8; dtype = f32; }'
for f in 'my layer#1' 'a$b' 'c:d' 'e\f'; do
    n=$((n + 1))
    echo "model m$n $model" >"$f.attn"
done
deployment "" "backend = CPU_REF;" 'import "my layer#1.attn"; import "a$b.attn"; import "c:d.attn"; import "e\\f.attn";'
mv d.attn 'ma in$#.attn'
attnc build 'ma in$#.attn' -o 'o ut' --depfile
exits 0 "inputs with odd names are built"
is "$(tr -d '\\\n' <'o ut/d.d' | grep -oE 'd(_kernels)?\.(c|h|json)' | sort | tr '\n' ' ')" \
    "d.c d.h d.json d_kernels.c " "every output is a target"

# make: the rule as it reads it, and what it makes of new and old files.
{
    echo 'all: o\ ut/d.c'
    cat 'o ut/d.d'
    printf 'o\\ ut/d.c o\\ ut/d.h o\\ ut/d.json o\\ ut/d_kernels.c: ; @echo rebuild\n'
} >makefile
make -pnq >db 2>&1
for f in 'my\\ layer#1.attn' 'a$b.attn' 'c:d.attn' 'e\f.attn' 'ma\\ in$#.attn'; do
    plain=$(printf '%s' "$f" | sed 's/\\\\ / /')
    ok "make knows the file $plain" grep -qF -- "$plain" db
done
find . -name '*.attn' -exec touch -d 2000-01-01 {} + && touch -d 2001-01-01 'o ut'/* && echo >unrelated.attn
ok "make is content while all inputs are older" make -q
for f in 'my layer#1.attn' 'a$b.attn' 'c:d.attn' 'e\f.attn' 'ma in$#.attn'; do
    touch "$f"
    is "$(make 2>&1)" rebuild "make rebuilds when $f is newer"
    touch -d 2000-01-01 "$f"
done
touch unrelated.attn
ok "... and does not for a file that is no input" make -q

# ninja reads the same file; it takes the first target for the output of the rule.
if command -v ninja >/dev/null; then
    mkdir ninja && cp ./*.attn ninja && cd ninja || exit 1
    cat >build.ninja <<'EON'
rule attnc
  command = $attnc build 'ma in$$#.attn' -o out --depfile
  depfile = out/d.d
  deps = gcc
EON
    {
        echo "attnc = $ATTNC"
        cat build.ninja
        echo 'build out/d.h out/d.c out/d_kernels.c out/d.json: attnc ma$ in$$#.attn'
    } >build.tmp && mv build.tmp build.ninja
    ok "ninja builds" ninja
    ninja -t deps >deps 2>&1
    for f in 'my layer#1.attn' 'a$b.attn' 'c:d.attn' 'e\f.attn' 'ma in$#.attn'; do
        ok "ninja -t deps has $f" grep -qxF -- "    $f" deps
    done
    is "$(ninja 2>&1)" "ninja: no work to do." "ninja has nothing to do afterwards"
    touch -d 2100-01-01 unrelated.attn
    is "$(ninja 2>&1)" "ninja: no work to do." "... also after a change of what is no input"
    touch -d 2100-01-01 'a$b.attn'
    ok "a newer input makes it build again" sh -c 'ninja -n | grep -q "1/1"'
    cd .. || exit 1
else
    point 0 "ninja reads the same file # SKIP ninja is not installed"
fi

rm -rf bad
deployment "" "backend = NOSUCH;"
attnc build d.attn -o bad --depfile
exits 1 "an input with an error"
is "$(find . -path './bad/*')" "" "... leaves no dependency file"
deployment "" "backend = CPU_REF;"
odd=$(printf 'x\ny.attn')
cp d.attn "$odd"
attnc build "$odd" -o bad --depfile
exits 1 "a name with a line break is an error"
says "error[A0804]" "... that says so"
is "$(find . -path './bad/*')" "" "... and nothing is written"
done_testing
