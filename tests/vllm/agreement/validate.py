# SPDX-License-Identifier: Apache-2.0
"""validate: the verdict on one backend for one layer, and the set of its reasons."""

from agreement import layer, reasons


def question(row):
    return layer.question(row)


def answer(row, plan):
    for candidate in plan["prefill"]["candidates"]:
        if candidate["backend"] == row.subject:
            return ",".join(sorted(reasons.codes(candidate, plan))) or "ok"
    return "no such backend"


def same(row, ours):
    return reasons.vllm_codes(ours) == reasons.vllm_codes(row.answer)
