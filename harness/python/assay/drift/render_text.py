# SPDX-License-Identifier: BSD-3-Clause
"""Writes a result as plain text, worst entries first, one paragraph per group."""

import os
import textwrap

WIDTH = 100
HEADINGS = {"break": "BREAKS", "adapt": "MUST BE ADAPTED", "behaviour": "BEHAVES DIFFERENTLY", "deprecated": "DEPRECATED",
            "abi": "COMPILE AGAIN", "info": "WORTH KNOWING"}  # fmt: skip
SHOWN = 4  # members shown per group
CONTEXT = 40  # characters shown in front of a difference


def render_text(result, rank):
    lines = [f"torch {name(result.old)}  ->  {name(result.new)}"]
    current = None
    for group in result.worst_groups(rank):
        if group["rank"] != current:
            current = group["rank"]
            lines += ["", HEADINGS[current]]
        lines += group_lines(result, group)
    lines += backend_lines(result)
    return "\n".join([*lines, "", *closing(result, rank)]) + "\n"


def name(head):
    return (head.get("torch") or "?") + (f" {head['git'][:10]}" if head.get("git") else "")


def group_lines(result, group):
    members = [e for e in result.members(group) if not e.internal] or result.members(group)
    yield f"  {group['title']}" + (f"   [{group['count']} members]" if group["count"] > 1 else "")
    first = members[0]
    place = f"{first.header}:{first.line}" if first.line else first.header
    yield f"      {place}" + (f"   {' '.join(first.requirements[:6])}" if first.requirements else "")
    for label, text in zip(("was    ", "is     "), apart(first.before, first.after)):
        yield from wrapped(label, text) if text else ()
    yield from wrapped("do     ", first.advice)
    if first.confirmed:
        yield f"      seen   {first.confirmed}"
    for entry in members[1:SHOWN]:
        yield f"        also {entry.name}: {entry.change.replace('_', ' ')}"[:WIDTH]
    if len(members) > SHOWN:
        yield f"        and {len(members) - SHOWN} more"


def apart(before, after):
    """Shortens both texts from the left, so that their first difference is visible."""
    alike = len(os.path.commonprefix((before, after)))
    if alike < WIDTH or not before or not after:
        return before, after
    start = before.rfind(" ", 0, alike - CONTEXT) + 1 or alike - CONTEXT
    return f"... {before[start:]}", f"... {after[start:]}"


def wrapped(label, text):
    indent = " " * (6 + len(label))
    return textwrap.wrap(text, WIDTH, initial_indent=f"      {label}", subsequent_indent=indent, max_lines=3)


def backend_lines(result):
    """For each backend, the uses that break or that a person must look at, with the reason."""
    for backend in result.backends:
        yield from ("", f"{backend['name']}: {counts(backend)}")
        for entry in backend["entries"]:
            yield from wrapped("BREAKS " if entry["verdict"] == "breaks" else "look   ", entry["reason"])


def counts(backend):
    unknown = f", {backend['unknown']} unknown (only its libraries were read)" if backend["unknown"] else ""
    return f"breaks at {backend['breaks']}, must look at {backend['look']}, {backend['safe']} safe{unknown}"


def closing(result, rank):
    shown = result.worst_groups(rank)
    counts = {}
    for group in shown:
        counts[group["rank"]] = counts.get(group["rank"], 0) + 1
    yield ", ".join(f"{count} {rank}" for rank, count in counts.items()) or "nothing that a backend must know"
    internal = sum(group["internal"] for group in result.groups)
    if internal:
        yield f"{internal} groups about internal names are left out; they count for a backend whose --uses names them"
    yield from (f"undecided: {sentence}" for sentence in result.undecided)
