# SPDX-License-Identifier: BSD-3-Clause
"""Parses mangled names of classes. Only the part that run-time type information needs is parsed: the scope without
template arguments.

The names come from untrusted files. A name that cannot be parsed is ignored.
"""

import re

LENGTH = re.compile(r"\d+")
SEQUENCE = re.compile(r"[ST][0-9A-Z]*_")
ARRAY = re.compile(r"A\d*_")
NESTS = "NIJXF"  # each of these constructs ends with an E
DEEPEST = 64
UNNAMED = "_GLOBAL__N"


class Damaged(Exception):
    """The name is truncated or has a form that is not parsed here."""


def plain_scope(mangled):
    """Returns the class that a mangled name names: c10::Layer for N3c105LayerIN4mine3OwnEEE; "" for a name
    of no class."""
    try:
        parts, end = _nested(mangled, 1) if mangled.startswith("N") else _parts(mangled, 0)
    except Damaged:
        return ""
    return "::".join(part for part in parts if not part.startswith(UNNAMED)) if end == len(mangled) else ""


def _nested(text, at):
    parts, at = _parts(text, at)
    if not text.startswith("E", at):
        raise Damaged
    return parts, at + 1


def _parts(text, at):
    """The identifiers from index `at` on. Template arguments between identifiers are skipped."""
    found = []
    while at < len(text) and text[at] != "E":
        if text.startswith("St", at):
            found.append("std")
            at += 2
        elif text[at] == "I" and found:
            at = _past(text, at, 0)
        else:
            name, at = _identifier(text, at)
            found.append(name)
    if not found:
        raise Damaged
    return found, at


def _identifier(text, at):
    length = LENGTH.match(text, at)
    if not length or len(length[0]) > 4:
        raise Damaged
    end = length.end() + int(length[0])
    if end > len(text):
        raise Damaged
    return text[length.end():end], end


def _past(text, at, depth):
    """The position after one component of a type."""
    if at >= len(text) or depth > DEEPEST:
        raise Damaged
    if text[at] in NESTS:
        at += 1
        while not text.startswith("E", at):
            at = _past(text, at, depth + 1)
        return at + 1
    if text[at].isdigit():
        return _identifier(text, at)[1]
    if text[at] == "L":
        return _past_literal(text, at + 1, depth)
    if numbered := SEQUENCE.match(text, at) or ARRAY.match(text, at):
        return numbered.end()
    return at + (2 if text[at] in "SD" else 1)


def _past_literal(text, at, depth):
    """The position after a literal, which is a type and its value: Lb1E, LN3c104KindE2E."""
    end = text.find("E", _past(text, at, depth + 1))
    if end < 0:
        raise Damaged
    return end + 1
