#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E07: no locale changes what is read or written.
. "$(dirname "$0")/lib.sh"

LOCPATH=$WORK/locales
export LOCPATH
mkdir "$LOCPATH"
localedef -i de_DE -f UTF-8 "$LOCPATH/de_DE.UTF-8" >/dev/null 2>&1
localedef -i tr_TR -f UTF-8 "$LOCPATH/tr_TR.UTF-8" >/dev/null 2>&1
if [ ! -d "$LOCPATH/de_DE.UTF-8" ]; then
    skip_all "localedef makes no locale here"
fi
is "$(LC_ALL=de_DE.UTF-8 awk 'BEGIN { printf "%.1f", 1.5 }' 2>/dev/null || printf '1,5')" "1,5" \
    "the locale has a decimal comma"

n=0
for scale in 0.0721688 1e-45 3.4028235e38 rsqrt\(168\) 0.1; do
    deployment "scale = $scale; softcap = 50.0;" "backend = CPU_REF;"
    n=$((n + 1))
    attnc build d.attn -o "c$n"
    exits 0 "scale $scale is built under C"
    for locale in de_DE.UTF-8 tr_TR.UTF-8; do
        (LC_ALL=$locale && export LC_ALL && attnc build d.attn -o "l$n" && exit "$status")
        ok "... and gives the same bytes under $locale" diff -r "c$n" "l$n"
        rm -rf "l$n"
    done
done
deployment "softcap = 0,5;" ""
for locale in C de_DE.UTF-8; do
    LC_ALL=$locale "$ATTNC" check d.attn >"$WORK/out" 2>"$WORK/err"
    status=$?
    refused d.attn:5:16 "" "0,5 is refused under $locale"
done
LC_ALL=C
export LC_ALL
import_json '{"model_type":"gemma2","num_hidden_layers":1,"attn_logit_softcapping":30.5}'
cp m.attn c.attn
(LC_ALL=de_DE.UTF-8 && export LC_ALL && "$ATTNC" import hf c.json -o m.attn)
same c.attn m.attn "an import is the same under de_DE"
done_testing
