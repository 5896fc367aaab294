# SPDX-License-Identifier: BSD-3-Clause
"""Decides which names are internal. The rules were written before any report was judged; see README.md, "Noise".

Entries of internal names are kept, because some backends use these names. An entry is reported if a file of uses
contains the name, and left out otherwise.
"""

import re
from functools import cache

from assay.facts import headers

SCOPES = {"detail", "details", "internal", "_internal", "impl_detail", "experimental"}
# Exceptions: namespaces and files that are public interfaces despite their internal names, because anchors of the
# contract name them. FAR: parts of PyTorch that backends do not use. Headers in the list of integration headers are
# never FAR.
FAR = re.compile(r"torch/csrc/(jit|dynamo|lazy|functorch|fx|onnx|export|inductor|cpu|cuda|xpu|mps|mtia|distributed/(autograd|rpc))/|ATen/(cuda|hip|mps|xpu)/"
                 r"|torch/(mps|mtia|xpu)/|torch/cuda/(gds|green_contexts|jiterator|nccl|nvtx|tunable)\.py"
                 r"|ATen/ops/\w+_dispatch\.h")  # fmt: skip
# Hooks of PyTorch's own devices. Other backends do not derive from these classes, but some backends call them.
OTHERS_HOOKS = re.compile(r"ATen/detail/(CUDA|HIP|HPU|IPU|MAIA|MPS|MTIA|ORT|XLA|XPU)HooksInterface\.h")
CONTRACT = re.compile(r"ATen/detail/(Accelerator|PrivateUse1)HooksInterface\.h|c10/core/impl/.*(Guard|Event|Stream).*\.h")
# Namespaces of the operators of other backends.
OF_OTHER_BACKENDS = {"mkl", "mkldnn", "mkldnn_prepacked", "onednn", "prepacked", "xnnpack"}
# Names of the operators of other backends.
BY_OTHER_BACKENDS = re.compile(r"(\w+_)?(cudnn|hip|miopen|mkldnn|mps|xpu)_")
# A parameter type whose objects only PyTorch itself creates.
HIDDEN_TYPE = re.compile(r"\(.*::(detail|details|internal|impl_detail)::")
GUARD = re.compile(r"\w+_(H|HPP|H_|HPP_|H__)")  # an include guard
PARTS = re.compile(r"::|\.|/")


@cache
def listed():
    lines = headers.LIST.read_text().splitlines()
    return frozenset(line for line in lines if line and line[0] != "#")


def is_internal(identity, header=""):
    """True for a leading underscore, a scope named detail or internal, or a part of PyTorch far from backends."""
    if CONTRACT.fullmatch(header):
        return False
    if OTHERS_HOOKS.fullmatch(header) or (FAR.match(header) and header not in listed()):
        return True
    space, _, name = identity.partition(":")
    if space == "op":
        home, _, leaf = name.partition("::")
        return home in OF_OTHER_BACKENDS or home.startswith("_") or leaf.startswith("_") or BY_OTHER_BACKENDS.match(leaf) is not None
    if space in ("symbol", "file"):
        return True
    if space == "macro":
        return name.startswith("_") or GUARD.fullmatch(name) is not None
    if space == "cxx" and (HIDDEN_TYPE.search(name) or BY_OTHER_BACKENDS.match(name.removeprefix("at::").removeprefix("native::"))):
        return True
    parts = PARTS.split(re.sub(r"[(<].*", "", name))
    return any(part in SCOPES or part.endswith(("_detail", "detail_")) or (part.startswith("_") and (not part.startswith("__") or (space == "py" and not part.endswith("__")))) for part in parts)
