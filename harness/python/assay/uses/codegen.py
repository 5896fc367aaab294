# SPDX-License-Identifier: BSD-3-Clause
"""Reads a backend's input to PyTorch's code generator: its list of operators, and templates copied from PyTorch."""

import re
from pathlib import Path

LISTS = re.compile(r"^(supported|autograd|symint|full_codegen|non_native)\s*:")
OPERATOR = re.compile(r"^\s*-\s*(?:func:\s*)?((?:\w+::)?\w+(?:\.\w+)?)")
GENERATED_FOR = re.compile(r"^(backend|cpp_namespace)\s*:", re.MULTILINE)
COPIED_SHARE = 0.5  # least share of the template's lines in a copy


def templates_of(packaged):
    """Returns {file name: [(id, path)]} of PyTorch's templates in the folder torchgen/packaged."""
    found = {}
    for path in sorted(Path(packaged).glob("*/templates/**/*")):
        if path.is_file():
            home = path.relative_to(packaged).parts[0]
            found.setdefault(path.name, []).append((f"file:{home}/{path.name}", path))
    return found


def lines_of(path):
    return [line.strip() for line in path.read_text(encoding="utf-8", errors="replace").splitlines() if line.strip()]


def is_copy(file, template):
    """True if the file still has placeholders and half of the template's lines. A generated file has no placeholders."""
    wanted, own = lines_of(template), set(lines_of(file))
    return any("${" in line for line in own) and sum(line in own for line in wanted) >= COPIED_SHARE * len(wanted)


def read_templates(files, packaged, entries):
    templates = templates_of(packaged)
    for file in files:
        for id, path in templates.get(file.name, ()):
            if is_copy(file, path):
                entries.add("copy", id, "source", str(file), 1)


def read_operator_list(file, entries):
    """Reads a list of operators in the form of torchgen's backends."""
    text = file.read_text(encoding="utf-8", errors="replace")
    if not GENERATED_FOR.search(text):
        return
    listed = False
    for number, line in enumerate(text.splitlines(), 1):
        if line[:1] not in (" ", "-", "#", ""):
            listed = LISTS.match(line) is not None
        elif listed and (match := OPERATOR.match(line)):
            name = match[1] if "::" in match[1] else f"aten::{match[1]}"
            entries.add("register", f"op:{name}", "source", str(file), number)
