#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# std/vllm.attn and `attnc import vllm` against what vLLM's own code answered (answers.tsv.xz, made by
# vllm_oracle.py). What differs, and why, stands in docs/vllm.md. With sanitizers a part is asked.
. "$(dirname "$0")/../tap.sh"

agree() {
    "$ROOT/tests/vllm/agree" "$@"
}

case $BUILD in
*/asan) every=40 ;;
*) every=1 ;;
esac

agree "$ROOT/tests/vllm/answers.tsv.xz" --every $every --least 99 >all
point $? "at least 99 of 100 answers agree" || comment all
comment all | grep ' of '

for query in validate auto request perkind kind config preferred kernel layouts; do
    awk -v q="$query:" '$1 == q { found = 1; if ($2 * 100 < $4 * 97) exit 1 } END { exit !found }' all
    point $? "$query: at least 97 of 100"
done

head='query	subject	input	answer'
printf '%s\n' "$head" \
    'validate	FLASH_ATTN	-	head_dim' \
    'validate	TRITON_ATTN	head=31	ok' \
    'auto	-	-	TRITON_ATTN>FLASH_ATTN>FLASHINFER>FLEX_ATTENTION' \
    'request	FLASH_ATTN	head=100	FLASH_ATTN' >wrong.tsv
is "$(agree wrong.tsv | tail -n 1)" "agree 0 of 4" "answers that vLLM did not give are found"

printf '%s\n' "$head" \
    'validate	FLASH_ATTN	-	ok' \
    'validate	FLASH_ATTN	dtype=fp8	dtype' \
    'unheard	FLASH_ATTN	-	ok' \
    'speckind	FullAttentionSpec	-	full_attention' >odd.tsv
is "$(agree odd.tsv 2>err | tail -n 1)" "agree 1 of 3" "a question that cannot be asked disagrees"
done_testing
