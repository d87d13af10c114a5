#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Ask vLLM's own attention-backend selection code, without a GPU, and write its answers.

Describes vLLM 0.33.0. Set-up (Python 3.11 or later, CPU only, no driver):

    pip download --no-deps vllm==0.33.0 && unzip vllm-0.33.0-*.whl 'vllm/*.py' 'vllm-*.dist-info/*' -d SRC
    pip install torch==2.14.0 numpy regex cachetools psutil requests tqdm blake3 py-cpuinfo 'transformers<5.21' \
        sentencepiece protobuf fastapi uvicorn aiohttp openai 'pydantic>=2.12' orjson prometheus_client pillow tiktoken \
        partial-json-parser jsonschema pyzmq msgspec pyyaml einops cloudpickle watchfiles python-json-logger pybase64 \
        cbor2 ijson setproctitle lark depyf==0.20.0 compressed-tensors==0.17.0 oss-harmony 'mcp>=2.2' anthropic \
        'mistral_common[image]' opencv-python-headless nvidia-ml-py uvloop llguidance lm-format-enforcer \
        outlines_core xgrammar==0.2.8 prometheus-fastapi-instrumentator
    pip install --no-deps torchvision==0.29.0
    python vllm_oracle.py --vllm SRC --out vllm-answers.tsv --hidden vllm-answers-hidden.tsv

Nothing is compiled or launched. Compiled extensions and vendor packages become stub modules, the
platform class reports the wanted capability, and every environment probe is set by the `probes` key.
So answers hold for "this class can be imported"; whether it can on a real machine is not asked, except under
probes=nopkg. One subprocess per platform and import-time state; about four minutes on one core.

Columns of the output (tab separated, first line is the header):
  query    validate   reasons of one backend class for one layer
           auto       automatic choice; all valid candidates in priority order, best first (cpu, xpu: the choice)
           request    choice when `subject` is requested (an explicit `backend`)
           perkind    choice with the `backend_per_kind` map given in `subject`
           kind       kind that the selector derives for a layer
           speckind   kind of a cache spec class (`a+b` = one uniform wrapper over both)
           config     parsing of one backend_per_kind value (JSON in `subject`)
           preferred  automatic cache block size for a list of backends (`default=` the start value)
           kernel     kernel block size for a list of backends sharing a group (`page=` its cache block)
           layouts    cache layouts shared by a list of backends, most preferred first
  subject  backend name, list of names, or as said above
  input    space separated key=value; a missing key has the default below
  answer   ok | reason codes joined by `,` in the validator's order | NAME>NAME... | value
           none = no valid backend; error:TYPE[:why]
Reason codes: plain ones are the validator's own checks in CODES below; `x:` ones come from the backend's check of
combinations, with @CHILD when a composite quotes a child.

