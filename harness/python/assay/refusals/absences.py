# SPDX-License-Identifier: BSD-3-Clause
"""Core's own INTERNAL ASSERTs for a legal absence, from suites/absences.tsv; any other one is a defect."""

import csv
import functools

from assay import places

TABLE = places.data() / "suites/absences.tsv"


@functools.cache
def rows():
    """Each a dict: fragment, means, torch, why."""
    with TABLE.open(encoding="utf-8", newline="") as table:
        lines = (line for line in table if not line.startswith("#"))
        return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def means_of(text):
    """The means that the text says is not there, if core asserts so of it; else None."""
    return next((row["means"] for row in rows() if row["fragment"] in text), None)
