#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Reproducibility: what attnc writes depends on its input alone. Two folders, absolute and relative
# input, locales, time zone, umask, clock, home, address randomisation, and a compiler built by the
# other C compiler: always the same bytes. The library and attnc themselves build alike in any folder.
. "$(dirname "$0")/tap.sh"

cp -r "$ROOT/examples" "$ROOT/tests/cases/sample.attn" .
OTHER=$BUILD/clang/attnc
LOCPATH=$WORK/locales
mkdir "$LOCPATH" home
for l in de_DE tr_TR; do
    localedef -i $l -f UTF-8 "$LOCPATH/$l.UTF-8" >/dev/null 2>&1
done

importer= # imports instead of COMMAND, where that cannot
# outputs FOLDER COMMAND...: everything from every input, by `COMMAND ARGS`.
outputs() {
    folder=$1
    shift
    mkdir -p "$folder"
    for json in examples/*/config.json; do
        ${importer:-"$@"} import hf "$json" --name imported >"$folder/imported.attn" 2>/dev/null || return 1
    done
    "$@" build sample.attn -o "$folder/sample" --depfile 2>/dev/null || return 1
    "$@" explain sample.attn --json --deploy d >"$folder/explain.json" 2>/dev/null || return 1
    "$@" explain sample.attn >"$folder/explain.txt" 2>/dev/null || return 1
    sed 's/heads *=/head =/; s/CPU_REF/CPU_RAF/' sample.attn >wrong.attn
    for form in text json sarif; do
        "$@" check wrong.attn --diagnostics $form 2>"$folder/wrong.$form" && return 1
    done
    sed 's/  */ /g' sample.attn >"$folder/fmt.attn" && "$@" fmt "$folder/fmt.attn" || return 1
    "$@" diff sample.attn wrong.attn --deploy d >"$folder/diff.txt" 2>/dev/null
    [ -s "$folder/wrong.sarif" ] && sed -i "s|$folder|FOLDER|g" "$folder"/sample/*.d
}

# alike NAME COMMAND...
alike() {
    name=$1
    shift
    rm -rf variant
    outputs variant "$@"
    ok "$name" diff -r first variant
}

ok "every input is built" outputs first "$ATTNC"
alike "again" "$ATTNC"
if [ -x "$OTHER" ] && [ "$OTHER" != "$ATTNC" ]; then
    alike "attnc built by clang" "$OTHER"
fi
[ ! -d "$LOCPATH/de_DE.UTF-8" ] || alike "locale de_DE" env "LOCPATH=$LOCPATH" LC_ALL=de_DE.UTF-8 "$ATTNC"
[ ! -d "$LOCPATH/tr_TR.UTF-8" ] || alike "locale tr_TR" env "LOCPATH=$LOCPATH" LC_ALL=tr_TR.UTF-8 "$ATTNC"
alike "time zone" env TZ=Asia/Kathmandu "$ATTNC"
alike "home and user" env "HOME=$WORK/home" USER=other LOGNAME=other "$ATTNC"
alike "an empty environment" env -i "$ATTNC"
alike "SOURCE_DATE_EPOCH" env SOURCE_DATE_EPOCH=1 "$ATTNC"
alike "heap contents" env MALLOC_PERTURB_=85 "$ATTNC"
if faketime '+400days' true 2>/dev/null && ! nm "$ATTNC" 2>/dev/null | grep -q __asan_init; then
    alike "clock" faketime '+400days' "$ATTNC"
fi
setarch -R true 2>/dev/null && alike "no address randomisation" setarch -R "$ATTNC"
umask 077
alike "umask" "$ATTNC"
umask 022

mkdir -p "two/an other folder's"
cp -r examples sample.attn "two/an other folder's"
rm -rf variant
(cd "two/an other folder's" && outputs "$WORK/t/variant" "$ATTNC")
ok "another folder" diff -r first variant
rm -rf variant
"$ATTNC" build "$PWD/sample.attn" -o variant --prefix-map "$PWD/=" 2>/dev/null
ok "an absolute path, mapped" diff -r -x '*.d' first/sample variant

# Words of 32 bits. jansson is installed for one architecture only: that attnc cannot read JSON.
narrow() {
    m32=$PWD/m32
    make -s -C "$ROOT" BUILD="$m32" CC='gcc -m32' CFLAGS=-O1 "$m32/gen/main.o" "$m32/libattnc.a" &&
        gcc -m32 -static -Wl,--unresolved-symbols=ignore-all -o m32/attnc m32/gen/main.o m32/libattnc.a
}
if echo '#include <stdio.h>' | gcc -m32 -E - >/dev/null 2>&1; then
    ok "attnc is built for 32 bits" narrow
    importer=$ATTNC
    alike "attnc of 32 bits" "$WORK/t/m32/attnc"
    importer=
else
    point 0 "attnc of 32 bits # SKIP gcc -m32 has no headers here (Debian package gcc-multilib)"
fi

# Generated C becomes the same object in any folder.
object() {
    (cd "$1" && ${CC:-gcc} -std=c11 -O2 -g "-ffile-prefix-map=$PWD=." "-I$ROOT/runtime/include" \
        -c sample/d.c -o d.o)
}
rm -rf "two/an other folder's/sample" && cp -r first/sample "two/an other folder's"
object first && object "two/an other folder's"
ok "the table's object is the same from two folders" cmp first/d.o "two/an other folder's/d.o"

# The archives themselves: the same sources in two folders.
built() {
    mkdir -p "$1/tests/fuzz" && cp "$ROOT/tests/fuzz/fuzz.mk" "$1/tests/fuzz" &&
        cp -r "$ROOT/Makefile" "$ROOT/grammar" "$ROOT/gen" "$ROOT/runtime" "$1" &&
        make -s -C "$1" BUILD=build CFLAGS='-O1 -g' build/libattn.a build/attnc
}
built one >"$WORK/one.log" 2>&1 && built "two/deeper" >"$WORK/two.log" 2>&1
ok "libattn.a is the same from two folders" cmp one/build/libattn.a two/deeper/build/libattn.a
ok "libattnc.a is the same from two folders" cmp one/build/libattnc.a two/deeper/build/libattnc.a
ok "attnc is the same from two folders" cmp one/build/attnc two/deeper/build/attnc
done_testing
