#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E12: a BOM, CRLF and a missing last newline change nothing; other odd bytes are errors at their
# place, shown escaped.
. "$(dirname "$0")/lib.sh"

deployment "" "backend = CPU_REF;"
cp d.attn lf.attn
attnc build d.attn -o lf
exits 0 "LF"
variant() { # $1: name; d.attn holds it
    attnc build d.attn -o "$1"
    ok "$1 gives the same bytes" diff -r lf "$1"
}
sed 's/$/\r/' lf.attn >d.attn && variant CRLF
{ printf '\357\273\277' && cat lf.attn; } >d.attn && variant BOM+LF
{ printf '\357\273\277' && sed 's/$/\r/' lf.attn; } >d.attn && variant BOM+CRLF
printf %s "$(cat lf.attn)" >d.attn && variant "no final newline"

bad() { # $1: place, $2: what is shown, $3: name; b.attn is $4, for printf
    # shellcheck disable=SC2059 # it is a format
    printf "$4" >b.attn
    attnc check b.attn
    refused "b.attn:$1" "" "$3"
    says "$2" "... shown escaped"
    plain "$WORK/err" "... and no raw byte in the message"
}
bad 2:9 "<0D>" "a lone CR" 'model m {\n  layers\r = 1;\n}\n'
bad 1:1 "U+FEFF" "a second BOM" '\357\273\277\357\273\277model m {}\n'
bad 3:2 "<FF>" "a byte that is not UTF-8" 'model m {\n\n \377layers = 1;\n}\n'
bad 3:2 "<00>" "a NUL" 'model m {\n\n \000layers = 1;\n}\n'
bad 1:1 "<FF>" "UTF-16LE" '\377\376m\000o\000d\000'
bad 1:26 "<1B>" "an escape sequence in a comment" 'model m { layers = 1; // \033[31m\n}\n'

: >empty.attn
attnc check empty.attn
exits 0 "an empty file is valid"
printf '// nothing\n/* at all */' >comments.attn
attnc check comments.attn
exits 0 "so is one with nothing but comments"
attnc build empty.attn -o none
exits 1 "there is nothing to build in it"

json='{"model_type":"gemma2",@"num_hidden_layers":2}'
import_json "$(echo "$json" | tr @ '\n')"
cp m.attn want.attn
printf '\357\273\277%s' "$(echo "$json" | sed 's/@/\r\n/')" >c.json
attnc import hf c.json -o m.attn
same want.attn m.attn "JSON: a BOM and CRLF change nothing"
printf '{"model_type":"gemma2",\r\n"a": "\377"}' >c.json
attnc import hf c.json
refused c.json:2:7 "<FF>" "JSON: a byte that is not UTF-8"
printf '{"model_type":"gemma2",\r\n "head_dim": "x"}' >c.json
attnc import hf c.json
refused c.json:2:14 "head_dim" "JSON: lines and columns with CRLF"
done_testing
