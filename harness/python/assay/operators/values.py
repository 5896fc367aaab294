# SPDX-License-Identifier: BSD-3-Clause
"""Decides which results of an operator are compared by value: all except random results and the results in
not_compared.tsv."""

import functools
from fnmatch import fnmatch

from assay import places
from assay.values.tables import ALL, rows

FOLDER = places.data() / "suites/opinfo"
TIES = "ties"  # used in place of a dtype, for samples whose elements are all equal
DEEP = "_deep"  # this suffix after a dtype selects rows for the additional and larger samples
UNWRITTEN = ("unwritten", "grown")


@functools.cache
def _table():
    return rows("not_compared.tsv", FOLDER)


def _of(name, dtype):
    for row in _table():
        if row["operator"] == name and any(fnmatch(dtype, one) for one in row["dtypes"].split(",")):
            yield row


def is_unwritten(name):
    return any(row["operator"] == name and row["shown_by"] in UNWRITTEN for row in _table())


def values_of(name, dtype):
    """The argument `values` of judge.compare: True, False, or a function of the number of a result. `dtype` is a
    string."""
    found = list(_of(name, dtype))
    if any(row["results"] == ALL for row in found):
        return False
    free = {int(number) for row in found for number in row["results"].split(",")}
    return (lambda number: number not in free) if free else True
