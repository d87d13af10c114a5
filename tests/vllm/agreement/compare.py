# SPDX-License-Identifier: Apache-2.0
"""Every query of a file, asked and compared.

A query is a module with three functions: question(row), what to ask of attnc (None: it is not asked by
a plan, and answer gets None); answer(row, plan), the answer in the words of the file; same(row, ours).
`speckind` is about classes inside vLLM and is left out; any other row that cannot be asked disagrees.
"""

from typing import NamedTuple

from agreement import auto, batch, config, kernel, kind, layouts, perkind, preferred, request
from agreement import validate

QUERIES = {
    "validate": validate,
    "auto": auto,
    "request": request,
    "perkind": perkind,
    "kind": kind,
    "config": config,
    "preferred": preferred,
    "kernel": kernel,
    "layouts": layouts,
}
LEFT_OUT = ("speckind",)
NOT_ASKED = "cannot be asked"


class Result(NamedTuple):
    query: str
    agree: int
    total: int
    disagreements: list  # (row, answer of attnc)


def asked(row):
    """The row with its question."""
    try:
        return row, QUERIES[row.query].question(row)
    except (KeyError, ValueError):
        return row, NOT_ASKED


def answered(row, question, plans):
    if question == NOT_ASKED or (question and plans[question] is None):
        return NOT_ASKED
    return QUERIES[row.query].answer(row, plans[question] if question else None)


def compare(query, questions, plans):
    disagreements = []
    for row, question in questions:
        ours = answered(row, question, plans)
        if ours == NOT_ASKED or not QUERIES[query].same(row, ours):
            disagreements.append((row, ours))
    return Result(query, len(questions) - len(disagreements), len(questions), disagreements)


def all_queries(rows, wanted=None):
    by_query = {}
    for row in rows:
        if row.query not in LEFT_OUT and (not wanted or row.query in wanted):
            by_query.setdefault(row.query, []).append(asked(row))
    plans = batch.ask(q for some in by_query.values() for _, q in some if q and q != NOT_ASKED)
    for query, questions in by_query.items():
        yield compare(query, questions, plans)
