#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B14: a soft cap is off (null, none, or 0 in an import) or a positive finite number; off is one value.
. "$(dirname "$0")/lib.sh"

gemma='"model_type":"gemma3_text","num_hidden_layers":2,"head_dim":64,"dtype":"float32"'
table() { # the import of soft cap $1 in a deployment, built to the folder $2
    import_json "{$gemma,\"attn_logit_softcapping\":$1}"
    cat >t.attn <<'EOF'
import "std/cpu.attn";
import "m.attn";
deploy t {
    model = gemma3_text; platform = x86_64_v3; max_seqs = 1; max_tokens = 64; max_batch_tokens = 8;
}
EOF
    sed -i 's/^model .* {/model gemma3_text {/' m.attn
    attnc build t.attn -o "$2"
}
table null off
exits 0 "null is off"
for zero in 0 0.0 -0.0; do
    import_json "{$gemma,\"attn_logit_softcapping\":$zero}"
    says "warning[A0922]" "$zero in an import is off, with a note"
    table "$zero" zero
    ok "... and gives the same tables as null" diff -r off zero
    rm -rf zero
done
table 50.0 on
exits 0 "50.0 is accepted"
ok "... and observable" sh -c '! diff -r off on >/dev/null'
for bad in -50 NaN Infinity '"50"'; do
    import_json "{$gemma,\"attn_logit_softcapping\":$bad}"
    refused c.json:1:108 "attn_logit_softcapping" "$bad in an import is refused"
done

deployment "softcap = none;" ""
attnc check d.attn
exits 0 ".attn: none is off"
attnc build d.attn -o none
for zero in 0 0.0; do
    deployment "softcap = $zero;" ""
    attnc build d.attn -o zero
    ok ".attn: $zero gives the same tables as none, or is refused" \
        sh -c "[ $status = 1 ] || diff -r none zero"
done
deployment "softcap = 50.0;" ""
attnc check d.attn
exits 0 ".attn: 50.0 is accepted"
for bad in -50 NaN Infinity '"50"' yes; do
    deployment "softcap = $bad;" ""
    attnc check d.attn
    refused d.attn:5:15 "" ".attn: $bad is refused at its place"
done
done_testing
