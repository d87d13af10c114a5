# SPDX-License-Identifier: Apache-2.0
"""preferred: the cache block on which vLLM settles for a list of backends, from a start value."""

from agreement import importer

ERROR = "error:ValueError"
BATCH = importer.Batch(lambda row: ("--start-block", importer.option_of(row.input, "default")))


def question(row):
    BATCH.add(row)


def answer(row, _):
    block = BATCH.answer(row)["cache_block"]
    return ERROR if block == "none" else block


def same(row, ours):
    return ours == row.answer
