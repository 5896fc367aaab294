# SPDX-License-Identifier: BSD-3-Clause
"""The command `assay uses`. The command sorts its arguments into sources, libraries and Python, reads each argument and
writes the file. `assay uses show` searches the collection.

harness/command/python/cmd_uses.c starts this command and reads the profiles of targets.
"""

import os
import re
import sys
from dataclasses import dataclass
from fnmatch import fnmatch
from pathlib import Path

from assay import places
from assay.command import USAGE, Refused
from assay.facts.side import version_of_headers
from assay.uses import show as uses_show
from assay.uses.binary import read_library
from assay.uses.codegen import read_operator_list, read_templates
from assay.uses.database import CXX, HEADERS, oldest_standard, read_units, torch_includes
from assay.uses.entries import Entries, SourceLines
from assay.uses.file import NAME, write_uses
from assay.uses.python import read_file
from assay.uses.sources import read_sources
from assay.uses.target import files_of, profile_of
from assay.uses.upstream_classes import UpstreamClasses

SCHEMA = re.compile(r'schema_str = "([\w:.]+)\(')
DEFINED = re.compile(rb"^\s*#\s*define\s+(\w+)", re.MULTILINE)
# Folders that are not part of a backend, such as its tests. A folder that the user names directly is always read.
SKIPPED = {"__pycache__", "node_modules", "third_party", "test", "tests", "testdata"}


def skipped(folders):
    """1 if a path contains one of these folders."""
    return any(name in SKIPPED or name.startswith((".", "build")) for name in folders)


class Given:
    """The inputs that the command line names."""

    def __init__(self, excluded=()):
        self.databases, self.folders, self.files = [], [], []
        self.python, self.libraries = [], []
        self.excluded = excluded

    def add(self, word):
        path = Path(word)
        if path.suffix == ".json" and path.is_file():
            self.databases.append(str(path))
        elif path.suffix == ".py" and path.is_file():
            self.python.append(path)
        elif ".so" in path.suffixes and path.is_file():
            self.libraries.append(path)
        elif path.suffix in CXX | HEADERS and path.is_file():
            self.folders.append(os.path.realpath(path))
        elif path.is_dir():
            self._add_folder(path)
        else:
            raise Refused(f"{word}: neither a folder, a compile database, a source file nor a library")

    def excludes(self, file):
        return any(fnmatch(os.path.basename(file), pattern) for pattern in self.excluded)

    def _add_folder(self, folder):
        self.folders.append(os.path.realpath(folder))
        if (folder / "compile_commands.json").is_file():
            self.databases.append(str(folder / "compile_commands.json"))
        for place, folders, names in os.walk(folder):
            folders[:] = sorted(name for name in folders if not skipped([name]))
            paths = [Path(place, name) for name in sorted(names) if not self.excludes(name)]
            self.files += paths
            self.python += [path for path in paths if path.suffix == ".py"]
            self.libraries += [path for path in paths if ".so" in path.suffixes and path.is_file()]


def _installed_torch():
    """The folder of the torch that this interpreter would import. torch is not imported."""
    from importlib.util import find_spec
    spec = find_spec("torch")
    return Path(spec.origin).parent if spec and spec.origin else None


def _upstream_macros(includes):
    """Names of all macros that PyTorch's headers define. Headers of operators are skipped, because they define none."""
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
    root = max((root for root in roots if file == root or file.startswith(root + os.sep)), key=len)
    return Path(os.path.relpath(file, root)).parts[:-1]


def _read_cxx(given, entries, facts):
    """Reads the sources. Returns the files that could not be read, and the versions of the headers."""
    roots = given.folders or [os.path.dirname(os.path.abspath(given.databases[0]))]
    units = [unit for database in given.databases for unit in read_units(database, roots)
             if not skipped(_folders_below(unit.file, roots)) and not given.excludes(unit.file)]
    includes = sorted({folder for unit in units for folder in torch_includes(unit.flags)})
    if not units and given.python:  # a backend written only in Python
        return [], []
    if not includes:
        raise Refused(f"{given.databases[0]}: no file under {', '.join(roots)} is compiled with PyTorch's "
                        "headers")
    entries.standard = oldest_standard(units)
    lines = read_sources(facts, units, roots)
    collected = SourceLines(entries, _upstream_macros(includes))
    collected.add_all(lines)
    version = next(filter(None, (version_of_headers(Path(folder)) for folder in includes)), "")
    return collected.errors, [version] if version else []


