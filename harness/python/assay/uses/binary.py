# SPDX-License-Identifier: BSD-3-Clause
"""Finds uses of PyTorch in a backend's shared objects. This module needs no sources and does not load the objects.

Imports are undefined symbols in PyTorch's namespaces. Classes come from run-time type information: each class with
virtual functions has a record that points to the record of its base. Operators come from strings that match the name of
an operator, because registrations contain such strings.
"""

import re

from assay.facts.elf import ElfFile
from assay.uses.mangled import UNNAMED, plain_scope

# Mangled names with one of PyTorch's namespaces as the outermost scope.
UPSTREAM = re.compile(r"_Z(?:TV|TI|TS|TT|Tv\d*_n?\d+_|Th\w+_|GV)?N?[KVRO]*"
                      r"(?:2at|3c10|5torch|4c10d|6caffe2)\d")
C_NAMES = re.compile(r"^(THP|aoti_torch_|torch_|c10_)\w+$")
TYPE_INFO = re.compile(r"_ZTVN10__cxxabiv1(17__class|20__si_class|21__vmi_class)_type_infoE")
NAMED = re.compile(r"(?:2at|3c10|5torch|4c10d|6caffe2)")
OPERATOR = re.compile(rb"(?<![\w:.])(?:([a-z_]\w*)::)?([a-zA-Z_]\w*(?:\.[A-Za-z_]\w*)?)\0")
# The class that registers operators. Newer versions mark its methods with &.
LIBRARY = re.compile(r"_ZNR?5torch7Library")
POINTER = 8
OWN, THEIRS, UNSURE = "own", "theirs", "unsure"  # the owner of a class


def read_library(path, entries, operators=frozenset(), upstream=None):
    """Adds the uses of one shared object. `operators` are PyTorch's operator names with overloads; `upstream` is an
    UpstreamClasses. Returns sentences about facts that the library does not show."""
    elf = ElfFile(path)
    for name in elf.undefined():
        if UPSTREAM.match(name) or C_NAMES.match(name):
            way = {"_ZTV": "vtable", "_ZTI": "typeinfo"}.get(name[:4], "import")
            entries.add(way, f"symbol:{name}", "binary")
    classes = Classes(elf, upstream)
    classes.read(entries)
    _read_operators(elf, entries, operators)
    return [f"{path}: {said}" for said in classes.unknown()]


def _class_records(elf):
    """Addresses of the records of run-time type information, with the kind of each record (there are three)."""
    relocations = elf.relocations()
    records = {}
    for address, (symbol, _) in relocations.items():
        shape = TYPE_INFO.match(symbol)
        if shape:
            records[address] = shape[1]
    return records, relocations


def _name_of_record(elf, relocations, address):
    """The mangled name of the class that a record describes."""
    symbol, addend = relocations.get(address + POINTER, ("", 0))
    if symbol:
        return symbol.removeprefix("_ZTS")
    return elf.text_at(addend).removeprefix("*")


def _bases_of_record(elf, records, relocations, address):
    """(name, address of its record or 0) of each base. One base is a pointer; several bases are a table with a
    count."""
    if records[address] == "17__class":
        return
    first, step, most = (2, 1, 1) if records[address] == "20__si_class" else (3, 2, 16)
    for i in range(most):
        at = address + (first + i * step) * POINTER
        if at not in relocations or (i and at in records):
            return
        symbol, addend = relocations[at]
        above = addend or elf.address_of(symbol)
        if above in records:
            yield _name_of_record(elf, relocations, above), above
        elif symbol.startswith("_ZTI"):
            yield symbol[4:], 0


class Classes:
    """The backend's classes in one library, with their bases."""

    def __init__(self, elf, upstream):
        self.elf, self.upstream = elf, upstream
        self.records, self.relocations = _class_records(elf)
        self.unsure = 0  # number of classes that may be PyTorch's

    def read(self, entries):
        if self.has_no_types():
            entries.untold.add("derive")
        for address in sorted(self.records):
            whose = self._whose(_name_of_record(self.elf, self.relocations, address))
            self.unsure += whose == UNSURE
            if whose != THEIRS:
                self._add_bases(entries, address, ["unsure"] if whose == UNSURE else [], {address})

    def _whose(self, mangled):
        """Decides whether the class belongs to PyTorch or to the backend. A class in PyTorch's namespaces belongs to
        PyTorch only if PyTorch's headers declare it, because a backend's guard may also be in c10::impl."""
        if not NAMED.match(mangled.removeprefix("N")):
            return UNSURE if mangled.startswith("Z") and NAMED.match(mangled.lstrip("ZN")) else OWN
        if UNNAMED in mangled:
            return OWN
        name = plain_scope(mangled)
        if not self.upstream or not name:
            return UNSURE
        return THEIRS if self.upstream.has(name) else OWN

    def _add_bases(self, entries, address, flags, seen):
        """Adds the bases that belong to PyTorch, and their own bases if this library contains their records."""
        for name, above in _bases_of_record(self.elf, self.records, self.relocations, address):
            own_here = above and self._whose(name) == OWN
            if not NAMED.match(name.removeprefix("N")) or own_here or above in seen:
                continue
            if scope := plain_scope(name):
                entries.add("derive", f"cxx:{scope}", "binary", flags=flags)
            if above in self.records:
                self._add_bases(entries, above, sorted({*flags, "indirect"}), {*seen, above})

    def has_no_types(self):
        """1 if the library has classes with virtual functions but no type information."""
        return not self.records and any(name.startswith("_ZTV") and not name.startswith("_ZTVN10__cxxabiv") for name, *_ in self.elf.symbols)

    def unknown(self):
        """Sentences about facts that the records do not show."""
        several = self.unsure > 1
        if self.unsure:
            yield (f"{self.unsure} class{'es are' if several else ' is'} in a namespace of PyTorch, and PyTorch's headers are not available "
                   f"to decide whether PyTorch declares {'them' if several else 'it'}")  # fmt: skip
        if self.has_no_types():
            yield "it was compiled without type information (-fno-rtti), so the classes of PyTorch that it derives from are unknown"


def _read_operators(elf, entries, operators):
    """A registration names the operator with or without its namespace: aten::add.Tensor or add.Tensor. A string may
    match by chance, so such a use has the mark of a string."""
    if not any(LIBRARY.match(name) for name in elf.undefined()):
        return
    seen = set()
    for data in elf.read_only():
        for match in OPERATOR.finditer(data):
            space = (match[1] or b"aten").decode()
            seen.add(f"{space}::{match[2].decode()}")
    for name in sorted(seen & operators):
        entries.add("register", f"op:{name}", "binary", flags=("string",))
