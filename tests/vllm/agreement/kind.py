# SPDX-License-Identifier: Apache-2.0
"""kind: what vLLM derives for a layer, as `import vllm --keys` lists it."""

from agreement import importer, layer


def question(row):
    return None


def answer(row, _):
    model = layer.model_text(row.keys(), row.flags())
    out, _ = importer.run(["--model", "m.attn", "--keys"], [("m.attn", f"model m {{ {model} }}\n")])
    head, line = (line.split("\t") for line in out.splitlines())
    return dict(zip(head, line, strict=True))["vllm_kind"]


def same(row, ours):
    return ours == row.answer
