#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# `attnc build --emit selftest`: the program is built as a user would and must pass; with a vendor's
# kernel that is wrong in one thing it must fail. The Gemma-3 example, with its two kinds' backends
# exchanged, must run the other kernels.
. "$(dirname "$0")/tap.sh"
CC=${CC:-gcc}
RUNTIME="$ROOT/runtime/include"
LIB="$BUILD/libattn.a"

# compile DIR NAME PROGRAM [MORE...]: table, kernels and self-test of deployment NAME in DIR.
compile() {
    dir=$1 name=$2 program=$3
    shift 3
    $CC -std=c11 -D_POSIX_C_SOURCE=200809L -Wall -Wextra -Werror -pedantic -O1 -I"$RUNTIME" -I"$dir" \
        -o "$program" "$dir/$name.c" "$dir/${name}_kernels.c" "$dir/${name}_selftest.c" "$@" "$LIB" -lm
}

# passes PROGRAM NAME: exit 0, a point for each kernel, none skipped.
passes() {
    "./$1" >log 2>trace
    code=$?
    [ "$code" -eq 0 ] && grep -q '^ok 1 ' log && ! grep -Eq '^not ok|# SKIP' log
    point $? "$2" || { echo "# exit status $code" && comment log; }
}

# ---- which outputs
attnc build "$ROOT/tests/selftest/acme.attn" -o default
attnc build "$ROOT/tests/selftest/acme.attn" -o with --emit selftest
exits 0 "--emit selftest builds"
is "$(ls with)" "$(cd default && touch acme_small_selftest.c && ls)" \
    "selftest alone adds NAME_selftest.c to the default"
attnc build "$ROOT/tests/selftest/acme.attn" -o list --emit header,selftest
is "$(ls list | tr '\n' ' ')" "acme_small.h acme_small_selftest.c " "a list of outputs is taken as it is"
attnc build "$ROOT/tests/selftest/acme.attn" -o again --emit selftest
same with/acme_small_selftest.c again/acme_small_selftest.c "the same bytes each time"

# ---- a vendor's kernels
ok "the vendor's table, kernels and self-test compile without a warning" \
    compile with acme_small right "$ROOT/tests/selftest/acme.c"
passes right "right kernels of a vendor pass, and the library's beside them"
for wrong in 1 2 3 4 5 6 7 8; do
    what=$(sed -n "1,/#include/p" "$ROOT/tests/selftest/acme.c" | tr -d '\n' | sed 's,//,,g; s/  */ /g' |
        grep -o "[ ,]$wrong [^,.]*" | head -n 1 | cut -c4-)
    compile with acme_small wrong "-DWRONG=$wrong" "$ROOT/tests/selftest/acme.c" >log 2>&1 || comment log
    ./wrong >log 2>&1
    code=$?
    { [ "$code" -eq 1 ] && grep -q '^not ok [0-9]* - acme' log && ! grep -q '^not ok [0-9]* - cpu' log; }
    point $? "a wrong kernel fails: $what" || { echo "# exit status $code" && comment log; }
done

# ---- every kind that the example has
attnc build "$ROOT/tests/selftest/whisper.attn" -o whisper --emit selftest
ok "encoder, decoder and cross attention: compiles" compile whisper whisper program
passes program "encoder, decoder and cross attention pass"

# ---- the Gemma-3 example, both ways round
if grep -qw avx2 /proc/cpuinfo; then
    attnc import hf "$ROOT/examples/gemma3/config.json" --name gemma3_1b -o gemma3_1b.attn
    attnc build "$ROOT/examples/gemma3/gemma3.attn" -I . -o gemma --emit selftest
    for name in gemma3 gemma3_swapped; do
        ok "$name: compiles, with its trace" \
            compile gemma "$name" program -DATTN_TRACE "$ROOT/tests/selftest/trace.c"
        passes program "$name passes"
        sort trace | grep -v cpu_kv | tr '\n' ';' >"$name.ran"
    done
    is "$(cat gemma3.ran)" "full_attention cpu_ref;sliding_window cpu_flash;" \
        "the kinds run the kernels that backend_per_kind names"
    is "$(cat gemma3_swapped.ran)" "full_attention cpu_flash;sliding_window cpu_ref;" \
        "and with the names exchanged, the other kernels"
else
    echo "# this processor lacks AVX2: the Gemma-3 example is not run"
fi
done_testing
