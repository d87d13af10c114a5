# SPDX-License-Identifier: Apache-2.0
"""Rows of the answers file, and the input that a row is about.

In: a .tsv as vllm_oracle.py writes it, or one packed by xz. Out: rows in the order of the file.
"""

import collections
import functools
import lzma
from typing import NamedTuple

DEFAULTS = {
    "platform": "cuda",
    "arch": "9.0",
    "probes": "full",
    "head": "128",
    "dtype": "bf16",
    "kv": "auto",
    "block": "-",
    "attn": "decoder",
    "flags": "-",
    "heads": "32",
    "model": "",
    "mhead": "",
    "fa": "",
    "trtllm": "",
    "run": "",
}


class Row(NamedTuple):
    query: str
    subject: str
    input: str
    answer: str

    def keys(self):
        """Every key of the input, with its default where the row does not give it."""
        return keys_of(self.input)

    def flags(self):
        return flags_of(self.input)


@functools.lru_cache(maxsize=64)  # rows about one input stand together
def keys_of(text):
    given = (word.split("=", 1) for word in text.split() if word != "-")
    return {**DEFAULTS, **dict(given)}


@functools.lru_cache(maxsize=64)
def flags_of(text):
    return frozenset(keys_of(text)["flags"].split("+")) - {"-"}


def read(path):
    opener = lzma.open if path.endswith(".xz") else open
    with opener(path, "rt", encoding="utf-8") as file:
        lines = file.read().splitlines()
    return [Row(*line.split("\t")) for line in lines[1:]]


def sample(table, every):
    """Every Nth row of each query, the first of each included."""
    seen = collections.Counter()
    kept = []
    for row in table:
        if seen[row.query] % every == 0:
            kept.append(row)
        seen[row.query] += 1
    return kept
