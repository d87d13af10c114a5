# SPDX-License-Identifier: Apache-2.0
"""Questions asked of attnc in batches.

In: Questions. Out: for each the plan of its layer, as `attnc explain --json --candidates` prints it,
or None where attnc refuses to read it. A file holds one deployment of many models, for one platform.
"""

import concurrent.futures
import itertools
import json
import os
import subprocess
import tempfile

BATCH = 500
JOBS = 2
# Declared before std/vllm.attn: so among the candidates it stands where the priority list ends.
END = "END_OF_PRIORITY"
END_FILE = f"""
backend {END} {{
    device = {{ }}; kinds = {{ }}; phases = {{ }}; dtype = {{ }}; kv_dtype = {{ }}; head_dim = {{ }};
    v_head_dim = {{ }}; group = {{ }}; block_size = {{ }}; layout = any; flags = {{ }};
}}
"""
# What vLLM would choose is read from the candidates, so nothing is left to choose: else each layer that
# no backend takes would be an error for which attnc looks for remedies.
CHOSEN = f"backend = {END}; unchecked = yes;"
DEPLOY = "max_seqs = 1; max_tokens = 8K; max_batch_tokens = 8K; max_source_tokens = 1K;"


def attnc():
    return os.environ.get("ATTNC") or os.path.join(os.environ.get("BUILD", "build"), "attnc")


def text_of(questions):
    lines = ['import "end.attn";', 'import "std/vllm.attn";']
    for i, q in enumerate(questions):
        lines.append(f"model m{i} {{ {q.model} }}")
    lines.append(f"deploy d {{ platform = {questions[0].platform}; {DEPLOY} {CHOSEN}")
    lines.append(f"model = [{', '.join(f'm{i}' for i in range(len(questions)))}];")
    lines += [f"for m{i} {{ {q.settings} }}" for i, q in enumerate(questions)]
    return "\n".join(lines + ["}", ""])


def explain(questions, folder, name):
    path = os.path.join(folder, f"{name}.attn")
    with open(path, "w", encoding="utf-8") as file:
        file.write(text_of(questions))
    command = [attnc(), "explain", path, "--json", "--candidates", "-w"]
    run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    if run.returncode not in (0, 1):
        raise SystemExit(f"{' '.join(command)}: status {run.returncode}\n{run.stderr.decode()}")
    return json.loads(run.stdout) if run.stdout else None


def ask_batch(questions, folder, name):
    """Plans of one batch; what attnc cannot read is found by halving."""
    plan = explain(questions, folder, name)
    if plan is None and len(questions) > 1:
        half = len(questions) // 2
        return {
            **ask_batch(questions[:half], folder, name + "a"),
            **ask_batch(questions[half:], folder, name + "b"),
        }
    if plan is None:
        return {questions[0]: None}
    layers = {op["model"]: op for op in plan["operators"] if op["op"] == "self"}
    return {q: layers[f"m{i}"] for i, q in enumerate(questions)}


def ask(questions):
    by_platform = {}
    for q in dict.fromkeys(questions):
        by_platform.setdefault(q.platform, []).append(q)
    batches = [
        same[i : i + BATCH] for same in by_platform.values() for i in range(0, len(same), BATCH)
    ]
    with tempfile.TemporaryDirectory() as folder, concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        with open(os.path.join(folder, "end.attn"), "w", encoding="utf-8") as file:
            file.write(END_FILE)
        names = (f"batch{i}" for i in itertools.count())
        parts = pool.map(ask_batch, batches, itertools.repeat(folder), names)
        return {q: layer for part in parts for q, layer in part.items()}


def candidates(layer):
    """(those of the priority list, the others), both in order."""
    all_of = layer["prefill"]["candidates"]
    end = next(i for i, c in enumerate(all_of) if c["backend"] == END)
    return all_of[:end], all_of[end + 1 :]
