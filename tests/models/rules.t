#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Rules of the architectures on small configurations: defaults, switches, spellings, lists that are too
long or too short, and what is refused. What an import gives is told as `kind[:attributes] layers`."""
import json
import os
import tempfile

import layers

SHOWN = ("heads", "kv_heads", "head_dim", "v_head_dim")


def told(op):
    text = op["kind"]
    if op["kind"] != "mamba":
        text += ":" + "/".join(str(op[a]) for a in SHOWN)
    for name in ("window", "chunk", "sink_tokens", "compress", "kv_share"):
        text += f" {name}={op[name]}" if op[name] is not None else ""
    if op["window_left"] is not None:
        text += f" window={op['window_left']}+{op['window_right']}"
    if op["index"]:
        text += f" index.share={op['index']['share']}" if op["index"]["share"] is not None else " index"
    text += " sinks" if op["sink_logits"] else ""
    if op["ssm"]:
        text += ":{type} {heads}x{head_dim} state {state} groups {groups} conv {conv}".format(**op["ssm"])
    return text


def summary(config):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "c.json")
        with open(path, "w", encoding="utf-8") as out:
            json.dump(config, out)
        ops, message = layers.operators(path)
    if ops is None:
        return message.split(": ", 1)[1].splitlines()[0]
    sets = {}
    for op in ops:
        sets.setdefault(told(op), []).append(op["layer"])
    return "; ".join(f"{text} {layers.spans(n)}" for text, n in sets.items())


S, F, M = "sliding_attention", "full_attention", "mamba"
SMALL = {"num_attention_heads": 8, "num_key_value_heads": 2, "head_dim": 64}
V3 = {"model_type": "deepseek_v3", "num_hidden_layers": 2, "num_attention_heads": 4, "kv_lora_rank": 64,
      "qk_nope_head_dim": 32, "qk_rope_head_dim": 16, "v_head_dim": 24}
GLM = V3 | {"model_type": "glm_moe_dsa", "num_hidden_layers": 4}
STEP = {"model_type": "step3p5", "num_hidden_layers": 2, "sliding_window": 512, "layer_types": [F, S]}
NEMOTRON = SMALL | {"model_type": "nemotron_h", "mamba_num_heads": 4, "mamba_head_dim": 16,
                    "ssm_state_size": 32, "n_groups": 2}
PANGU = {"model_type": "PanguProMoEV2", "num_hidden_layers": 2, "num_attention_heads": 4}
FULL = "full_attention:8/2/64/64"
SLIDE = "sliding_window:8/2/64/64"

RULES = [
    ("mixtral has no window unless the file gives one", SMALL | {
        "model_type": "mixtral", "num_hidden_layers": 2, "sliding_window": 16},
     f"{SLIDE} window=16 0-1"),
    ("a window of 0 is none", SMALL | {
        "model_type": "mistral", "num_hidden_layers": 2, "sliding_window": 0},
     f"{FULL} 0-1"),
    ("... and so is any number while the switch is off", SMALL | {
        "model_type": "qwen2_moe", "num_hidden_layers": 2, "sliding_window": 0},
     f"{FULL} 0-1"),
    ("ministral: layer_types say which layers slide", SMALL | {
        "model_type": "ministral", "num_hidden_layers": 2, "sliding_window": 16, "layer_types": [F, S]},
     f"{FULL} 0; {SLIDE} window=16 1"),
    ("ministral without layer_types slides everywhere", SMALL | {
        "model_type": "ministral", "num_hidden_layers": 2, "sliding_window": 16},
     f"{SLIDE} window=16 0-1"),
    ("mistral honours layer_types too", SMALL | {
        "model_type": "mistral", "num_hidden_layers": 2, "sliding_window": 16, "layer_types": [S, F]},
     f"{SLIDE} window=16 0; {FULL} 1"),
    ("gpt_oss: even layers slide, all have sinks", SMALL | {"model_type": "gpt_oss", "num_hidden_layers": 3},
     f"{SLIDE} window=128 sinks 0,2; {FULL} sinks 1"),
    ("cohere2: the pattern of the file", SMALL | {
        "model_type": "cohere2", "num_hidden_layers": 4, "sliding_window_pattern": 2},
     f"{SLIDE} window=4096 0,2; {FULL} 1,3"),
    ("smollm3 with its window on: the layers without RoPE slide", SMALL | {
        "model_type": "smollm3", "num_hidden_layers": 4, "use_sliding_window": True, "sliding_window": 16},
     f"{FULL} 0-2; {SLIDE} window=16 3"),
    ("gemma4: the last layer is full, and trailing layers share", SMALL | {
        "model_type": "gemma4_text", "num_hidden_layers": 4, "layer_types": [S, F, S, S],
        "global_head_dim": 128, "num_kv_shared_layers": 2},
     f"{SLIDE} window=512 0; full_attention:8/2/128/128 1; {SLIDE} window=512 kv_share=0 2; "
     "full_attention:8/2/128/128 kv_share=1 3"),
    ("gemma4_unified has another window", SMALL | {
        "model_type": "gemma4_unified_text", "num_hidden_layers": 2, "global_head_dim": 64},
     f"{SLIDE} window=1024 0; {FULL} 1"),
    ("gemma4 that sees both ways is refused", SMALL | {
        "model_type": "gemma4_text", "num_hidden_layers": 2, "use_bidirectional_attention": "all"},
     "error[A0913]: `use_bidirectional_attention` is `\"all\"`: transformers lets a window of w see "
     "w / 2 + 1 keys on each side, others w / 2; attnc does not guess"),
    ("hunyuan with use_cla: layers reuse the cache before them", {
        "model_type": "hunyuan", "num_hidden_layers": 4, "num_attention_heads": 8, "use_cla": True,
        "num_key_value_heads": 2, "attention_head_dim": 64, "cla_share_factor": 2},
     f"{FULL} 0,2; {FULL} kv_share=0 1; {FULL} kv_share=2 3"),
    ("a latent model has one row for all heads", V3, "mla_attention:4/1/48/24 0-1"),
    ("indexed layers are latent under any name",
     V3 | {"model_type": "deepseek_v32", "layer_types": ["indexed_attention"] * 2},
     "mla_attention:4/1/48/24 index 0-1"),
    ("indexer_types: shared layers reuse the choice of the last owner",
     GLM | {"indexer_types": ["full", "shared", "full", "shared"]},
     "mla_attention:4/1/48/24 index 0,2; mla_attention:4/1/48/24 index.share=0 1; "
     "mla_attention:4/1/48/24 index.share=2 3"),
    ("index_topk_pattern says the same in letters", GLM | {"index_topk_pattern": "FFSS"},
     "mla_attention:4/1/48/24 index 0-1; mla_attention:4/1/48/24 index.share=1 2-3"),
    ("index_topk_freq says it by number", GLM | {"index_topk_freq": 4},
     "mla_attention:4/1/48/24 index 0-1; mla_attention:4/1/48/24 index.share=1 2-3"),
    ("an indexer that shares with none is refused", GLM | {"indexer_types": ["shared"] * 4},
     "error[A0911]: layer 0 shares the choice of an earlier indexer, and there is none"),
    ("deepseek_v4: a window everywhere, compressed rows where the ratio says so",
     {"model_type": "deepseek_v4", "num_hidden_layers": 3, "num_attention_heads": 4, "head_dim": 64,
      "compress_ratios": [0, 4, 128, 0], "num_nextn_predict_layers": 1},
     "sliding_window_mla:4/1/64/64 window=128 sinks 0-2; "
     "mla_attention:4/1/64/64 compress=4 index sinks 1; mla_attention:4/1/64/64 compress=128 sinks 2"),
    ("deepseek_v4 by layer_types", {
        "model_type": "deepseek_v4", "num_hidden_layers": 2, "num_attention_heads": 4, "head_dim": 64,
        "layer_types": ["sliding_attention", "heavily_compressed_attention"],
        "compress_rates": {"heavily_compressed_attention": 64}},
     "sliding_window_mla:4/1/64/64 window=128 sinks 0-1; mla_attention:4/1/64/64 compress=64 sinks 1"),
    ("step: sliding layers have heads of their own",
     STEP | {"attention_other_setting": {"num_attention_heads": 96}},
     "full_attention:64/8/128/128 0; sliding_window:96/8/128/128 window=512 1"),
    ("step without them is not guessed at", STEP,
     "error[A0905]: `attention_other_setting` is missing: it says how many heads the sliding layers "
     "have, which attnc does not guess"),
    ("bamba: attn_layer_indices", SMALL | {
        "model_type": "bamba", "num_hidden_layers": 2, "attn_layer_indices": [1], "mamba_n_heads": 4,
        "mamba_d_head": 16, "mamba_d_state": 32},
     f"mamba:mamba2 4x16 state 32 groups 1 conv 4 0; {FULL} 1"),
    ("jamba: period and offset, Mamba 1", SMALL | {
        "model_type": "jamba", "num_hidden_layers": 4, "attn_layer_period": 2, "attn_layer_offset": 1,
        "hidden_size": 512},
     f"mamba:mamba1 1024x1 state 16 groups 1 conv 4 0,2; {FULL} 1,3"),
    ("nemotron_h: letters", NEMOTRON | {"hybrid_override_pattern": "M-*E"},
     f"mamba:mamba2 4x16 state 32 groups 2 conv 4 0; {FULL} 2"),
    ("nemotron_h: words, old and new", NEMOTRON | {
        "layers_block_type": [M, "mlp", "attention", "moe", "linear_attention", F]},
     f"mamba:mamba2 4x16 state 32 groups 2 conv 4 0,4; {FULL} 2,5"),
    ("falcon_h1: both in every layer, an inner width that agrees", SMALL | {
        "model_type": "falcon_h1", "num_hidden_layers": 2, "mamba_n_heads": 4, "mamba_d_head": 16,
        "mamba_d_state": 32, "mamba_d_ssm": 64},
     f"{FULL} 0-1; mamba:mamba2 4x16 state 32 groups 1 conv 4 0-1"),
    ("falcon_h1: ... and one that does not", SMALL | {
        "model_type": "falcon_h1", "num_hidden_layers": 2, "mamba_n_heads": 4, "mamba_d_head": 16,
        "mamba_d_ssm": 65},
     "error[A0909]: `mamba_d_ssm` is 65, not 4 heads of 16"),
    ("lfm2: short convolutions", SMALL | {
        "model_type": "lfm2", "num_hidden_layers": 2, "hidden_size": 512, "layer_types": ["conv", F]},
     f"mamba:short_conv 512x1 state None groups 1 conv 3 0; {FULL} 1"),
    ("minimax: linear attention", SMALL | {
        "model_type": "minimax", "num_hidden_layers": 2, "layer_types": ["linear_attention", F]},
     f"mamba:linear 8x64 state 64 groups 1 conv None 0; {FULL} 1"),
    ("modernbert: every third layer sees all, the others half of local_attention on each side", {
        "model_type": "modernbert", "num_hidden_layers": 3, "num_attention_heads": 4, "hidden_size": 256,
        "local_attention": 16},
     "encoder_only_attention:4/4/64/64 0; encoder_only_attention:4/4/64/64 window=8+8 1-2"),
    ("t5: a decoder without a depth of its own is as deep as the encoder", {
        "model_type": "t5", "num_layers": 2, "num_decoder_layers": None, "num_heads": 4, "d_kv": 32},
     "encoder_only_attention:4/4/32/32 0-1; full_attention:4/4/32/32 0-1; "
     "cross_attention:4/4/32/32 0-1"),
    ("openPangu: learned static rows", PANGU | {
        "param_sink_number": 128, "qk_nope_dim": 128, "qk_rope_dim": 64, "v_channels": 128,
        "num_key_value_heads": 2},
     "sink_full_attention:4/2/192/128 sink_tokens=128 0-1"),
    ("openPangu: latent where all dims of it are there", PANGU | {
        "param_sink_number": 128, "kv_lora_rank": 64, "qk_nope_head_dim": 32, "qk_rope_head_dim": 16,
        "v_head_dim": 24},
     "mla_attention:4/1/48/24 0-1"),
    ("openPangu: not causal", PANGU | {"hidden_size": 256, "is_causal": False},
     "encoder_only_attention:4/4/64/64 0-1"),
    ("per_layer_config is refused where the rows are latent", V3 | {"per_layer_config": {}},
     "error[A0913]: attnc does not read `per_layer_config` of a deepseek_v3"),
    ("a wrapper names its part", {
        "model_type": "mistral3", "text_config": SMALL | {
            "model_type": "mistral", "num_hidden_layers": 1, "sliding_window": None}},
     f"{FULL} 0"),
    ("an unknown type is refused by name", {"model_type": "nonesuch_v9"},
     "error[A0904]: `model_type` is `\"nonesuch_v9\"`, which attnc cannot import"),
]


def main():
    tap = layers.Tap()
    for rule, config, want in RULES:
        got = summary(config)
        tap.point(got == want, rule, [f"got:  {got}", f"want: {want}"] if got != want else ())
    tap.end()


main()