Input keys and defaults: platform=cuda arch=9.0 probes=full head=128 dtype=bf16 kv=auto block=- (not
set by the user) attn=decoder flags=- heads=32 (query heads per rank) model= gqa4, or r1 for mla, or
v32 for mla with sparse; mhead= head size that the model config reports (default: head); fa= forced
FlashAttention version; trtllm= forced use_trtllm_attention (0, 1); run= the run's cache dtype when it differs
from the layer's. dtype: fp16 bf16 fp32. kv=none means that no cache dtype was passed.
Flags: mla sparse sink mm_prefix per_head_scales window rswa non_causal batch_invariant kv_connector
pcp dcp adaptive (device-trimmed draft lengths).
Models (nope/rope/v/latent/index_topk): r1 128/64/128/512/-, v32 same with topk 2048, glm 256/0/256/512/
2048, n64 n96 n192 (nope changed, topk 2048), lora256, topk1000, notopk = r1, gqa4 (KV heads = heads/4),
mha (KV heads = heads), none (no model config), encdec (model is an encoder-decoder).
Probes, cuda: full = FA2+FA3+FA4 built, FlashInfer with kernels, all optional packages; nofa4; fa2only;
nocubin (FlashInfer without TRT-LLM kernels); oldfi (FlashInfer without the SM90 and SM120 sparse MLA
calls); nopkg (no FlashInfer, FlashMLA, tokenspeed, b12x). rocm: aiter, noenv (library there, not
enabled), noaiter; arch is a gfx name. cpu: arch amx | avx512 | base. xpu: arch xe.
The split: a row goes to --hidden by a hash of query and input (three in ten), so all backends asked about one input
stay together; the small tables hash their subject too.
"""

import argparse
import contextlib
import functools
import hashlib
import importlib
import importlib.abc
import importlib.machinery
import itertools
import json
import os
import random
import stat
import subprocess
import sys
import tempfile
import types
from types import SimpleNamespace as NS
from unittest.mock import MagicMock

VERSION = "0.33.0"
CCS = ["7.5", "8.0", "8.6", "8.9", "9.0", "10.0", "10.3", "11.0", "12.0", "12.1"]
MINOR = ["7.5", "8.6", "8.9", "10.3", "11.0", "12.1"]  # asked about more sparsely
GFX = ["gfx90a", "gfx942", "gfx950", "gfx1100", "gfx1201", "gfx1250"]
HEADS = [16, 31, 32, 40, 64, 72, 80, 96, 100, 112, 128, 160, 192, 256, 264, 320, 512, 520, 576]
BLOCKS = ["-", 1, 8, 16, 24, 32, 48, 64, 80, 96, 128, 192, 256, 528, 544, 784]
FLAGS = [
    "mla",
    "sparse",
    "sink",
    "mm_prefix",
    "per_head_scales",
    "window",
    "rswa",
    "non_causal",
    "batch_invariant",
    "kv_connector",
    "pcp",
    "dcp",
    "adaptive",
]
ATTN = ["decoder", "encoder", "encoder_only", "encoder_decoder"]
DTYPES = ["bf16", "fp16", "fp32"]
DEFAULT = dict(
    platform="cuda",
    arch="9.0",
    probes="full",
    head=128,
    dtype="bf16",
    kv="auto",
    block="-",
    attn="decoder",
    flags="-",
    heads=32,
    model="",
    mhead=0,
    fa="",
    trtllm="",
    run="",
)
MODELS = {  # nope, rope, v, latent, index_topk
    "r1": (128, 64, 128, 512, None),
    "v32": (128, 64, 128, 512, 2048),
    "glm": (256, 0, 256, 512, 2048),
    "n64": (64, 64, 128, 512, 2048),
    "n96": (96, 64, 128, 512, 2048),
    "n192": (192, 64, 256, 512, 2048),
    "lora256": (128, 64, 128, 256, 2048),
    "topk1000": (128, 64, 128, 512, 1000),
    "notopk": (128, 64, 128, 512, None),
}

# A fragment of the message -> our code. First match wins.
CODES = [
    ("head_size not supported", "head_dim"),
    ("kv_cache_dtype not supported", "kv_dtype"),
    ("dtype not supported", "dtype"),
    ("block_size not supported", "block_size"),
    ("partial multimodal", "mm_prefix"),
    ("non-MLA not", "needs_mla"),
    ("non-causal MLA attention with DCP", "non_causal_dcp"),
    ("non-causal fp16 MLA", "x:non_causal_fp16"),
    ("MLA not supported on this device", "x:fa3_mla_probe"),
    ("MLA not supported", "mla"),
    ("attention sinks", "sink"),
    ("non-sparse not", "needs_sparse"),
    ("sparse not supported", "sparse"),
    ("per-head quant", "per_head_scales"),
    ("compute capability not", "capability"),
    ("attention type", "attn_type"),
    ("sliding window not", "window"),
    ("R-SWA not", "rswa"),
    ("non-causal attention not", "non_causal"),
    ("batch invariance not", "batch_invariant"),
    ("KV connector not", "kv_connector"),
    ("PCP not supported", "pcp"),
    ("DCP not supported", "dcp"),
    ("query lens mismatch", "adaptive"),
    ("sink not supported on compute", "x:sink_below_cc9"),
    ("mm_prefix requires Triton", "x:sm90_quant_kv_mm_prefix"),
    ("FP8 KV cache requires FA3", "x:fp8_kv_fa"),
    ("requires FlashAttention v4", "x:mm_prefix_needs_fa4"),
    ("FlashAttention v3 or v4", "x:causal_child_fa"),
    ("misreads an NVFP4", "x:nvfp4_head64"),
    ("cannot read an NVFP4", "x:nvfp4_sink"),
    ("bfloat16 queries", "x:bf16_query"),
    ("float16 KV cache", "x:fp16_kv"),
    ("quantized KV cache dtypes", "x:quant_kv_kind"),
    ("b12x backend with", "x:package"),
    ("b12x paged attention is not", "x:device_probe"),
    ("only FP16/BF16 KV", "x:needs_16bit_kv"),
    ("does not support DCP for now", "x:dcp"),
    ("requires model with index_topk", "x:needs_index_topk"),
    ("with index_topk config", "x:needs_index_topk"),
    ("runs its prefill batches", "x:package"),
    ("FA4 unavailable", "x:fa4_probe"),
    ("FA4 cute-DSL", "x:fa4_probe"),
    ("index_topk % 128", "x:topk_multiple"),
    ("(kv_lora_rank, qk_rope", "x:mla_dims"),
    ("gathered query heads", "x:head_count"),
    ("in [64, 128, 192]", "x:nope_dim"),
    ("in [128, 192]", "x:nope_dim"),
    ("combined PCP+DCP", "x:pcp_with_dcp"),
    ("does not support fp8_ds_mla", "x:no_ds_mla_layout"),
    ("native no-rope", "x:no_rope_dims"),
    ("sparse MLA decode API", "x:package"),
    ("index_topk=2048", "x:topk_2048"),
    ("with SM90 MLA support", "x:package"),
    ("requires sparse MLA", "x:needs_sparse"),
    ("requires kv_lora_rank", "x:mla_dims"),
    ("requires qk_rope_head_dim", "x:mla_dims"),
    ("Dense is only supported", "x:dense_probe"),
    ("FlashMLA Sparse is only", "x:sparse_probe"),
    ("_flashmla", "x:package"),
    ("rope-free", "x:head512_rope"),
    ("head_size 512 only with", "x:head512_kv"),
    ("on SM100 (Blackwell)", "x:nvfp4_needs_cc10"),
    ("tokenspeed_mla package", "x:package"),
    ("DeepSeek R1 MLA dimensions", "x:mla_dims"),
    ("per-tensor FP8 KV layout", "x:no_ds_mla_layout"),
    ("requires SM10x or SM12x", "x:needs_cc10_12"),
    ("RDNA GPUs", "x:needs_rdna"),
    ("requires gfx12", "x:fp8_gfx12"),
    ("in common with TURBOQUANT", "x:layout_turboquant"),
    ("in common with ULTRAQUANT", "x:layout_ultraquant"),
    ("mega attention requires", "x:needs_cc10"),
    ("mega attention", "x:package"),
]


def code(message):
    child = ""
    for name in ("TRITON_ATTN: ", "FLASH_ATTN: ", "FLASHINFER: "):
        if message.startswith(name):
            child, message = "@" + name[:-2], message[len(name) :]
    if message.startswith(("ImportError", "ModuleNotFoundError")):
        return "import_error"
    for fragment, name in CODES:
        if fragment in message:
            return name + child
    raise SystemExit(f"no code for reason: {message}")


def text(i):
    """The canonical spelling of an input: defaults left out, fixed key order."""
    return " ".join(f"{k}={i[k]}" for k in DEFAULT if i.get(k, DEFAULT[k]) != DEFAULT[k]) or "-"


def inp(base=None, **kw):
    i = dict(base or DEFAULT)
    flags = set(i["flags"].split("+")) - {"-"}
    flags |= set(kw.pop("add", ())) - {"-"}
    flags -= set(kw.pop("drop", ()))
    i.update(kw)
    if "flags" not in kw:
        i["flags"] = "+".join(f for f in FLAGS if f in flags) or "-"
    return i


# ---------------------------------------------------------------- stubs

VENDOR = (
    "flashinfer",
    "aiter",
    "amdsmi",
    "tokenspeed_mla",
    "b12x",
    "hpc",
    "vllm_xpu_kernels",
    "cutlass",
    "quack",
    "deep_gemm",
    "flash_attn",
    "tilelang",
    "nvtx",
    "helion",
    "zentorch",
    "pynvml_stub",
)
BUILT = (
    "_C",
    "_C_stable_libtorch",
    "_moe_C_stable_libtorch",
    "_moe_C",
    "_rocm_C",
    "_qutlass_C",
    "_flashmla_C",
    "_flashmla_extension_C",
    "vllm_flash_attn._vllm_fa2_C",
    "vllm_flash_attn._vllm_fa3_C",
    "cumem_allocator",
)
absent = set()  # top-level or full names that must look not installed
missing = set()  # "module:name" pairs that must look absent from a stub


class Stub(types.ModuleType):
    __path__ = []
    __version__ = "99.0"

    def __getattr__(self, name):
        if name.startswith("__") or f"{self.__name__}:{name}" in missing:
            raise AttributeError(name)
        value = MagicMock(name=f"{self.__name__}.{name}")
        setattr(self, name, value)
        return value


class Finder(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    def find_spec(self, name, path=None, target=None):
        top = name.split(".")[0]
        if top in absent or name in absent:
            if name.startswith("vllm."):
                raise ModuleNotFoundError(name)
            return None
        if ":".join(name.rsplit(".", 1)) in missing:
            return None
        if top in VENDOR or (top == "vllm" and name[5:] in BUILT):
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec):
        return Stub(spec.name)

    def exec_module(self, module):
        if module.__name__ == "flashinfer.mla":

            class Wrapper:
                def run(self, *, ckv_scale_arr=None):
                    raise NotImplementedError

            module.BatchMLAPagedAttentionWrapper = Wrapper
        if module.__name__ == "aiter.mla":

            def mla_decode_fwd(*, causal=True):
                raise NotImplementedError

            module.mla_decode_fwd = mla_decode_fwd


def prepare(args):
    """Import vLLM on a machine without a device, as `args.worker` = (platform, arch, probes)."""
    platform, arch, probes = args.worker
    os.environ.update(VLLM_LOGGING_LEVEL="CRITICAL", TORCH_CPP_LOG_LEVEL="ERROR", VLLM_NO_USAGE_STATS="1")
    os.environ["VLLM_TARGET_DEVICE"] = "cpu" if platform == "cpu" else "cuda"
    tools = tempfile.mkdtemp()
    for tool in ("nvcc", "ninja"):
        os.makedirs(f"{tools}/bin", exist_ok=True)
        with open(f"{tools}/bin/{tool}", "w") as f:
            f.write("#!/bin/sh\n")
        os.chmod(f"{tools}/bin/{tool}", stat.S_IRWXU)
    os.environ["CUDA_HOME"] = tools
    os.environ["PATH"] = f"{tools}/bin:" + os.environ["PATH"]
    sys.path.insert(0, args.vllm)
    sys.meta_path.insert(0, Finder())
    if probes == "nopkg":
        absent.update(
            ("flashinfer", "tokenspeed_mla", "b12x", "vllm._flashmla_C", "vllm._flashmla_extension_C")
        )
    if platform != "rocm":
        absent.update(("aiter", "amdsmi"))
    import torch
    import triton.backends

    # Triton must look usable while modules are imported, else kernels' type names are missing.
    for b in triton.backends.backends.values():
        if b.driver is not None:
            b.driver.is_active = staticmethod(lambda: False)
    triton.backends.backends["nvidia"].driver.is_active = staticmethod(lambda: True)
    real_empty = torch.empty

    def empty(*a, **k):
        if str(k.get("device", "")).split(":")[0] in ("cuda", "xpu"):
            k["device"] = "meta"
        return real_empty(*a, **k)

    torch.empty = empty
    props = NS(
        multi_processor_count=132,
        max_compute_units=132,
        total_memory=80 << 30,
        name="stub",
        gcnArchName=arch,
        warp_size=64,
        major=9,
        minor=0,
        shared_memory_per_block_optin=232448,
    )
    torch.cuda.get_device_properties = torch.xpu.get_device_properties = lambda *a, **k: props
    import requests

    def refuse(*a, **k):
        raise OSError("no network in the oracle")

    requests.get = refuse
    if platform == "rocm":
        import amdsmi

        amdsmi.amdsmi_get_processor_handles = lambda *a: [0]
        amdsmi.amdsmi_get_gpu_asic_info = lambda h: {"target_graphics_version": arch}
    import vllm.platforms as platforms
    from vllm.platforms.interface import DeviceCapability

    if platform == "cuda":
        from vllm.platforms.cuda import CudaPlatformBase as base
    elif platform == "rocm":
        from vllm.platforms.rocm import RocmPlatform as base
    elif platform == "xpu":
        from vllm.platforms.xpu import XPUPlatform as base
    else:
        from vllm.platforms.cpu import CpuPlatform as base

    class Oracle(base):
        cap = DeviceCapability(9, 0) if platform == "cuda" else None

        @classmethod
        def get_device_capability(cls, device_id=0):
            return cls.cap

        @classmethod
        def get_device_name(cls, device_id=0):
            return "oracle"

        @classmethod
        def get_device_total_memory(cls, device_id=0):
            return 80 << 30

    if platform == "rocm":
        from vllm.platforms.rocm import _capability_from_gcn_arch

        Oracle.cap = DeviceCapability(*_capability_from_gcn_arch(arch))
    if platform == "xpu":
        Oracle.cap = DeviceCapability(20, 1)
    platforms._current_platform = Oracle()
    import vllm._custom_ops as ops

    for name in (
        "cutlass_scaled_mm_supports_block_fp8",
        "cutlass_scaled_mm_supports_fp8",
        "cutlass_scaled_mm_supports_fp4",
        "cutlass_group_gemm_supported",
    ):
        setattr(ops, name, lambda *a: False)
    # Only its `model_tag` is read; the real module needs compiled operators.
    sys.modules["vllm.compilation.backends"] = compilation = types.ModuleType("vllm.compilation.backends")
    compilation.model_tag = "backbone"
    compilation.set_model_tag = lambda *a, **k: contextlib.nullcontext()
    return Oracle


# ---------------------------------------------------------------- evaluation


class Model:
    """The few answers that selection asks of a model config."""

    def __init__(self, i):
        flags = i["flags"].split("+")
        self.name = i["model"] or (
            "v32" if "sparse" in flags and "mla" in flags else "r1" if "mla" in flags else "gqa4"
        )
        self.heads, self.head = int(i["heads"]), int(i["mhead"] or i["head"])
        self.is_mm_prefix_lm = "mm_prefix" in flags
        self.rswa_window = 128 if "rswa" in flags else None
        self.is_diffusion = self.is_hybrid = False
        self.attn_type = "encoder_decoder" if self.name == "encdec" else "decoder"
        self.max_model_len = 8192
        self.hf_text_config = NS()
        if self.name in MODELS:
            nope, rope, v, latent, topk = MODELS[self.name]
            self.hf_text_config = NS(
                qk_nope_head_dim=nope, qk_rope_head_dim=rope, v_head_dim=v, kv_lora_rank=latent
            )
            if topk:
                self.hf_text_config.index_topk = topk
        self.hf_config = self.hf_text_config

    def get_head_size(self):
        return self.head

    def get_num_attention_heads(self, parallel):
        return self.heads

    def get_num_kv_heads(self, parallel):
        return 1 if self.name in MODELS else self.heads if self.name == "mha" else max(1, self.heads // 4)


class Oracle:
    def __init__(self, platform_cls, worker):
        import torch
        import vllm.config.vllm as holder
        import vllm.envs as envs
        from vllm.config.attention import AttentionConfig
        from vllm.v1.attention import selector
        from vllm.v1.attention.backends.registry import AttentionBackendEnum

        self.cls, self.worker, self.holder, self.envs = platform_cls, worker, holder, envs
        self.selector, self.enum, self.attention_config = selector, AttentionBackendEnum, AttentionConfig
        self.torch = torch
        self.dtypes = dict(bf16=torch.bfloat16, fp16=torch.float16, fp32=torch.float32)
        self.names, self.classes = {}, {}
        real, known = AttentionBackendEnum.get_class, {}

        def get_class(member):  # failed imports are slow to repeat
            if member not in known:
                try:
                    known[member] = real(member)
                except (ImportError, ValueError, OSError) as e:
                    known[member] = e
            if isinstance(known[member], Exception):
                raise known[member]
            return known[member]

        AttentionBackendEnum.get_class = get_class
        for b in AttentionBackendEnum:
            try:
                self.classes[b.name] = b.get_class()
                self.names[self.classes[b.name]] = b.name
            except (ImportError, OSError):
                self.classes[b.name] = "import_error"
            except ValueError as e:
                self.classes[b.name] = f"error:{type(e).__name__}"
        if worker[0] == "xpu":  # the platform replaces this class by its own
            from vllm.v1.attention.backends.mla.flashattn_mla import XPUFlashAttnMLABackend

            self.classes["FLASH_ATTN_MLA"] = XPUFlashAttnMLABackend
            self.names[XPUFlashAttnMLABackend] = "FLASH_ATTN_MLA"
        self.caches = []
        for m in [m for n, m in list(sys.modules.items()) if n.startswith("vllm.") and m is not None]:
            for v in list(vars(m).values()):
                if isinstance(v, functools._lru_cache_wrapper) and v not in self.caches:
                    self.caches.append(v)

    def set_probes(self, i):
        probes, os_env = i["probes"], os.environ
        if i["platform"] == "cuda":
            import vllm.vllm_flash_attn.flash_attn_interface as fa
            import vllm.v1.attention.backends.mla.flashattn_mla_sparse as fs

            fa.FA2_AVAILABLE = True
            fa.FA3_AVAILABLE = probes != "fa2only"
            fa.FA4_AVAILABLE = probes not in ("fa2only", "nofa4")
            for op in ("fused_norm_rope_attn_rope_cast_decode", "permute_q_b_proj"):
                setattr(self.torch.ops._flashmla_C, op, None)
            fs._fa4_cute_mla_available = lambda: None if fa.is_fa_version_supported(4) else "FA4 unavailable"
            os_env["VLLM_HAS_FLASHINFER_CUBIN"] = "0" if probes == "nocubin" else "1"
            missing.clear()
            if probes == "oldfi":
                missing.update(
                    (
                        "flashinfer.decode:trtllm_batch_decode_sparse_mla_dsv4",
                        "flashinfer.mla:BatchMLAPagedAttentionWrapper",
                    )
                )
            if probes != "nopkg":
                import flashinfer.decode as fd
                import flashinfer.mla as fm

                fd.__dict__.pop("trtllm_batch_decode_sparse_mla_dsv4", None)
                if probes == "oldfi":
                    self.wrapper = fm.__dict__.pop("BatchMLAPagedAttentionWrapper", None) or self.wrapper
                elif "BatchMLAPagedAttentionWrapper" not in fm.__dict__:
                    fm.BatchMLAPagedAttentionWrapper = self.wrapper
        elif i["platform"] == "rocm":
            import vllm._aiter_ops as a

            a.IS_AITER_FOUND = probes != "noaiter"
            a.rocm_aiter_ops._AITER_ENABLED = probes == "aiter"
            a.rocm_aiter_ops._MLA_ENABLED = a.rocm_aiter_ops._MHA_ENABLED = True
        elif i["platform"] == "cpu":
            from vllm.platforms.interface import CpuArchEnum

            self.torch.cpu._is_amx_tile_supported = lambda: i["arch"] == "amx"
            self.torch.cpu._is_avx512_supported = lambda: i["arch"] in ("amx", "avx512")
            self.cls.get_cpu_architecture = classmethod(lambda cls: CpuArchEnum.X86)

    def enter(self, i, backend=None, per_kind=None):
        """Make `i` the current configuration. Returns the selector's keyword arguments."""
        for c in self.caches:
            c.cache_clear()
        flags = set(i["flags"].split("+"))
        if i["platform"] == "cuda":
            self.cls.cap = type(self.cls.cap)(*map(int, i["arch"].split(".")))
        self.set_probes(i)
        config = self.attention_config()
        config.backend, config.backend_per_kind = backend, per_kind or {}
        config.use_non_causal = "non_causal" in flags
        config.flash_attn_version = int(i["fa"]) if i["fa"] else None
        config.use_trtllm_attention = bool(int(i["trtllm"])) if i["trtllm"] else None
        kv = None if i["kv"] == "none" else i["kv"]
        model = Model(i)
        self.holder._current_vllm_config = NS(
            attention_config=config,
            model_config=None if model.name == "none" else model,
            cache_config=NS(
                cache_dtype=i["run"] or kv or "auto",
                user_specified_block_size=i["block"] != "-",
                block_size=16 if i["block"] == "-" else int(i["block"]),
                kv_cache_layout=None,
            ),
            parallel_config=NS(
                prefill_context_parallel_size=1 + ("pcp" in flags),
                decode_context_parallel_size=1 + ("dcp" in flags),
                tensor_parallel_size=1,
            ),
            kv_transfer_config=NS(is_kv_transfer_instance=True) if "kv_connector" in flags else None,
            speculative_config=NS(enable_adaptive_verification=True) if "adaptive" in flags else None,
            kernel_config=NS(monokernel=None),
            compilation_config=NS(static_forward_context={}),
        )
        os.environ["VLLM_BATCH_INVARIANT"] = "1" if "batch_invariant" in flags else "0"
        return dict(
            head_size=int(i["head"]),
            dtype=self.dtypes[i["dtype"]],
            kv_cache_dtype=kv,
            use_mla="mla" in flags,
            has_sink="sink" in flags,
            use_sparse="sparse" in flags,
            use_mm_prefix="mm_prefix" in flags,
            use_per_head_quant_scales="per_head_scales" in flags,
            attn_type=i["attn"],
            num_heads=int(i["heads"]),
            has_sliding_window="window" in flags,
        )

    def selector_config(self, i, kw):
        flags = set(i["flags"].split("+"))
        kw = {k: v for k, v in kw.items() if k != "num_heads"}
        return self.selector.AttentionSelectorConfig(
            block_size=None if i["block"] == "-" else int(i["block"]),
            use_non_causal="non_causal" in flags,
            use_batch_invariant="batch_invariant" in flags,
            use_kv_connector="kv_connector" in flags,
            use_pcp="pcp" in flags,
            use_adaptive_verification="adaptive" in flags,
            use_dcp="dcp" in flags,
            use_rswa="rswa" in flags,
            **kw,
        )

    def validate(self, name, i):
        cls = self.classes[name]
        if isinstance(cls, str):
            return cls
        config = self.selector_config(i, self.enter(i))
        try:
            reasons = cls.validate_configuration(
                device_capability=self.cls.get_device_capability(), **config._asdict()
            )
        except (ImportError, OSError):
            return "import_error"
        except Exception as e:
            return f"crash:{type(e).__name__}"
        return ",".join(code(r) for r in reasons) or "ok"

    def auto(self, i):
        kw = self.enter(i)
        if i["platform"] in ("cpu", "xpu"):
            return self.select(kw)
        chosen = self.select(kw)
        valid, _ = self.cls.get_valid_backends(
            self.cls.get_device_capability(), self.selector_config(i, kw), int(i["heads"])
        )
        order = [v.backend.name if hasattr(v, "backend") else v[0].name for v in valid]
        if not order:
            assert chosen == "error:ValueError", chosen
            return "none"
        assert chosen == order[0], (chosen, order)
        return ">".join(order)

    def select(self, kw):
        try:
            cls = self.selector.get_attn_backend(**kw)
        except Exception as e:
            return f"error:{type(e).__name__}"
        name = self.names.get(cls) or cls.__name__
        return name

    def request(self, name, i):
        return self.select(self.enter(i, backend=self.enum[name]))

    def perkind(self, spec, i):
        config = self.attention_config(**json.loads(spec))
        kw = self.enter(i, backend=config.backend, per_kind=config.backend_per_kind)
        return self.select(kw)


