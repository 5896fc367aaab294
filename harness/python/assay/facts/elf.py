# SPDX-License-Identifier: BSD-3-Clause
"""Reads parts of a 64-bit little-endian ELF file: dynamic symbols, relocations, read-only data.

The file is untrusted. The slice that reads from an offset checks the offset.
"""

import mmap
import struct

from assay.command import Refused

SYMBOL = struct.Struct("<IBBHQQ")
RELOCATION = struct.Struct("<QQq")
SECTION = struct.Struct("<IIQQQQIIQQ")
DYNSYM, RELA = 11, 4
SECTIONS_MAX = 4096


class ElfFile:
    """Sections of one shared object. `undefined`, `relocations` and `strings` are read on demand."""

    def __init__(self, path):
        self.path = str(path)
        try:
            with open(path, "rb") as file:
                self.data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except (OSError, ValueError) as problem:
            raise Refused(f"{path}: cannot be read: {problem}") from None
        if self.data[:6] != b"\x7fELF\x02\x01":
            raise Refused(f"{path}: not a shared object of a 64-bit little-endian machine")
        try:
            self.sections = self._sections()
            self.symbols = self._symbols()
            self.addresses = {name: address for name, defined, _, address in self.symbols if defined}
        except (struct.error, IndexError, OverflowError):
            raise Refused(f"{path}: a damaged shared object: its tables point outside the file") from None

    def _sections(self):
        (offset,) = struct.unpack_from("<Q", self.data, 40)
        size, count = struct.unpack_from("<HH", self.data, 58)
        if count > SECTIONS_MAX or size < SECTION.size:
            raise struct.error
        found = [SECTION.unpack_from(self.data, offset + i * size) for i in range(count)]
        return [dict(zip(("name", "type", "flags", "address", "offset", "size", "link", "info", "align",
                          "entry"), fields)) for fields in found]

    def _text(self, section, offset):
        start = section["offset"] + offset
        end = self.data.find(b"\0", start, start + 65536)
        return self.data[start:end if end >= 0 else start].decode("utf-8", "replace")

    def _symbols(self):
        """[(name, defined, visible to others, address)] in the order of the symbol table."""
        table = next((s for s in self.sections if s["type"] == DYNSYM), None)
        if table is None:
            return []
        names = self.sections[table["link"]]
        found = []
        for at in range(table["offset"], table["offset"] + table["size"], SYMBOL.size):
            name, info, other, section, address, _ = SYMBOL.unpack_from(self.data, at)
            found.append((self._text(names, name), section != 0, info >> 4 and other & 3 == 0, address))
        return found

    def undefined(self):
        return sorted({name for name, defined, *_ in self.symbols if name and not defined})

    def address_of(self, symbol):
        """Address of a symbol that this file defines, else 0."""
        return self.addresses.get(symbol, 0)

    def relocations(self):
        """Returns {address: (symbol or "", addend)}: the values that the loader writes."""
        found = {}
        for section in self.sections:
            if section["type"] != RELA:
                continue
            for at in range(section["offset"], section["offset"] + section["size"], RELOCATION.size):
                address, info, addend = RELOCATION.unpack_from(self.data, at)
                number = info >> 32
                name = self.symbols[number][0] if 0 < number < len(self.symbols) else ""
                found[address] = (name, addend)
        return found

    def text_at(self, address):
        """The zero-terminated text at an address of the loaded file, or "" if there is none."""
        for section in self.sections:
            if section["address"] and section["address"] <= address < section["address"] + section["size"]:
                return self._text(section, address - section["address"])
        return ""

    def read_only(self):
        """The bytes of all sections with constants."""
        for section in self.sections:
            # SHT_PROGBITS, allocated, neither writable nor executable
            if section["type"] == 1 and section["flags"] & 7 == 2:
                yield self.data[section["offset"]:section["offset"] + section["size"]]
