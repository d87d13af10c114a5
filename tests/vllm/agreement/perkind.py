# SPDX-License-Identifier: Apache-2.0
"""perkind: what runs for a layer under a `backend_per_kind` map (JSON in `subject`).

The entry of the layer's kind counts, else the global `backend`, else the automatic choice.
"""

import json

from agreement import request

MINIMAX_ONLY = ("CUTLASS_MSA", "TRITON_MSA")  # as the global backend they leave the choice automatic


def kind_of(row):
    """The key of the map that governs the layer: v1/attention/selector.py, get_attn_spec_kind."""
    flags, attn = row.flags(), row.keys()["attn"]
    if attn in ("encoder_only", "encoder_decoder"):
        return {"encoder_only": "encoder_only_attention", "encoder_decoder": "cross_attention"}[attn]
    if "mla" in flags:
        return "sliding_window_mla" if "window" in flags else "mla_attention"
    return "sliding_window" if "window" in flags else "full_attention"


def requested(row):
    config = json.loads(row.subject)
    everywhere = (config.get("backend") or "").upper()
    entry = config.get("backend_per_kind", {}).get(kind_of(row), "").upper()
    return entry or (None if everywhere in (*MINIMAX_ONLY, "") else everywhere)


def question(row):
    return request.question_of(row, requested(row))


def answer(row, plan):
    return request.answer_of(row, requested(row), plan)


same = request.same