# ---------------------------------------------------------------- inputs


def bases():
    """One input per backend that is meant to pass, from which borders are probed."""
    d = functools.partial(inp, DEFAULT)
    mla = dict(head=576, add=["mla"])
    sparse = dict(head=576, add=["mla", "sparse"])
    return {
        "FLASH_ATTN": d(),
        "FLASH_ATTN_DIFFKV": d(),
        "TRITON_ATTN": d(arch="8.0"),
        "FLASHINFER": d(arch="9.0"),
        "TRITON_ATTN_DIFFKV": d(arch="8.0"),
        "FLEX_ATTENTION": d(arch="8.0"),
        "TRITON_FLASH_ATTN": d(head=256, add=["mm_prefix"]),
        "TRITON_FLASHINFER": d(arch="10.0", head=256, add=["mm_prefix"]),
        "TURBOQUANT": d(arch="8.0", kv="turboquant_k8v4"),
        "HPC_ATTN": d(),
        "B12X": d(arch="12.0"),
        "MINIMAX_M3_SPARSE": d(kv="fp8", add=["sparse"]),
        "CUTLASS_MSA": d(arch="10.0", kv="fp8", add=["sparse"]),
        "TRITON_MSA": d(arch="10.0", kv="fp8", add=["sparse"]),
        "STEP5_DSA": d(head=192, add=["sparse"]),
        "FLASHMLA": d(**mla),
        "FLASH_ATTN_MLA": d(**mla),
        "TRITON_MLA": d(arch="8.0", **mla),
        "CUTLASS_MLA": d(arch="10.0", **mla),
        "FLASHINFER_MLA": d(arch="10.0", **mla),
        "TOKENSPEED_MLA": d(arch="10.0", kv="fp8", **mla),
        "FLASHMLA_SPARSE": d(**sparse),
        "FLASH_ATTN_MLA_SPARSE": d(**sparse),
        "FLASH_ATTN_MLA_SPARSE_FA4": d(arch="10.0", **sparse),
        "FLASHINFER_MLA_SPARSE": d(arch="10.0", **sparse),
        "FLASHINFER_MLA_SPARSE_SM90": d(**sparse),
        "FLASHINFER_MLA_SPARSE_SM120": d(arch="12.0", **sparse),
        "FLASHMLA_SPARSE_DSV4": d(head=512, add=["mla", "sparse"]),
        "FLASHINFER_MLA_SPARSE_DSV4": d(arch="10.0", head=512, add=["mla", "sparse"]),
        "FLASHMLA_SPARSE_DSV41": d(head=512, add=["mla", "sparse"]),
        "FLASHINFER_MLA_SPARSE_DSV41": d(arch="10.0", head=512, add=["mla", "sparse"]),
        "FLASHMLA_MEGA_ATTN_DSV41": d(arch="10.0", head=512, add=["mla", "sparse"]),
    }


