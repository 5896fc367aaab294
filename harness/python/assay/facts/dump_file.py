# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes the file of a dump: compressed lines of JSON. The first line is the head, then one fact per line,
sorted by file and line, then the symbols."""

import json
import lzma

from assay import files
from assay.facts.dump import Dump
from assay.command import Refused

SCHEMA = "assay/drift-dump/4"
LIMIT = 400 << 20  # bytes of an unpacked dump; PyTorch's dumps have a sixteenth of this size
SMALL, QUICK = 9 | lzma.PRESET_EXTREME, 1


def shorter(fact, exported):
    """The fact without its symbol, but with the library that exports the symbol if there is one."""
    fact = dict(fact)
    library = exported.pop(fact.get("symbol"), None)
    if library:
        fact["library"] = library
    else:
        fact.pop("symbol", None)
    return fact


def place(fact):
    """Sort key. Facts that are neighbours in this order are similar, so the compressed file is small."""
    return fact["kind"], fact.get("header") or fact.get("module", ""), fact.get("line", 0), fact["id"]


def write_dump(path, head, facts, symbols, effort=SMALL):
    """`symbols` is {library: names}."""
    exported = {name: library for library, found in symbols.items() for name in found}
    listed = [shorter(fact, exported) for fact in facts.values()] if symbols else facts.values()
    rows = [{"schema": SCHEMA, **head}, *sorted(listed, key=place)]
    for library in sorted(symbols):
        left = sorted(name for name, where in exported.items() if where == library)
        rows.append({"library": library, "symbols": " ".join(left)})
    store(path, "".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) + "\n" for row in rows).encode("utf-8", "replace"), effort)


def store(path, text, effort, sources=()):
    # turns off the alignment of matches to 4 bytes, because text has no such alignment
    files.write(path, [lzma.compress(text, filters=[{"id": lzma.FILTER_LZMA2, "preset": effort, "pb": 0, "lc": 4}])], sources)


def read_dump(path):
    """Reads a dump, which is untrusted input. If the file is damaged or is not a dump, the error is one sentence."""
    try:
        with lzma.open(path) as file:
            text = file.read(LIMIT + 1)
        if len(text) > LIMIT:
            raise Refused(f"{path}: larger than a dump can be")
        head, *rows = [json.loads(line) for line in text.splitlines()]
        if head["schema"] != SCHEMA:
            raise Refused(f"{path}: schema {head['schema']!r}, expected {SCHEMA!r}; make the dump again")
        facts = {row["id"]: row for row in rows if "symbols" not in row}
        symbols = {name: row["library"] for row in rows if "symbols" in row for name in row["symbols"].split()}
        symbols.update((fact["symbol"], fact["library"]) for fact in facts.values() if "library" in fact)
        return Dump(head, facts, symbols)
    except OSError as error:
        raise Refused(f"{path}: cannot be read: {error.strerror or error}") from None
    except (lzma.LZMAError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise Refused(f"{path}: not a dump of assay drift, or a damaged one") from None
