#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# E02: cycles of imports and of `extends` show their chain, depth has a limit, diamonds are fine.
. "$(dirname "$0")/lib.sh"

model='{ layers = 1; heads = 1; head_dim = 8; dtype = f32; }'
echo 'import "b.attn";' >a.attn
echo 'import "a.attn";' >b.attn
attnc check a.attn
exits 1 "a -> b -> a is refused"
is "$(grep -c 'error\[' "$WORK/err")" 1 "... with one error"
says a.attn "... that shows the chain"
says b.attn "... whole"
echo 'import "self.attn";' >self.attn
attnc check self.attn
exits 1 "a file that imports itself is refused"
says self.attn "... by name"
mkdir x
ln -s ../c1.attn x/link.attn
echo 'import "./x/../c2.attn";' >c1.attn
echo 'import "c3.attn";' >c2.attn
echo 'import "x/link.attn";' >c3.attn
attnc check c1.attn
exits 1 "a cycle of three through ./x/../ and a symbolic link is refused"

echo 'import "l.attn"; import "r.attn"; import "./x/../l.attn";' >top.attn
echo 'import "base.attn";' >l.attn
echo 'import "base.attn";' >r.attn
echo "model base $model" >base.attn
attnc check top.attn
exits 0 "a diamond is fine: the file in common is read once"

chain() {
    i=0
    while [ $i -lt "$1" ]; do
        echo "import \"f$((i + 1)).attn\";" >"f$i.attn"
        i=$((i + 1))
    done
    echo "model m $model" >"f$1.attn"
}
chain 60
attnc check f0.attn
exits 0 "60 files in a chain are fine"
chain 2000
attnc check f0.attn
exits 1 "2000 files in a chain are refused"
says 64 "... with the limit"

cat >e.attn <<'EOF'
import "std/cpu.attn";
backend A extends B { device = cpu; }
backend B extends A { device = cpu; }
EOF
attnc check e.attn
exits 1 "a backend that extends itself by way of another is refused"
says "A -> B -> A" "... showing the chain"
done_testing
