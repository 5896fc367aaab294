# SPDX-License-Identifier: BSD-3-Clause
"""A mutation: one small change of meaning at one place of one source file, and what is known of it before
anything runs. Made by c_points.py and python_points.py, drawn by draw.py, written by the two schemata files."""

import dataclasses
import enum


class Form(enum.Enum):
    """How a mutation stands beside the original in the text."""

    EXPRESSION = "expression"  # is_on(N) ? mutated : original
    CONDITION = "condition"  # is_on(N) ? !!mutated : !!original: one of them may be no bool, and would decide the type of both
    STATEMENT = "statement"  # if (!is_on(N)) original
    WHOLE = "whole"  # the text with is_on(N) in it, instead of the original


@dataclasses.dataclass
class Mutation:
    file: str  # relative to the tree
    function: str
    line: int
    rule: str
    start: int  # bytes of the file (C, C++) or number of the node (Python)
    end: int
    original: str
    mutated: str
    form: Form
    also: tuple = ()  # further places that go with it: (start, end)
    occurrence: int = 0  # of the same change in the same function
    number: int = 0  # once drawn

    @property
    def place(self):
        return f"{self.file}:{self.start}:{self.end}"

    @property
    def key(self):
        """The same in every checkout in which the function reads the same."""
        change = f"{squeeze(self.original)} -> {squeeze(self.mutated)}"
        return f"{self.file}\t{self.function}\t{self.rule}\t{change}\t{self.occurrence}"


def squeeze(text):
    """One line, without tabs."""
    return " ".join(text.split())


def count_occurrences(mutations):
    """Numbers those that would have one key."""
    seen = {}
    for mutation in mutations:
        mutation.occurrence = seen.setdefault(mutation.key, 0)
        seen[mutation.key.rpartition("\t")[0] + "\t0"] = mutation.occurrence + 1
    return mutations