OTHER = {  # backends of other platforms: (base changes, archs)
    "rocm": {
        "ROCM_ATTN": {},
        "ROCM_SEGMENTED_ATTN": {},
        "ROCM_AITER_FA": {},
        "ROCM_AITER_UNIFIED_ATTN": {},
        "TRITON_ATTN": {},
        "TURBOQUANT": dict(kv="turboquant_k8v4"),
        "ROCM_OCTAVE": dict(kv="octave_k3v4", head=256),
        "ULTRAQUANT": dict(kv="ultraquant_4bit"),
        "ROCM_AITER_MLA": dict(head=576, add=["mla"]),
        "ROCM_AITER_TRITON_MLA": dict(head=576, add=["mla"]),
        "TRITON_MLA": dict(head=576, add=["mla"]),
        "ROCM_AITER_MLA_SPARSE": dict(head=576, add=["mla", "sparse"]),
        "ROCM_FLASHMLA_SPARSE_DSV4": dict(head=512, add=["mla", "sparse"]),
        "ROCM_FLASHMLA_SPARSE_DSV41": dict(head=512, add=["mla", "sparse"]),
    },
    "xpu": {
        "FLASH_ATTN": {},
        "TRITON_ATTN": {},
        "TRITON_FLASH_ATTN": dict(head=256, add=["mm_prefix"]),
        "TRITON_MLA": dict(head=576, add=["mla"]),
        "FLASH_ATTN_MLA": dict(head=576, add=["mla"]),
        "XPU_MLA_SPARSE": dict(head=576, add=["mla", "sparse"]),
        "TURBOQUANT": dict(kv="turboquant_k8v4"),
    },
    "cpu": {"CPU_ATTN": {}, "CPU_MLA": dict(head=576, add=["mla"]), "AMX_MLA": dict(head=576, add=["mla"])},
}


