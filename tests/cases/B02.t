#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B02: an explicit choice that a cache dtype rules out is an error and nothing is written; `auto`
# takes another backend and can say why.
. "$(dirname "$0")/lib.sh"

backends='backend FA3 extends CPU_REF {
    entry = cpu_ref; write = cpu_kv; dtype = bf16; kv_dtype = { bf16, fp8_e4m3 };
}
backend HALF extends CPU_REF { entry = cpu_ref; write = cpu_kv; dtype = bf16; kv_dtype = bf16; }
priority mine { order = [HALF, FA3]; }'
of() { # SETTINGS: a bf16 model
    deployment "" "$1" "$backends"
    sed -i 's/64; dtype = f32;/64; dtype = bf16;/' d.attn
}
of "backend = FA3; kv_dtype = fp8_e5m2;"
attnc build d.attn -o out
exits 1 "an explicit backend without fp8_e5m2 is refused"
says 'wanted fp8_e5m2, has {bf16, fp8_e4m3}' "... with what was wanted and what there is"
says 'write `kv_dtype = fp8_e4m3;`' "... offering fp8_e4m3"
ok "... and nothing is written" test ! -e out
sed -i 's/kv_dtype = fp8_e5m2;/kv_dtype = fp8_e4m3;/' d.attn
attnc check d.attn
exits 0 "the offered dtype compiles"

of "backend = HALF; kv_dtype = fp8_e4m3;"
attnc build d.attn -o out
exits 1 "a bf16-only backend refuses fp8"
says 'backends that accept all of it: `FA3`' "... offering a backend that takes it"
ok "... and nothing is written" test ! -e out
of "kv_dtype = fp8_e4m3;"
is "$(backends_of d.attn)" "FA3/FA3 FA3/FA3" "auto takes the next backend that serves it"
attnc explain d.attn
ok "... and explains what ruled out the first" grep -q \
    'HALF  *`kv_dtype`: wanted fp8_e4m3, has bf16' "$WORK/out"
of "kv_dtype = fp8_e5m2;"
attnc build d.attn -o out
exits 1 "auto with a dtype that nobody serves is an error"
for name in HALF FA3 CPU_FLASH CPU_REF; do
    says "\`$name\`: \`kv_dtype\`: wanted fp8_e5m2" "... saying why not $name"
done
ok "... and nothing is written" test ! -e out
done_testing
