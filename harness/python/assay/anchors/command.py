# SPDX-License-Identifier: BSD-3-Clause
"""assay drift anchors SIDE: which anchors of the contract read differently there than in the newest release it was
read for, or in the release of that version."""

from assay.anchors import readings as anchors
from assay.facts.side import find_side
from assay.main import USAGE, Refused


def anchors_command(command, scratch):
    if len(command.words) != 2:
        raise Refused("name one PyTorch: assay drift anchors SIDE", USAGE)
    side = find_side(command.words[1], scratch)
    if not side.python or side.kind == "source":
        raise Refused(f"{command.words[1]}: anchors are read in an installed torch or a wheel", USAGE)
    _, releases = anchors.read_table()
    against = side.version.partition("+")[0]
    against = against if against in releases else releases[-1]
    found, count = anchors.changed(side.python, release=against)
    clauses = anchors.clauses_by_place()
    for place in found:
        print(f"{place}  {' '.join(sorted(clauses[place]))}")
    print(f"torch {side.version or '?'}: {len(found)} of {count} anchors read differently than in {against}")
    return 0
