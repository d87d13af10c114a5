#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Asks transformers' own classes what tests/models/expected.t asks the table: loads every file of
configs/ through its configuration class, builds the model without weights, and reads off each layer's
mixer its kind, heads, dims, scale, window and sinks; and, with the window cut to 8, counts the keys that
the class's own mask shows to the last of 40 queries. Prints every layer that attnc reads otherwise.

usage: check_transformers.py [--record] [FILE...]      needs pip install transformers torch
  --record   writes what was read to transformers.tsv, which transformers.t compares in CI
"""
import copy
import csv
import json
import os
import pathlib
import sys
import warnings

import layers

RECORD = layers.HERE / "transformers.tsv"
COLUMNS = ("file", "part", "kind", "layers", "heads", "kv_heads", "head_dim", "v_head_dim", "scale",
           "window", "sink_logits", "visible_of_8")
QUERIES, WINDOW = 40, 8
LOADS_AS = {"kimi_k2": "deepseek_v3"}
MASKED_BY_CONFIG = ("MistralAttention", "MixtralAttention", "Phi3Attention")
EXPANDED = ("MiniCPM3Attention",)  # latent weights, plain attention
# One that transformers refuses as it stands; see SOURCES.tsv.
MENDED = {"falcon-h1-0.5b": {"mamba_d_ssm": 24 * 64}}


def load(path):
    from transformers import CONFIG_MAPPING

    data = json.loads(path.read_text()) | MENDED.get(path.stem, {})
    kind = LOADS_AS.get(data["model_type"], data["model_type"])
    if kind not in CONFIG_MAPPING:
        raise LookupError(f"transformers does not know {kind}")
    data["model_type"] = kind
    return CONFIG_MAPPING[kind].from_dict(data)


def build(config):
    import torch
    from transformers import AutoModel

    config = copy.deepcopy(config)
    config._attn_implementation = "eager"
    with torch.device("meta"):
        return AutoModel.from_config(config)


def first(*values):
    return next((v for v in values if v is not None), None)


def is_mixer(name, module):
    cls, leaf = type(module).__name__, name.rsplit(".", 1)[-1]
    if any(word in name for word in ("vision", "visual", "audio", "indexer", "compressor")):
        return False
    return cls != "BertAttention" and leaf in (
        "self_attn", "attn", "self", "SelfAttention", "EncDecAttention", "encoder_attn", "mamba",
        "mixer", "linear_attn", "attention", "self_attention") and any(
        word in cls for word in ("Attention", "Mixer", "Mamba", "DeltaNet"))


def layer_of(name):
    return next(int(part) for part in name.split(".") if part.isdigit())


def read_recurrent(module):
    return {"kind": "mamba"}


def read_attention(name, module, config):
    """What one attention module says of itself, its configuration where it is silent."""
    own = getattr(module, "config", None) or config
    cls = type(module).__name__
    get = lambda *keys: first(*(getattr(module, k, None) for k in keys))
    heads = get("num_heads", "n_heads", "num_attention_heads") or own.num_attention_heads
    mla = None if cls in EXPANDED else get("kv_lora_rank")
    dim = first(get("qk_head_dim"), get("head_dim", "key_value_proj_dim", "attention_head_size"))
    window = get("sliding_window")
    if get("is_sliding") is False:
        window = None
    if cls in MASKED_BY_CONFIG:  # the module does not know, the model's mask does
        window = own.sliding_window
    chunk = own.attention_chunk_size if cls.startswith("Llama4") and get("use_rope") else None
    groups = get("num_key_value_groups")
    cross = "encoder_attn" in name or "EncDecAttention" in name
    encoder = get("is_causal") is False and not cross and not get("is_decoder")
    v4 = cls.startswith("DeepseekV4")
    if encoder and window:
        window -= 1  # both ways of saying it leave out the bound itself
    kind = ("cross_attention" if cross else "encoder_only_attention" if encoder
            else "sliding_window_mla" if v4 or (mla and window) else "mla_attention" if mla
            else "chunked_local_attention" if chunk else "sliding_window" if window
            else "full_attention")
    scale = first(get("scaling"), 1.0 if cls.startswith("T5") else None)
    return {
        "kind": kind,
        "heads": heads,
        "kv_heads": 1 if mla or v4 else heads // groups if groups else heads,
        "head_dim": dim,
        "v_head_dim": first(get("v_head_dim"), dim),
        "scale": float(scale) if scale is not None else None,
        "window": first(chunk, window),
        "sink_logits": get("sinks") is not None,
    }


def visible(config, kind):
    """Keys that the last of QUERIES sees in the class's mask for the kind, window or chunk of WINDOW."""
    import torch
    from transformers import masking_utils

    functions = {
        "sliding_window": ("sliding_window", masking_utils.create_sliding_window_causal_mask),
        "sliding_window_mla": ("sliding_window", masking_utils.create_sliding_window_causal_mask),
        "chunked_local_attention": ("attention_chunk_size", masking_utils.create_chunked_causal_mask),
    }
    if kind not in functions:
        return None
    field, function = functions[kind]
    config = copy.deepcopy(config)
    config._attn_implementation = "sdpa"
    setattr(config, field, WINDOW)
    mask = function(config=config, inputs_embeds=torch.zeros(1, QUERIES, 4), attention_mask=None,
                    cache=None, position_ids=torch.arange(QUERIES)[None], allow_is_causal_skip=False)
    return int(mask[0, 0, -1].sum())


def part_of(name):
    return "encoder" if name.startswith("encoder.") else "decoder" if name.startswith("decoder.") else ""


def read(path):
    """Rows of the record: one for each set of layers that agree."""
    config = load(path)
    text = config.get_text_config() if not getattr(config, "is_encoder_decoder", False) else config
    model, rows = build(text), {}
    split = getattr(config, "is_encoder_decoder", False)
    for name, module in model.named_modules():
        if not is_mixer(name, module):
            continue
        recurrent = "Attention" not in type(module).__name__
        found = read_recurrent(module) if recurrent else read_attention(name, module, text)
        found["visible_of_8"] = visible(text, found["kind"])
        found |= {"file": path.stem, "part": part_of(name) if split else ""}
        key = tuple(str(first(found.get(c), "")) for c in COLUMNS if c != "layers")
        rows.setdefault(key, (found, []))[1].append(layer_of(name))
    return [{c: str(first(f.get(c), "")) for c in COLUMNS} | {"layers": layers.spans(sorted(set(n)))}
            for f, n in rows.values()]


def main():
    warnings.filterwarnings("ignore")
    os.environ.setdefault("TRANSFORMERS_VERBOSITY", "error")
    args = [a for a in sys.argv[1:] if a != "--record"]
    paths = [pathlib.Path(a) for a in args] or sorted(layers.CONFIGS.glob("*.json"))
    import transformers

    rows, tap = [], layers.Tap()
    for path in paths:
        try:
            found = read(path)
        except Exception as e:  # whatever the class raises is the answer
            print(f"# {path.stem}: not run, {str(e).splitlines()[0][:150]}")
            continue
        rows += found
        layers.compare_record(tap, path, found)
    if "--record" in sys.argv:
        with open(RECORD, "w", encoding="utf-8", newline="") as out:
            out.write(f"# read by check_transformers.py from transformers {transformers.__version__}\n")
            table = csv.DictWriter(out, COLUMNS, delimiter="\t", lineterminator="\n")
            table.writeheader()
            table.writerows(rows)
    tap.end()


if __name__ == "__main__":
    main()
