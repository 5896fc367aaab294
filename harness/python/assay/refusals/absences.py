# SPDX-License-Identifier: BSD-3-Clause
"""INTERNAL ASSERTs of PyTorch that report a legal absence (suites/absences.tsv). Any other assert is a defect."""

import csv
import functools

from assay import places

TABLE = places.data() / "suites/absences.tsv"


@functools.cache
def rows():
    """Rows of the table. Each is a dict with fragment, means, torch, why."""
    with TABLE.open(encoding="utf-8", newline="") as table:
        lines = (line for line in table if not line.startswith("#"))
        return tuple(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def means_of(text):
    """The means that the text reports as absent, or None if PyTorch does not use an assert for that absence."""
    return next((row["means"] for row in rows() if row["fragment"] in text), None)
