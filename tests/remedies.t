#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A printed remedy works: every `help:` of an error of choice that says what to write, add or remove
is applied to the text as it is printed; then that error is gone and no other one is new.

The inputs are tests/remedies/*.attn, where every file has errors and each needs at least one remedy,
and the .attn files of the goldens.

usage: remedies.t [FILE...]            ATTNC=build/attnc names the compiler
"""
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent
ATTNC = os.path.abspath(os.environ.get("ATTNC", ROOT / os.environ.get("BUILD", "build") / "attnc"))
CHOICE = re.compile(r"A05|A06|A0701|A0850")
FORMS = re.compile(
    r"(?:or )?(?:change a setting: )?(?:or )?(?P<verb>write|add|remove) `(?P<text>[^`]*)`(?P<where>.*)"
)
LARGEST = re.compile(r"the largest `max_tokens` that fits is (\d+)$")


class Tap:
    def __init__(self):
        self.count = self.failed = 0
        print("TAP version 13")

    def point(self, good, name, comments=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for line in comments:
            print("# " + line)

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed or not self.count else 0


def check(text, folder, name):
    """The errors of a text that stands in a copy of its folder."""
    path = folder / name
    path.write_text(text)
    done = subprocess.run(
        [ATTNC, "check", "--diagnostics", "json", name],
        cwd=folder,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    lines = [json.loads(l) for l in done.stderr.splitlines() if l.startswith("{")]
    return [d for d in lines if d["severity"] == "error"]


def block(text, at):
    """The end of the block whose brace opens at or after `at`."""
    depth = 0
    for i in range(text.index("{", at), len(text)):
        depth += (text[i] == "{") - (text[i] == "}")
        if depth == 0:
            return i
    return len(text)


def deployments(text):
    """(name, begin, end) of every deployment; end is its closing brace."""
    return [
        (m.group(1), m.start(), block(text, m.start()))
        for m in re.finditer(r"^deploy (\w+)", text, re.M)
    ]


def items(text, begin, end):
    """(key, begin, end) of every `KEY = VALUE;` in a part of the text, blocks opened."""
    at = text.index("{", begin) + 1
    return [
        (m.group(1).strip(), m.start(1), m.end())
        for m in re.compile(r"([^;{}=]+)=(?:[^;{}]|\{[^;{}]*\}|\[[^;]*\])*;").finditer(text, at, end)
    ]


def place(text, opening, begin):
    """Where a block of a deployment ends, its closing brace."""
    return block(text, re.compile(re.escape(opening) + r"\s*\{").search(text, begin).start())


def key_of(line):
    return re.sub(r"\s+", " ", line.split("=")[0].strip())


def apply(text, diag, verb, what, where):
    all_deploys = deployments(text)
    named = re.search(r"(?:to|in) deployment `(\w+)`", where)
    at = diag["begin"]
    own = [d for d in all_deploys if (d[0] == named.group(1) if named else d[1] <= at <= d[2])]
    _, begin, end = own[0]
    if verb == "remove":
        gone = re.compile(r"\s+".join(map(re.escape, what.split()))).search(text, begin)
        return text[: gone.start()] + text[gone.end() :]
    if verb == "add":
        parts = re.findall(r"`([^`]+)`", where)
        if named:
            stop = end
        else:
            for outer in reversed(parts[1:]):
                begin = text.index(outer, begin)
            stop = place(text, parts[0], begin) if parts else end
        return text[:stop] + " " + what + " " + text[stop:]
    inner = re.search(r"in `(\w+)`", where)
    if inner:
        begin = text.index(inner.group(1), begin)
        end = block(text, begin)
    found = items(text, begin, end)
    here = [i for i in found if i[1] <= at < i[2]]
    same = [i for i in found if re.sub(r"\s+", " ", i[0]) == key_of(what)]
    both = [i for i in here if i in same]
    _, begin, end = (both or same or here)[0]
    return text[:begin] + what + text[end:]


def key(diag):
    return diag["code"], diag["message"]


def try_file(tap, path, needed):
    text = path.read_text()
    name = str(path.relative_to(HERE))
    with tempfile.TemporaryDirectory(prefix="remedies-") as folder:
        folder = pathlib.Path(folder)
        for other in path.parent.glob("*.*attn*"):
            (folder / other.name).write_bytes(other.read_bytes())
        before = check(text, folder, path.name)
        for diag in before:
            if not CHOICE.match(diag["code"]) or diag.get("file") != path.name:
                continue
            tried = 0
            for help_line in diag["helps"]:
                form, largest = FORMS.match(help_line), LARGEST.match(help_line)
                if largest:
                    edit = ("write", f"max_tokens = {largest.group(1)};", "")
                elif form:
                    edit = (form["verb"], form["text"], form["where"])
                else:
                    continue
                tried += 1
                after = check(apply(text, diag, *edit), folder, path.name)
                left = [key(d) for d in after if key(d) == key(diag)]
                new = [key(d) for d in after if key(d) not in map(key, before)]
                tap.point(
                    not left and not new,
                    f"{name}: {diag['code']}: {help_line}",
                    [f"{code}: {message}" for code, message in left + new],
                )
            if needed:
                tap.point(tried > 0, f"{name}: {diag['code']}: {diag['message']}: has a remedy")
        if needed:
            tap.point(bool(before), f"{name}: has errors")


def main(args):
    tap = Tap()
    own = sorted((HERE / "remedies").glob("*.attn"))
    paths = [pathlib.Path(a).resolve() for a in args] or own + sorted((HERE / "golden").rglob("*.attn"))
    for path in paths:
        if not any(part in ("fmt-style", "lexical", "syntax", "files") for part in path.parts):
            try_file(tap, path, path.parent == HERE / "remedies")
    return tap.end()


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
