# SPDX-License-Identifier: Apache-2.0
"""One input of the answers file as .attn text.

In: a row. Out: a Question: the platform, the body of a model with one layer, and the settings of its
`for` block in a deployment. Always: the text says what the input says and no more; which backend is
asked about does not change it.
"""

from typing import NamedTuple

MLA = {  # nope, rope, v, latent, index_topk, as in vllm_oracle.py
    "r1": (128, 64, 128, 512, None),
    "v32": (128, 64, 128, 512, 2048),
    "glm": (256, 0, 256, 512, 2048),
    "n64": (64, 64, 128, 512, 2048),
    "n96": (96, 64, 128, 512, 2048),
    "n192": (192, 64, 256, 512, 2048),
    "lora256": (128, 64, 128, 256, 2048),
    "topk1000": (128, 64, 128, 512, 1000),
    "notopk": (128, 64, 128, 512, None),
    # A model without these fields: for vLLM nope is 1 then, and there is no index.
    "gqa4": (1, 64, 128, 512, None),
    # No model configuration: vLLM skips what it would read there. Asked with dims that pass.
    "none": (128, 64, 128, 512, 2048),
}
DTYPES = {"bf16": "bf16", "fp16": "f16", "fp32": "f32"}
CACHES = {"float16": "f16", "bfloat16": "bf16"}  # others are named alike
LEFT_OPEN = ("auto", "none")  # cache dtypes that are not given
WINDOW = 1024
INDEX_HEAD_DIM = 128
DEMANDS = ("mm_prefix", "per_head_scales", "rswa", "non_causal", "batch_invariant", "kv_connector", "adaptive")

PROBES = {  # facts that differ from "everything built and installed"
    "nofa4": {"fa4": "no"},
    "fa2only": {"fa3": "no", "fa4": "no"},
    "nocubin": {"trtllm": "no"},
    "oldfi": {"flashinfer_sm90_mla": "no", "flashinfer_sm120_mla": "no"},
    "nopkg": {"flashinfer": "no", "flashmla": "no", "tokenspeed": "no", "b12x": "no"},
    "noenv": {"aiter_enabled": "no"},
    "noaiter": {"aiter": "no"},
}


class Question(NamedTuple):
    platform: str
    model: str
    settings: str


def platform_of(keys):
    if keys["platform"] == "cuda":
        return "cuda_" + keys["arch"].replace(".", "")
    if keys["platform"] == "rocm":
        return "rocm_" + keys["arch"]
    return "vllm_" + keys["platform"] + {"amx": "_amx", "avx512": "_avx512"}.get(keys["arch"], "")


def model_name(keys, flags):
    default = "v32" if {"mla", "sparse"} <= flags else "r1" if "mla" in flags else "gqa4"
    return keys["model"] or default


def kv_heads(name, heads):
    return 1 if name in MLA and name not in ("gqa4", "none") else heads if name == "mha" else max(1, heads // 4)


def latent_lines(name, head):
    nope, rope, v, latent, _ = MLA[name]
    return [f"mla {{ latent = {latent}; rope = {rope}; nope = {nope}; v = {v}; }}", f"k_width = {head};"]


def index_lines(name):
    topk = MLA[name][4] if name in MLA else None
    return [f"index {{ head_dim = {INDEX_HEAD_DIM}; " + (f"topk = {topk}; " if topk else "") + "}"]


def window_line(attn):
    """The window as this kind of layer has one; a cross layer has none, so there it is demanded."""
    return {
        "decoder": f"window = {WINDOW};",
        "encoder_decoder": "demand = window;",
    }.get(attn, f"window_left = {WINDOW - 1}; window_right = {WINDOW - 1};")


def model_text(keys, flags):
    name, heads = model_name(keys, flags), int(keys["heads"])
    level = ["layers = 1;", f"heads = {heads};", f"kv_heads = {kv_heads(name, heads)};"]
    level.append(f"dtype = {DTYPES[keys['dtype']]};")
    if name != "none":  # without a configuration the model reports no head size
        level.append(f"head_dim = {keys['mhead'] or keys['head']};")
    layer = [f"attn = {keys['attn']};"]
    if "mla" in flags:
        layer += latent_lines(name, keys["head"])
    else:
        layer.append(f"head_dim = {keys['head']};")
    if "sparse" in flags:
        layer += index_lines(name)
    if "sink" in flags:
        layer.append("sink_logits = yes;")
    if "window" in flags:
        layer.append(window_line(keys["attn"]))
    lines = level + ["layer 0 { " + " ".join(layer) + " }"]
    if name == "encdec":
        lines.append(f"layer 0 as cross {{ attn = encoder_decoder; head_dim = {keys['head']}; }}")
    return " ".join(lines)


def cache(kv):
    return "auto" if kv in LEFT_OPEN else CACHES.get(kv, kv)


def settings_text(keys, flags):
    lines = [f"kv_dtype = {cache(keys['run'] or keys['kv'])};"]
    if keys["run"]:  # the layer keeps a cache of its own in a run with another
        lines.append(f"kv_dtype_per_kind {{ full_attention = {cache(keys['kv'])}; }}")
    if keys["block"] != "-":
        lines.append(f"block_size = {keys['block']};")
    lines += [f"{flag} = 2;" for flag in ("dcp", "pcp") if flag in flags]
    demands = [flag for flag in DEMANDS if flag in flags]
    if demands:
        lines.append(f"demand = {{ {', '.join(demands)} }};")
    # On ROCm nothing is enabled unless probes=aiter says so.
    found = "noenv" if keys["platform"] == "rocm" and keys["probes"] == "full" else keys["probes"]
    facts = dict(PROBES.get(found, {}))
    if keys["fa"]:
        facts["fa_version"] = keys["fa"]
    if keys["trtllm"]:
        facts["use_trtllm"] = "yes" if keys["trtllm"] == "1" else "no"
    lines += [f"fact {name} = {value};" for name, value in facts.items()]
    return " ".join(lines)


def question(row, more=""):
    """The layer of `row`; `more` is added to the settings."""
    keys, flags = row.keys(), row.flags()
    return Question(platform_of(keys), model_text(keys, flags), (settings_text(keys, flags) + " " + more).strip())
