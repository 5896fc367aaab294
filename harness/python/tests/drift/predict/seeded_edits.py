# SPDX-License-Identifier: BSD-3-Clause
"""Edits of PyTorch's headers, drawn from the facts of one version: what an upstream pull request might do to one entity.

The same seed draws the same edits. Three of four are of what some backend uses, else nearly every edit would hit nobody. A
name that many places of PyTorch use is left alone: upstream would not merge a header that breaks its own.
"""

import random
import re
from collections import Counter
from dataclasses import dataclass

KINDS = ("const", "parameter", "pure virtual", "enumerator", "removed", "header moved")
COMMENT = re.compile(r"//[^\n]*|/\*.*?\*/", re.DOTALL)
WORD = re.compile(r"[A-Za-z_]\w*")
METHODS = ("method", "function")
REMOVABLE = ("method", "function", "class", "enum", "alias", "enumerator", "field", "macro", "variable")


@dataclass(frozen=True)
class SeededEdit:
    """One change of one entity of OLD."""

    kind: str
    id: str
    header: str
    line: int
    leaf: str
    new: str = ""  # the name that an addition brings

    @property
    def words(self):
        """Names that a compiler's message about it would say."""
        return {self.new} if self.new else {self.leaf}

    def is_missing(self, message):
        """The stub of a moved header says so."""
        return self.kind == "header moved" and f"{self.header} is not here" in message


def leaf_of(id):
    name = id.partition(":")[2]
    cut = name.find("(")
    return re.split(r"::", name[:cut] if cut > 0 else name)[-1]


def word_counts(include):
    """How often each word stands in PyTorch's headers outside comments; those of operators count, too."""
    counts = Counter()
    for top in ("ATen", "c10", "torch"):
        for path in (include / top).rglob("*.h*"):
            counts.update(WORD.findall(COMMENT.sub("", path.read_text(encoding="utf-8", errors="replace"))))
    return counts


# --- editing one place ---------------------------------------------------------------------------------


def offset_of(text, line):
    return sum(len(row) for row in text.splitlines(keepends=True)[: line - 1])


def find_leaf(text, line, leaf):
    """Where the declared name stands, on its line or the next ones; -1 when a macro wrote it."""
    found = re.compile(rf"\b{re.escape(leaf)}\b").search(text, offset_of(text, line))
    return found.start() if found and text.count("\n", offset_of(text, line), found.start()) < 3 else -1


def brackets_of(text, at):
    """Positions of the parameter list's brackets behind a name, or None."""
    start = text.find("(", at)
    if start < 0 or text[at:start].strip() != WORD.match(text, at)[0]:
        return None
    depth = 0
    for end in range(start, min(len(text), start + 4000)):
        depth += (text[end] == "(") - (text[end] == ")")
        if depth == 0:
            return start, end
    return None


def edit_const(text, edit):
    found = brackets_of(text, find_leaf(text, edit.line, edit.leaf))
    if not found:
        return None
    rest = text[found[1] + 1 :]
    gone = re.match(r"\s*const\b", rest)
    return text[: found[1] + 1] + (rest[gone.end() :] if gone else " const" + rest)


def edit_parameter(text, edit):
    found = brackets_of(text, find_leaf(text, edit.line, edit.leaf))
    if not found:
        return None
    inside = text[found[0] + 1 : found[1]]
    more = "int seeded_parameter" + (", " if inside.strip() not in ("", "void") else "")
    return text[: found[0] + 1] + more + (inside if more.endswith(", ") else "") + text[found[1] :]


def edit_pure(text, edit):
    at = offset_of(text, edit.line)
    before = COMMENT.sub("", text[:at]).rstrip()
    if not before.endswith((";", "}", ":", "{")):
        return None
    return f"{text[:at]}  virtual void {edit.new}() const = 0;\n{text[at:]}"


def edit_enumerator(text, edit):
    at = offset_of(text, edit.line)
    return f"{text[:at]}  {edit.new},\n{text[at:]}" if text[at:].lstrip().startswith(edit.leaf) else None


def edit_removed(text, edit):
    at = find_leaf(text, edit.line, edit.leaf)
    return None if at < 0 else text[:at] + edit.leaf + "_gone" + text[at + len(edit.leaf) :]


EDITORS = {"const": edit_const, "parameter": edit_parameter, "pure virtual": edit_pure, "enumerator": edit_enumerator, "removed": edit_removed}


