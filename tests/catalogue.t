#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""The catalogue of diagnostics is complete and true: every code has an entry; its failing example
gives that code and no other, its mended one gives none; docs/diagnostics.md is what attnc prints.

usage: catalogue.t [CODE...]           ATTNC=build/attnc names the compiler
"""
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
ATTNC = os.path.abspath(os.environ.get("ATTNC", BUILD / "attnc"))
COLUMNS = 100
TIME_LIMIT = 60  # seconds; an example takes milliseconds
# How an example is run, by the language of its block.
COMMANDS = {
    "attn": ("example.attn", 'attnc check "$1"'),
    "json": ("config.json", 'attnc import hf "$1"'),
    "sh": ("example.sh", 'sh "$1"'),
}
count = failed = 0


def point(good, name, comments=""):
    global count, failed
    count += 1
    failed += not good
    print(f"{'ok' if good else 'not ok'} {count} - {name}")
    if not good:
        print("".join(f"# {line}\n" for line in comments.splitlines()), end="")


def attnc(*words):
    return subprocess.run([ATTNC, *words], capture_output=True, text=True, check=False).stdout


def entries():
    """Code -> (text before the first example, [(language, code or "", text)...])."""
    found = {}
    for path in sorted((ROOT / "gen" / "catalogue").glob("A??.md")):
        code, fence = None, None
        for line in path.read_text().splitlines():
            if line.startswith("```"):
                fence = None if fence else line[3:].split() + [""]
                if fence:
                    found[code][1].append((fence[0], fence[1], []))
            elif fence:
                found[code][1][-1][2].append(line)
            elif line.startswith("## "):
                code = line[3:]
                point(code not in found, f"{code} has one entry in {path.name}")
                found[code] = ([], [])
            elif code:
                found[code][0].append(line)
    return found


def run(language, text):
    """Exit status, codes of the messages, and the messages."""
    name, command = COMMANDS[language]
    with tempfile.TemporaryDirectory(prefix="catalogue-") as folder:
        tools, work = pathlib.Path(folder, "bin"), pathlib.Path(folder, "work")
        tools.mkdir()
        work.mkdir()
        (tools / "attnc").symlink_to(ATTNC)
        (work / name).write_text("\n".join(text) + "\n")
        env = {"PATH": f"{tools}:{os.environ['PATH']}", "LC_ALL": "C", "HOME": folder}
        done = subprocess.run(["sh", "-c", command, "sh", name], cwd=work, env=env, check=False,
                              stdin=subprocess.DEVNULL, capture_output=True, timeout=TIME_LIMIT)
    said = done.stderr.decode("utf-8", "backslashreplace")
    return done.returncode, set(re.findall(r"(?:error|warning)\[(A\d{4})\]", said)), said


def check(code, warning, text, examples):
    point(len(" ".join(text).split()) >= 8, f"{code} is explained")
    point([bool(e[1]) for e in examples] == [True, False] and examples[0][0] in COMMANDS and
          examples[0][0] == examples[1][0] and examples[0][1] == code,
          f"{code} has a failing and a mended example", repr([e[:2] for e in examples]))
    if len(examples) != 2:
        return
    wide = [line for e in examples for line in e[2] if len(line) > COLUMNS]
    point(not wide, f"{code}: no line is wider than {COLUMNS}", "\n".join(wide))
    status, codes, said = run(examples[0][0], examples[0][2])
    good = (status == 0) == warning and codes == {code}
    point(good, f"{code}: the failing example gives exactly it", f"exit {status}\n{said}")
    status, codes, said = run(examples[1][0], examples[1][2])
    point(status == 0 and not codes, f"{code}: the mended example is accepted",
          f"exit {status}\n{said}")
    point(f"{code}: " in attnc("explain", code) and text[1] in attnc("explain", code),
          f"{code}: attnc explain prints it")


def main(wanted):
    print("TAP version 13")
    rows = [line.split("  ", 1) for line in attnc("explain", "--list").splitlines()]
    found = entries()
    point(list(found) == sorted(found), "entries are sorted by code")
    point(not set(found) - {code for code, _ in rows}, "no entry is of a code that does not exist",
          repr(set(found) - {code for code, _ in rows}))
    for code, title in rows:
        if wanted and code not in wanted:
            continue
        point(code in found, f"{code} has an entry")
        if code in found:
            check(code, "[-W" in title, *found[code])
    page = (ROOT / "docs" / "diagnostics.md").read_text()
    point(page == attnc("--print", "diagnostics"), "docs/diagnostics.md is up to date",
          "run make diagnostics")
    print(f"1..{count}")
    return failed != 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
