# SPDX-License-Identifier: Apache-2.0
"""Shared by the checks of this folder: imports a configuration with attnc, explains the models that
come out, and gives their operators in the words of expected.tsv."""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
CONFIGS = HERE / "configs"
ATTNC = os.environ.get("ATTNC") or str(
    pathlib.Path(os.environ.get("BUILD", "build")).resolve() / "attnc"
)


class Tap:
    def __init__(self):
        self.count = self.failed = 0
        print("TAP version 13")

    def point(self, good, name, comments=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for line in comments:
            print("# " + str(line))

    def end(self):
        print(f"1..{self.count}")
        sys.exit(1 if self.failed or not self.count else 0)


def attnc(*args):
    return subprocess.run([ATTNC, *args], capture_output=True, text=True, timeout=60)


def operators(config, form="hf"):
    """Operators of the imported models as `attnc explain --json` gives them; a message on failure."""
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        out = os.path.join(folder, "m.attn")
        done = attnc("import", form, str(config), "-o", out)
        if done.returncode:
            return None, done.stderr
        done = attnc("explain", out, "--json")
        if done.returncode or done.stderr:
            return None, done.stderr or f"exit status {done.returncode}"
        return json.loads(done.stdout)["operators"], ""


def spans(layers):
    """Layers as expected.tsv writes them: 0-4,6-10 or 5-23/6."""
    parts, at = [], 0
    while at < len(layers):
        best = 1
        step = layers[at + 1] - layers[at] if at + 1 < len(layers) else 1
        while at + best < len(layers) and layers[at + best] - layers[at + best - 1] == step:
            best += 1
        if best == 1 or (best == 2 and step > 1):
            parts.append(str(layers[at]))
            at += 1
        else:
            parts.append(f"{layers[at]}-{layers[at + best - 1]}" + (f"/{step}" if step > 1 else ""))
            at += best
    return ",".join(parts)


def expand(text):
    """The set of layers that a range of expected.tsv names."""
    found = set()
    for part in text.split(","):
        part, _, step = part.partition("/")
        first, _, last = part.partition("-")
        found.update(range(int(first), int(last or first) + 1, int(step or 1)))
    return found


def by_kind(ops):
    kinds = collections.OrderedDict()
    for op in ops:
        kinds.setdefault(op["kind"], []).append(op)
    return kinds


# ---- against what transformers said

RECORDED = ("heads", "kv_heads", "head_dim", "v_head_dim", "scale", "window", "sink_logits")
# Where transformers reads a file in another way, and how.
KNOWN = {
    ("mimo-v2-flash", "window"): "one key more: sliding_window_size + 1",
}


def compare_record(tap, path, rows):
    """Each recorded set of layers against attnc's operators of the same kind and layers."""
    ops, message = operators(path)
    if ops is None:
        tap.point(False, f"{path.stem}: imported", message.splitlines())
        return
    for row in rows:
        named = [op for op in ops if op["kind"] == row["kind"] and op["layer"] in expand(row["layers"])
                 and op["model"].endswith(row["part"])]
        what = f"{path.stem}: {row['part']} {row['kind']} {row['layers']}"
        tap.point(len(named) == len(expand(row["layers"])), what)
        if row["kind"] == "mamba":
            continue
        for column in RECORDED:
            if row[column] == "" and column != "window":
                continue
            window = first_given(op_window(op) for op in named)
            got = sorted({str(window if column == "window" else op[column]) for op in named})
            want = row[column] or "None"
            same = len(got) == 1 and (got[0] == want or close(number(got[0]), number(want)))
            known = KNOWN.get((path.stem, column))
            tap.point(same or known, f"{what}: {column}", [f"attnc {got}, transformers {want}", known or ""]
                      if not same else ())
        if row["visible_of_8"]:
            keys = 8 if row["kind"] != "chunked_local_attention" else 40 - 39 // 8 * 8
            tap.point(int(row["visible_of_8"]) == keys, f"{what}: keys of a window of 8",
                      [f"attnc {keys}, transformers {row['visible_of_8']}"])


def first_given(values):
    return next((v for v in values if v is not None), None)


def op_window(op):
    if op["window_left"] is not None:
        return op["window_left"]
    return first_given((op["window"], op["chunk"]))


def close(a, b):
    """Equal, but for the last bit of a product in another order."""
    return None not in (a, b) and abs(a - b) <= 1e-15 * abs(b)


def number(text):
    try:
        return float(text)
    except ValueError:
        return None
