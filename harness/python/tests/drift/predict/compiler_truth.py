# SPDX-License-Identifier: BSD-3-Clause
"""Complaints of a compiler about a backend's files against edited headers, each traced to the edit behind it.

PyTorch's headers are precompiled once for a batch of edits and all files. A complaint belongs to the edits whose name its message, its
notes, its own line or the line of a note says (a macro of the backend's own), or whose place a note points at; one that belongs to none is kept as unexplained.
"""

import os
import re
import subprocess
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from pathlib import Path

from assay.uses.database import torch_includes

LINE = re.compile(r"^(?P<file>[^:\n]+):(?P<line>\d+):\d+: (?P<kind>fatal error|error|note|warning): (?P<text>.*)$")
PLACELESS = re.compile(r"^(clang[^:\s]*: )?(fatal )?error: (?P<text>.*)$")  # the file was not read at all
WORD = re.compile(r"[A-Za-z_]\w*")
ABSTRACT = re.compile(r"abstract class type '(?:\w+::)*(\w+)<")
FILE_S = 900
ALLOWED = ["-Xclang", "-fallow-pch-with-compiler-errors"]


@dataclass
class Complaint:
    file: str
    line: int
    text: str
    notes: list = field(default_factory=list)  # (file, line, text)


def complaints_of(output):
    """Errors with their notes."""
    found = []
    for row in output.splitlines():
        if placeless := PLACELESS.match(row):
            found.append(Complaint("", 0, placeless["text"]))
        said = LINE.match(row)
        if not said or said["kind"] == "warning":
            continue
        if said["kind"] == "note" and found:
            found[-1].notes.append((said["file"], int(said["line"]), said["text"]))
        elif said["kind"] != "note":
            found.append(Complaint(said["file"], int(said["line"]), said["text"]))
    return found


def standard_of(units):
    """The newest C++ standard that a unit asks for: with one precompiled header all are read by it."""
    return max((flag[5:].replace("gnu++", "c++") for unit in units for flag in unit.flags if flag.startswith("-std=")), default="c++20")


def with_tree(unit, tree, standard):
    """The unit's flags with the edited headers in the place of its PyTorch's."""
    root = min(torch_includes(unit.flags), key=len)
    flags = [flag.replace(root, str(tree), 1) if flag.startswith(root) else flag for flag in unit.flags]
    return [f"-std={standard}" if flag.startswith("-std=") else flag for flag in flags]


def run_clang(clang, words):
    done = subprocess.run([clang, *words, "-w", "-ferror-limit=0", "-fno-caret-diagnostics", "-fno-color-diagnostics",
                           "-fno-diagnostics-show-option"], capture_output=True, text=True, errors="replace", timeout=FILE_S)  # fmt: skip
    return done.stderr


def precompile(clang, flags, headers, folder):
    """The precompiled header, and what clang says of PyTorch's own headers."""
    text, made = folder / "upstream.h", folder / "upstream.pch"
    text.write_text("".join(f"#include <{name}>\n" for name in headers), encoding="utf-8")
    said = run_clang(clang, [*flags, *ALLOWED, "-x", "c++-header", str(text), "-o", str(made)])
    return made, complaints_of(said)


def compile_all(clang, units, flags_of, pch, jobs=2):
    """{file: complaints} of all units, without those that PyTorch's headers cause alone."""
    def one(unit):
        words = [*flags_of(unit), *ALLOWED, "-include-pch", str(pch), "-fsyntax-only", unit.file]
        return unit.file, complaints_of(run_clang(clang, words))

    with ThreadPoolExecutor(jobs) as pool:
        return dict(pool.map(one, units))


def is_abstract_template(complaint, templates):
    """A template of PyTorch's that lacks what its base now demands: no header instantiates it, so only a backend's file tells."""
    found = ABSTRACT.search(complaint.text)
    return found is not None and found[1] in templates


def source_line(file, line):
    try:
        return Path(file).read_text(encoding="utf-8").splitlines()[line - 1]
    except (OSError, IndexError):
        return ""


def edits_behind(complaint, edits, tree):
    """The edits a complaint is about."""
    texts = [complaint.text, *(text for _, _, text in complaint.notes)]
    said = set(WORD.findall(" ".join(texts)))
    pointed = [(complaint.file, complaint.line), *((file, line) for file, line, _ in complaint.notes)]
    written = set(WORD.findall(" ".join(source_line(file, line) for file, line in pointed)))
    places = {(os.path.relpath(file, tree), line) for file, line in pointed if file}
    by_place = [edit for edit in edits if any(file == edit.header and abs(line - edit.line) < 3 for file, line in places)]
    by_message = [edit for edit in edits if edit.words & said or edit.is_missing(complaint.text)]
    return by_message or by_place or [edit for edit in edits if edit.words & written]
