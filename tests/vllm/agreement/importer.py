# SPDX-License-Identifier: Apache-2.0
"""What vLLM settles outside its rules, asked of `attnc import vllm`.

In: options, and files for them to name. Out: what the command printed. Lists of backends are settled
in batches: one command for all lists of one layer and one block size.
"""

import concurrent.futures
import functools
import os
import re
import subprocess
import tempfile

from agreement import batch, layer


def run(options, files=()):
    """(standard output, codes of the errors in order); `files` are pairs of a name and a text."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in files:
            with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                file.write(text)
        done = subprocess.run(
            [os.path.abspath(batch.attnc()), "import", "vllm", *options],
            cwd=folder,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            check=False,
        )
    if done.returncode not in (0, 1):
        raise SystemExit(f"import vllm {options}: status {done.returncode}\n{done.stderr}")
    return done.stdout, re.findall(r"error\[(A\d{4})\]", done.stderr)


def fields(line):
    subject, *rest = line.split("\t")
    return subject, dict(word.split("=", 1) for word in rest)


def settle(settings, subjects):
    """One command: subject -> its fields. `settings`: platform, the model's text, further options."""
    platform, model, options = settings
    lists = "\n".join(subjects) + "\n"
    words = ["--platform", platform, "--model", "m.attn", "--resolve", "@lists", "-w", *options]
    out, _ = run(words, [("m.attn", f"model m {{ {model} }}\n"), ("lists", lists)])
    return {s: fields(line)[1] for s, line in zip(subjects, out.splitlines(), strict=True)}


class Batch:
    """All questions of one query; asked when the first answer is wanted."""

    def __init__(self, options):
        self.options = options  # of a row: those that change the answer
        self.wanted = {}
        self.answers = None

    def settings(self, row):
        keys = row.keys()
        model = layer.model_text(keys, row.flags())
        return layer.platform_of(keys), model, tuple(self.options(row))

    def add(self, row):
        """Every row before the first answer; adding one again changes nothing."""
        self.wanted.setdefault(self.settings(row), {})[row.subject] = None

    def answer(self, row):
        if self.answers is None:
            with concurrent.futures.ThreadPoolExecutor(batch.JOBS) as pool:
                asked = list(self.wanted)
                found = pool.map(settle, asked, [list(self.wanted[s]) for s in asked])
                self.answers = dict(zip(asked, found, strict=True))
        return self.answers[self.settings(row)][row.subject]


@functools.cache
def option_of(words, name):
    """The value of a key that rows.DEFAULTS does not know."""
    return dict(word.split("=", 1) for word in words.split() if "=" in word)[name]
