# SPDX-License-Identifier: BSD-3-Clause
"""assay drift anchors SIDE: prints the anchors of the contract whose text in SIDE differs from the recorded text. The
recorded text belongs to the same release of torch, or to the newest release if SIDE is newer."""

from assay.anchors import readings as anchors
from assay.command import USAGE, Refused
from assay.facts.side import find_side


def anchors_command(command, scratch):
    if len(command.words) != 2:
        raise Refused("expected one PyTorch: assay drift anchors SIDE", USAGE)
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
    print(f"torch {side.version or '?'}: the text of {len(found)} of {count} anchors differs from {against}")
    return 0
