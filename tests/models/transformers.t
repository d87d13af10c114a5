#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file of configs/ against transformers.tsv: what check_transformers.py read off transformers' own
classes, recorded so that this needs neither transformers nor torch."""
import csv

import layers


def main():
    tap = layers.Tap()
    with open(layers.HERE / "transformers.tsv", encoding="utf-8") as record:
        lines = [line for line in record if not line.startswith("#")]
    by_file = {}
    for row in csv.DictReader(lines, delimiter="\t"):
        by_file.setdefault(row["file"], []).append(row)
    for name, rows in by_file.items():
        layers.compare_record(tap, layers.CONFIGS / (name + ".json"), rows)
    tap.end()


main()
