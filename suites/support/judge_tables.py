# SPDX-License-Identifier: BSD-3-Clause
"""Results that nobody can judge: those that are random, not initialised, or right in more than one way.

uncompared.tsv has a row for each overload packet of aten; what draws random numbers says so by its tag.
"""

import csv
import functools
from pathlib import Path

import torch

HERE = Path(__file__).resolve().parent
RANDOM = "it draws random numbers"
ALL = "all"


def rows(name, folder=HERE):
    with open(Path(folder, name), encoding="utf-8") as file:
        return list(csv.DictReader(file, delimiter="\t"))


@functools.cache
def _by_operator():
    return {row["operator"]: row for row in rows("uncompared.tsv")}


def is_random(overload):
    return torch.Tag.nondeterministic_seeded in overload.tags


def uncompared(overload):
    """Of an overload like torch.ops.aten.sort.default: which results are not compared (ALL, or their numbers), and
    why; None where all are."""
    row = _by_operator().get(overload._schema.name.split("::")[-1])
    if row:
        return ALL if row["results"] == ALL else {int(one) for one in row["results"].split(",")}, row["why"]
    return (ALL, RANDOM) if is_random(overload) else None
