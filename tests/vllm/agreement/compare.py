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


def compare(query, rows, plans):
    module, disagreements = QUERIES.get(query), []
    for row in rows:
        ours = NOT_ASKED
        if module:
            q = module.question(row)
            plan = plans[q] if q else None
            ours = module.answer(row, plan) if plan or not q else NOT_ASKED
        if ours == NOT_ASKED or not module.same(row, ours):
            disagreements.append((row, ours))
    return Result(query, len(rows) - len(disagreements), len(rows), disagreements)


def all_queries(rows, wanted=None):
    by_query = {}
    for row in rows:
        if row.query not in LEFT_OUT and (not wanted or row.query in wanted):
            by_query.setdefault(row.query, []).append(row)
    asked = [QUERIES[q].question(row) for q, some in by_query.items() if q in QUERIES for row in some]
    plans = batch.ask([q for q in asked if q])
    for query, some in by_query.items():
        yield compare(query, some, plans)
