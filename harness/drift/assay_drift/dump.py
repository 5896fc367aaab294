# SPDX-License-Identifier: BSD-3-Clause
"""Facts of one version as a file: JSON lines, compressed. The first line says what it is of."""

import json
import lzma
import os
import re
import tempfile
from functools import cached_property
from pathlib import Path

from .refusal import Refusal

SCHEMA = "assay/drift-dump/1"
LIMIT = 400 << 20  # bytes of an unpacked dump; ours are a tenth of it


class Dump:
    """head: what the dump is of. facts: {id: fact}. symbols: {mangled name: library}."""

    def __init__(self, head, facts, symbols=None):
        self.head, self.facts, self.symbols = head, facts, symbols or {}

    @property
    def name(self):
        version, git = self.head.get("torch") or "?", self.head.get("git", "")
        return f"{version} ({git[:10]})" if git else version

    def has(self, section):
        return section in self.head["sections"]

    @cached_property
    def by_name(self):
        """{id without its parameters: [facts]}."""
        found = {}
        for fact in self.facts.values():
            found.setdefault(plain_name(fact["id"]), []).append(fact)
        return found

    @cached_property
    def by_owner(self):
        """{class or enumeration: [facts of its members]}."""
        found = {}
        for fact in self.facts.values():
            if fact["id"].startswith("cxx:"):
                found.setdefault(owner_of(fact["id"]), []).append(fact)
        return found

    def members_of(self, owner):
        return self.by_owner.get(owner, [])

    @cached_property
    def by_symbol(self):
        return {fact["symbol"]: fact for fact in self.facts.values() if "symbol" in fact}


def plain_name(identity):
    """`cxx:c10::A::f(int) const` -> `cxx:c10::A::f`; operators keep their own brackets."""
    if not identity.startswith("cxx:") or "(" not in identity:
        return identity
    at = identity.find("operator()(")
    return identity[: at + len("operator()")] if at >= 0 else identity[: identity.index("(")]


def owner_of(identity):
    """The class, enumeration or module an entity belongs to: an id, or ""."""
    space, _, name = plain_name(identity).partition(":")
    if space == "py":
        return f"py:{re.sub(r'[(].*', '', name).rpartition('.')[0]}"
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] == ">") - (name[at] == "<")
        if depth == 0 and name.startswith("::", at):
            return f"{space}:{name[:at]}"
    return ""


def shorter(fact, exported, known):
    """Without what reading finds again: the symbol that no library has, the file of a Python name."""
    fact = dict(fact)
    library = exported.pop(fact.get("symbol"), None)
    if library:
        fact["library"] = library
    elif known:
        fact.pop("symbol", None)
    if fact["kind"] != "module":
        fact.pop("module", None)
    return fact


def add_modules(facts):
    """The file of each Python name is that of the module around it."""
    for identity, fact in facts.items():
        if identity.startswith("py:") and "module" not in fact:
            scope = identity.rpartition(".")[0]
            while scope and facts.get(scope, {}).get("kind") != "module":
                scope = scope.rpartition(".")[0]
            fact["module"] = facts[scope]["module"] if scope else ""


def write_dump(path, head, facts, symbols):
    """In one step: a reader never sees half a dump. An exported symbol that a fact has stands at the fact."""
    path = Path(path)
    exported = {name: library for library, found in symbols.items() for name in found}
    rows = [{"schema": SCHEMA, **head}]
    for key in sorted(facts):
        rows.append(shorter(facts[key], exported, bool(symbols)))
    for library in sorted(symbols):
        left = sorted(name for name, where in exported.items() if where == library)
        rows.append({"library": library, "symbols": " ".join(left)})
    text = "".join(json.dumps(row, separators=(",", ":")) + "\n" for row in rows)
    descriptor, temporary = tempfile.mkstemp(dir=path.parent if path.parent.is_dir() else None, suffix=".part")
    try:
        with os.fdopen(descriptor, "wb") as file:
            file.write(lzma.compress(text.encode(), preset=6))
        os.replace(temporary, path)
    except OSError as error:
        os.unlink(temporary)
        raise Refusal(f"{path}: cannot be written: {error.strerror}") from None


def read_dump(path):
    """A dump is foreign data: anything that is not one is refused in a sentence."""
    try:
        with lzma.open(path) as file:
            text = file.read(LIMIT + 1)
        if len(text) > LIMIT:
            raise Refusal(f"{path}: larger than a dump can be")
        rows = [json.loads(line) for line in text.splitlines()]
        if rows[0]["schema"] != SCHEMA:
            raise Refusal(f"{path}: schema {rows[0]['schema']!r}, expected {SCHEMA!r}")
        facts = {row["id"]: row for row in rows[1:] if "id" in row}
        add_modules(facts)
        symbols = {name: row["library"] for row in rows[1:] if "symbols" in row for name in row["symbols"].split()}
        symbols.update((fact["symbol"], fact["library"]) for fact in facts.values() if "library" in fact)
        return Dump(rows[0], facts, symbols)
    except OSError as error:
        raise Refusal(f"{path}: cannot be read: {error.strerror or error}") from None
    except (lzma.LZMAError, EOFError, ValueError, KeyError, TypeError, IndexError, AttributeError, RecursionError):
        raise Refusal(f"{path}: not a dump of assay drift, or a damaged one") from None
