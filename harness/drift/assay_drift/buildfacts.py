# SPDX-License-Identifier: BSD-3-Clause
"""Settings for compiling a backend: the language standard and the standard library's ABI, as PyTorch's own build has them."""

import re

from .entry import Entry

CONFIG = "torch/share/cmake/Torch/TorchConfig.cmake"
STANDARD = re.compile(r"^\s*(?:set\(CMAKE_CXX_STANDARD|CXX_STANDARD)\s+(\d+)", re.M)
NEW_ABI = "__cxx11"  # in the symbols of functions that take a string


def build_facts(side, symbols):
    """`symbols`: {library: names}. A side that does not tell has no such fact."""
    for place in (side.path / "CMakeLists.txt", *([side.python / CONFIG] if side.python else [])):
        found = STANDARD.search(place.read_text(errors="replace")) if place.is_file() else None
        if found:
            yield fact("cxx_standard", place.name, found[1])
            break
    if symbols:
        yield fact("cxx11_abi", "libc10", str(int(any(NEW_ABI in name for names in symbols.values() for name in names))))


def fact(name, place, value):
    return {"id": f"build:{name}", "kind": "build", "header": place, "line": 0, "value": value}


def build_entries(old, new):
    """Only what both sides tell."""
    for identity, was in old.facts.items():
        now = new.facts.get(identity)
        if was["kind"] == "build" and now and was["value"] != now["value"]:
            yield Entry(identity, "build", change_of(identity, was["value"], now["value"]), now["header"], 0, was["value"], now["value"])


def change_of(identity, was, now):
    if identity == "build:cxx11_abi":
        return "library_abi"
    return "cxx_standard" if int(now) > int(was) else "lower_standard"