def _operators(torch_folder):
    """Names of aten's operators, from the headers. The names are enough to recognise the string of a registration."""
    names = set()
    for path in Path(torch_folder, "include/ATen/ops").glob("*_ops.h"):
        text = path.read_text(encoding="utf-8", errors="replace")
        names.update(SCHEMA.findall(text))
    return {name if "::" in name else f"aten::{name}" for name in names}


def _without_own(entries):
    """Removes names of the backend itself. For example, torch.fakedev is a module that the backend adds to torch."""
    own = {name for id, entry in entries.entries.items() for name in entry.flags if name.startswith("own=")}
    for name in own:
        prefix = f"py:torch.{name[4:]}"
        for id in [id for id in entries.entries if id == prefix or id.startswith(prefix + ".")]:
            del entries.entries[id]
    for entry in entries.entries.values():
        entry.flags -= own


def read_python(files, entries):
    """Reads the package. Returns sentences about files that could not be read."""
    errors = [said for said in (read_file(path, entries) for path in files) if said]
    _without_own(entries)
    return errors


def _without_targets(words):
    """Replaces the name of a target by the files that its profile loads."""
    found = []
    for word in words:
        profile = None if os.path.exists(word) and not word.endswith((".yaml", ".yml")) else profile_of(word)
        found += files_of(profile) if profile else [word]
    return found


def _take(arguments):
    given = Given([pattern for pattern in arguments.exclude.split(",") if pattern])
    what = _without_targets(arguments.what)
    for word in what:
        given.add(word)
    root = arguments.root or os.path.commonpath(
        [os.path.realpath(word) if os.path.isdir(word) else os.path.dirname(os.path.realpath(word))
         for word in what if not word.endswith(".json")] or ["."])
    entries = Entries(os.path.realpath(root))
    errors, versions = _read_cxx(given, entries, arguments.facts) if given.databases else ([], [])
    errors += read_python(given.python, entries)
    torch = _installed_torch()
    _read_codegen(given.files, torch, entries)
    errors += _read_libraries(given.libraries, torch, entries)
    if not versions and torch:
        versions = [version_of_headers(torch / "include")]
    return entries, errors, versions


def _read_libraries(libraries, torch, entries):
    """Reads the libraries. Returns one sentence for each fact that a library does not show."""
    operators = _operators(torch) if torch and libraries else frozenset()
    upstream = UpstreamClasses([torch / "include"]) if torch else None
    return [said for path in libraries for said in read_library(path, entries, operators, upstream)]


def _read_codegen(files, torch, entries):
    for file in files:
        if file.suffix in (".yaml", ".yml"):
            read_operator_list(file, entries)
    if torch:
        read_templates(files, torch.parent / "torchgen/packaged", entries)


def run(arguments):
    arguments.name = arguments.name or Path(arguments.output).stem
    if not NAME.match(arguments.name):
        raise Refused(f"{arguments.name}: a name consists of letters, digits, dots and hyphens")
    entries, errors, versions = _take(arguments)
    if not entries.entries:
        raise Refused("no use of PyTorch was found in " + ", ".join(arguments.what))
    write_uses(arguments.output, arguments.name, versions, entries.to_json(), entries.untold, entries.standard,
               sources=arguments.what)
    ways = {}
    for entry in entries.entries.values():
        for way in entry.ways:
            ways[way] = ways.get(way, 0) + 1
    print(f"{arguments.output}: {len(entries.entries)} entities of PyTorch used by {arguments.name}")
    print("  " + ", ".join(f"{ways[way]} {way}" for way in sorted(ways)))
    for said in errors:
        print(f"not read completely: {said}", file=sys.stderr)
    return 2 if errors else 0


@dataclass
class Asked:
    """The parsed command line."""

    what: list
    output: str
    name: str = ""
    root: str = ""
    exclude: str = ""
    facts: str = ""


def uses_command(command, _scratch):
    """Runs `assay uses` with the arguments from harness/command. The exit status is 0, or 2 if a file could not be
    read completely."""
    if command.words[:1] == ["show"]:
        return uses_show.show(command.words[1:], command.option("json") is not None, _collection())
    if not command.words or not command.option("output"):
        raise Refused("give the files to read and the output file: assay uses SOURCES -o FILE", USAGE)
    return run(Asked(command.words, command.option("output"), command.option("name", ""), command.option("root", ""),
                     command.option("exclude", ""), os.environ.get("ASSAY_USES_FACTS", "assay-uses-facts")))


def _collection():
    """The folder ci/uses of this checkout or installation."""
    for folder in (".", places.data()):
        files = sorted(map(str, Path(folder, "ci/uses").glob("*.json")))
        if files:
            return files
    return []