def around(b, archs, kvs, probes, light=False):
    """Inputs at the borders of every rule, one or two keys away from `b`."""
    for a in archs:
        minor = a in MINOR and a != b["arch"]
        yield inp(b, arch=a)
        for h in (64, 256, 512) if minor else HEADS:
            yield inp(b, arch=a, head=h)
        for kv in ("fp8", "nvfp4") if minor else kvs:
            yield inp(b, arch=a, kv=kv)
        for f in FLAGS:
            yield inp(b, arch=a, drop=[f]) if f in b["flags"].split("+") else inp(b, arch=a, add=[f])
        if minor:
            continue
        for p in probes:
            yield inp(b, arch=a, probes=p)
            yield inp(b, arch=a, probes=p, kv="fp8")
            yield inp(b, arch=a, probes=p, add=["sink"])
        for dt in DTYPES:
            yield inp(b, arch=a, dtype=dt)
    if light:
        return
    for x in BLOCKS:
        yield inp(b, block=x)
        yield inp(b, block=x, head=256)
        yield inp(b, block=x, kv="fp8")
        yield inp(b, block=x, model="none")
    for t in ATTN:
        yield inp(b, attn=t)
        yield inp(b, attn=t, add=["window"])
    for f, g in itertools.combinations(FLAGS, 2):
        yield inp(b, add=[f, g])
    for f in ("mm_prefix", "sink", "batch_invariant", "non_causal", "dcp", "rswa"):
        for kv in ("fp8", "fp8_e5m2", "nvfp4", "float16", "none"):
            yield inp(b, add=[f], kv=kv)
        for h in (64, 128, 192, 256, 512):
            yield inp(b, add=[f], head=h)
            yield inp(b, add=[f], head=h, block=64)
        for dt in DTYPES:
            yield inp(b, add=[f], dtype=dt)
    for h in (64, 192, 256, 512, 576):
        for kv in ("fp8", "fp8_e4m3", "fp8_e5m2", "fp8_ds_mla", "nvfp4", "nvfp4_ds_mla", "bfloat16"):
            yield inp(b, head=h, kv=kv)


def rare(b, probes):
    """More inputs for rules that few others meet, so that both halves of the split hold each."""
    for kv in ("auto", "bfloat16", "fp8"):
        c = inp(b, kv=kv) if b["kv"] == "auto" else inp(b, heads={"auto": 8, "bfloat16": 16, "fp8": 64}[kv])
        yield inp(c, add=["non_causal", "dcp"])
        yield inp(c, add=["pcp", "dcp"])
        yield inp(c, drop=["sparse"])
        yield inp(c, drop=["mla"])
        yield inp(c, add=["non_causal"], dtype="fp16")
        yield inp(c, add=["window", "sink"], dtype="fp16")
        for t in ATTN[1:]:
            yield inp(c, attn=t)
    for h in (128, 256, 512):
        yield inp(b, head=h, kv="nvfp4", add=["sink"], dtype="fp16")
        yield inp(b, head=h, kv="fp8_e4m3", add=["mm_prefix"])
        yield inp(b, head=h, kv="nvfp4_ds_mla", heads=16)
        for p in probes:
            yield inp(b, head=h, kv="fp8", arch="12.0", probes=p)
            yield inp(b, head=h, kv="fp8_e4m3", probes=p)


def cuda_extra(name, b):
    mla = "mla" in b["flags"].split("+")
    yield from rare(b, ["oldfi"])
    for a in ("8.0", "9.0", "10.0", "12.0"):
        if mla:
            for m in list(MODELS) + ["none", "gqa4"]:
                yield inp(b, arch=a, model=m)
                yield inp(b, arch=a, model=m, head=512)
                yield inp(b, arch=a, model=m, kv="fp8")
            for n in (4, 8, 16, 24, 32, 64, 128, 256):
                yield inp(b, arch=a, heads=n)
                yield inp(b, arch=a, heads=n, add=["dcp"])
        elif name.startswith(("FLASH_ATTN", "FLASHINFER", "TRITON_FLASH", "STEP5")):
            for fa in "234":
                for h in (64, 128, 192, 256, 512):
                    yield inp(b, arch=a, fa=fa, head=h)
                    yield inp(b, arch=a, fa=fa, head=h, kv="fp8")
                    yield inp(b, arch=a, fa=fa, head=h, add=["mm_prefix"])
                    yield inp(b, arch=a, fa=fa, head=h, add=["sink"])
            for t in "01":
                yield inp(b, arch=a, trtllm=t)
                yield inp(b, arch=a, trtllm=t, add=["sink"])
                yield inp(b, arch=a, trtllm=t, kv="nvfp4", head=128)
            for m in ("gqa4", "mha", "none"):
                for x in BLOCKS:
                    yield inp(b, arch=a, model=m, block=x)
                yield inp(b, arch=a, model=m, add=["adaptive"])
                yield inp(b, arch=a, model=m, add=["adaptive", "dcp"])
            for h, mh in ((512, 256), (256, 512), (64, 256)):
                for x in (16, 64, 128):
                    yield inp(b, arch=a, head=h, mhead=mh, block=x)
                    yield inp(b, arch=a, head=h, mhead=mh, block=x, kv="fp8")


