# shellcheck shell=sh
# SPDX-License-Identifier: Apache-2.0
# What several cases need: a small deployment, an imported configuration, the kinds of a plan.
. "$(dirname "$0")/../tap.sh"

# deployment MODEL_ITEMS DEPLOY_ITEMS [DECLARATIONS]: writes d.attn, two layers unless told.
deployment() {
    cat >d.attn <<EOF
import "std/cpu.attn";
$3
model m {
    layers = 2; heads = 4; kv_heads = 2; head_dim = 64; dtype = f32;
    $1
}
deploy d {
    model = m; platform = x86_64_v3; max_seqs = 2; max_tokens = 256; max_batch_tokens = 64;
    $2
}
EOF
}

# kinds_of FILE: kind/window of every operator in order, and @layer where it shares a cache.
kinds_of() {
    attnc explain "$1" --json
    jq -r '[.operators[] | .kind + (if .window then "/\(.window)" else "" end)
        + (if .kv_share then "@\(.kv_share)" else "" end)] | join(" ")' "$WORK/out"
}

# import_json TEXT: TEXT as c.json, imported to m.attn; leaves status and messages.
import_json() {
    printf '%s' "$1" >c.json
    rm -f m.attn
    attnc import hf c.json -o m.attn
}

# backends_of FILE: prefill/decode backend of every operator in order.
backends_of() {
    attnc explain "$1" --json
    jq -r '[.operators[] | "\(.prefill.backend)/\(.decode.backend)"] | join(" ")' "$WORK/out"
}

# repeat N WORD: N times, joined by blanks.
repeat() {
    awk -v n="$1" -v w="$2" 'BEGIN { for (i = 0; i < n; i++) printf "%s%s", i ? " " : "", w }'
}

# plain FILE NAME: no byte beyond printable ASCII and line ends.
plain() {
    if LC_ALL=C grep -n '[^ -~]' "$1" >"$WORK/odd"; then
        point 1 "$2" || od -c "$WORK/odd" | comment
    else
        point 0 "$2"
    fi
}
