# SPDX-License-Identifier: BSD-3-Clause
"""The facts of one version of PyTorch, and functions that split their names."""

import re
from functools import cached_property


class Dump:
    """`head` describes the version, `facts` is {id: fact}, `symbols` is {mangled name: library}."""

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
        """Returns {id without its parameters: [facts]}."""
        found = {}
        for fact in self.facts.values():
            found.setdefault(plain_name(fact["id"]), []).append(fact)
        return found

    @cached_property
    def by_owner(self):
        """Returns {class or enumeration: [facts of its members]}."""
        found = {}
        for fact in self.facts.values():
            if fact["id"].startswith("cxx:"):
                found.setdefault(owner_of(fact["id"]), []).append(fact)
        return found

    def members_of(self, owner):
        return self.by_owner.get(owner, [])

    @cached_property
    def knows_explicit(self):
        """False for a dump of an older assay, which did not record `explicit`."""
        return any("explicit" in fact for fact in self.facts.values())

    @cached_property
    def by_symbol(self):
        return {fact["symbol"]: fact for fact in self.facts.values() if "symbol" in fact}


def plain_name(identity):
    """`cxx:c10::A::f(int) const` -> `cxx:c10::A::f`. Operators such as operator() keep their brackets."""
    if not identity.startswith("cxx:") or "(" not in identity:
        return identity
    at = identity.find("operator()(")
    return identity[: at + len("operator()")] if at >= 0 else identity[: identity.index("(")]


def owner_of(identity):
    """Id of the class, enumeration or module that contains an entity, or ""."""
    space, _, name = plain_name(identity).partition(":")
    if space == "py":
        return f"py:{re.sub(r'[(].*', '', name).rpartition('.')[0]}"
    name = re.sub(r"\boperator[^\w\s]+$", "operator", name)
    depth = 0
    for at in range(len(name) - 1, 0, -1):
        depth += (name[at] == ">") - (name[at] == "<")
        if depth == 0 and name.startswith("::", at):
            return f"{space}:{name[:at]}"
    return ""
