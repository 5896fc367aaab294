# SPDX-License-Identifier: BSD-3-Clause
"""Compares two dumps and returns one result with entries, groups and backends. Equal dumps give an equal result."""

from dataclasses import dataclass, field

from assay.anchors.requirements import requirements_of
from assay.drift.compare_build import build_entries
from assay.drift.compare_cxx import cxx_entries
from assay.drift.compare_headers import header_entries
from assay.drift.compare_ops import operator_entries
from assay.drift.compare_python import python_entries
from assay.drift.compare_symbols import symbol_entries
from assay.drift.entry import RANKS
from assay.drift.grouping import group_entries
from assay.command import Refused

SCHEMA = "assay/drift/1"
COMPARERS = (("cxx", header_entries), ("cxx", cxx_entries), ("cxx", build_entries), ("ops", operator_entries), ("python", python_entries),
             ("symbols", symbol_entries))  # fmt: skip


@dataclass
class Result:
    old: dict  # heads of the dumps
    new: dict
    entries: list = field(default_factory=list)
    groups: list = field(default_factory=list)
    backends: list = field(default_factory=list)
    undecided: list = field(default_factory=list)  # sentences about sections that could not be compared

    def worst_groups(self, rank="info"):
        limit = RANKS.index(rank)
        return [g for g in self.groups if not g["internal"] and RANKS.index(g["rank"]) <= limit]

    def other_groups(self, rank="info"):
        """The groups that concern no given backend."""
        taken = {hit["group"] for backend in self.backends for hit in backend["entries"]}
        return [group for group in self.worst_groups(rank) if group["id"] not in taken]

    def members(self, group):
        return [entry for entry in self.entries if entry.group == group["id"]]

    @property
    def exit_status(self):
        if any(not e.internal and e.rank == "break" for e in self.entries) and not self.backends:
            return 1
        if any(backend["breaks"] for backend in self.backends):
            return 1
        return 2 if self.undecided else 0


def compare_dumps(old, new):
    if old.head["macros"] != new.head["macros"] or old.head["std"] != new.head["std"]:
        raise Refused("the dumps were made with different macros or standards: make one dump again with the --define and --std of the other dump")
    result = Result(old.head, new.head)
    for section, compare in COMPARERS:
        if old.has(section) and new.has(section):
            result.entries += unique(compare(old, new))
        elif (old.has(section) or new.has(section)) and (sentence := f"{section}: only one side has these facts") not in result.undecided:
            result.undecided.append(sentence)
    result.undecided += [f"{e.header} no longer parses: {e.after}" for e in result.entries if e.change == "no_longer_parses"]
    for entry in result.entries:
        entry.requirements = requirements_of(entry)
    result.groups = group_entries(result.entries, old, new)
    result.entries.sort(key=lambda e: (int(e.group[1:]), e.internal, RANKS.index(e.rank), e.id, e.change))
    return result


def unique(entries):
    seen = set()
    for entry in entries:
        if (entry.id, entry.change, entry.before, entry.after) not in seen:
            seen.add((entry.id, entry.change, entry.before, entry.after))
            yield entry


def as_json(result):
    return {
        "schema": SCHEMA, "old": side(result.old), "new": side(result.new),
        "summary": summary(result),
        "entries": [entry_json(entry) for entry in result.entries], "groups": result.groups, "backends": result.backends,
        "undecided": result.undecided,
    }  # fmt: skip


def side(head):
    return {key: head.get(key) for key in ("torch", "git", "side", "sections", "std", "macros")}


def summary(result):
    counts = dict.fromkeys(RANKS, 0)
    for group in result.worst_groups():
        counts[group["rank"]] += 1
    return {"groups": counts, "entries": len(result.entries), "internal_groups": sum(g["internal"] for g in result.groups)}


def entry_json(entry):
    found = {
        "id": entry.id, "name": entry.name, "kind": entry.kind, "change": entry.change, "header": entry.header, "line": entry.line,
        "before": entry.before, "after": entry.after, "rank": entry.rank, "group": entry.group, "owner": entry.owner,
        "requirements": entry.requirements, "confirmed": entry.confirmed, "internal": entry.internal, "hits": entry.hits,
        "advice": entry.advice,
    }  # fmt: skip
    return found
