#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""What README.md shows is what happens: the commands of each ```console block run in a copy of the
examples, and their output must be the text below them. `tests/readme.t --update` writes it anew."""
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
BUILD = os.path.join(ROOT, os.environ.get("BUILD", "build"))
README = os.path.join(ROOT, "README.md")
BLOCK = re.compile(r"^```console\n(.*?)^```\n", re.M | re.S)


def commands(block):
    """[command, output] of each `$ ` line."""
    found = []
    for line in block.splitlines(keepends=True):
        if line.startswith("$ "):
            found.append([line[2:], ""])
        else:
            found[-1][1] += line
    return found


def run(shell, command):
    """Runs one line in a shell that lives as long as its block; returns its output and errors."""
    shell.stdin.write(command + "printf '\\n%s\\n' '-- done --'\n")
    shell.stdin.flush()
    output = ""
    for line in shell.stdout:
        if line == "-- done --\n":
            return output[:-1]
        output += line
    raise SystemExit("Bail out! the shell ended at: " + command)


def play(block, tree):
    environment = dict(os.environ, PATH=BUILD + ":" + os.environ["PATH"], LC_ALL="C", NO_COLOR="1")
    with subprocess.Popen(["sh"], cwd=tree, env=environment, stdin=subprocess.PIPE, text=True,
                          stdout=subprocess.PIPE, stderr=subprocess.STDOUT) as shell:
        return [(command, want, run(shell, command)) for command, want in commands(block)]


def main():
    text = open(README, encoding="utf-8").read()
    update = "--update" in sys.argv
    failed = points = 0
    print("TAP version 13")
    for match in BLOCK.finditer(text):
        with tempfile.TemporaryDirectory() as tree:
            shutil.copytree(os.path.join(ROOT, "examples"), os.path.join(tree, "examples"))
            played = play(match.group(1), tree)
        for command, want, got in played:
            points += 1
            failed += want != got
            print(f"{'ok' if want == got else 'not ok'} {points} - {command.strip()}")
            if want != got:
                print("".join(f"# {line}\n" for line in got.splitlines()), end="")
        if update:
            block = "".join(f"$ {command}{got}" for command, _, got in played)
            text = text.replace(match.group(1), block)
    print(f"1..{points}")
    if update:
        open(README, "w", encoding="utf-8").write(text)
        return 0
    return 1 if failed else 0


sys.exit(main())
