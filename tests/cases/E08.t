#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E08: any name of the source gives C and C++ that compile, or a located error.
. "$(dirname "$0")/lib.sh"

cc=${CC:-cc}
include="-I$ROOT/runtime/include"
compiles() { # the outputs in the folder $1
    "$cc" -std=c11 -Wall -Wextra -Werror -pedantic "$include" "-I$1" -fsyntax-only "$1"/*.c || return 1
    printf '#include "%s"\n' "$1"/*.h | g++ -std=c++17 -Wall -Wextra -Werror -pedantic "$include" \
        -I. -fsyntax-only -x c++ -
}
# Names of models, deployments and operators at once: the operator's reaches the header too.
long=$(awk 'BEGIN { for (i = 0; i < 150; i++) printf "x" }')
for name in asm int register default auto_ and_ template __global__ NULL errno linux _Bool unix \
    main EOF stdin restrict constexpr requires co_await attn_run uint8_t __x _X a__b a_ name_a d_data "$long"; do
    cat >n.attn <<EOF
import "std/cpu.attn";
model $name { layers = 1; heads = 1; head_dim = 8; dtype = f32; layer 0 as $name { } }
deploy $name {
    model = $name; platform = x86_64_v3; max_seqs = 1; max_tokens = 16; max_batch_tokens = 8;
    backend = CPU_REF;
}
EOF
    attnc build n.attn -o out
    exits 0 "a model, an operator and a deployment named $name are built"
done
ok "all of them compile, as C11 each and as C++17 in one file" compiles out
for name in 3d '""' "$(printf '\303\244')" and or not none auto yes no any implies in has; do
    echo "model $name { layers = 1; heads = 1; head_dim = 8; dtype = f32; }" >n.attn
    attnc check n.attn
    refused n.attn:1:7 "" "$name is no name: an error at its place"
done
# Names that differ stay different in C, and two tables can share a program.
cat >two.attn <<'EOF'
import "std/cpu.attn";
model m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }
deploy a_b {
    model = m; platform = x86_64_v3; max_seqs = 1; max_tokens = 16; max_batch_tokens = 8;
    backend = CPU_REF;
}
deploy a__b extends a_b { }
deploy name_a__b extends a_b { }
deploy a_b_data extends a_b { }
deploy int extends a_b { }
deploy name_int extends a_b { }
EOF
rm -rf out
attnc build two.attn -o out
exits 0 "six deployments with names alike are built"
ok "... and compile" compiles out
for f in out/*.c; do "$cc" "$include" -Iout -c "$f" -o "${f%.c}.o"; done
is "$(nm -g --defined-only out/*.o | awk 'NF == 3 { print $3 }' | sort | uniq -d | head -3)" "" \
    "... and no symbol is defined twice"
done_testing
