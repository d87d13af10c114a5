# SPDX-License-Identifier: Apache-2.0
"""config: how vLLM reads an attention configuration; the first fault alone where it refuses it."""

import json

from agreement import importer

FAULTS = {  # code of attnc -> vLLM's reason in the file
    "A0906": "type",
    "A0931": "unknown_kind",
    "A0932": "unknown_backend",
}


def question(row):
    return None


def answer(row, _):
    out, errors = importer.run(["--attention-config", row.subject])
    if errors:
        return "error:ValidationError:" + FAULTS.get(errors[0], errors[0])
    read = json.loads(out)
    read["msa"] = read.pop("minimax_m3_msa_decode_backend")
    return json.dumps(read, sort_keys=True)


def same(row, ours):
    return ours == row.answer
