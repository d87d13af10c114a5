#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What is made from the rows of options: manual pages that mandoc finds nothing wrong with, shell
# completions that complete, and make install, which puts all of it in its place.
. "$(dirname "$0")/tap.sh"

options_of() { # every option of the help texts, each once
    for command in '' build check explain diff fmt import; do
        # shellcheck disable=SC2086 # none, or one word
        "$ATTNC" $command --help
    done | grep -oE '^ +(-[A-Za-z],? +)?--[a-z-]+|^ +-[A-Za-z] ' | grep -oE -- '--[a-z-]+|-[A-Za-z]( |$)' | tr -d ' ' | sort -u
}

options_of >options
ok "the help texts have options" test "$(wc -l <options)" -ge 20
for shell in bash zsh fish; do
    "$ATTNC" --print $shell >"attnc.$shell"
    missing=
    while read -r option; do
        case $shell$option in
        fish--*) pattern="-l ${option#--} " ;;
        fish-*) pattern="-s ${option#-} " ;;
        *) pattern=$option ;;
        esac
        grep -qF -- "$pattern" "attnc.$shell" || missing="$missing $option"
    done <options
    is "$missing" "" "completions for $shell have every option"
    if command -v $shell >/dev/null; then
        ok "... and $shell reads them" $shell -n "attnc.$shell"
    fi
done

# offered WORD...: what bash offers for the last word.
offered() {
    bash -c '. ./attnc.bash; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _attnc; echo "${COMPREPLY[*]}"' bash "$@"
}
is "$(offered attnc bu)" build "bash: a command"
is "$(offered attnc build --dep)" "--deploy --depfile" "bash: options of the command"
is "$(offered attnc check --dep)" "" "bash: ... and of no other"
is "$(offered attnc --diagnostics '')" "text json sarif" "bash: words that an option takes"
is "$(offered attnc check --color = n)" never "bash: ... after ="
is "$(offered attnc -Wno-unused)" "-Wno-unused-mapping" "bash: names of warnings after -W"
is "$(offered attnc -W unused)" "unused-mapping" "bash: ... and as a word of their own"
: >"a file.attn"
mkdir "a folder"
is "$(offered attnc check 'a f')" "a folder a file.attn" "bash: files, with blanks in their names"
is "$(offered attnc check -I 'a f')" "a folder" "bash: folders where an option takes one"

if command -v scdoc >/dev/null && command -v mandoc >/dev/null; then
    make -s -C "$ROOT" BUILD="$BUILD" install DESTDIR="$WORK/root" PREFIX=/opt/attn >make.log 2>&1
    ok "make install succeeds" test -x "$WORK/root/opt/attn/bin/attnc" || comment make.log
    root=$WORK/root/opt/attn
    for page in man1/attnc.1 man5/attn.5; do
        mandoc -Tlint -Wwarning "$root/share/man/$page" >lint 2>&1
        is "$(cat lint)" "" "mandoc finds nothing wrong with ${page#*/}"
    done
    mandoc -Tascii "$root/share/man/man1/attnc.1" | sed 's/.\x08//g' >page
    missing=
    while read -r option; do
        grep -qF -- "$option" page || missing="$missing $option"
    done <options
    is "$missing" "" "attnc(1) has every option"
    (cd "$root" && find . -type f ! -path '*/kernels/*' | sort) >files
    cat >want <<END
./bin/attnc
./include/attn/abi.h
./include/attn/attn.h
./include/attn/cache.h
./include/attn/span.h
./lib/libattn.a
./lib/pkgconfig/attn.pc
./share/bash-completion/completions/attnc
./share/fish/vendor_completions.d/attnc.fish
./share/man/man1/attnc.1
./share/man/man5/attn.5
./share/zsh/site-functions/_attnc
END
    (cd "$ROOT/runtime" && find ./include/attn -maxdepth 1 -name '*.h') >headers
    sort -u want headers >all
    same files all "make install installs what there is"
    is "$(grep -c "$WORK\|$ROOT" "$root/lib/pkgconfig/attn.pc")" 0 "attn.pc names no folder of the build"
    cat >d.attn <<END
import "std/cpu.attn";
model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }
deploy d { model = m; platform = x86_64; max_seqs = 1; max_tokens = 64; max_batch_tokens = 8; }
END
    ok "the installed compiler builds" "$root/bin/attnc" build d.attn -o out
    ok "... what compiles with the installed headers" ${CC:-cc} -std=c11 -Wall -Wextra -Werror -pedantic \
        -I"$root/include" -c out/d_kernels.c -o d_kernels.o
else
    tap_run=$((tap_run + 1))
    echo "ok $tap_run - manual pages and make install # SKIP scdoc or mandoc is not installed"
fi
done_testing
