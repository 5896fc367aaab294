# SPDX-License-Identifier: BSD-3-Clause
"""Differences that a backend's libraries cannot tell about: what leaves no trace in a binary is unknown, not safe."""

from assay.drift.entry import OF_THE_OWNER
from assay.facts.dump import plain_name

# Ways of use that a library shows: imports, the types it lays out, operators it names.
TRACED = {"import", "vtable", "typeinfo", "derive", "register", "dispatch", "subclass", "patch", "read"}
RANKS = {"break", "adapt", "behaviour"}
SPACES = ("cxx:", "macro:", "header:")


def is_library_alone(document):
    """Uses of C++ that are known from binaries, and none from sources."""
    known = set().union(*(by for entry in document["entries"] for by in entry["ways"].values())) if document["entries"] else set()
    return "binary" in known and "source" not in known


def untraced(entry, facts, untold=()):
    """1 when a backend that the change concerns need not show it in a library. `untold`: ways that these libraries do not show either."""
    if entry.internal or not entry.id.startswith(SPACES) or "symbol" in facts.get(entry.id, {}):
        return False
    if entry.change in OF_THE_OWNER and "derive" in entry.hits:
        return "derive" in untold  # else whoever derives from the class is known
    return entry.rank in RANKS and any(rank in RANKS and way not in TRACED for way, rank in entry.hits.items())


def count_unknown(entries, document, hit, facts):
    """Of entries, those that no use decides; `hit`: ids that some use was found for."""
    if not is_library_alone(document):
        return 0
    return sum(plain_name(entry.id) not in hit and untraced(entry, facts, document.get("untold", ())) for entry in entries)


def sentences(backends):
    """For those who read: by name, what was not decided, and what would decide it."""
    for backend in backends:
        if backend["unknown"]:
            yield (f"{backend['name']}: {backend['unknown']} differences leave no trace in a library: give assay uses its sources to know whether "
                   "they concern it")  # fmt: skip
