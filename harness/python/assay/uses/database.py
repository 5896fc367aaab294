# SPDX-License-Identifier: BSD-3-Clause
"""Reads the commands that compile a backend, and extracts the options that a parser needs.

Reads compile_commands.json only, not the sources.
"""

import json
import os
import re
import shlex
from dataclasses import dataclass
from pathlib import Path

from assay.command import Refused

HEADERS = {".h", ".hh", ".hpp", ".hxx", ".inl", ".cuh"}
CXX = {".cc", ".cpp", ".cxx", ".C", ".c++"}
# The name that CMake gives to a file of a unity build. Such a file includes sources and contains nothing else.
UNITY = re.compile(r"unity_\d+_cxx\.cxx")
INCLUDED = re.compile(r'^#include "(.+)"$', re.M)
STANDARD = re.compile(r"-std=(?:c|gnu)\+\+(\d\w)")
DRAFTS = {"1y": "14", "1z": "17", "2a": "20", "2b": "23", "2c": "26"}
SEPARATE = {"-I", "-isystem", "-iquote", "-idirafter", "-D", "-U", "-include"}
# Options that affect parsing. Warnings, optimisation and output options are dropped.
KEPT = ("-D", "-U", "-I", "-isystem", "-iquote", "-idirafter", "-std=", "-fno-rtti", "-fno-exceptions",
        "-fchar8_t", "-fno-char8_t", "-pthread", "-m")


@dataclass(frozen=True)
class Unit:
    """One source file and its flags, with absolute paths."""

    file: str
    flags: tuple


def _flags(words, folder):
    words, kept = iter(words), []
    for word in words:
        name = next((flag for flag in SEPARATE if word.startswith(flag)), None)
        value = word[len(name):] if name else ""
        if name == word:
            value = next(words, "")
        if name in ("-D", "-U"):
            kept.append(name + value)
        elif name == "-include":
            # A precompiled header works only with the compiler that built it. The sources include all headers that they
            # need.
            if "cmake_pch" not in value:
                kept += [name, os.path.join(folder, value)]
        elif name:
            kept += [name, os.path.normpath(os.path.join(folder, value))]
        elif word.startswith(KEPT) and not word.startswith(("-march", "-mtune", "-mcpu")):
            kept.append(word)
    return tuple(kept)


def _unit(entry, where):
    try:
        words = entry["arguments"] if "arguments" in entry else shlex.split(entry["command"])
        folder = entry["directory"]
        file = os.path.realpath(os.path.join(folder, entry["file"]))
        return Unit(file, _flags(list(words)[1:], folder))
    except (KeyError, TypeError, ValueError):
        raise Refused(f"{where}: not a compile database: an entry lacks file, directory or command") from None


def _members(unit):
    """The sources that the unit compiles: the unit itself, or the sources that a file of a unity build includes."""
    if not UNITY.fullmatch(os.path.basename(unit.file)):
        return [unit]
    try:
        text = Path(unit.file).read_text(encoding="utf-8")
    except OSError as problem:
        raise Refused(f"{unit.file}: cannot be read: {problem.strerror}; build the backend first") from None
    return [Unit(os.path.realpath(file), unit.flags) for file in INCLUDED.findall(text)]


def read_units(database, roots):
    """C++ files below one of the roots, each once. If a file is compiled twice, the first command is used."""
    try:
        entries = json.loads(Path(database).read_text(encoding="utf-8"))
    except OSError as problem:
        raise Refused(f"{database}: cannot be read: {problem.strerror}") from None
    except ValueError as problem:
        raise Refused(f"{database}: not JSON: {problem}") from None
    if not isinstance(entries, list):
        raise Refused(f"{database}: a compile database is a list of commands; CMake writes one with "
                        "-DCMAKE_EXPORT_COMPILE_COMMANDS=ON")
    units = {}
    for unit in (member for entry in entries for member in _members(_unit(entry, database))):
        inside = any(unit.file == root or unit.file.startswith(root + os.sep) for root in roots)
        if inside and Path(unit.file).suffix in CXX:
            units.setdefault(unit.file, unit)
    return [units[file] for file in sorted(units)]


def oldest_standard(units):
    """The oldest C++ standard of the units, such as "17"; "" if no unit names one."""
    told = [STANDARD.fullmatch(flag) for unit in units for flag in unit.flags]
    return min((DRAFTS.get(found[1], found[1]) for found in told if found), default="")


def _folders(flags, names):
    return [flags[i + 1] for i, flag in enumerate(flags[:-1]) if flag in names]


def own_includes(flags, includes):
    """Include folders with the backend's own headers. Folders of the system are left out."""
    return [folder for folder in _folders(flags, ("-I", "-iquote")) if folder not in includes]


def torch_includes(flags):
    """Include folders in the flags that contain PyTorch's headers."""
    folders = _folders(flags, ("-I", "-isystem"))
    return [folder for folder in folders
            if os.path.isfile(os.path.join(folder, "torch/library.h"))
            or os.path.isfile(os.path.join(folder, "torch/all.h"))
            or os.path.isfile(os.path.join(folder, "c10/core/Allocator.h"))]
