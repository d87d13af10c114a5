#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Every file of configs/ against its row of expected.tsv, column by column: kinds, layers, heads, dims,
widths of the cached rows, window, sinks, soft cap and scale, as `attnc explain --json` gives them.

BUILD (default: build) or ATTNC names the compiler."""
import csv

import layers

# Where the table says what vLLM stores and a cached row here is narrower: V is padded there.
UNPADDED_V = {"minicpm3-4b"}
NO_KIND = "(block-sparse)"


def per_kind(text, kinds):
    """A column as {kind: value}: one value for all kinds with attention, or `kind=value;...`."""
    if "=" in text:
        return dict(part.split("=", 1) for part in text.split(";"))
    return {k: text for k in kinds if text}


def number(text):
    return None if text in ("", "none") else float(text)


def visible(op):
    """The window column: the integer of the file, for bidirectional layers the bound on |q - k|."""
    if op["window_left"] is not None:
        return op["window_left"] + 1
    return op["window"] if op["window"] is not None else op["chunk"]


def widths(op, name):
    mla = op["mla"]
    if mla:
        return mla["latent"] + mla["rope"], mla["latent"]
    return op["head_dim"], op["head_dim"] if name in UNPADDED_V else op["v_head_dim"]


def values(ops, read):
    return sorted({read(op) for op in ops}, key=str)


def compare(tap, row, ops):
    name, kinds = row["file"], layers.by_kind(ops)
    want = dict(part.split(":") for part in row["kinds"].split(";"))
    tap.point({k: str(len(v)) for k, v in kinds.items()} == want, f"{name}: kinds {row['kinds']}",
              [f"{k}:{len(v)}" for k, v in kinds.items()])
    ranges = per_kind(row["layer_indices"], kinds)
    for kind, found in kinds.items():
        got = [op["layer"] for op in found]
        tap.point(set(got) == layers.expand(ranges.get(kind, "-1")) and len(set(got)) == len(got),
                  f"{name}: layers of {kind}", [f"{layers.spans(got)}, wanted {ranges.get(kind)}"])
    for column, read in {
        "heads": lambda op: op["heads"],
        "kv_heads": lambda op: op["kv_heads"],
        "head_dim_k": lambda op: op["head_dim"],
        "head_dim_v": lambda op: op["v_head_dim"],
        "cache_k": lambda op: widths(op, name)[0],
        "cache_v": lambda op: widths(op, name)[1],
        "softcap": lambda op: op["softcap"],
        "scale": lambda op: op["scale"],
    }.items():
        wanted = per_kind(row[column], kinds)
        for kind, found in kinds.items():
            if kind == "mamba":
                continue
            got = values(found, read)
            tap.point(got == [number(wanted.get(kind, ""))], f"{name}: {column} of {kind}",
                      [f"{got}, wanted {wanted.get(kind)}"])
    wanted = per_kind(row["window"], kinds)
    for kind, found in kinds.items():
        got = [w for w in values(found, visible) if w is not None]
        tap.point(got == ([int(wanted[kind])] if kind in wanted else []), f"{name}: window of {kind}",
                  [f"{got}, wanted {wanted.get(kind)}"])
    for kind, found in kinds.items():
        wanted = row["sink"] != "0" and ("all layers" in row["sink"] or kind in row["sink"])
        tap.point(values(found, lambda op: op["sink_logits"]) == [wanted and kind != "mamba"],
                  f"{name}: sink logits of {kind}", [row["sink"]])


def refused(tap, row):
    ops, message = layers.operators(layers.CONFIGS / (row["file"] + ".json"))
    tap.point(ops is None and "block-sparse" in message and "error[A0913]" in message,
              f"{row['file']}: an operator without a kind is refused", message.splitlines())


def main():
    tap = layers.Tap()
    with open(layers.HERE / "expected.tsv", encoding="utf-8") as table:
        rows = list(csv.DictReader(table, delimiter="\t", quoting=csv.QUOTE_NONE))
    files = {path.stem for path in layers.CONFIGS.glob("*.json")}
    tap.point(files == {row["file"] for row in rows}, "every configuration has a row, every row a file")
    for row in rows:
        if NO_KIND in row["kinds"]:
            refused(tap, row)
            continue
        ops, message = layers.operators(layers.CONFIGS / (row["file"] + ".json"))
        tap.point(ops is not None, f"{row['file']}: imported and explained", message.splitlines())
        if ops is not None:
            compare(tap, row, ops)
    tap.end()


main()
