# SPDX-License-Identifier: BSD-3-Clause
"""Pairs each entity of OLD with an entity of NEW: first by id, then overloads by the most similar signature."""

from dataclasses import dataclass, field

from assay.drift.spelling import parameter_types
from assay.facts.dump import plain_name

FUNCTIONS = ("function", "method", "constructor", "destructor")


@dataclass
class Pairs:
    both: list = field(default_factory=list)  # (old fact, new fact) with the same id
    changed: list = field(default_factory=list)  # (old fact, new fact) of an overload whose id changed
    removed: list = field(default_factory=list)
    added: list = field(default_factory=list)


def pair_facts(old, new):
    """`old` and `new` are {id: fact}."""
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
    """Pairs removed functions with new overloads in `come`, and removes the paired overloads from `come`."""
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


def ambiguous_with(fact, old):
    """Returns an overload of OLD whose calls also match the new overload: the same parameters, followed only by
    parameters with defaults."""
    types, tail = parameter_types(fact["id"])
    for other in old.by_name.get(plain_name(fact["id"]), ()):
        if other["kind"] != fact["kind"] or "template" in other or "template" in fact or other.get("deleted"):
            continue
        others, other_tail = parameter_types(other["id"])
        shorter, longer = sorted(((others, other), (types, fact)), key=lambda pair: len(pair[0]))
        rest = longer[1].get("parameters", ())[len(shorter[0]) :]
        if longer[0][: len(shorter[0])] == shorter[0] and rest and all("default" in one for one in rest) and tail == other_tail:
            return other
    return None
