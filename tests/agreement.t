#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Case B03: the compiler accepts a combination exactly when the runtime has its kernel.

Every combination of kind, types, dims, group, block size and layout, with values at and just beyond
each limit, is asked on both sides: `attnc explain --json` of a deployment that names the backend, and
the kernels themselves. cpu_ref and cpu_kv are called; instances of cpu_flash and of the two are
compiled, and those that are not served must not compile. The product is the test's own: it knows
values, but none of the limits.
"""
import itertools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent
BUILD = ROOT / os.environ.get("BUILD", "build")
ATTNC = os.environ.get("ATTNC", str(BUILD / "attnc"))
CC = os.environ.get("CC", "gcc").split()
INCLUDE = [f"-I{ROOT}", f"-I{ROOT}/runtime/include", "-std=c11"]

# What a layer says, and the number of attn_kind.
KINDS = {
    "full_attention": ("", 0),
    "sliding_window": ("window = 5;", 1),
    "chunked_local_attention": ("chunk = 7;", 2),
    "sink_full_attention": ("sink_tokens = 3;", 3),
    "encoder_only_attention": ("attn = encoder_only;", 4),
    "cross_attention": ("attn = encoder_decoder;", 5),
    "mla_attention": ("", 6),
    "sliding_window_mla": ("window = 5;", 7),
}
DTYPES = {"f32": 0, "bf16": 1, "f16": 2}
KV_DTYPES = {"f32": 0, "bf16": 1, "f16": 2, "fp8_e4m3": 3, "int8": 4, "fp8_e5m2": None, "int4": None, "nvfp4": None}
LAYOUTS = {"hnd": 1, "hnd_pair": 2, "latent": 3}
DIMS = [(8, 8), (7, 7), (9, 8), (8, 4), (512, 512), (520, 512), (512, 520), (4096, 4096), (4097, 8), (8, 4097)]
SHAPES = [("f32", 2), ("bf16", 96), ("f16", 97), ("f32", 96), ("bf16", 97)]  # dtype, group
BLOCKS = [1, 2]
BATCH = 500  # instances in a file
KERNELS = {"CPU_REF": "cpu_ref", "CPU_FLASH": "cpu_flash"}
# Attributes beside the kind: the kinds that may have them, and the macros of the kernels (None: the
# runtime has no place for it).
PLAIN = ["full_attention", "sliding_window", "chunked_local_attention", "sink_full_attention", "encoder_only_attention", "cross_attention"]
FEATURES = [
    ("softcap = 30.0;", PLAIN, {"SOFTCAP": "30.0f"}),
    ("sink_logits = yes;", PLAIN, {"SINK_LOGITS": 1}),
    ("alibi = yes;", PLAIN, {"ALIBI": 1}),
    ("window = 9;", ["chunked_local_attention", "sink_full_attention"], {"WINDOW_LEFT": 8}),
    ("chunk = 9;", ["sink_full_attention"], {"CHUNK": 9}),
    ("window_left = 3; window_right = 2;", ["encoder_only_attention"], {"WINDOW_LEFT": 3, "WINDOW_RIGHT": 2}),
    ("demand = { lse };", PLAIN, {}),
    ("demand = { mm_prefix };", PLAIN, None),
    ("compress = 4;", ["full_attention"], None),
    ("index { head_dim = 64; topk = 4; }", ["full_attention"], None),
]


class Tap:
    def __init__(self):
        self.count = self.failed = 0
        print("TAP version 13")

    def point(self, good, name, comments=()):
        self.count += 1
        self.failed += not good
        print(f"{'ok' if good else 'not ok'} {self.count} - {name}")
        for line in comments if not good else ():
            print("# " + str(line))

    def end(self):
        print(f"1..{self.count}")
        return 1 if self.failed or not self.count else 0


def run(command, **more):
    return subprocess.run(command, capture_output=True, text=True, timeout=600, check=False, **more)


# ---- the compiler's side


class Layer:
    """One operator: kind, dtype, group, dims and what else its block says."""

    def __init__(self, kind, dims, dtype, group, feature=("", None, {})):
        self.kind, self.dims, self.dtype, self.group, self.feature = kind, dims, dtype, group, feature

    def text(self, number):
        k, v = self.dims
        said, _ = KINDS[self.kind]
        if self.kind.endswith("mla") or self.kind.startswith("mla"):
            dims = f"mla {{ latent = 16; rope = {k // 2}; nope = {k - k // 2}; v = {v}; }} heads = {self.group};"
        else:
            dims = f"heads = {self.group}; kv_heads = 1; head_dim = {k}; v_head_dim = {v};"
        return f"    layer {number} {{ {dims} dtype = {self.dtype}; {said} {self.feature[0]} }}\n"


class Setting:
    """What one model of a deployment is given: cache type, block size, layout, deterministic."""

    def __init__(self, kv_dtype="f32", block=16, layout="hnd", deterministic=False):
        self.kv_dtype, self.block, self.layout, self.deterministic = kv_dtype, block, layout, deterministic

    def __str__(self):
        return f"kv_dtype {self.kv_dtype}, block {self.block}, layout {self.layout}"

    def text(self):
        return (
            f"kv_dtype = {self.kv_dtype}; block_size = {self.block}; layout = {self.layout};"
            f" deterministic = {'yes' if self.deterministic else 'no'};"
        )


def accepted(work, backend, layers, platform="x86_64_v3", settings=(Setting(),)):
    """For each setting and layer whether a deployment with this backend takes it, as `attnc explain`
    tells: one deployment with a model for each setting, all of the same layers."""
    path = work / "d.attn"
    body = f"    layers = {len(layers)}; heads = 1; head_dim = 8; dtype = f32;\n" + "".join(
        layer.text(i) for i, layer in enumerate(layers)
    )
    names = [f"m{i}" for i in range(len(settings))]
    path.write_text(
        'import "std/cpu.attn";\n'
        f"model all {{\n{body}}}\n"
        + "".join(f"model {name} extends all {{ }}\n" for name in names)
        + f"deploy d {{ model = [{', '.join(names)}]; platform = {platform}; backend = {backend};\n"
        "    max_seqs = 2; max_tokens = 64; max_batch_tokens = 16; max_source_tokens = 64;\n"
        + "".join(f"    for {name} {{ {setting.text()} }}\n" for name, setting in zip(names, settings))
        + "}\n"
    )
    done = run([ATTNC, "explain", str(path), "--json", "-w"])
    if done.returncode not in (0, 1) or not done.stdout:
        sys.exit(f"Bail out! attnc explain: {done.returncode}\n{done.stderr}")
    plan = json.loads(done.stdout)
    operators = plan["operators"]
    if [o["kind"] for o in operators] != [layer.kind for layer in layers] * len(settings):
        sys.exit("Bail out! the layers have other kinds than meant")

    def taken(o):
        phases = ["prefill"] + (["decode"] if o["kind"] != "encoder_only_attention" else [])
        if any(not o[p] or o[p]["backend"] != backend for p in phases):
            return False
        return o["group"] is None or plan["groups"][o["group"]]["layout"] is not None

    return [taken(o) for o in operators]


# ---- the runtime's side


def macros(kv_dtype, block, layout, layer):
    dense = layer.kind == "encoder_only_attention"
    k, v = layer.dims
    values = {
        "KEY": 1, "KIND": KINDS[layer.kind][1], "DTYPE": DTYPES[layer.dtype],
        "KV_DTYPE": DTYPES[layer.dtype] if dense else KV_DTYPES[kv_dtype],
        "LAYOUT": 0 if dense else LAYOUTS[layout], "HEADS": layer.group, "KV_HEADS": 1,
        "HEAD_DIM": k, "V_HEAD_DIM": v, "K_WIDTH": k, "V_WIDTH": v, "BLOCK_SIZE": 0 if dense else block,
        "PAGE_BYTES": 0, "SCALE": "1.0f", "SOFTCAP": "0.0f", "WINDOW_LEFT": -1, "WINDOW_RIGHT": 0,
        "CHUNK": 0, "SINK_TOKENS": 0, "SINK_LOGITS": 0, "ALIBI": 0, "DETERMINISTIC": 0, "DECODE_Q": 1,
        "ISA": 3,
    }  # fmt: skip
    values.update(layer.feature[2] or {})
    return values


def compiles(work, rows, include, options=()):
    """For each row of macros whether its instance compiles. All stand in one file: the compiler names
    the line of the include that failed."""
    if len(rows) > BATCH:
        return compiles(work, rows[:BATCH], include, options) + compiles(work, rows[BATCH:], include, options)
    lines = ['#include "attn/kernels/exec.h"', '#include "attn/kernels/sizes.h"']
    place = {}
    for i, row in enumerate(rows):
        lines.append(f"#define ATTN_INSTANCE i{i}")
        lines += [f"#define ATTN_{name} {value}" for name, value in row.items()]
        for name in include:
            lines.append(f'#include "attn/kernels/{name}"')
            place[len(lines)] = i
        if "params.inc" in include:
            lines += [f"#undef ATTN_{name}" for name in ["INSTANCE", *row]]
    source = work / "instances.c"
    source.write_text("\n".join(lines) + "\n")
    done = run([*CC, *INCLUDE, *options, "-w", "-fno-diagnostics-show-caret" if "gcc" in CC[0] else "-fno-caret-diagnostics", "-fsyntax-only", "-fmax-errors=0" if "gcc" in CC[0] else "-ferror-limit=0", str(source)])
    good = [True] * len(rows)
    failed = re.findall(r"(?:^|from )[^\s]*instances\.c:(\d+)", done.stderr, re.M)
    for line in failed:
        if int(line) in place:
            good[place[int(line)]] = False
    if done.returncode != 0 and not failed:
        sys.exit(f"Bail out! {done.stderr[:2000]}")
    return good


def library_statuses(program, rows):
    """(cpu_ref's status, cpu_kv's, right or wrong or -) for each row of macros and whether to run it."""
    order = ["KIND", "DTYPE", "KV_DTYPE", "LAYOUT", "HEADS", "KV_HEADS", "HEAD_DIM", "V_HEAD_DIM", "BLOCK_SIZE"]
    text = "".join(" ".join(str(row[n]) for n in order) + f" {int(go)}\n" for row, go in rows)
    done = run([str(program)], input=text)
    lines = [line.split() for line in done.stdout.splitlines()]
    if done.returncode != 0 or len(lines) != len(rows):
        sys.exit(f"Bail out! the kernels' program: {done.returncode} {done.stderr}")
    return [(int(ref), int(kv), how) for ref, kv, how in lines]


def build_program(work):
    program = work / "kernels"
    sources = [ROOT / "tests/agreement_kernels.c", *(ROOT / f"tests/kernels/{n}.c" for n in ("world", "oracle", "storage"))]
    done = run([*CC, *INCLUDE, "-O1", "-o", str(program), *map(str, sources), str(BUILD / "libattn.a"), "-lm"])
    if done.returncode != 0:
        sys.exit(f"Bail out! {done.stderr}")
    return program


# ---- comparison


class Tally:
    """Combinations of one backend and kind: how many each side takes, and where they differ."""

    def __init__(self):
        self.all = self.taken = 0
        self.wrong = []

    def add(self, compiler, runtime, what):
        self.all += 1
        self.taken += compiler
        if compiler != runtime:
            self.wrong.append(f"compiler {'takes' if compiler else 'refuses'}, runtime {'serves' if runtime else 'does not'}: {what}")


def report(tap, tallies, what):
    for (backend, kind), t in tallies.items():
        name = f"{backend}, {kind}: {what}: {t.taken} of {t.all} accepted, just those that the runtime has"
        tap.point(not t.wrong, name, [f"{len(t.wrong)} differ", *t.wrong[:5]])


def product(tap, work, program):
    layers = [Layer(k, d, t, g) for k in KINDS for d in DIMS for t, g in SHAPES]
    tallies = {(b, k): Tally() for b in KERNELS for k in KINDS}
    asked = []  # backend, layer, what the compiler says, its macros
    settings = [Setting(k, b, x, b == 2) for k, b, x in itertools.product(KV_DTYPES, BLOCKS, LAYOUTS)]
    for backend in KERNELS:
        answers = accepted(work, backend, layers, settings=settings)
        for (setting, layer), answer in zip(itertools.product(settings, layers), answers):
            row = macros(setting.kv_dtype, setting.block, setting.layout, layer)
            row["DETERMINISTIC"] = int(setting.deterministic)
            asked.append((backend, layer, answer, row, f"{setting}, {layer.text(0).strip()}"))
    known = [a for a in asked if a[3]["KV_DTYPE"] is not None]
    for backend, layer, answer, row, what in asked:
        if row["KV_DTYPE"] is None:  # no such type in the runtime
            tallies[backend, layer.kind].add(answer, False, what)
    refs = [a for a in known if a[0] == "CPU_REF"]
    small = [(a[3], i % 7 == 0 and sum(a[1].dims) < 1100) for i, a in enumerate(refs)]
    wrote, ran, right = [], 0, 0
    for (backend, layer, answer, row, what), (ref, kv, how) in zip(refs, library_statuses(program, small)):
        tallies[backend, layer.kind].add(answer, ref == 0, what)
        if (kv == 0) != (answer and layer.kind != "encoder_only_attention"):
            wrote.append(what)
        ran += how != "-"
        right += how == "right"
    flash = [a for a in known if a[0] == "CPU_FLASH"]
    fits = compiles(work, [a[3] for a in flash], ["params.inc", "flash_limits.inc"])
    for (backend, layer, answer, row, what), good in zip(flash, fits):
        tallies[backend, layer.kind].add(answer, good, what)
    report(tap, tallies, "every combination of types, dims, groups, blocks and layouts")
    tap.point(not wrote, "CPU_REF: cpu_kv writes just the caches that are accepted", wrote[:5])
    tap.point(ran == right > 100, f"CPU_REF: {ran} accepted combinations ran and agree with the oracle", [f"{right} right"])
    whole_instances(tap, work, refs, flash)


def whole_instances(tap, work, refs, flash):
    """Some of each answer as complete instances, not their limits alone."""
    for backend, rows, writers in (("CPU_REF", refs, True), ("CPU_FLASH", flash, False)):
        for answer in (True, False):
            some = [a for a in rows if a[2] == answer]
            some = some[:: max(1, len(some) // (200 if writers else 40))]
            good = compiles(work, [a[3] for a in some], [f"{KERNELS[backend]}.inc"])
            bad = [a[4] for a, g in zip(some, good) if g != answer]
            says = "accepted compile" if answer else "refused do not compile"
            tap.point(not bad and some, f"{backend}: {len(some)} whole instances that are {says}", bad[:5])
            if writers:
                cached = [a for a in some if a[1].kind != "encoder_only_attention"]
                good = compiles(work, [a[3] for a in cached], ["cpu_kv.inc"])
                bad = [a[4] for a, g in zip(cached, good) if g != answer]
                tap.point(not bad and cached, f"cpu_kv: {len(cached)} whole instances that are {says}", bad[:5])


def features(tap, work):
    layers = [Layer(k, (64, 64), "f32", 2, f) for f in FEATURES for k in f[1]]
    tallies = {}
    for backend, kernel in KERNELS.items():
        answers = accepted(work, backend, layers)
        good = compiles(work, [macros("f32", 16, "hnd", layer) for layer in layers], [f"{kernel}.inc"])
        for layer, answer, fits in zip(layers, answers, good):
            tally = tallies.setdefault((backend, layer.kind), Tally())
            tally.add(answer, fits and layer.feature[2] is not None, layer.text(0).strip())
    report(tap, tallies, "every feature")


def platforms(tap, work):
    """Instruction sets; a microcontroller's compiler is known by its macro."""
    names = {"x86_64": 0, "x86_64_v3": 3, "x86_64_v4": 4, "aarch64": 0, "riscv64": 0, "cortex_m7": 0, "cortex_m55": 0}
    layers = [Layer(k, (64, 64), "f32", 2) for k in KINDS]
    for name, isa in names.items():
        options = ["-D__ARM_ARCH_PROFILE='M'"] if name.startswith("cortex") else []
        wrong = []
        for backend, kernel in KERNELS.items():
            answers = accepted(work, backend, layers, name)
            rows = [{**macros("f32", 16, "hnd", layer), "ISA": isa} for layer in layers]
            good = compiles(work, rows, [f"{kernel}.inc"], options)
            wrong += [f"{backend} {layer.kind}: the compiler says {a}" for layer, a, g in zip(layers, answers, good) if a != g]
        tap.point(not wrong, f"{name}: each kind is accepted just where the family compiles", wrong)


