# SPDX-License-Identifier: BSD-3-Clause
"""Compares the includes among the folders of harness, reports and the gate with the table in harness/README.md.

The lowest folder is first in the table, and a row may name only folders of earlier rows. Otherwise circular includes
would be possible. Called by rules.py."""

import re
from pathlib import Path

TABLE = Path(__file__).resolve().parents[2] / "harness/README.md"
ROW = re.compile(r"^\| `((?:harness|reports|ci)/[\w/]+)` \|([^|]*)\|", re.MULTILINE)
INCLUDE = re.compile(r'^\s*#\s*include\s*(?:"(?:[^"]*/)?([^"/]+)"|<(assay)/[^>]+>)', re.MULTILINE)


def table(text):
    """Returns {folder: the folders that it may include}, the lowest folder first."""
    return {folder: re.findall(r"`([^`]+)`", known) for folder, known in ROW.findall(text)}


def circles(rows):
    """Returns the rows that name the folder of a later row."""
    seen = set()
    for folder, known in rows.items():
        yield from (f"{folder} must not include {name}: its row comes later" for name in known if name not in seen)
        seen.add(folder)


def folder_of(place, rows):
    return next((folder for folder in rows if place.startswith(folder + "/")), None)


def violations(sources, rows):
    """Returns (place, included header, its folder) for each include that the table does not allow. `sources` is
    {place: text}."""
    homes = {place.rsplit("/", 1)[-1]: folder_of(place, rows) for place in sources if place.endswith(".h")}
    for place, text in sources.items():
        folder = folder_of(place, rows)
        for header, public in INCLUDE.findall(text) if folder else ():
            home = "harness/include" if public else homes.get(header)
            if home and home != folder and home not in rows[folder]:
                yield place, header or "assay/", home
