# SPDX-License-Identifier: Apache-2.0
"""request: what runs when a backend is asked for.

The verdict on the backend decides, as on a `backend` of the deployment; on CPU and XPU the request is
also the fact `requested`, which their lists read. Three things that vLLM does are followed here as the
importer does: on CPU and XPU what the list names wins; a placeholder stands for no class; and ROCm
drops a request that fails only by the layout or cache dtype of a packed run.
"""

from agreement import auto, layer, reasons

REFUSED = "error"
PACKED = ("turboquant", "ultraquant")
DROPPED = ({"kv_dtype"}, {"x:layout_turboquant"})


def question(row):
    return question_of(row, row.subject)


def question_of(row, backend):
    """The layer of `row` with a request; None: automatic."""
    hint = row.keys()["platform"] in auto.UNASKED and backend
    return layer.question(row, f"fact requested = {backend};" if hint else "")


def dropped(row, candidate, plan):
    keys = row.keys()
    packed = keys["run"].startswith(PACKED) or keys["kv"].startswith("turboquant")
    return keys["platform"] == "rocm" and packed and reasons.codes(candidate, plan) in DROPPED


def answer_of(row, backend, plan):
    if not backend or row.keys()["platform"] in auto.UNASKED:
        choice = auto.answer(row, plan).split(">")[0]
        if choice not in ("none", REFUSED):
            return choice
        if not backend:
            return REFUSED
    verdict = next((c for c in plan["prefill"]["candidates"] if c["backend"] == backend), None)
    if verdict and reasons.passes(verdict, plan):
        return backend
    if verdict and dropped(row, verdict, plan):
        return auto.answer(row, plan).split(">")[0]
    return REFUSED


def answer(row, plan):
    return answer_of(row, row.subject, plan)


def same(row, ours):
    """vLLM's errors differ in their Python class; attnc has one: the request is refused."""
    return ours == row.answer.split(":")[0]
