# SPDX-License-Identifier: Apache-2.0
"""Reasons of attnc in the codes of the answers file (CODES in vllm_oracle.py).

In: a candidate's reasons in the order of attnc, and the layer. Out: the set of codes that vLLM's
validator would give. attnc lists every reason; vLLM stops at two places, which are followed here: a
class that cannot be imported is asked nothing, and of a backend's check of combinations the first
failure alone is told.
"""

CAPABILITIES = {  # a capability of attnc -> the validator's own check
    "k_width": "head_dim",
    "sink_logits": "sink",
}
SAME = set(
    "dtype kv_dtype block_size mm_prefix per_head_scales window rswa non_causal non_causal_dcp "
    "batch_invariant kv_connector pcp dcp adaptive".split()
)
UNASKED = {"device", "phases", "group", "head_dim", "v_head_dim"}  # vLLM's validator has no such check
ENCODERS = ("encoder_only_attention", "cross_attention")
CAPABILITY_NAMES = {*SAME, *CAPABILITIES, *UNASKED, "kinds", "mla", "sparse"}
RULES = {"capability", "attn_type", "import_error"}  # checks of the validator that are rules here
RENAMED = {"sparse_only": "needs_sparse", "without_dcp": "dcp"}  # names that are capabilities too
AFTER_COMBINATION = {"non_causal_fp16", "layout_turboquant"}
LATER = "constructor_"  # vLLM finds it after the validator


def capability_code(name, layer):
    latent = layer["mla"] is not None
    if name == "kinds":  # the kinds of MLA, windows and chunks are asked by flags of their own
        return "attn_type" if layer["kind"] in ENCODERS else None
    if name == "mla":
        return "mla" if latent else "needs_mla"
    if name == "sparse":
        return "sparse" if layer["index"] is not None else "needs_sparse"
    return CAPABILITIES.get(name, name if name in SAME else None)


def codes(candidate, layer):
    found, told = set(), False
    seen = set()
    for name in candidate["reasons"]:
        # A rule may be named like a capability: capabilities come first, so it stands there again.
        known = name not in seen and name in CAPABILITY_NAMES
        seen.add(name)
        if name == "import_error":
            return {name}
        if name.startswith(LATER):
            continue
        if known:
            code = capability_code(name, layer)
        elif name in RULES:
            code = name
        elif name in AFTER_COMBINATION:
            code = "x:" + name
        elif told:
            continue
        else:
            told = True
            code = name if name in SAME else "x:" + RENAMED.get(name, name)
        found |= {code} - {None}
    return found


def vllm_codes(answer):
    """vLLM's answer as such a set; which child a composite quotes does not matter."""
    return set() if answer == "ok" else {code.split("@")[0] for code in answer.split(",")}


def passes(candidate, layer):
    return not codes(candidate, layer) and "device" not in candidate["reasons"]
