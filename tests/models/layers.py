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


def operators(config):
    """Operators of the imported models as `attnc explain --json` gives them; a message on failure."""
    with tempfile.TemporaryDirectory(prefix="models-") as folder:
        out = os.path.join(folder, "m.attn")
        done = attnc("import", "hf", str(config), "-o", out)
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
