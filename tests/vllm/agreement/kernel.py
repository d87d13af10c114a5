# SPDX-License-Identifier: Apache-2.0
"""kernel: the block that the kernels of backends in one group walk, for a cache block."""

from agreement import importer

ERROR = "error:ValueError"
BATCH = importer.Batch(lambda row: ("--block-size", importer.option_of(row.input, "page")))


def question(row):
    BATCH.add(row)


def answer(row, _):
    block = BATCH.answer(row)["kernel_block"]
    return ERROR if block == "none" else block


def same(row, ours):
    return ours == row.answer
