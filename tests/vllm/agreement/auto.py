# SPDX-License-Identifier: Apache-2.0
"""auto: every valid backend of the automatic choice, best first.

On CPU and XPU vLLM takes what its list names without asking it: there the answer is the first that
passes its rules, else the last; nothing in the list is vLLM's error.
"""

from agreement import batch, layer, reasons

UNASKED = ("cpu", "xpu")


def question(row):
    return layer.question(row)


def unasked_choice(listed, plan):
    for candidate in listed:
        if reasons.passes(candidate, plan):
            return candidate["backend"]
    return listed[-1]["backend"] if listed else None


def answer(row, plan):
    listed, _ = batch.candidates(plan)
    if row.keys()["platform"] in UNASKED:
        return unasked_choice(listed, plan) or "error"
    valid = [c["backend"] for c in listed if reasons.passes(c, plan)]
    return ">".join(valid) or "none"


def same(row, ours):
    return ours == row.answer.split(":")[0]
