# SPDX-License-Identifier: BSD-3-Clause
"""Writes a result as Markdown for a step summary or a comment. All text from headers is escaped."""

import re

from assay.drift.concerns import causes_of, counts
from assay.drift.render_text import HEADINGS, closing, name, place_of

SHOWN = 20  # causes shown per backend
LIMIT = 60000  # characters; a comment on GitHub holds 65536


def render_markdown(result, rank, all_groups):
    lines = [f"### PyTorch {code(name(result.old))} → {code(name(result.new))}"]
    for backend in result.backends:
        lines += backend_lines(result, backend)
    current = None
    for group in result.other_groups(rank) if all_groups or not result.backends else ():
        if group["rank"] != current:
            current = group["rank"]
            lines += ["", f"#### {HEADINGS[current].capitalize()}", "", "| what | where | requirements | what to do |", "|---|---|---|---|"]
        lines.append(row(result, group))
    text = "\n".join([*lines, "", *map(plain, closing(result, rank, all_groups))]) + "\n"
    return text if len(text) <= LIMIT else text[: text.rindex("\n", 0, LIMIT)] + "\n\nThe rest did not fit; the JSON has all.\n"


def backend_lines(result, backend):
    causes = causes_of(result, backend)
    yield f"- **{plain(backend['name'])}**: {counts(backend, causes)}"
    rows = [(verdict, cause) for verdict, found in causes.items() for cause in found]
    for verdict, cause in rows[:SHOWN]:
        more = f" ({cause.uses} uses)" if cause.uses > 1 else ""
        yield f"  - {'**breaks**' if verdict == 'breaks' else 'look at'} {code(cause.title)}{more}: {plain(cause.hits[0]['reason'])}"
    if len(rows) > SHOWN:
        yield f"  - and {len(rows) - SHOWN} more"


def row(result, group):
    first = (([e for e in result.members(group) if not e.internal]) or result.members(group))[0]
    more = f" (+{group['count'] - 1})" if group["count"] > 1 else ""
    return f"| {code(group['title'])}{more} | {code(place_of(first))} | {' '.join(first.requirements[:6])} | {plain(first.advice)} |"


def code(text):
    return "`" + re.sub(r"[`|\n\r]", "'", text) + "`"


def plain(text):
    return re.sub(r"([\\`*_{}\[\]<>#|@~])", r"\\\1", text.replace("\n", " "))