def changed_headers(include, edits, stub=False):
    """{header: text or None} for a batch. A moved header is gone; with `stub` it says so and goes on, as if it had been stubbed."""
    changes, by_header = {}, {}
    for edit in edits:
        by_header.setdefault(edit.header, []).append(edit)
    for header, group in by_header.items():
        text = (include / header).read_text(encoding="utf-8")
        if any(edit.kind == "header moved" for edit in group):
            changes[header] = f'#error "{header} is not here any more"\n{text}' if stub else None
            continue
        for edit in sorted(group, key=lambda one: -one.line):
            text = EDITORS[edit.kind](text, edit)
        changes[header] = text
    return changes


# --- drawing ---------------------------------------------------------------------------------------


class Draw:
    """Candidates of each kind among the facts, and what of them is used by somebody."""

    def __init__(self, facts, include, used, counts):
        self.facts, self.include, self.used, self.counts = facts, include, used, counts
        self.texts = {}

    def candidates(self, kind):
        for fact in self.facts.values():
            edit = self._edit(kind, fact)
            if edit:
                yield edit

    def _edit(self, kind, fact):
        if not fact.get("header") or fact["header"].startswith("ATen/ops/") or fact.get("access") not in (None, "public"):
            return None
        if kind == "header moved":
            return SeededEdit(kind, fact["id"], fact["header"], 1, fact["header"]) if self._is_leaf_header(fact) else None
        if not fact.get("line") or fact.get("template") or "operator" in fact["id"]:
            return None
        leaf = leaf_of(fact["id"])
        alone = self.counts[leaf] == 1
        # Overridden a few times; whether upstream still compiles, the compiler says.
        few = alone or (fact.get("virtual") and self.counts[leaf] <= 4)
        virtual = fact.get("virtual")
        if kind == "const" and virtual in ("pure", "virtual") and few:
            return SeededEdit(kind, fact["id"], fact["header"], fact["line"], leaf)
        if kind == "parameter" and fact["kind"] in METHODS and few:
            return SeededEdit(kind, fact["id"], fact["header"], fact["line"], leaf)
        if kind == "pure virtual" and virtual in ("pure", "virtual") and fact["kind"] == "method":
            return self._pure_virtual(fact, leaf)
        if kind == "enumerator" and fact["kind"] == "enumerator":
            owner = fact["id"].rpartition("::")[0]
            return SeededEdit(kind, owner, fact["header"], fact["line"], leaf, f"Seeded{abs(hash_of(owner))}")
        if kind == "removed" and fact["kind"] in REMOVABLE and alone:
            return SeededEdit(kind, fact["id"], fact["header"], fact["line"], leaf)
        return None

    def _pure_virtual(self, fact, leaf):
        """In an interface: a class that PyTorch itself makes objects of would no longer compile there."""
        owner = fact["id"].partition("(")[0].rpartition("::")[0]
        if not self.facts.get(owner, {}).get("abstract"):
            return None
        return SeededEdit("pure virtual", owner, fact["header"], fact["line"], leaf, f"seeded_{abs(hash_of(owner))}")

    def _is_leaf_header(self, fact):
        """No other header includes it, so that a move breaks nobody upstream."""
        if fact["kind"] != "header":
            return False
        if not self.texts:
            for other in self.facts.values():
                for name in other.get("includes", ()):
                    self.texts[name] = True
        return fact["header"] not in self.texts

    def draw(self, seed, count, batch=0):
        """One edit a header in each batch, so that none hides what another breaks; each kind in turn, from what is used and from
        everything in turn."""
        chooser, drawn, headers = random.Random(seed), [], set()
        pools = {kind: sorted(self.candidates(kind), key=lambda edit: (edit.id, edit.line)) for kind in KINDS}
        for number in range(count * 40):
            kind = KINDS[number % len(KINDS)]
            pool = [edit for edit in pools[kind] if edit.id in self.used] if number // len(KINDS) % 4 else pools[kind]
            if not pool or len(drawn) == count:
                continue
            edit = chooser.choice(pool)
            if edit in drawn or edit.header in headers or not self._applies(edit):
                continue
            headers.add(edit.header)
            drawn.append(edit)
            if batch and len(drawn) % batch == 0:
                headers.clear()
        return drawn

    def _applies(self, edit):
        try:
            text = changed_headers(self.include, [edit])[edit.header]
        except (OSError, TypeError):
            return False
        return text is not None or edit.kind == "header moved"


def hash_of(text):
    """The same in every process."""
    return sum((at + 1) * ord(byte) for at, byte in enumerate(text)) % 10007
