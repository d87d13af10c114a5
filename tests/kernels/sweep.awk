# SPDX-License-Identifier: Apache-2.0
# Writes part PART of PARTS of the sweep's instances (C for sweep.h): the whole product of kinds,
# dims, query heads per KV head and block sizes. What else an instance has (types, page format,
# features, window, instruction set) is drawn by a fixed rule, so that every value meets every kind;
# test_sweep.c counts that. STEP keeps each STEP-th instance: the rest is for builds that are slow.
#   awk -v PART=0 -v PARTS=4 -v STEP=1 -f sweep.awk
function define(name, value) { printf "#define ATTN_%s %s\n", name, value }
# One of `n` values, drawn anew at each call.
function draw(n) {
    state = (state * 1103515 + 12345) % 2147483648
    return int(state / 65536) % n
}
function pick(words,    list, n) {
    n = split(words, list, " ")
    return list[1 + draw(n)]
}
function instance(kind, k_dim, v_dim, group, block,    heads, chunk, paired) {
    state = product * 7919 + 17
    heads = group > 8 ? 1 : 1 + draw(2)
    paired = kind != "ENCODER_ONLY_ATTENTION" && block % 2 == 0 && draw(2)
    printf "#define ATTN_INSTANCE sweep_%d\n", product
    define("KIND", "ATTN_" kind)
    define("KV_HEADS", heads)
    define("HEADS", heads * group)
    define("HEAD_DIM", k_dim)
    define("V_HEAD_DIM", v_dim)
    define("BLOCK_SIZE", kind == "ENCODER_ONLY_ATTENTION" ? 0 : block)
    define("LAYOUT", kind == "ENCODER_ONLY_ATTENTION" ? "ATTN_LAYOUT_NONE" : \
           paired ? "ATTN_LAYOUT_HND_PAIR" : "ATTN_LAYOUT_HND")
    define("DTYPE", pick("ATTN_F32 ATTN_BF16 ATTN_F16"))
    define("KV_DTYPE", pick("ATTN_F32 ATTN_BF16 ATTN_F16"))
    define("ISA", pick("0 3 4"))
    define("SOFTCAP", pick("0.0f 2.5f"))
    define("SINK_LOGITS", draw(2))
    define("ALIBI", draw(2))
    define("DETERMINISTIC", draw(2))
    if (kind == "SLIDING_WINDOW" || (kind ~ /CHUNKED|SINK/ && draw(2)))
        define("WINDOW_LEFT", pick("0 1 2 15 16 17 63 64 " block))
    if (kind == "CHUNKED_LOCAL_ATTENTION")
        define("CHUNK", pick("1 5 16 63 64 65 100 " block))
    if (kind == "SINK_FULL_ATTENTION")
        define("SINK_TOKENS", pick("1 4 63 64 65"))
    if (kind == "ENCODER_ONLY_ATTENTION") {
        define("WINDOW_LEFT", pick("ATTN_UNBOUNDED 0 3 " block))
        define("WINDOW_RIGHT", pick("ATTN_UNBOUNDED 0 5 " block))
    }
    if (kind == "CROSS_ATTENTION")
        define("WINDOW_RIGHT", "ATTN_UNBOUNDED")
    print "#include \"tests/kernels/instance.inc\"\n"
}
BEGIN {
    kinds = split("FULL_ATTENTION SLIDING_WINDOW CHUNKED_LOCAL_ATTENTION SINK_FULL_ATTENTION " \
                  "ENCODER_ONLY_ATTENTION CROSS_ATTENTION", kind, " ")
    dims = split("8:8 24:40 64:64 256:128", dim, " ")
    groups = split("1 2 3 5 8 20", group, " ")
    blocks = split("1 3 16 64", block, " ")
    print "// Written by tests/kernels/sweep.awk.\n#include \"tests/kernels/sweep.h\"\n"
    for (i = 1; i <= kinds; i++)
        for (j = 1; j <= dims; j++)
            for (k = 1; k <= groups; k++)
                for (l = 1; l <= blocks; l++) {
                    product++
                    if (product % STEP || int(product / STEP) % PARTS != PART)
                        continue
                    split(dim[j], d, ":")
                    instance(kind[i], d[1], d[2], group[k], block[l])
                    list = list sprintf("    &sweep_%d,\n", product)
                }
    printf "extern const attn_kernel *const sweep_part_%d[];\n", PART
    printf "const attn_kernel *const sweep_part_%d[] = {\n%s    0,\n};\n", PART, list
    if (PART == 0) {
        for (p = 1; p < PARTS; p++)
            printf "extern const attn_kernel *const sweep_part_%d[];\n", p
        printf "const attn_kernel *const *const sweep_parts[] = {"
        for (p = 0; p < PARTS; p++)
            printf "sweep_part_%d, ", p
        print "0};"
    }
}