def auto_inputs(platform, arch, kvs, probes):
    """Layers for the automatic choice: a structured part and a seeded random part."""
    d = inp(platform=platform, arch=arch)
    for h in HEADS:
        for p in probes:
            yield inp(d, head=h, probes=p)
        for f in FLAGS[2:]:
            yield inp(d, head=h, add=[f])
        for t in ATTN:
            yield inp(d, head=h, attn=t)
    for kv in kvs:
        for h in (64, 128, 256, 512):
            yield inp(d, head=h, kv=kv)
        yield inp(d, kv=kv, add=["mm_prefix"], head=256)
        yield inp(d, kv=kv, add=["window"])
    for x in BLOCKS:
        for h in (128, 256, 512):
            yield inp(d, head=h, block=x)
        yield inp(d, head=576, add=["mla"], block=x)
        yield inp(d, head=576, add=["mla", "sparse"], block=x)
    for h in (192, 320, 512, 576):
        for extra in ([], ["sparse"]):
            m = inp(d, head=h, add=["mla"] + extra)
            for kv in ("auto", "fp8", "fp8_ds_mla", "nvfp4_ds_mla", "float16", "none"):
                for n in (8, 16, 17, 128):
                    yield inp(m, kv=kv, heads=n)
            for f in (
                "window",
                "non_causal",
                "batch_invariant",
                "dcp",
                "pcp",
                "sink",
                "adaptive",
                "kv_connector",
            ):
                yield inp(m, add=[f])
            for mod in MODELS:
                yield inp(m, model=mod)
            for p in probes:
                yield inp(m, probes=p)
                yield inp(m, probes=p, kv="fp8")
            for dt in DTYPES:
                yield inp(m, dtype=dt)
    rnd = random.Random(f"{platform} {arch}")
    for _ in range(110):
        i = inp(
            d,
            head=rnd.choice(HEADS),
            dtype=rnd.choice(DTYPES),
            kv=rnd.choice(kvs + ["auto"] * 12),
            block=rnd.choice(BLOCKS + ["-"] * 12),
            attn=rnd.choice(ATTN + ["decoder"] * 6),
            probes=rnd.choice(probes),
            add=rnd.sample(FLAGS[2:], rnd.choice((0, 1, 2))),
        )
        if rnd.random() < 0.3:
            i = inp(
                i,
                head=rnd.choice((320, 512, 576)),
                attn="decoder",
                add=["mla"] + rnd.choice(([], ["sparse"])),
            )
        yield i


