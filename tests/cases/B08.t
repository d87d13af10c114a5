#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B08: a windowed layer only runs on a backend that declares windows, also when it is forced.
. "$(dirname "$0")/lib.sh"

nowindow='backend NO_WINDOW extends CPU_REF { entry = cpu_ref; write = cpu_kv; flags = { lse }; }'
deployment "layer 1 { window = 128; }" "backend = NO_WINDOW;" "$nowindow"
attnc check d.attn
exits 1 "a forced backend without the flag is refused"
says "window" "... naming window"
says "CPU_REF" "... and the backends that would serve"
deployment "" "backend = NO_WINDOW;" "$nowindow"
attnc check d.attn
exits 0 "without a window the same backend is taken"

mla='backend LATENT {
    device = cpu; entry = vendor_mla; write = vendor_mla_write; layout = latent;
    kinds = { mla_attention, sliding_window_mla }; phases = { prefill, decode };
    dtype = f32; kv_dtype = f32; head_dim = any; v_head_dim = any; group = any;
    block_size = any; mla = yes; flags = { lse };
}
backend LATENT_WINDOW extends LATENT {
    entry = vendor_mla_window; write = vendor_mla_write; flags = { lse, window };
}'
latent='mla { latent = 512; rope = 64; nope = 128; v = 128; } window = 128;'
deployment "" "backend = LATENT;" "$mla"
sed 's/head_dim = 64; //; s/kv_heads = 2; //' d.attn >base.attn
sed "s/^    model = m;/    model = m;/; s|^    $|    $latent|" base.attn >mla.attn
attnc check mla.attn
exits 1 "a latent backend without windows refuses sliding_window_mla"
says "window" "... naming window"
sed 's/backend = LATENT;/backend = LATENT_WINDOW;/' mla.attn >capable.attn
attnc explain capable.attn --json
is "$(jq -c '[.operators[] | [.kind, .window, .prefill.backend]] | unique' "$WORK/out")" \
    '[["sliding_window_mla",128,"LATENT_WINDOW"]]' "a capable one keeps the window of 128"
done_testing
