# SPDX-License-Identifier: Apache-2.0
"""Reasons of attnc in the codes of the answers file (CODES in vllm_oracle.py).

In: a candidate's reasons in the order of attnc, and the layer. Out: the set of codes that vLLM's
validator would give. attnc lists every reason; vLLM stops at two places, which are followed here: a
class that cannot be imported is asked nothing, and of a backend's check of combinations the first
failure alone is told.
"""

CAPABILITIES = {  # a capability of attnc -> the validator's own check of another name
    "k_width": "head_dim",
    "sink_logits": "sink",
}
ALIKE = set(
    "dtype kv_dtype block_size mm_prefix per_head_scales window rswa non_causal non_causal_dcp "
    "batch_invariant kv_connector pcp dcp adaptive".split()
)
UNASKED = {"device", "phases", "group", "head_dim", "v_head_dim"}  # vLLM's validator has no such check
ENCODERS = ("encoder_only_attention", "cross_attention")
RULES = {  # checks of the validator that are rules of std/vllm.attn -> their code
    "capability": "capability",
    "attn_type": "attn_type",
    "import_error": "import_error",
    "cache_not_auto": "kv_dtype",
}
RENAMED = {  # rules of the check of combinations that have another name here -> their code
    "sparse_only": "x:needs_sparse",
    "without_dcp": "x:dcp",
    "packed_cache": "kv_dtype",
    "bf16_only": "dtype",
}
AFTER_COMBINATION = {"non_causal_fp16", "layout_turboquant"}
LATER = "constructor_"  # vLLM finds it after the validator


def capability_code(name, layer):
    if name == "kinds":  # the kinds of MLA, windows and chunks are asked by flags of their own
        return "attn_type" if layer["kind"] in ENCODERS else None
    if name == "mla":
        return "mla" if layer["mla"] is not None else "needs_mla"
    if name == "sparse":
        return "sparse" if layer["index"] is not None else "needs_sparse"
    return None if name in UNASKED else CAPABILITIES.get(name, name)


def is_capability(name):
    return name in ALIKE or name in CAPABILITIES or name in UNASKED or name in ("kinds", "mla", "sparse")


def codes(candidate, layer):
    found, told = set(), False
    for name in candidate["reasons"]:
        if name == "import_error":
            return {name}
        if name.startswith(LATER):
            continue
        if is_capability(name):
            found.add(capability_code(name, layer))
        elif name in RULES:
            found.add(RULES[name])
        elif name in AFTER_COMBINATION:
            found.add("x:" + name)
        elif not told:
            told = True
            found.add(RENAMED.get(name, "x:" + name))
    return found - {None}


def vllm_codes(answer):
    """vLLM's answer as such a set; which child a composite quotes does not matter."""
    return set() if answer == "ok" else {code.split("@")[0] for code in answer.split(",")}


def passes(candidate, layer):
    return not codes(candidate, layer) and "device" not in candidate["reasons"]