def table_rows(o):
    """The small tables: kinds, configuration parsing, block sizes, layouts."""
    from vllm.platforms import current_platform
    from vllm.v1 import kv_cache_interface as kvi
    from vllm.v1.attention.backends.utils import get_supported_kv_cache_layouts
    from vllm.v1.worker.utils import select_common_block_size
    import torch

    for mla, win, attn in itertools.product((0, 1), (0, 1), ATTN):
        i = inp(attn=attn, add=["mla"] * mla + ["window"] * win)
        yield "kind", "-", text(i), o.selector.get_attn_spec_kind(bool(mla), bool(win), attn).value
    dense = dict(block_size=16, num_kv_heads=8, head_size=128, dtype=torch.bfloat16)
    latent = dict(block_size=16, num_kv_heads=1, head_size=576, dtype=torch.bfloat16)
    specs = dict(
        FullAttentionSpec=kvi.FullAttentionSpec(**dense),
        MLAAttentionSpec=kvi.MLAAttentionSpec(**latent),
        WindowedFull=kvi.FullAttentionSpec(sliding_window=1024, **dense),
        ChunkedFull=kvi.FullAttentionSpec(attention_chunk_size=1024, **dense),
        NonCausalFull=kvi.FullAttentionSpec(non_causal=True, **dense),
        HiddenStateCacheSpec=kvi.HiddenStateCacheSpec(**latent),
        RSWASpec=kvi.RSWASpec(rswa_window=128, **dense),
        ChunkedLocalAttentionSpec=kvi.ChunkedLocalAttentionSpec(attention_chunk_size=1024, **dense),
        SlidingWindowSpec=kvi.SlidingWindowSpec(sliding_window=1024, **dense),
        SlidingWindowSpec512=kvi.SlidingWindowSpec(sliding_window=512, **dense),
        SlidingWindowMLASpec=kvi.SlidingWindowMLASpec(sliding_window=1024, **latent),
        CircularBufferSpec=kvi.CircularBufferSpec(**dense),
        MambaSpec=kvi.MambaSpec(block_size=16, shapes=((4, 4),), dtypes=(torch.float32,)),
        EncoderOnlyAttentionSpec=kvi.EncoderOnlyAttentionSpec(**dense),
        CrossAttentionSpec=kvi.CrossAttentionSpec(**dense),
        SinkFullAttentionSpec=kvi.SinkFullAttentionSpec(sink_len=16, **dense),
    )
    for name, s in specs.items():
        yield "speckind", name, "-", kvi.get_kv_cache_spec_kind(s).value
    for a, b in itertools.combinations(specs, 2):
        wrapper = kvi.UniformTypeKVCacheSpecs(block_size=16, kv_cache_specs={"a": specs[a], "b": specs[b]})
        try:
            answer = kvi.get_kv_cache_spec_kind(wrapper).value
        except Exception as e:
            answer = f"crash:{type(e).__name__}"
        yield "speckind", f"{a}+{b}", "-", answer

    def parse(value):
        try:
            c = o.attention_config(**value)
        except Exception as e:
            what = str(e)
            why = (
                "unknown_kind"
                if "Unknown KV cache group kind" in what
                else (
                    "unknown_backend"
                    if "Unknown attention backend" in what
                    else "type" if "validation error" in what else "other"
                )
            )
            return f"error:{type(e).__name__}:{why}"
        return json.dumps(
            {
                "backend": c.backend and c.backend.name,
                "backend_per_kind": {k: v.name for k, v in c.backend_per_kind.items()},
                "msa": c.minimax_m3_msa_decode_backend,
            },
            sort_keys=True,
        )

    cases = [{"backend_per_kind": {k.value: "FLASH_ATTN"}} for k in kvi.KVCacheSpecKind]
    cases += [
        {"backend_per_kind": {k: "TRITON_ATTN"}}
        for k in (
            "FULL_ATTENTION",
            "Full_Attention",
            "full-attention",
            "full_attention ",
            "",
            "KVCacheSpecKind.MAMBA",
            "default",
            "sliding",
            "mla",
            "chunked_local",
            "linear_attention",
        )
    ]
    cases += [
        {"backend_per_kind": {"full_attention": v}}
        for v in (
            "flash_attn",
            "Flash_Attn",
            " FLASH_ATTN",
            "FLASH-ATTN",
            "auto",
            "AUTO",
            "none",
            "",
            "FLASH_ATTN_VLLM_V1",
            "XFORMERS",
            "CUSTOM",
            "custom",
            "TORCH_SDPA",
            "NO_ATTENTION",
            "MAMBA1",
            "GDN_ATTN",
            "FLASHMLA",
            "CPU_ATTN",
            "ROCM_ATTN",
            "TREE_ATTN",
            "CUTLASS_MSA",
            "TRITON_MSA",
            None,
            1,
            1.5,
            True,
            [],
            ["FLASH_ATTN"],
            {},
            "vllm.v1.attention.backends.flash_attn.FlashAttentionBackend",
        )
    ]
    cases += [
        {"backend_per_kind": v}
        for v in (
            {},
            None,
            [],
            "full_attention=FLASH_ATTN",
            3,
            [["full_attention", "FLASH_ATTN"]],
            {"full_attention": "FLASH_ATTN", "sliding_window": "TRITON_ATTN"},
            {"full_attention": "FLASH_ATTN", "bogus": "TRITON_ATTN"},
            {"bogus": "NOPE"},
            {"full_attention": "NOPE", "bogus": "X"},
        )
    ]
    cases += [
        {"backend": v}
        for v in (
            "auto",
            "Auto",
            "AUTO",
            "flash_attn",
            "FLASH_ATTN",
            "NOPE",
            "",
            None,
            "CUTLASS_MSA",
            "TRITON_MSA",
            "CUSTOM",
            1,
        )
    ]
    cases += [
        {"backend": "auto", "backend_per_kind": {"mla_attention": "triton_mla"}},
        {"backend": "CUTLASS_MSA", "backend_per_kind": {"full_attention": "CUTLASS_MSA"}},
    ]
    for c in cases:
        yield "config", json.dumps(c), "-", parse(c)

    lists = [[n] for n, c in o.classes.items() if not isinstance(c, str)]
    pairs = [
        "FLASH_ATTN",
        "FLASHINFER",
        "TRITON_ATTN",
        "FLEX_ATTENTION",
        "TURBOQUANT",
        "B12X",
        "HPC_ATTN",
        "FLASHMLA",
        "CUTLASS_MLA",
        "FLASHINFER_MLA",
        "FLASH_ATTN_MLA",
        "TRITON_MLA",
        "FLASHMLA_SPARSE",
        "CPU_MLA",
        "CPU_ATTN",
        "ROCM_ATTN",
        "ROCM_AITER_FA",
        "MINIMAX_M3_SPARSE",
        "STEP5_DSA",
        "ROCM_AITER_UNIFIED_ATTN",
    ]
    lists += [
        list(p) for p in itertools.combinations([p for p in pairs if not isinstance(o.classes[p], str)], 2)
    ]
    lists += [
        ["FLASHINFER", "FLASH_ATTN"],
        ["TRITON_ATTN", "FLASHINFER", "CUTLASS_MLA"],
        ["FLASH_ATTN", "FLASHMLA", "HPC_ATTN"],
        ["FLASHMLA", "CUTLASS_MLA", "FLASHINFER_MLA"],
        ["FLASHINFER", "TRITON_ATTN", "FLEX_ATTENTION"],
    ]
    for names in lists:
        classes = [o.classes[n] for n in names]
        for arch, h in (("9.0", 128), ("10.0", 128), ("10.0", 256)):
            i = inp(arch=arch, head=h)
            if arch == "10.0" and "FLASH" not in "".join(names):
                continue
            o.enter(i)
            held = o.holder._current_vllm_config
            for start in (16, 128):
                holder_ctx = contextlib.nullcontext()
                real = o.holder.set_current_vllm_config
                o.holder.set_current_vllm_config = lambda *a, **k: holder_ctx
                try:
                    answer = current_platform._preferred_block_size_for_backends(classes, start, held)
                except Exception as e:
                    answer = f"error:{type(e).__name__}"
                o.holder.set_current_vllm_config = real
                yield "preferred", "+".join(names), f"{text(i)} default={start}", str(answer)
            for page in (16, 48, 64, 80, 128, 192, 256, 544, 784) if len(names) == 1 else (48, 64, 128, 544):
                if len(names) > 1 and arch != "9.0":
                    continue
                try:
                    answer = select_common_block_size(page, classes)
                except Exception as e:
                    answer = f"error:{type(e).__name__}"
                yield "kernel", "+".join(names), f"{text(i)} page={page}", str(answer)
            try:
                answer = ">".join(x.name for x in get_supported_kv_cache_layouts(classes))
            except Exception as e:
                answer = f"error:{type(e).__name__}"
            yield "layouts", "+".join(names), text(i), answer


def perkind_rows(o):
    layers = [
        inp(),
        inp(add=["window"]),
        inp(attn="encoder_only"),
        inp(attn="encoder_decoder"),
        inp(attn="encoder"),
        inp(attn="encoder_only", add=["window"]),
        inp(head=576, add=["mla"]),
        inp(head=576, add=["mla", "window"]),
        inp(head=576, add=["mla", "sparse"]),
        inp(add=["sink"]),
        inp(head=512),
        inp(head=80),
        inp(kv="fp8_e5m2"),
    ]
    specs = [
        {"backend_per_kind": {"full_attention": "TRITON_ATTN"}},
        {"backend": "FLASHINFER", "backend_per_kind": {"sliding_window": "TRITON_ATTN"}},
        {
            "backend": "FLASHINFER",
            "backend_per_kind": {"full_attention": "flash_attn", "mla_attention": "flashmla"},
        },
        {"backend_per_kind": {"sliding_window": "TURBOQUANT", "sliding_window_mla": "TRITON_MLA"}},
        {
            "backend_per_kind": {
                "sink_full_attention": "FLEX_ATTENTION",
                "chunked_local_attention": "FLEX_ATTENTION",
                "mamba": "FLEX_ATTENTION",
                "unknown": "FLEX_ATTENTION",
            }
        },
        {"backend_per_kind": {"encoder_only_attention": "FLEX_ATTENTION", "cross_attention": "TRITON_ATTN"}},
        {"backend_per_kind": {"cross_attention": "FLASHINFER", "encoder_only_attention": "FLASHINFER"}},
        {"backend_per_kind": {"full_attention": "FLASHMLA", "mla_attention": "FLASH_ATTN"}},
        {
            "backend_per_kind": {
                "full_attention": "CUSTOM",
                "sliding_window": "TORCH_SDPA",
                "mla_attention": "NO_ATTENTION",
            }
        },
        {"backend": "CUTLASS_MSA", "backend_per_kind": {"full_attention": "CUTLASS_MSA"}},
        {"backend": "TRITON_MSA"},
        {"backend_per_kind": {"mla_attention": "FLASHMLA_SPARSE", "full_attention": "CPU_ATTN"}},
    ]
    for s in specs:
        for i in layers:
            for a in ("9.0", "10.0"):
                j = inp(i, arch=a)
                yield "perkind", json.dumps(s), text(j), o.perkind(json.dumps(s), j)


