# SPDX-License-Identifier: BSD-3-Clause
"""`assay uses`: the command. Sorts what it is given into sources, libraries and Python, reads each, and
writes the file; `assay uses show` asks the collection.

Started by harness/cli/cmd_uses.c, which knows the profiles of targets.
"""

import argparse
import hashlib
import json
import os
import re
import sys
from pathlib import Path

from . import uses_show
from .refusal import Refusal
from .uses_binary import read_library
from .uses_database import read_units, torch_includes
from .uses_entries import Entries, SourceLines
from .uses_file import NAME, write_uses
from .uses_python import read_file
from .uses_sources import own_files, read_sources

DEFINED = re.compile(rb"^\s*#\s*define\s+(\w+)", re.MULTILINE)
VERSION = re.compile(r"#define TORCH_VERSION_(MAJOR|MINOR|PATCH) (\d+)")
# What a backend ships is meant, not what tests it; a folder of tests that is named itself is read.
SKIPPED = {"__pycache__", "node_modules", "third_party", "test", "tests", "testdata"}


def _entered(names):
    return sorted(name for name in names if name not in SKIPPED and not name.startswith((".", "build")))


class Given:
    """What the words of the command line stand for."""

    def __init__(self):
        self.databases, self.folders, self.python, self.libraries = [], [], [], []

    def add(self, word):
        path = Path(word)
        if path.suffix == ".json" and path.is_file():
            self.databases.append(str(path))
        elif path.suffix == ".py" and path.is_file():
            self.python.append(path)
        elif ".so" in path.suffixes and path.is_file():
            self.libraries.append(path)
        elif path.is_dir():
            self._add_folder(path)
        else:
            raise Refusal(f"{word}: neither a folder, a compile database, a Python file nor a library")

    def _add_folder(self, folder):
        self.folders.append(os.path.realpath(folder))
        if (folder / "compile_commands.json").is_file():
            self.databases.append(str(folder / "compile_commands.json"))
        for place, folders, names in os.walk(folder):
            folders[:] = _entered(folders)
            paths = [Path(place, name) for name in sorted(names) if not name.endswith("_test.py")]
            self.python += [path for path in paths if path.suffix == ".py"]
            self.libraries += [path for path in paths if ".so" in path.suffixes and path.is_file()]


def _installed_torch():
    """The folder of the torch this interpreter would import, without importing it."""
    from importlib.util import find_spec
    spec = find_spec("torch")
    return Path(spec.origin).parent if spec and spec.origin else None


def torch_version(includes):
    """Of the headers; "" when they do not say."""
    for folder in includes:
        try:
            text = Path(folder, "torch/headeronly/version.h").read_text(encoding="utf-8")
        except OSError:
            continue
        numbers = dict(VERSION.findall(text))
        if len(numbers) == 3:
            return ".".join(numbers[part] for part in ("MAJOR", "MINOR", "PATCH"))
    return ""


def _upstream_macros(includes):
    """Names of all macros PyTorch's headers define, those of operators left out: they define none."""
    found = set()
    for root in includes:
        for space in ("ATen", "c10", "torch"):
            for folder, folders, names in os.walk(os.path.join(root, space)):
                if folder.endswith("ATen/ops"):
                    folders[:] = []
                    continue
                for name in names:
                    if name.endswith((".h", ".hpp")):
                        found.update(DEFINED.findall(Path(folder, name).read_bytes()))
    return {name.decode() for name in found}


def _folders_below(file, roots):
    root = max((root for root in roots if file.startswith(root + os.sep)), key=len)
    return Path(os.path.relpath(file, root)).parts[:-1]


def _read_cxx(given, entries, facts):
    """Reads the sources; returns what could not be read, and the versions of the headers used."""
    roots = given.folders or [os.path.dirname(os.path.abspath(given.databases[0]))]
    units = [unit for database in given.databases for unit in read_units(database, roots)
             if not SKIPPED & set(_folders_below(unit.file, roots))]
    includes = sorted({folder for unit in units for folder in torch_includes(unit.flags)})
    if not includes:
        raise Refusal(f"{given.databases[0]}: no file under {', '.join(roots)} is compiled with PyTorch's "
                        "headers")
    lines = read_sources(facts, units, roots)
    collected = SourceLines(entries, _upstream_macros(includes))
    collected.add_all(lines)
    version = torch_version(includes)
    return collected.errors, [version] if version else []


