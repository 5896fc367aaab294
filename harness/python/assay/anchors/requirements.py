# SPDX-License-Identifier: BSD-3-Clause
"""Finds the requirements of the contract that a change of PyTorch touches: their anchors name the changed entity, its
class or its file.

harness/contract/anchor.h describes the form of an anchor.
"""

import re
from functools import cache
from typing import NamedTuple

from assay import contract
from assay import places as places_of_assay
from assay.facts.dump import plain_name

SUITES = places_of_assay.data() / "suites"
# These changes make every derived class abstract, so they concern the whole class.
OF_THE_CLASS = ("pure_virtual_added",)


class Place(NamedTuple):
    """One place that an anchor names: a name in a file, a file, or a name without a file."""

    file: str
    name: str
    requirement: str


@cache
def places(suites=SUITES):
    return [Place(place["file"], place["name"], clause["id"]) for clause in contract.clauses(suites.parent) for place in clause["anchors"]]


@cache
def places_by_file(suites):
    found = {}
    for place in places(suites):
        found.setdefault(place.file, []).append(place)
    return found


def requirements_of(entry, suites=SUITES):
    found = {place.requirement for place in places_by_file(suites).get(entry.header, ()) if any(is_about(place, name) for name in names_of(entry))}
    if entry.id.startswith("py:"):
        found |= {place.requirement for place in places_by_file(suites).get("", ()) if is_about(place, entry.name)}
    return sorted(found)


def names_of(entry):
    """The names by which an anchor may refer to the entity: the full name, then shorter names, each without one more
    outer namespace; "" for a file."""
    if entry.kind in ("header", "module"):
        return [""]
    ids = [entry.id, entry.owner] if entry.change in OF_THE_CLASS else [entry.id]
    if entry.id.startswith("py:"):
        module = re.sub(r"(/__init__)?\.pyi?$", "", entry.header).replace("/", ".")
        return [entry.name.removeprefix(f"{module}.")]
    parts = [plain_name(id).partition(":")[2].split("::") for id in ids]
    return ["::".join(names[at:]) for names in parts for at in range(len(names))]


def is_about(place, name):
    """True if the names are equal, or if one name is a scope that contains the other name."""
    outer, inner = sorted((place.name, name), key=len)
    return not outer or (inner.startswith(outer) and inner[len(outer) : len(outer) + 1] in ("", ":", ".", "("))
