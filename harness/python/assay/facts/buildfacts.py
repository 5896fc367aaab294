# SPDX-License-Identifier: BSD-3-Clause
"""Reads the settings of PyTorch's build that a backend must use: language standard and ABI of the standard library."""

import re

CONFIG = "torch/share/cmake/Torch/TorchConfig.cmake"
STANDARD = re.compile(r"^\s*(?:set\(CMAKE_CXX_STANDARD|CXX_STANDARD)\s+(\d+)|target_compile_features\(torch INTERFACE cxx_std_(\d+)\)", re.M)
ABI = re.compile(r"_GLIBCXX_USE_CXX11_ABI=(\d)")
# A symbol of PyTorch that takes or returns a string.
NEW_ABI = re.compile(r"_ZN?K?(?:3c10|2at|5torch|4c10d)\w*(?:__cxx11|B5cxx11)")
# Headers that nearly all code includes, and the text of their check for an older language standard.
FIRST = ("ATen/ATen.h", "torch/all.h")
REFUSAL = re.compile(r"^#\s*if\b(?P<condition>(?:[^\n]*\\\n)*[^\n]*)\n#\s*error", re.M)
DEMAND = re.compile(r"__cplusplus < (\d{4})\d\dL")


def build_facts(side, symbols):
    """`symbols` is {library: names}. If the side does not state a setting, there is no fact about it."""
    config = side.python / CONFIG if side.python else side.path / "CMakeLists.txt"
    for place in (side.path / "CMakeLists.txt", config):
        if found := STANDARD.search(text_of(place)):
            yield fact("cxx_standard", place.name, found[1] or found[2])
            break
    if floor := cxx_floor(side):
        yield fact("cxx_floor", *floor)
    if found := ABI.search(text_of(config)):
        yield fact("cxx11_abi", config.name, found[1])
    elif symbols:
        yield fact("cxx11_abi", "libc10", str(int(any(NEW_ABI.match(name) for names in symbols.values() for name in names))))


def text_of(path):
    return path.read_text(errors="replace") if path.is_file() else ""


def cxx_floor(side):
    """(header, standard) of the first header with a check for the standard, or None."""
    for name in FIRST:
        path = side.header(name)
        for refusal in REFUSAL.finditer(text_of(path) if path else ""):
            if demanded := DEMAND.search(refusal["condition"]):
                return name, str(int(demanded[1]) % 100)
    return None


def fact(name, place, value):
    return {"id": f"build:{name}", "kind": "build", "header": place, "line": 0, "value": value}
