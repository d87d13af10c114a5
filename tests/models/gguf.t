#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""`attnc import gguf`: small GGUF files written here, as real converters spell them, and what damaged and
hostile ones get: one error that names the byte, and no output."""
import os
import struct
import tempfile

import layers

U8, I32, U32, F32, BOOL, STR, ARR, U64 = 0, 5, 4, 6, 7, 8, 9, 10
FORMATS = {U8: "<B", I32: "<i", U32: "<I", F32: "<f", BOOL: "<?", U64: "<Q"}


def string(text):
    data = text if isinstance(text, bytes) else text.encode()
    return struct.pack("<Q", len(data)) + data


def value(v):
    """A Python value as GGUF has it: type and bytes."""
    if isinstance(v, bool):
        return BOOL, struct.pack("<?", v)
    if isinstance(v, int):
        return (I32, struct.pack("<i", v)) if v < 0 else (U32, struct.pack("<I", v))
    if isinstance(v, float):
        return F32, struct.pack("<f", v)
    if isinstance(v, str):
        return STR, string(v)
    kind = value(v[0])[0]
    return ARR, struct.pack("<IQ", kind, len(v)) + b"".join(value(e)[1] for e in v)


def gguf(entries, tensors=(), version=3, counts=None):
    pairs = entries.items() if isinstance(entries, dict) else entries
    out = b"GGUF" + struct.pack("<I", version)
    out += struct.pack("<QQ", *(counts or (len(tensors), len(pairs))))
    for key, v in pairs:
        kind, data = value(v)
        out += string(key) + struct.pack("<I", kind) + data
    for name in tensors:
        out += string(name) + struct.pack("<IQIQ", 1, 32, 0, 0)
    return out


def model(arch, **keys):
    return {"general.architecture": arch} | {
        f"{arch}.{k.replace('__', '.')}": v for k, v in keys.items()}


GEMMA3 = model("gemma3", context_length=32768, embedding_length=640, block_count=18,
               attention__head_count=4, attention__head_count_kv=1, attention__key_length=256,
               attention__value_length=256, attention__sliding_window=512, rope__freq_base=1e6) | {
    "tokenizer.ggml.tokens": ["<pad>", "<eos>"] * 3000, "tokenizer.ggml.scores": [0.0, -1.0] * 5000}
BIG = {"block_count": 2, "embedding_length": 512, "attention.head_count": 8,
       "attention.head_count_kv": 2, "attention.key_length": 64}


def big(arch, **keys):
    return model(arch, **{k.replace(".", "__"): v for k, v in BIG.items()} | keys)


MLA = dict(attention__head_count=16, attention__head_count_kv=1, attention__key_length=576,
           attention__value_length=512, attention__key_length_mla=192, attention__value_length_mla=128,
           attention__kv_lora_rank=512, rope__dimension_count=64)

# Rule, file, operators as `kind heads/kv/k/v scale [window] layers`.
GOOD = [
    ("gemma3: every sixth layer is full, the scale is that of the head dim", GEMMA3,
     "sliding_window 4/1/256/256 0.0625 512 0-4,6-10,12-16; full_attention 4/1/256/256 0.0625 5-17/6"),
    ("gemma3 27B has the scale of hidden / heads",
     model("gemma3", block_count=62, embedding_length=5376, attention__head_count=32,
           attention__head_count_kv=16, attention__key_length=128, attention__sliding_window=1024),
     "sliding_window 32/16/128/128 0.07715167498104596 1024 0-4,6-10,12-16,18-22,24-28,30-34,36-40,42-46,"
     "48-52,54-58,60-61; full_attention 32/16/128/128 0.07715167498104596 5-59/6"),
    ("a bool list says which layers slide", big("gemma3", attention__sliding_window=16,
                                                attention__sliding_window_pattern=[False, True]),
     "full_attention 8/2/64/64 0.125 0; sliding_window 8/2/64/64 0.125 16 1"),
    ("gpt-oss: even layers slide", big("gpt-oss", attention__sliding_window=128),
     "sliding_window 8/2/64/64 0.125 128 0; full_attention 8/2/64/64 0.125 1"),
    ("llama: nothing but full attention, head dim from the width",
     model("llama", block_count=2, embedding_length=512, attention__head_count=8),
     "full_attention 8/8/64/64 0.125 0-1"),
    ("layers that predict further tokens are not counted", big("glm4moe", nextn_predict_layers=1),
     "full_attention 8/2/64/64 0.125 0"),
    ("a scale of the file's own", big("granite", attention__scale=0.0078125),
     "full_attention 8/2/64/64 0.0078125 0-1"),
    ("gemma4: full layers have a head dim and KV heads of their own",
     big("gemma4", attention__key_length=128, attention__key_length_swa=64, attention__head_count_kv=[2, 1],
         attention__sliding_window=16, attention__sliding_window_pattern=[True, False]),
     "sliding_window 8/2/64/64 1.0 16 0; full_attention 8/1/128/128 1.0 1"),
    ("deepseek2: latent rows, YaRN folded into the scale",
     model("deepseek2", block_count=2, **MLA, rope__scaling__type="yarn", rope__scaling__factor=40.0,
           rope__scaling__yarn_log_multiplier=0.1),
     "mla_attention 16/1/192/128 0.1352337788608801 0-1"),
    ("granitehybrid: no KV heads, no attention",
     big("granitehybrid", attention__head_count_kv=[0, 2], ssm__conv_kernel=4, ssm__state_size=128,
         ssm__group_count=1, ssm__inner_size=1024, ssm__time_step_rank=16, attention__scale=0.125),
     "mamba mamba2 16x64 state 128 0; full_attention 8/2/64/64 0.125 1"),
    ("nemotron_h: a layer with a feed-forward part alone has no operator",
     big("nemotron_h", block_count=3, attention__head_count_kv=[0, 0, 2], feed_forward_length=[0, 64, 0],
         ssm__conv_kernel=4, ssm__state_size=128, ssm__group_count=8, ssm__inner_size=1024,
         ssm__time_step_rank=16),
     "mamba mamba2 16x64 state 128 0; full_attention 8/2/64/64 0.125 2"),
    ("mamba alone", model("mamba", block_count=2, embedding_length=512, ssm__conv_kernel=4,
                          ssm__inner_size=1024, ssm__state_size=16, ssm__time_step_rank=32),
     "mamba mamba1 1024x1 state 16 0-1"),
]

WINDOW_0 = gguf(GEMMA3 | {"gemma3.attention.sliding_window": 0})
VALUE_AT = 24 + 8 + len("general.architecture") + 4

# Rule, bytes of the file, what the message says.
BAD = [
    ("no GGUF at all", b"GGML" + bytes(20), "byte 0: not a GGUF file"),
    ("an empty file", b"", "byte 0: the file ends here"),
    ("a big-endian file", b"GGUF" + struct.pack(">IQQ", 3, 0, 0), "the file is big-endian"),
    ("version 1", gguf({}, version=1), "version 1, attnc reads 2 and 3"),
    ("a version of the future", gguf({}, version=4), "version 4, attnc reads 2 and 3"),
    ("a hostile number of keys", gguf({}, counts=(0, 2**63)), "limit is 65536"),
    ("more keys than there are", gguf({}, counts=(0, 3)), "byte 24: the file ends here"),
    ("a hostile number of tensors", gguf({}, counts=(2**40, 0)), "limit is 65536 and 1048576"),
    ("a key longer than the file", gguf({}, counts=(0, 1)) + struct.pack("<Q", 2**62),
     "byte 32: a string is longer than what is left of the file"),
    ("a string longer than the file",
     gguf({}, counts=(0, 1)) + string("general.architecture") + struct.pack("<IQ", STR, 2**63),
     f"byte {VALUE_AT + 8}, key `general.architecture`: a string is longer"),
    ("an array longer than the file",
     gguf({}, counts=(0, 1)) + string("a") + struct.pack("<IIQ", ARR, U64, 2**61),
     "key `a`: an array of 2305843009213693952 elements is longer than what is left"),
    ("an array of arrays", gguf({}, counts=(0, 1)) + string("a") + struct.pack("<IIQ", ARR, ARR, 1),
     "elements of an array cannot be of type 9"),
    ("a value of no type", gguf({}, counts=(0, 1)) + string("a") + struct.pack("<I", 13),
     "key `a`: there is no value type 13"),
    ("a truth value of 2", gguf({}, counts=(0, 1)) + string("a") + struct.pack("<IB", BOOL, 2),
     "a truth value must be 0 or 1"),
    ("a key without a name", gguf([("", 1)]), "a key must have 1 to 65535 bytes"),
    ("a key given twice", gguf([("a", 1), ("b", 2), ("a", 3)]), "key `a`: the key is given twice"),
    ("a tensor of 5 dimensions", gguf({}, counts=(1, 0)) + string("t") + struct.pack("<I", 5),
     "a tensor has more than 4 dimensions"),
    ("no architecture", gguf({"a": 1}), "`general.architecture` is missing"),
    ("an unknown architecture", gguf(model("nonesuch", block_count=1)), "which attnc cannot import"),
    ("a value out of range: key, place and byte", WINDOW_0,
     "error[A0907]: `gemma3.attention.sliding_window` must be from 1"),
    ("... the byte", WINDOW_0,
     f"byte {WINDOW_0.index(b'gemma3.attention.sliding_window') + 35}: \"gemma3.attention.sliding_window\" = 0"),
    ("a value of the wrong type", gguf(big("llama", attention__head_count="8")),
     "`llama.attention.head_count` must be an integer, has `\"8\"`"),
    ("a list shorter than the model", gguf(big("gemma3", attention__sliding_window_pattern=[True])),
     "`gemma3.attention.sliding_window_pattern` has 1 entry for 2 layers"),
    ("heads that differ from layer to layer", gguf(big("llama", attention__head_count=[8, 16])),
     "`llama.attention.head_count` differs from layer to layer"),
    ("sink logits where they are not known", gguf(big("llama"), ["blk.0.attn_sinks.weight"]),
     "`general.architecture` is not known for sink logits"),
    ("a decoder that is not causal", gguf(big("llama", attention__causal=False)),
     "`llama.attention.causal` is false"),
]


def told(op):
    if op["ssm"]:
        return "mamba {type} {heads}x{head_dim} state {state}".format(**op["ssm"])
    window = f" {op['window']}" if op["window"] else ""
    return (f"{op['kind']} {op['heads']}/{op['kv_heads']}/{op['head_dim']}/{op['v_head_dim']} "
            f"{float(op['scale'])}{window}")


def write(path, data):
    with open(path, "wb") as out:
        out.write(data)


def main():
    tap = layers.Tap()
    with tempfile.TemporaryDirectory() as folder:
        path, out = os.path.join(folder, "m.gguf"), os.path.join(folder, "m.attn")
        for rule, entries, want in GOOD:
            write(path, gguf(entries, ["blk.0.attn_q.weight"]) + bytes(64))
            ops, message = layers.operators(path, "gguf")
            sets = {}
            for op in ops or ():
                sets.setdefault(told(op), []).append(op["layer"])
            got = "; ".join(f"{text} {layers.spans(n)}" for text, n in sets.items())
            tap.point(got == want, rule, [f"got:  {got}", f"want: {want}", *message.splitlines()])
        for rule, data, want in BAD:
            write(path, data)
            done = layers.attnc("import", "gguf", path, "-o", out)
            tap.point(done.returncode == 1 and want in done.stderr and done.stderr.count("error[") == 1
                      and not os.path.exists(out), f"refused: {rule}",
                      [f"want: {want}", *done.stderr.splitlines()])
        whole = gguf(GEMMA3 | {"tokenizer.ggml.tokens": ["a"], "tokenizer.ggml.scores": [0.0]}, ["t"])
        fine = True
        for cut in range(len(whole)):
            write(path, whole[:cut])
            done = layers.attnc("import", "gguf", path, "-o", out)
            fine = fine and done.returncode == 1 and done.stderr.count("error[A0914]") == 1
        tap.point(fine and not os.path.exists(out), "cut after any byte: one error, nothing written")
        write(path, whole)
        os.truncate(path, 5 << 30)
        tap.point(layers.operators(path, "gguf")[0] is not None, "a file of 5 GiB is read")
        done = layers.attnc("import", "gguf", os.path.join(folder, "none.gguf"))
        tap.point(done.returncode == 3 and "cannot read" in done.stderr, "a file that is not there")
    tap.end()


main()
