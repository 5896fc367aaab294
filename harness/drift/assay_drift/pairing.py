# SPDX-License-Identifier: BSD-3-Clause
"""Which entity of OLD is which entity of NEW: by id, then an overload by its most similar signature."""

from dataclasses import dataclass, field

from .dump import plain_name
from .spelling import parameter_types

FUNCTIONS = ("function", "method", "constructor", "destructor")


@dataclass
class Pairs:
    both: list = field(default_factory=list)  # (old fact, new fact) of one id
    changed: list = field(default_factory=list)  # (old fact, new fact) of one overload under another id
    removed: list = field(default_factory=list)
    added: list = field(default_factory=list)


def pair_facts(old, new):
    """old, new: {id: fact}."""
    pairs = Pairs()
    gone, come = {}, {}
    for identity, fact in old.items():
        if identity in new:
            pairs.both.append((fact, new[identity]))
        else:
            gone.setdefault(plain_name(identity), []).append(fact)
    for identity, fact in new.items():
        if identity not in old:
            come.setdefault(plain_name(identity), []).append(fact)
    for name, facts in gone.items():
        pair_overloads(facts, come.get(name, []), pairs)
    for facts in come.values():
        pairs.added += facts
    return pairs


def pair_overloads(gone, come, pairs):
    """Takes from `come` what is the same function with other parameters."""
    for fact in gone:
        candidates = [other for other in come if fact["kind"] in FUNCTIONS and other["kind"] == fact["kind"]]
        best = max(candidates, key=lambda other: similarity(fact, other), default=None)
        if best is None:
            pairs.removed.append(fact)
        else:
            come.remove(best)
            pairs.changed.append((fact, best))


def similarity(old, new):
    before, after = parameter_types(old["id"])[0], parameter_types(new["id"])[0]
    same = sum(a == b for a, b in zip(before, after))
    return (same - abs(len(before) - len(after)), old["line"] == new["line"])