def _operators(torch_folder):
    """Names of aten's operators, from the headers; enough to recognise a registration's string."""
    names = set()
    for path in Path(torch_folder, "include/ATen/ops").glob("*_ops.h"):
        text = path.read_text(encoding="utf-8", errors="replace")
        names.update(re.findall(r'schema_str = "([\w:.]+)\(', text))
    return names


def _without_own(entries):
    """torch.fakedev is the backend's own module, bound into torch."""
    own = {name for id, entry in entries.entries.items() for name in entry.flags if name.startswith("own=")}
    for name in own:
        prefix = f"py:torch.{name[4:]}"
        for id in [id for id in entries.entries if id == prefix or id.startswith(prefix + ".")]:
            del entries.entries[id]
    for entry in entries.entries.values():
        entry.flags -= own


def digest(paths):
    """Of the files the uses were taken from: says whether a stored file of uses is still theirs."""
    total = hashlib.sha256()
    for path in sorted(paths, key=str):
        total.update(hashlib.sha256(Path(path).read_bytes()).digest())
    return total.hexdigest()[:16]


def _take(arguments):
    given = Given()
    for word in arguments.what:
        given.add(word)
    root = arguments.root or os.path.commonpath(
        [os.path.realpath(word) if os.path.isdir(word) else os.path.dirname(os.path.realpath(word))
         for word in arguments.what if not word.endswith(".json")] or ["."])
    entries = Entries(os.path.realpath(root))
    errors, versions = _read_cxx(given, entries, arguments.facts) if given.databases else ([], [])
    errors += [said for said in (read_file(path, entries) for path in given.python) if said]
    torch = _installed_torch()
    operators = _operators(torch) if torch and given.libraries else frozenset()
    for path in given.libraries:
        read_library(path, entries, operators)
    if not versions and torch:
        versions = [torch_version([torch / "include"])]
    _without_own(entries)
    return given, entries, errors, versions


def run(arguments):
    if not NAME.match(arguments.name):
        raise Refusal(f"{arguments.name}: a name is letters, digits, dots and hyphens")
    given, entries, errors, versions = _take(arguments)
    if not entries.entries:
        raise Refusal("nothing of PyTorch is used in " + ", ".join(arguments.what))
    files = [*own_files(given.folders), *given.python]
    write_uses(arguments.output, arguments.name, versions, entries.to_json(), digest(set(map(str, files))))
    ways = {}
    for entry in entries.entries.values():
        for way in entry.ways:
            ways[way] = ways.get(way, 0) + 1
    print(f"{arguments.output}: {len(entries.entries)} entities of PyTorch used by {arguments.name}")
    print("  " + ", ".join(f"{ways[way]} {way}" for way in sorted(ways)))
    for said in errors:
        print(f"not read whole: {said}", file=sys.stderr)
    return 2 if errors else 0


def _parser():
    parser = argparse.ArgumentParser(prog="assay uses", add_help=False)
    parser.add_argument("what", nargs="+")
    parser.add_argument("-o", "--output", required=True)
    parser.add_argument("--name", default="")
    parser.add_argument("--root", default="")
    parser.add_argument("--facts", default="assay-uses-facts")
    return parser


def main(words):
    """Exit status: 0 good, 2 some file could not be read whole, 64 usage, 65 bad input."""
    try:
        if words[:1] == ["show"]:
            return uses_show.main(words[1:])
        arguments = _parser().parse_args(words)
        arguments.name = arguments.name or Path(arguments.output).stem
        return run(arguments)
    except Refusal as problem:
        print(f"assay uses: {problem}", file=sys.stderr)
        return problem.status
    except BrokenPipeError:
        return 71
