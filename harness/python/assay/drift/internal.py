# SPDX-License-Identifier: BSD-3-Clause
"""Names that are nobody's interface. Written down before any report was judged; see README.md, "Noise".

Entries of such names are kept, because backends use some of them: they count when a uses file names
them, and are left out of a report otherwise.
"""

import re
from functools import cache

from assay.facts import headers

SCOPES = {"detail", "details", "internal", "_internal", "impl_detail", "experimental"}
# Namespaces and files of that name which are interfaces all the same: anchors of the contract lie there.
# Parts of PyTorch that no backend builds on, unless their header is on the list of integration headers.
FAR = re.compile(r"torch/csrc/(jit|dynamo|lazy|functorch|fx|onnx|export|inductor|cpu|cuda|xpu|mps|mtia|distributed/(autograd|rpc))/|ATen/(cuda|hip|mps|xpu)/"
                 r"|torch/(mps|mtia|xpu)/|torch/cuda/(gds|green_contexts|jiterator|nccl|nvtx|tunable)\.py"
                 r"|ATen/ops/\w+_dispatch\.h")  # fmt: skip
# Of devices in PyTorch's tree: nobody outside derives from them, though some ask them.
OTHERS_HOOKS = re.compile(r"ATen/detail/(CUDA|HIP|HPU|IPU|MAIA|MPS|MTIA|ORT|XLA|XPU)HooksInterface\.h")
CONTRACT = re.compile(r"ATen/detail/(Accelerator|PrivateUse1)HooksInterface\.h|c10/core/impl/.*(Guard|Event|Stream).*\.h")
OF_OTHER_BACKENDS = {"mkl", "mkldnn", "mkldnn_prepacked", "onednn", "prepacked", "xnnpack"}  # namespaces of operators
BY_OTHER_BACKENDS = re.compile(r"(\w+_)?(cudnn|hip|miopen|mkldnn|mps|xpu)_")  # what their operators are called
HIDDEN_TYPE = re.compile(r"\(.*::(detail|details|internal|impl_detail)::")  # of a parameter: nobody else makes one
GUARD = re.compile(r"\w+_(H|HPP|H_|HPP_|H__)")  # of a header, against reading it twice
PARTS = re.compile(r"::|\.|/")


@cache
def listed():
    lines = headers.LIST.read_text().splitlines()
    return frozenset(line for line in lines if line and line[0] != "#")


def is_internal(identity, header=""):
    """A leading underscore, a scope called detail or internal, or a part of PyTorch that is far from backends."""
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
