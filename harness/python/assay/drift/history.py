# SPDX-License-Identifier: BSD-3-Clause
"""Compares entries with versions older than OLD, to find names that were removed and added again. Backends that support
several versions need this information."""

from assay.drift.cross import ADDITIONS


def mark_history(entries, earlier):
    """Sets entry.history. `earlier` are dumps in any order."""
    for entry in entries:
        had = [dump.name for dump in earlier if entry.id in dump.facts]
        lacked = [dump.name for dump in earlier if entry.id not in dump.facts and dump.has(section_of(entry.id))]
        if entry.change in ADDITIONS and had:
            entry.history = f"It was removed and added again: {', '.join(had)} had it."
        elif entry.change == "removed" and lacked:
            entry.history = f"It was added and removed again: {', '.join(lacked)} did not have it."


def section_of(id):
    return {"py": "python", "op": "ops", "file": "ops", "symbol": "symbols"}.get(id.partition(":")[0], "cxx")