def words(tap, work):
    path = work / "w.attn"
    for word in ["fp16", "fp32", "fp8", "FP8", "fp8_e4m3fn", "int8_per_token", '""', '"f32"', "8", "BF16"]:
        path.write_text(
            'import "std/cpu.attn";\nmodel m { layers = 1; heads = 1; head_dim = 8; dtype = f32; }\n'
            "deploy d { model = m; platform = x86_64; max_seqs = 1; max_tokens = 8; max_batch_tokens = 8;\n"
            f"    kv_dtype = {word};\n}}\n"
        )
        out = work / "out"
        done = run([ATTNC, "build", str(path), "-o", str(out)])
        good = done.returncode == 1 and re.match(rf"{path}:\d+:\d+: error\[", done.stderr) and not out.exists()
        tap.point(good, f"kv_dtype = {word} is a located error and nothing is written", done.stderr.splitlines())


def mamba(tap, work):
    path = work / "s.attn"
    for kind in ["mamba1", "mamba2", "gated_delta_net", "linear", "short_conv"]:
        path.write_text(
            'import "std/cpu.attn";\n'
            f"model m {{ layers = 1; dtype = f32; ssm {{ type = {kind}; heads = 2; head_dim = 8; state = 8; groups = 1; conv = 4; }} }}\n"
            "deploy d { model = m; platform = x86_64; max_seqs = 1; max_tokens = 8; max_batch_tokens = 8;\n"
            "    backend = CPU_MAMBA2;\n}\n"
        )
        done = run([ATTNC, "check", str(path)])
        tap.point((done.returncode == 0) == (kind == "mamba2"), f"CPU_MAMBA2 is for mamba2, asked for {kind}", done.stderr.splitlines())
        if kind == "mamba2":
            done = run([ATTNC, "build", str(path), "-o", str(work / "ssm")])
            tap.point(done.returncode == 1 and "A0811" in done.stderr, "no kernel serves it: it is checked, not built", done.stderr.splitlines())


def main():
    tap = Tap()
    with tempfile.TemporaryDirectory(prefix="agreement-") as folder:
        work = pathlib.Path(folder)
        program = build_program(work)
        product(tap, work, program)
        features(tap, work)
        platforms(tap, work)
        words(tap, work)
        mamba(tap, work)
    return tap.end()


if __name__ == "__main__":
    sys.exit(main())
