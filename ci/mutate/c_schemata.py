# SPDX-License-Identifier: BSD-3-Clause
"""Writes mutations into a C or C++ file. Each mutation is written beside the original code and selected by
assay_mutant_is(NUMBER). A mutated text contains no other mutation, so only one mutation is active at a time. Each
mutation begins on its own line, so that a compiler message identifies the mutation."""

from mutation import Form

HEAD = b'#include "assay_mutant.h"\n'


class Piece:
    """A range of bytes that is mutated, and the mutated ranges within it."""

    def __init__(self, start, end):
        self.start, self.end, self.mutations, self.within = start, end, [], []


def pieces_of(mutations):
    """Builds a forest of the ranges. tree-sitter's nodes either contain each other or are disjoint."""
    by_place = {}
    for mutation in mutations:
        for start, end in ((mutation.start, mutation.end), *mutation.also):
            by_place.setdefault((start, end), Piece(start, end)).mutations.append(mutation)
    top, stack = [], []
    for piece in sorted(by_place.values(), key=lambda one: (one.start, -one.end)):
        while stack and stack[-1].end <= piece.start:
            stack.pop()
        (stack[-1].within if stack else top).append(piece)
        stack.append(piece)
    return top


def written(text, pieces, start, end):
    """The text from start to end with these pieces mutated."""
    parts, at = [], start
    for piece in pieces:
        parts += [text[at : piece.start], mutated(text, piece)]
        at = piece.end
    return b"".join([*parts, text[at:end]])


def mutated(text, piece):
    inner = written(text, piece.within, piece.start, piece.end)
    for one in reversed(piece.mutations):
        if one.form is Form.EXPRESSION:
            inner = b"(\nassay_mutant_is(%d) ? (%s) :\n (%s))" % (one.number, one.mutated.encode(), inner)
        if one.form is Form.CONDITION:
            inner = b"(\nassay_mutant_is(%d) ? !!(%s) :\n !!(%s))" % (one.number, one.mutated.encode(), inner)
    for one in piece.mutations:
        if one.form is Form.STATEMENT:
            inner = b"{\nif (!assay_mutant_is(%d))\n%s}" % (one.number, inner)
        if one.form is Form.WHOLE:
            inner = b"\n" + one.mutated.encode().replace(b"@", b"%d" % one.number) + b"\n"
    return inner


def write(text, mutations):
    """Returns the text with the mutations, after a first line that declares assay_mutant_is."""
    return HEAD + written(text, pieces_of(mutations), 0, len(text))


def numbers_by_line(text):
    """Maps each line of the written text to the numbers of the mutations on this line or around it."""
    lines = {}
    for number, line in enumerate(text.split(b"\n"), 1):
        for part in line.split(b"assay_mutant_is(")[1:]:
            lines.setdefault(number, []).append(int(part.split(b")")[0]))
        for part in line.split(b"assay_mutant_lock(")[1:]:
            lines.setdefault(number, []).append(int(part.split(b",")[0]))
    return lines
