#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# B05: backend names of an attention-config JSON: case does not count, `auto` and null are automatic,
# anything else is an error that lists what is accepted; every name that is printed is accepted.
. "$(dirname "$0")/lib.sh"

# config JSON: read it as vLLM's attention configuration.
config() {
    attnc import vllm --attention-config "$1"
}

for name in flashinfer FlashInfer FLASHINFER; do
    config "{\"backend\": \"$name\"}"
    exits 0 "$name is a backend"
    prints '"backend": "FLASHINFER"' "... spelled one way"
done
for auto in '"auto"' '"AUTO"' null; do
    config "{\"backend\": $auto}"
    exits 0 "$auto is accepted"
    prints '"backend": null' "... and is automatic"
done

config '{"backend": "flash-attn"}'
refused --attention-config:1:13 'no backend `"flash-attn"`' "flash-attn is refused at its place"
says '`FLASH_ATTN`' "... with the accepted spelling"
sed -n 's/.*accepted, in upper or lower case: //p' "$WORK/err" | tr -d ' `' | tr ',' '\n' >names
ok "... among all of them" test "$(wc -l <names)" -gt 40
while read -r name; do
    config "{\"backend\": \"$name\"}"
    grep -q "error\[" "$WORK/err" && echo "$name"
done <names >refused.names
is "$(cat refused.names)" "" "every name that is printed is accepted"

config '{"backend": ""}'
refused --attention-config:1:13 'no backend `""`' "an empty name is refused"
config '{"backend": 7}'
refused --attention-config:1:13 "must be the name of a backend" "a number is refused as a number"
config '{"backend": ["FLASH_ATTN"]}'
refused --attention-config:1:13 "must be the name of a backend" "so is an array"
config '["FLASH_ATTN"]'
refused --attention-config:1:1 "object" "an array at the top is refused"
config '{"backend": "FLASH_ATTN", "backend": "TRITON_ATTN"}'
refused --attention-config:1:27 "backend" "a key given twice is refused"
config '{"backend": "FLASH_ATTN"'
exits 1 "a text that ends early is refused"

config '{"backend": "FLASH_ATTN", "flash_attn_version": 3}'
exits 0 "flash_attn_version goes with FLASH_ATTN"
config '{"flash_attn_version": 2}'
exits 0 "... and with no backend"
config '{"backend": "FLASHINFER", "flash_attn_version": 3}'
refused --attention-config:1:49 "FLASHINFER" "... but not with another backend"
config '{"backend": "FLASH_ATTN", "flash_attn_version": 5}'
refused --attention-config:1:49 "2 3 4" "it is 2, 3 or 4"
config '{"flash_attn_version": "3"}'
refused --attention-config:1:24 "flash_attn_version" "a string is no version"

config '{"backend_per_kind": {"full_attention": "auto"}}'
refused --attention-config:1:41 "auto" "auto is no backend of a kind"
config '{"backend_per_kind": {"full_attention": "MAMBA2"}}'
refused --attention-config:1:41 "MAMBA2" "a backend of recurrent layers is none of attention"
config '{"backend_per_kind": {"Full_Attention": "FLASH_ATTN"}}'
refused --attention-config:1:41 'no kind `Full_Attention`' "kinds are spelled exactly"
says '`full_attention`' "... with the nearest"
config '{"backedn": "FLASH_ATTN"}'
refused --attention-config:1:13 "backedn" "an unknown key is refused"
says '`backend`' "... with the nearest"
config '{"backend_per_kind": {"chunked_local_attention": "FLASH_ATTN"}}'
exits 0 "a key without effect is accepted, as vLLM does"
says "chunked_local_attention" "... and named in a warning"

printf '%s' '{"backend": "nope"}' >c.json
attnc import vllm --attention-config @c.json
refused c.json:1:13 "nope" "a file is read after @, and named in errors"
done_testing
