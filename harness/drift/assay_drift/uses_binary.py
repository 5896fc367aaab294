# SPDX-License-Identifier: BSD-3-Clause
"""Uses of PyTorch by a backend's shared objects, without sources and without loading them.

Imports are undefined symbols in PyTorch's namespaces. Classes come from the run-time type information
that each class with virtual functions leaves: a record that points at its base's record. Operators are
the strings of registrations: what a file both names and could register.
"""

import re

from .elf import ElfFile

# Mangled names that mention one of PyTorch's namespaces as the outermost of a name.
UPSTREAM = re.compile(r"_Z(?:TV|TI|TS|TT|Tv\d*_n?\d+_|Th\w+_|GV)?N?[KVRO]*"
                      r"(?:2at|3c10|5torch|4c10d|6caffe2)\d")
C_NAMES = re.compile(r"^(THP|aoti_torch_|torch_|c10_)\w+$")
TYPE_INFO = re.compile(r"_ZTVN10__cxxabiv1(17__class|20__si_class|21__vmi_class)_type_infoE")
NAMED = re.compile(r"(?:2at|3c10|5torch|4c10d|6caffe2)")
OPERATOR = re.compile(rb"(?<![\w:.])(?:([a-z_]\w*)::)?([a-zA-Z_]\w*(?:\.[A-Za-z_]\w*)?)\0")
LIBRARY = re.compile(r"_ZNR?5torch7Library")  # the class that registers; its methods are marked & in newer versions
POINTER = 8


def read_library(path, entries, operators=frozenset()):
    """Adds what one shared object uses. `operators` are the names PyTorch knows, with overloads."""
    elf = ElfFile(path)
    for name in elf.undefined():
        if UPSTREAM.match(name) or C_NAMES.match(name):
            way = {"_ZTV": "vtable", "_ZTI": "typeinfo"}.get(name[:4], "import")
            entries.add(way, f"symbol:{name}", "binary")
    _read_classes(elf, entries)
    _read_operators(elf, entries, operators)


def _class_records(elf):
    """Addresses of records of run-time type information, and of which of the three shapes each is."""
    relocations = elf.relocations()
    records = {}
    for address, (symbol, _) in relocations.items():
        shape = TYPE_INFO.match(symbol)
        if shape:
            records[address] = shape[1]
    return records, relocations


def _name_of_record(elf, relocations, address):
    """The mangled name of the class a record describes."""
    symbol, addend = relocations.get(address + POINTER, ("", 0))
    if symbol:
        return symbol.removeprefix("_ZTS")
    return elf.text_at(addend).removeprefix("*")


def _bases_of_record(elf, records, relocations, address):
    """Names of the bases: one pointer for a single base, a table with a count for several."""
    if records[address] == "17__class":
        return
    first, step, most = (2, 1, 1) if records[address] == "20__si_class" else (3, 2, 16)
    for i in range(most):
        at = address + (first + i * step) * POINTER
        if at not in relocations or (i and at in records):
            return
        symbol, addend = relocations[at]
        if symbol.startswith("_ZTI"):
            yield symbol[4:]
        elif addend in records:
            yield _name_of_record(elf, relocations, addend)


def demangled(name):
    """c10::Allocator of N3c109AllocatorE; "" for what is more than nested plain names."""
    parts, rest = [], name.removeprefix("N").removesuffix("E") if name.startswith("N") else name
    while rest:
        length = re.match(r"\d+", rest)
        if not length:
            return ""
        start = length.end()
        parts.append(rest[start:start + int(length[0])])
        rest = rest[start + int(length[0]):]
    return "::".join(part for part in parts if not part.startswith("_GLOBAL__N"))


def _read_classes(elf, entries):
    records, relocations = _class_records(elf)
    for address in sorted(records):
        own = _name_of_record(elf, relocations, address)
        if NAMED.match(own.removeprefix("N")):
            continue  # a class of PyTorch's that the compiler laid out here as well
        for base in _bases_of_record(elf, records, relocations, address):
            name = demangled(base)
            if name and NAMED.match(base.removeprefix("N")):
                entries.add("derive", f"cxx:{name}", "binary")


def _read_operators(elf, entries, operators):
    """A registration names the operator with its library or without: aten::add.Tensor, add.Tensor. A word that only looks like one is
    taken for one, so the use is marked as known from a string."""
    if not any(LIBRARY.match(name) for name in elf.undefined()):
        return
    seen = set()
    for data in elf.read_only():
        for match in OPERATOR.finditer(data):
            space = (match[1] or b"aten").decode()
            seen.add(f"{space}::{match[2].decode()}")
    for name in sorted(seen & operators):
        entries.add("register", f"op:{name}", "binary", flags=("string",))
