# SPDX-License-Identifier: BSD-3-Clause
"""Joins by cause the entries that concern one backend, in the order of the reports: breaks first. Called by the
renderers."""

from dataclasses import dataclass

from assay.drift.cross import BREAKS, LOOK
from assay.drift.group_title import MEMBERS, title_of, worst_first
from assay.drift.grouping import GENERATED, Forest, parts_of, replaced, words_of

HEADINGS = {BREAKS: "BREAKS", LOOK: "LOOK AT"}


@dataclass
class Cause:
    hits: list  # rows of the backend's "entries"
    entries: list  # the entries of the comparison to which the hits belong, worst first

    @property
    def title(self):
        return title_of(self.entries, words_of, replaced)

    @property
    def uses(self):
        return len({use for hit in self.hits for use in hit["uses"]})


def causes_of(result, backend):
    """Returns {verdict: causes}. Within a verdict, the entries have the order of the groups."""
    known = {(entry.id, entry.change, entry.group): entry for entry in result.entries}
    found = {}
    for verdict in HEADINGS:
        hits = [(hit, known[hit["id"], hit["change"], hit["group"]]) for hit in backend["entries"] if hit["verdict"] == verdict]
        forest = Forest()
        for number, hit in enumerate(hits):
            for key in keys_of(*hit):
                forest.join(number, key)
        causes = [Cause([hit for hit, _ in part], worst_first([entry for _, entry in part])) for part in parts_of(hits, forest).values()]
        found[verdict] = sorted(causes, key=lambda cause: min(int(hit["group"][1:]) for hit in cause.hits))
    return found


def keys_of(hit, entry):
    """Hits with a common key have the same cause. A key is a group, a class, or a copied module."""
    yield hit["group"]
    if hit["ways"] == ["copy"]:
        yield from hit["uses"]
    elif entry.kind in (*MEMBERS, "class", "pyclass") and not GENERATED.match(entry.header):
        yield (entry.owner if entry.kind in MEMBERS else entry.id).partition("<")[0]


def counts(backend, causes):
    broken, looked = (number(len(causes[verdict]), backend[verdict]) for verdict in HEADINGS)
    unknown = f", {backend['unknown']} unknown (only its libraries were read)" if backend["unknown"] else ""
    return f"breaks at {broken}, must look at {looked}, {backend['safe']} safe{unknown}"


def number(causes, uses):
    return f"{causes} ({uses} uses)" if causes < uses else str(causes)
