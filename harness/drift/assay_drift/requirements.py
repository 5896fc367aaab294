# SPDX-License-Identifier: BSD-3-Clause
"""Which requirements of the contract a change touches: those whose anchor names the entity.

An anchor is "include/c10/core/Allocator.h:allocate" or "accelerator/memory.py empty_host_cache"; several
stand behind one another with semicolons. Read as lines: the catalogue proper is read and checked in C.
"""

import re
from functools import cache
from pathlib import Path

FILE = re.compile(r"(?:include/)?([\w./+-]+\.(?:hpp|h|pyi?))[: ]*([^;]*)")
SUITES = Path(__file__).resolve().parents[3] / "suites"


@cache
def anchors(suites=SUITES):
    """{header or Python file: [(names, requirement)]}; no names: the whole file."""
    found = {}
    for contract in sorted(suites.glob("*/contract.yaml")):
        requirement = None
        for line in contract.read_text(encoding="utf-8").splitlines():
            if match := re.match(r"  - id: ([A-Z]+-\d+)", line):
                requirement = match[1]
            elif requirement and (match := re.match(r"    anchor: (.*)", line)):
                for file, names in FILE.findall(match[1].strip("\"'")):
                    place = file if "." not in file or file.startswith(("c10/", "ATen/", "torch/")) else f"torch/{file}"
                    words = set(re.findall(r"[A-Za-z_]\w+", re.sub(r"\(.*?\)", "", names)))
                    found.setdefault(place, []).append((words, requirement))
    return found


def requirements_of(entry):
    parts = set(re.split(r"::|\.|\(", entry.name))
    found = set()
    for names, requirement in anchors().get(entry.header, ()):
        if names & parts or (not names and entry.kind in ("header", "module")):
            found.add(requirement)
    return sorted(found)