def work(args):
    platform, arch, probes = args.worker
    cls = prepare(args)
    o = Oracle(cls, args.worker)
    from vllm.config.cache import KV_CACHE_DTYPES

    kvs = list(KV_CACHE_DTYPES) + ["none"]
    seen = set()

    def emit(query, subject, i, answer):
        if (query, subject, i) not in seen:
            seen.add((query, subject, i))
            sys.stdout.write(f"{query}\t{subject}\t{i}\t{answer}\n")

    def valid(name, i):
        answer = o.validate(name, i)
        if not answer.startswith("crash"):  # a model without the facts that the backend reads
            emit("validate", name, text(i), answer)

    if platform == "cuda" and probes == "full":
        rest = ["nofa4", "fa2only", "nocubin", "oldfi"]
        for name, b in bases().items():
            narrow = name.split("_")[-1] in ("DSV4", "DSV41", "MSA", "DIFFKV") or name in (
                "MINIMAX_M3_SPARSE",
                "STEP5_DSA",
            )
            archs = ["8.0", "9.0", "10.0", "12.0"] if narrow else CCS
            for i in itertools.chain(
                around(b, archs, kvs, rest[:1] if narrow else rest), cuda_extra(name, b)
            ):
                valid(name, i)
            for i in (b, inp(b, head=100), inp(b, dtype="fp32")):
                emit("request", name, text(i), o.request(name, i))
        for name in ("TORCH_SDPA", "NO_ATTENTION", "CUSTOM", "CPU_ATTN", "ROCM_ATTN", "XPU_MLA_SPARSE"):
            for a in ("8.0", "9.0", "10.0"):
                emit("request", name, text(inp(arch=a)), o.request(name, inp(arch=a)))
        for a in CCS:
            rnd = random.Random(a)
            for i in auto_inputs(platform, a, kvs, ["full"] + rest):
                if a not in MINOR or rnd.random() < 0.15:
                    emit("auto", "-", text(i), o.auto(i))
        for row in itertools.chain(table_rows(o), perkind_rows(o)):
            emit(*row)
    elif platform == "cuda":
        for name, b in bases().items():
            for a in ("8.0", "9.0", "10.0", "12.0"):
                valid(name, inp(b, arch=a, probes=probes))
                valid(name, inp(b, arch=a, probes=probes, kv="fp8"))
        rnd = random.Random(probes)
        for a in ("8.0", "9.0", "10.0", "12.0"):
            for i in auto_inputs(platform, a, ["auto", "fp8"], [probes]):
                if rnd.random() < 0.25:
                    i = inp(i, probes=probes)
                    emit("auto", "-", text(i), o.auto(i))
    else:
        env = ["aiter", "noenv", "noaiter"] if platform == "rocm" else ["full"]
        for name, change in OTHER[platform].items():
            b = inp(platform=platform, arch=arch, probes=env[0], **change)
            light = arch not in ("gfx942", "amx") and name not in ("FLASH_ATTN_MLA", "XPU_MLA_SPARSE")
            for i in around(b, [arch], kvs, env[1:], light=light):
                valid(name, i)
            if arch in ("gfx942", "gfx950", "amx", "xe"):
                for i in rare(b, []):
                    valid(name, i)
        reduced = [
            "auto",
            "bfloat16",
            "fp8",
            "fp8_e5m2",
            "turboquant_k8v4",
            "octave_k3v4",
            "ultraquant_4bit",
            "nvfp4",
            "none",
        ]
        layers = list(auto_inputs(platform, arch, reduced, env))
        if platform == "rocm":
            layers += [inp(i, model="encdec") for i in layers[:60]]
            layers += [
                inp(platform=platform, arch=arch, probes=p, run=r, kv=k, head=h)
                for p in env
                for h in (128, 256)
                for r in ("turboquant_k8v4", "ultraquant_4bit")
                for k in ("auto", "bfloat16", r)
            ]
        rnd = random.Random(arch)
        share = 0.2 if arch in GFX and arch not in ("gfx942", "gfx1201") else 0.5
        for i in layers:
            if rnd.random() < share or i["run"]:
                emit("auto", "-", text(i), o.auto(i))
        asked = [
            inp(platform=platform, arch=arch, probes=env[0], **c)
            for c in (
                {},
                dict(head=80),
                dict(head=256),
                dict(dtype="fp32"),
                dict(add=["window"]),
                dict(add=["mm_prefix"]),
                dict(head=256, add=["mm_prefix"]),
                dict(add=["batch_invariant"]),
                dict(kv="fp8"),
                dict(kv="turboquant_k8v4"),
                dict(kv="nvfp4"),
                dict(head=576, add=["mla"]),
                dict(head=576, add=["mla", "sparse"]),
                dict(head=512, add=["mla"]),
                dict(head=576, add=["mla"], kv="fp8"),
                dict(block=16),
                dict(block=48),
                dict(block=100),
                dict(attn="encoder_only"),
                dict(attn="encoder_decoder"),
                dict(kv="auto", run="turboquant_k8v4"),
                dict(kv="auto", run="ultraquant_4bit"),
                dict(head=100),
                dict(add=["sparse"]),
            )
        ]
        if platform == "rocm" and arch not in ("gfx942", "gfx1201"):
            return
        names = list(OTHER[platform]) + [
            "FLASH_ATTN",
            "FLASHINFER",
            "FLEX_ATTENTION",
            "CPU_ATTN",
            "CUSTOM",
            "TORCH_SDPA",
        ]
        for name in dict.fromkeys(names):
            for i in asked:
                emit("request", name, text(i), o.request(name, i))


def hidden(query, subject, i):
    """All backends' rows for one input stay together; tables are split by subject too."""
    # The number is the first found that leaves nearly every (backend, reason) pair on both sides.
    key = f"80 {query}{i}" + ("" if query in ("validate", "auto", "request") else subject)
    return int(hashlib.sha256(key.encode()).hexdigest()[:8], 16) % 10 < 3


def main():
    p = argparse.ArgumentParser()
    p.add_argument("--vllm", required=True, help="folder that holds the vllm package")
    p.add_argument("--out", default="answers.tsv")
    p.add_argument("--hidden")
    p.add_argument("--only", help="one platform")
    p.add_argument("--worker", nargs=3)
    args = p.parse_args()
    if args.worker:
        return work(args)
    found = [f for f in os.listdir(args.vllm) if f.startswith("vllm-") and f.endswith(".dist-info")]
    if found and found != [f"vllm-{VERSION}.dist-info"]:
        sys.exit(f"this describes {VERSION}, found {found}")
    jobs = [("cuda", "9.0", "full"), ("cuda", "9.0", "nopkg"), ("xpu", "xe", "full")]
    jobs += [("cpu", a, "full") for a in ("amx", "avx512", "base")] + [("rocm", g, "aiter") for g in GFX]
    rows = []
    for job in jobs:
        if args.only in (None, job[0]):
            r = subprocess.run(
                [sys.executable, __file__, "--vllm", args.vllm, "--worker", *job],
                capture_output=True,
                text=True,
            )
            if r.returncode:
                sys.exit(f"worker {job} failed\n{r.stderr[-3000:]}")
            rows += [line.split("\t") for line in r.stdout.splitlines() if line.count("\t") == 3]
            print(*job, len(rows), file=sys.stderr)
    rows = sorted(map(tuple, rows))
    head = "query\tsubject\tinput\tanswer\n"
    for path, want in ((args.out, False), (args.hidden, True)):
        if path:
            with open(path, "w") as f:
                f.write(
                    head
                    + "".join("\t".join(r) + "\n" for r in rows if not args.hidden or hidden(*r[:3]) == want)
                )


if __name__ == "__main__":
    main()
