# SPDX-License-Identifier: BSD-3-Clause
"""The functions that the installed headers of the stable C interface declare. Used by test_shim_facts.py."""

import re
from pathlib import Path

import torch

INCLUDE = Path(torch.__file__).parent / "include"
HEADERS = ("torch/csrc/inductor/aoti_torch/c/shim.h", "torch/csrc/stable/c/shim.h")
DECLARED = re.compile(r"AOTI_TORCH_EXPORT\b[^;()]*?\b(\w+)\s*\(")
CONDITION = re.compile(r"#\s*(if|ifdef|ifndef|elif|else|endif)\b(.*)")
USED = re.compile(r"\bUSE_\w+")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)


def text_of(header):
    """Returns the text of a header without its comments, or None if this torch was installed without headers."""
    path = INCLUDE / header
    return COMMENT.sub("", path.read_text(encoding="utf-8")) if path.is_file() else None


def parts(text):
    """Returns the text for every build, and the text inside `#ifdef USE_CUDA`. Text for other accelerators of PyTorch,
    such as `#ifdef USE_MPS`, is left out."""
    plain, cuda, blocks = [], [], []
    for line in text.splitlines():
        found = CONDITION.match(line.strip())
        if not found and "USE_CUDA" in blocks:
            cuda.append(line)
        elif not found and not any(blocks):
            plain.append(line)
        elif found and found[1].startswith("if"):
            used = USED.search(found[2])
            blocks.append(used[0] if used else "")
        elif found and found[1] == "endif":
            blocks.pop()
    return "\n".join(plain), "\n".join(cuda)


def declared(header):
    """Returns the names of the functions for every build, and those for builds with CUDA."""
    return [sorted(set(DECLARED.findall(part))) for part in parts(text_of(header))]
