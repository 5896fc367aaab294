# SPDX-License-Identifier: BSD-3-Clause
"""A mutation: one small change of meaning at one place in one source file, with facts that are known before anything
runs. Made by c_points.py and python_points.py, drawn by draw.py, written by the two schemata files."""

import dataclasses
import enum


class Form(enum.Enum):
    """The form in which a mutation is written beside the original."""

    EXPRESSION = "expression"  # is_on(N) ? mutated : original
    # is_on(N) ? !!mutated : !!original. Without `!!`, an operand could change the expression's type.
    CONDITION = "condition"
    STATEMENT = "statement"  # if (!is_on(N)) original
    WHOLE = "whole"  # the text contains is_on(N) and replaces the original


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
    also: tuple = ()  # further ranges that the mutation changes too: (start, end)
    occurrence: int = 0  # number among equal changes in the same function
    number: int = 0  # set when the mutation is drawn

    @property
    def place(self):
        return f"{self.file}:{self.start}:{self.end}"

    @property
    def key(self):
        """A key that is equal in all checkouts in which the function has the same text."""
        change = f"{squeeze(self.original)} -> {squeeze(self.mutated)}"
        return f"{self.file}\t{self.function}\t{self.rule}\t{change}\t{self.occurrence}"


def squeeze(text):
    """The text on one line, without tabs."""
    return " ".join(text.split())


def count_occurrences(mutations):
    """Numbers the mutations that would otherwise have the same key."""
    seen = {}
    for mutation in mutations:
        mutation.occurrence = seen.setdefault(mutation.key, 0)
        seen[mutation.key.rpartition("\t")[0] + "\t0"] = mutation.occurrence + 1
    return mutations
