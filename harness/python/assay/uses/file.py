# SPDX-License-Identifier: BSD-3-Clause
"""Reads and writes the file of uses, `assay/uses/1`. The output is small and stable; input is untrusted.

reports/schema/uses.schema.json defines the form. This module verifies only the parts on which cross.py depends.
"""

import json
import re
from pathlib import Path

from assay import files
from assay.command import Refused

SCHEMA = "assay/uses/1"
LARGEST = 8 << 20
MOST_ENTRIES = 100_000
WAYS = frozenset(
    "derive override call name switch field expand include address specialise define aggregate import "
    "vtable typeinfo register dispatch subclass patch read copy".split())
SPACES = ("cxx:", "macro:", "header:", "symbol:", "op:", "py:", "file:")
NAME = re.compile(r"[\w.+-]{1,64}\Z")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
SOURCES = {"source", "python", "binary"}


def write_uses(path, name, torch, entries, untold=(), standard="", sources=()):
    """Writes one entry per line, so that a small change of a backend is a small difference of the file."""
    head = {"schema": SCHEMA, "name": name, "torch": torch, **({"untold": sorted(untold)} if untold else {}),
            **({"standard": standard} if standard else {})}
    lines = ",\n".join(json.dumps(entry, separators=(",", ":")) for entry in entries)
    text = json.dumps(head)[:-1] + ', "entries": [\n' + lines + "\n]}\n"
    files.write(path, [text.encode()], sources)


def _refuse(path, what):
    raise Refused(f"{path}: not a file of uses: {what}; assay uses writes one")


def _check_entry(path, number, entry):
    where = f"entry {number + 1}"
    if not isinstance(entry, dict) or not isinstance(entry.get("id"), str):
        _refuse(path, f"{where} has no id")
    id = entry["id"]
    if not id.startswith(SPACES) or len(id) > 4096 or CONTROL.search(id):
        _refuse(path, f"{where} has an id that does not name an entity of PyTorch")
    ways = entry.get("ways")
    if not isinstance(ways, dict) or not ways:
        _refuse(path, f"{where} has no way of use")
    for way, known_by in ways.items():
        if way not in WAYS:
            _refuse(path, f"{where} has an unknown way of use")
        if not isinstance(known_by, list) or not all(isinstance(word, str) and word in SOURCES for word in known_by):
            _refuse(path, f"{where} does not state the source of a use")
    for key in ("where", "flags"):
        texts = entry.get(key, [])
        if not isinstance(texts, list) or len(texts) > 64 or not all(
                isinstance(text, str) and len(text) < 1024 and not CONTROL.search(text) for text in texts):
            _refuse(path, f"{where} has {key} that are not a list of short texts")
    if not isinstance(entry.get("arguments", []), list):
        _refuse(path, f"{where} has arguments that are not a list")


def _arguments_are_well_formed(arguments):
    return all(isinstance(one, list) and len(one) == 2 and isinstance(one[0], int)
               and isinstance(one[1], list) and all(isinstance(word, str) for word in one[1])
               for one in arguments)


def read_uses(path):
    """Returns the document. Raises an error with one sentence if the file is not valid."""
    document = files.read_json(path, LARGEST)
    if not isinstance(document, dict) or document.get("schema") != SCHEMA:
        _refuse(path, f'"schema" is not "{SCHEMA}"')
    if not isinstance(document.get("name"), str) or not NAME.match(document["name"]):
        _refuse(path, '"name" does not consist of letters, digits, dots and hyphens')
    entries = document.get("entries")
    if not isinstance(entries, list) or len(entries) > MOST_ENTRIES:
        _refuse(path, f'"entries" is not a list of at most {MOST_ENTRIES}')
    untold = document.get("untold", [])
    if not isinstance(untold, list) or not all(isinstance(way, str) and way in WAYS for way in untold):
        _refuse(path, '"untold" is not a list of ways of use')
    standard = document.get("standard", "17")
    if not isinstance(standard, str) or not re.fullmatch(r"[0-9]{2}", standard):
        _refuse(path, '"standard" is not a C++ standard of two digits')
    for number, entry in enumerate(entries):
        _check_entry(path, number, entry)
        if not _arguments_are_well_formed(entry.get("arguments", [])):
            _refuse(path, f"entry {number + 1} has arguments that are not [count, [keyword]]")
    return document
