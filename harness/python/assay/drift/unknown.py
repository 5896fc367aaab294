# SPDX-License-Identifier: BSD-3-Clause
"""Counts the differences that a backend's libraries cannot show. A use without a trace in a binary is unknown."""

from assay.drift.entry import OF_THE_OWNER
from assay.facts.dump import plain_name

# Ways of use that a library shows by its imports, vtables, type information and strings with names of operators.
TRACED = {"import", "vtable", "typeinfo", "derive", "register", "dispatch", "subclass", "patch", "read"}
RANKS = {"break", "adapt", "behaviour"}
SPACES = ("cxx:", "macro:", "header:")


def is_library_alone(document):
    """True if the C++ uses were read from binaries only, not from sources."""
    known = set().union(*(by for entry in document["entries"] for by in entry["ways"].values())) if document["entries"] else set()
    return "binary" in known and "source" not in known


def untraced(entry, facts, untold=()):
    """Returns 1 if the change may affect a use that leaves no trace in a library. `untold` contains further ways of use
    that these libraries do not show."""
    if entry.internal or not entry.id.startswith(SPACES) or "symbol" in facts.get(entry.id, {}):
        return False
    if entry.change in OF_THE_OWNER and "derive" in entry.hits:
        return "derive" in untold  # libraries usually show derived classes
    return entry.rank in RANKS and any(rank in RANKS and way not in TRACED for way, rank in entry.hits.items())


def count_unknown(entries, document, hit, facts):
    """Number of entries whose effect on the backend is unknown. `hit` are the ids for which a use was found."""
    if not is_library_alone(document):
        return 0
    return sum(plain_name(entry.id) not in hit and untraced(entry, facts, document.get("untold", ())) for entry in entries)


def sentences(backends):
    """One sentence per backend: the number of undecided differences, and the input that would decide them."""
    for backend in backends:
        if backend["unknown"]:
            yield (f"{backend['name']}: {backend['unknown']} differences leave no trace in a library: run assay uses on its sources to find out whether "
                   "they affect it")  # fmt: skip
