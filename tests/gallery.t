#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The gallery: each file is canonical, free of warnings but for the one it speaks of, says of its
# model what the model's own configuration says, and builds to C that compiles.
. "$(dirname "$0")/tap.sh"

# A file of the gallery is called as its model's configuration, but for the version.
config_of() {
    case $1 in
    mistral_7b) echo mistral-7b-v0.1 ;;
    *)
        for config in "$ROOT"/tests/models/configs/*.json; do
            config=$(basename "$config" .json)
            [ "$(echo "$config" | tr .- __)" != "$1" ] || echo "$config"
        done
        ;;
    esac
}

warnings() {
    [ "$1" != phi_3_mini_128k ] || echo -Wno-window-past-context
}

# The models of a file, without what is deployed.
models() {
    sed '/^platform /,$d; /^import /d; /^\/\//d' "$1" | cat -s
}

for file in "$ROOT"/examples/gallery/*.attn; do
    name=$(basename "$file" .attn)
    attnc fmt --check "$file"
    exits 0 "$name: canonical"
    # shellcheck disable=SC2046  # one option or none
    attnc build -Werror $(warnings "$name") "$file" -o "$name"
    exits 0 "$name: builds without a warning"
    models "$file" >models.attn
    attnc import hf "$ROOT/tests/models/configs/$(config_of "$name").json" -o import.attn
    attnc diff --exit-code import.attn models.attn
    exits 0 "$name: the model is what its configuration says"
    for c in "$name"/*.c; do
        ok "$name: $(basename "$c") compiles" \
            "${CC:-cc}" -std=c11 -O0 -Wall -Wextra -Werror -pedantic -fsyntax-only \
            -I"$ROOT/runtime/include" -I"$name" "$c"
    done
done
done_testing
