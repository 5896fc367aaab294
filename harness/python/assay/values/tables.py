# SPDX-License-Identifier: BSD-3-Clause
"""Results that nobody can judge: those that are random, not initialised, or right in more than one way.

uncompared.tsv has a row for each overload packet of aten; what draws random numbers says so by its tag.
"""

import csv
import functools
import math
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


def reasons(*shown_by):
    """Why results are not compared, of the rows whose last column is one of these."""
    return {row["why"] for row in rows("uncompared.tsv") if row["shown_by"] in shown_by}


def is_norm_of_one(name, arguments):
    """Of a layer norm over one element: 0 whatever that is. What core composes for a backend without a kernel is the rounding of a
    product instead, as large as the element is, and so is nobody's fault."""
    return name.endswith("layer_norm") and len(arguments) > 1 and isinstance(arguments[1], (tuple, list)) and math.prod(arguments[1]) == 1


def is_random(overload):
    return torch.Tag.nondeterministic_seeded in overload.tags


def uncompared(overload):
    """Of an overload like torch.ops.aten.sort.default: which results are not compared (ALL, or their numbers), and
    why; None where all are."""
    row = _by_operator().get(overload._schema.name.split("::")[-1])
    if row:
        return ALL if row["results"] == ALL else {int(one) for one in row["results"].split(",")}, row["why"]
    return (ALL, RANDOM) if is_random(overload) else None
