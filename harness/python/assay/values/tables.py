# SPDX-License-Identifier: BSD-3-Clause
"""Results that cannot be compared: random results, uninitialized results, and results with more than one right answer.

uncompared.tsv has a row for each overload packet of aten. Operators that draw random numbers are recognised by their
tag.
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
    """The reasons in the rows with a last column that is in `shown_by`."""
    return {row["why"] for row in rows("uncompared.tsv") if row["shown_by"] in shown_by}


def is_norm_of_one(name, arguments):
    """True for a layer norm over one element, whose exact result is always 0. If the backend has no kernel, PyTorch
    composes the operator, and the result is a rounding error of the element's size. The backend does not cause this
    error."""
    return name.endswith("layer_norm") and len(arguments) > 1 and isinstance(arguments[1], (tuple, list)) and math.prod(arguments[1]) == 1


def is_random(overload):
    return torch.Tag.nondeterministic_seeded in overload.tags


def uncompared(overload):
    """For an overload such as torch.ops.aten.sort.default, returns which results are not compared (ALL, or their
    numbers) and the reason. Returns None if all results are compared."""
    row = _by_operator().get(overload._schema.name.split("::")[-1])
    if row:
        return ALL if row["results"] == ALL else {int(one) for one in row["results"].split(",")}, row["why"]
    return (ALL, RANDOM) if is_random(overload) else None
