#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B04: an unknown key is an error with the nearest name; no environment variable changes the output.
. "$(dirname "$0")/lib.sh"

deployment "" "backedn = CPU_REF;"
attnc check d.attn
refused d.attn:9:5 "backedn" "an unknown setting is an error at its place"
says "backend" "... with the nearest name"
deployment "" "backend_per_kind { full_atention = CPU_REF; }"
attnc check d.attn
exits 1 "an unknown kind is an error"
says "full_attention" "... with the nearest name"
deployment "headz = 4;" ""
attnc check d.attn
exits 1 "an unknown attribute is an error"
says "heads" "... with the nearest name"

deployment "" "backend = CPU_REF;"
attnc build d.attn -o plain
VLLM_ATTENTION_BACKEND=FLASH_ATTN attnc build d.attn -o with
exits 0 "another engine's environment variable is no error"
is "$(grep -c 'VLLM_ATTENTION_BACKEND' "$WORK/err")" 1 "... but one warning names it"
ok "... and the output is the same, byte for byte" diff -r plain with
done_testing
