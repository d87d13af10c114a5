# SPDX-License-Identifier: Apache-2.0
# Large inputs: awk -v shape=SHAPE -v n=N -f bench/large.awk >big.attn
# A deployment `d` of which one thing is there N times. Shapes are the functions below.
function times(format, i) {
    for (i = 0; i < n; i++) {
        printf format, i, i, i
    }
}
function model(layers, items) {
    printf "model m {\n    layers = %d; heads = 4; kv_heads = 2; head_dim = 64; dtype = f32;\n", layers
    if (items != "") {
        times("    " items "\n")
    }
    print "}"
}
function deploy(models, block, items) {
    printf "deploy d {\n    model = %s; platform = x86_64_v3; max_seqs = 1; max_tokens = 1K;\n", models
    print "    max_batch_tokens = 16; block_size = 16;"
    if (items != "") {
        print "    " block " {"
        times("        " items "\n")
        print "    }"
    }
    print "}"
}
BEGIN {
    print "import \"std/cpu.attn\";"
    small = n < 4 ? n : 4
    if (shape == "layers") { # one operator each, all alike
        model(n); deploy("m")
    } else if (shape == "blocks") { # a layer block for every layer, two kinds in turn
        model(n, "layer %d { window = 64; }"); deploy("m")
    } else if (shape == "groups") { # no two layers can share pages
        printf "model m {\n    layers = %d; heads = 4; kv_heads = 2; head_dim = 64; dtype = f32;\n", n
        for (i = 0; i < n; i++) {
            printf "    layer %d { window = %d; }\n", i, i + 1
        }
        print "}"
        deploy("m")
    } else if (shape == "mappings") { # every layer is mapped by a line of its own
        model(n); deploy("m", "backend_per_layer", "%d = CPU_REF;")
    } else if (shape == "backends") { # candidates for one layer
        times("backend B%d extends CPU_REF { head_dim = { 64 }; }\n"); model(1); deploy("m")
    } else if (shape == "lets") { # each uses the one before
        print "backend B extends CPU_REF {\n    let x0 = 1;"
        for (i = 1; i < n; i++) {
            printf "    let x%d = x%d * 1 + %d;\n", i, int(i / 2), i % 3
        }
        printf "    require x%d >= 0 : \"a sum\";\n}\n", n - 1
        model(1); deploy("m")
    } else if (shape == "models") { # all in one deployment
        printf ""
        for (i = 0; i < n; i++) {
            printf "model m%d { layers = 1; heads = 4; head_dim = 64; dtype = f32; }\n", i
            list = list (i ? ", " : "") "m" i
        }
        deploy("[" list "]")
    } else if (shape == "deployments") { # of one model
        model(1); deploy("m"); times("deploy d%d extends d { max_seqs = 1; }\n")
    } else if (shape == "errors") { # an unknown name on every line
        model(n, "layer %d { windows = 4; }"); deploy("m")
    } else {
        print "large.awk: unknown shape " shape >"/dev/stderr"
        exit 2
    }
}
