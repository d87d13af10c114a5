#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B01: a refused shape is told with its layers, kind, value and what each backend has, and only
# remedies that pass: the printed one is applied and compiles.
. "$(dirname "$0")/lib.sh"

# apply: the first "add `...`" of the messages, put into the deployment of d.attn.
apply() {
    line=$(sed -n 's/^  help: add `\(.*\)`$/\1/p' "$WORK/err" | head -1)
    is "${line:+given}" given "... a line to add is printed"
    sed "/^deploy d/,/^}/s/^}/    $line\n}/" d.attn >fixed.attn
    attnc check fixed.attn
    exits 0 "... which compiles: $line"
}

latent='backend MLA {
    device = cpu; entry = vendor_mla; write = vendor_mla_write; layout = latent;
    kinds = mla_attention; phases = { prefill, decode }; dtype = f32; kv_dtype = f32;
    head_dim = any; v_head_dim = any; k_width = 576; group = any; block_size = any; mla = yes;
    flags = { lse };
}'
other='backend MLA_SMALL extends MLA { entry = vendor_small; write = vendor_mla_write; k_width = 40; }'
small_row() {
    deployment "" "backend = MLA;" "$1"
    sed -i 's|layers = 2;.*|layers = 2; heads = 4; dtype = f32; mla { latent = 32; rope = 8; nope = 16; v = 16; }|' d.attn
    attnc check d.attn
}
small_row "$latent"
exits 1 "a latent row of 40 is refused where 576 is served"
ok "... the message says both, the kind and the layers" grep -q \
    '`MLA` cannot serve `mla_attention` (layers 0-1): `k_width`: wanted 40, has 576' "$WORK/err"
says "no backend that is declared would accept them" "... and that nothing would help"
ok "... with no other help" sh -c "! grep -q '^  help' '$WORK/err'"
small_row "$latent $other"
exits 1 "with a backend of that width the choice is still refused"
says 'backends that accept all of it: `MLA_SMALL`' "... naming the one that would serve"
apply

sizes='backend POW2 extends CPU_REF { entry = cpu_ref; write = cpu_kv; head_dim = { 64, 96, 128 }; }
backend STEP16 extends CPU_REF { entry = cpu_ref; write = cpu_kv; head_dim = 16..512 step 16; }
priority narrow { order = [POW2, STEP16]; }'
deployment "attn = encoder_only;" "priority = narrow;" "$sizes"
sed -i 's/head_dim = 64; dtype/head_dim = 88; dtype/' d.attn
attnc check d.attn
exits 1 "encoder_only with head_dim 88 is refused by backends without it"
says '`POW2`: `head_dim`: wanted 88, has {64, 96, 128}' "... listing what one supports"
says '`STEP16`: `head_dim`: wanted 88, has 16..512 step 16' "... and the other"
apply
deployment "attn = encoder_only;" "" ""
sed -i 's/head_dim = 64;/head_dim = 88;/' d.attn
is "$(backends_of d.attn)" "CPU_FLASH/null CPU_FLASH/null" "the library has a kernel for it"
done_testing
