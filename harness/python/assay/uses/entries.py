# SPDX-License-Identifier: BSD-3-Clause
"""Collects uses before they are written: each entity once, with its ways of use and its places.

sources.py, python.py and binary.py add uses; file.py writes them.
"""

import os
import re
from dataclasses import dataclass, field

PLACES = 2
ARGUMENTS = 8  # largest number of different call signatures stored per function


@dataclass
class Entry:
    """One entity of PyTorch, or a name of the backend that could collide with an entity."""

    ways: dict = field(default_factory=dict)  # way -> {source, python, binary}
    where: list = field(default_factory=list)
    count: int = 0
    flags: set = field(default_factory=set)
    arguments: list = field(default_factory=list)  # [positional, [keywords]]


class Entries:
    """Collects uses. Paths are relative to the common root."""

    def __init__(self, root):
        self.root = root
        self.entries = {}
        self.standard = ""  # the C++ standard, if the compile commands state it
        self.untold = set()  # ways of use that the inputs cannot show

    def place(self, file, line):
        path = os.path.relpath(file, self.root) if file else ""
        return f"{path}:{line}" if path else ""

    def add(self, way, id, by, file="", line=0, flags=(), arguments=None):
        entry = self.entries.setdefault(id, Entry())
        entry.ways.setdefault(way, set()).add(by)
        entry.flags.update(flags)
        entry.count += 1
        place = self.place(file, line)
        if place and place not in entry.where and len(entry.where) < PLACES:
            entry.where.append(place)
        if arguments is not None and arguments not in entry.arguments and len(entry.arguments) < ARGUMENTS:
            entry.arguments.append(arguments)

    def to_json(self):
        return [_entry_json(id, self.entries[id]) for id in sorted(self.entries)]


def _entry_json(id, entry):
    made = {"id": id, "ways": {way: sorted(entry.ways[way]) for way in sorted(entry.ways)}}
    if entry.where:
        made["where"] = entry.where
    if entry.count > 1:
        made["count"] = entry.count
    if entry.flags:
        made["flags"] = sorted(entry.flags)
    if entry.arguments:
        made["arguments"] = entry.arguments
    return made


# --- output of assay-uses-facts ----------------------------------------------------------------------

COUNTS = re.compile(r"(^|::)(k?(Num|NUM|Max|MAX)[A-Z_]\w*|COMPILE_TIME_MAX\w*|EndOf\w+|\w*_?MAX(_\w+)?|NumOptions)$")
TABLE_SHARE = 0.5  # a file that names half of the enumerators is assumed to contain a table of them
TABLE_LEAST = 4
CAPITALS = re.compile(r"^[A-Z][A-Z0-9_]+$")
FOREIGN = re.compile(r"cxx:(pybind11|fmt|nlohmann|libkineto|google|tensorpipe|onnx|asmjit|fbgemm)::")
FOREIGN_MACRO = re.compile(r"macro:(PYBIND11_|FMT_|NLOHMANN_|DNNL_|ONNX_)")


def name_of(id):
    """The id without its prefix and parameters: cxx:a::f(int) const becomes a::f."""
    name = id.partition(":")[2]
    at = name.find("operator(")
    cut = name.find("(", at + 9 if at >= 0 else 0)
    return name[:cut] if cut > 0 else name


def last_of(id):
    return re.split(r"::|\.", name_of(id))[-1]


class SourceLines:
    """Converts the lines of all units to entries. Counts the uses in a header once, although many units include it."""

    def __init__(self, entries, upstream_macros):
        self.entries = entries
        self.upstream_macros = upstream_macros
        self.seen = set()
        self.errors = []
        self.tokens = set()

    def add_all(self, lines_by_file):
        lines = sorted({line for lines in lines_by_file.values() for line in lines})
        self.errors = [line[1] for line in lines if line[0] == "error"]
        self.tokens = {line[1][6:] for line in lines if line[0] == "token"}
        opened = self._opened(lines_by_file)
        for way, id, file, line, flags in lines:
            flags = [flag for flag in flags.split(",") if flag]
            if way == "own":
                self._own(id, file, line, flags, opened.get(file, ()))
            elif way in ("token", "argument"):
                self._token(id, file, line)
            elif way not in ("using", "error") and self._is_meant(id, flags):
                self._use(way, id, file, line, flags, opened.get(file, ()))
        self._tables(lines)

    def _opened(self, lines_by_file):
        """The using-directives that apply in each file. Such a directive is in the file itself or in a header of its
        unit."""
        opened = {}
        for unit, lines in lines_by_file.items():
            names = {line[1][4:] for line in lines if line[0] == "using"}
            for file in {line[2] for line in lines} | {unit}:
                opened.setdefault(file, set()).update(names)
        return opened

    def _is_meant(self, id, flags):
        """True if the use is in the file itself or in a macro of the backend, and not inside another macro."""
        if FOREIGN.match(id) or FOREIGN_MACRO.match(id):
            return False
        if id.startswith("header:"):
            return True
        return "macro" not in flags or last_of(id).lstrip("~") in self.tokens

    def _use(self, way, id, file, line, flags, opened):
        kept = [flag for flag in flags if flag in ("no_override", "indirect", "redeclared", "candidate")
                or flag.startswith("key=")]
        standing = next((flag[3:] for flag in flags if flag.startswith("in=")), None)
        if standing is not None and self._needs_argument_types(id, standing, opened):
            kept.append("adl")
        self.entries.add(way, id, "source", file, line, kept)
        if way == "name" and COUNTS.search(name_of(id)) and any(flag.startswith("of=") for flag in flags):
            self.entries.add("switch", id.rpartition("::")[0], "source", file, line, ["count"])

    def _needs_argument_types(self, id, standing, opened):
        home = name_of(id).rpartition("::")[0]
        around = standing == home or standing.startswith(home + "::")
        return bool(home) and not around and home not in opened

    def _token(self, id, file, line):
        if id[6:] in self.upstream_macros and not FOREIGN_MACRO.match(id):
            self.entries.add("expand", id, "source", file, line)

    def _own(self, id, file, line, flags, opened):
        if id.startswith("macro:"):
            if "empty" not in flags:  # include guards and switches without a value are left out
                self.entries.add("define", id, "source", file, line)
            return
        home, _, last = id[4:].rpartition("::")
        if not home:
            for name in ["", *sorted(space + "::" for space in opened)]:
                self.entries.add("define", f"cxx:{name}{last}", "source", file, line)
        elif "theirs" in flags:  # the backend reopens a namespace of PyTorch
            self.entries.add("define", id, "source", file, line,
                             ["redeclared"] if "declared" in flags else [])
        elif CAPITALS.match(last):
            self.entries.add("define", f"cxx:{last}", "source", file, line)

    def _tables(self, lines):
        """A file that names half of the enumerators probably has a table of them; a new one affects it."""
        named = {}
        for way, id, file, line, flags in lines:
            total = re.search(r"of=(\d+)", flags)
            if way == "name" and total:
                enum = id.rpartition("::")[0]
                named.setdefault((enum, file, int(total[1])), {}).setdefault(id, line)
        for (enum, file, total), names in sorted(named.items()):
            if len(names) >= max(TABLE_LEAST, total * TABLE_SHARE):
                self.entries.add("switch", enum, "source", file, min(map(int, names.values())), ["table"])
