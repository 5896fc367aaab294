# SPDX-License-Identifier: BSD-3-Clause
"""Writes a result as plain text: first the causes that concern the given backends, then the other groups, worst
first."""

import os
import textwrap
from collections import Counter

from assay.drift.concerns import HEADINGS as VERDICTS
from assay.drift.concerns import causes_of, counts

WIDTH = 100
HEADINGS = {"break": "BREAKS", "adapt": "MUST BE ADAPTED", "behaviour": "BEHAVES DIFFERENTLY", "deprecated": "DEPRECATED",
            "abi": "COMPILE AGAIN", "info": "WORTH KNOWING"}  # fmt: skip
SHOWN = 4  # members shown per group or cause
CONTEXT = 40  # characters shown in front of a difference


def render_text(result, rank, all_groups):
    lines = [f"torch {name(result.old)}  ->  {name(result.new)}"]
    for backend in result.backends:
        lines += backend_lines(result, backend)
    current = None
    for group in result.other_groups(rank) if all_groups or not result.backends else ():
        if group["rank"] != current:
            current = group["rank"]
            lines += ["", HEADINGS[current]]
        lines += group_lines(result, group)
    return "\n".join([*lines, "", *closing(result, rank, all_groups)]) + "\n"


def name(head):
    return (head.get("torch") or "?") + (f" {head['git'][:10]}" if head.get("git") else "")


def backend_lines(result, backend):
    causes = causes_of(result, backend)
    yield from ("", f"{backend['name']}: {counts(backend, causes)}")
    for verdict, found in causes.items():
        yield from ("", VERDICTS[verdict]) if found else ()
        for cause in found:
            reason, *more = (hit["reason"] for hit in cause.hits)
            others = [text.partition(". ")[0] for text in more]
            yield from paragraph(cause.title, cause.uses, "uses", cause.entries[0], [("use", reason), *sides(cause.entries[0])], others)


def group_lines(result, group):
    first, *more = [e for e in result.members(group) if not e.internal] or result.members(group)
    others = [f"{entry.name}: {entry.change.replace('_', ' ')}" for entry in more]
    yield from paragraph(group["title"], group["count"], "members", first, [*sides(first), ("do", first.advice)], others)


def paragraph(title, count, unit, first, rows, others):
    yield f"  {title}" + (f"   [{count} {unit}]" if count > 1 else "")
    yield f"      {place_of(first)}" + (f"   {' '.join(first.requirements[:6])}" if first.requirements else "")
    for label, text in (*rows, ("seen", first.confirmed)):
        yield from wrapped(label, text)
    for other in others[: SHOWN - 1]:
        yield f"        also {other}"[:WIDTH]
    if len(others) >= SHOWN:
        yield f"        and {len(others) + 1 - SHOWN} more"


def sides(entry):
    return zip(("was", "is"), apart(entry.before, entry.after))


def place_of(entry):
    return f"{entry.header}:{entry.line}" if entry.line else entry.header


def apart(before, after):
    """Shortens both texts from the left, so that their first difference is visible."""
    alike = len(os.path.commonprefix((before, after)))
    if alike < WIDTH or not before or not after:
        return before, after
    start = before.rfind(" ", 0, alike - CONTEXT) + 1 or alike - CONTEXT
    return f"... {before[start:]}", f"... {after[start:]}"


def wrapped(label, text):
    return textwrap.wrap(text, WIDTH, initial_indent=f"      {label:7}", subsequent_indent=" " * 13, max_lines=3)


def closing(result, rank, all_groups=False):
    shown = Counter(group["rank"] for group in result.other_groups(rank))
    ranks = ", ".join(f"{count} {rank}" for rank, count in shown.items())
    internal = sum(group["internal"] for group in result.groups)
    if result.backends:
        hidden = "" if all_groups else "; --all-groups shows them"
        yield f"other groups, which concern no given backend: {shown.total()} ({ranks}){hidden}" if shown else "no other groups"
    else:
        yield ranks or "nothing that a backend must know"
        if internal:
            yield f"{internal} groups about internal names are left out; they count for a backend whose --uses names them"
    yield from (f"undecided: {sentence}" for sentence in result.undecided)
