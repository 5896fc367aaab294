# SPDX-License-Identifier: BSD-3-Clause
"""Writes a result as Markdown for a step summary or a comment. All text from headers is escaped."""

import re

from assay.drift.render_text import HEADINGS, closing, counts, name

SHOWN = 20  # places shown per backend
LIMIT = 60000  # characters; a comment on GitHub holds 65536


def render_markdown(result, rank):
    lines = [f"### PyTorch {code(name(result.old))} → {code(name(result.new))}"]
    for backend in result.backends:
        lines.append(f"- **{plain(backend['name'])}**: {counts(backend)}")
        lines += [f"  - {'**breaks** ' if e['verdict'] == 'breaks' else ''}{plain(e['reason'])}" for e in backend["entries"][:SHOWN]]
    current = None
    for group in result.worst_groups(rank):
        if group["rank"] != current:
            current = group["rank"]
            lines += ["", f"#### {HEADINGS[current].capitalize()}", "", "| what | where | requirements | what to do |", "|---|---|---|---|"]
        lines.append(row(result, group))
    text = "\n".join([*lines, "", *map(plain, closing(result, rank))]) + "\n"
    return text if len(text) <= LIMIT else text[: text.rindex("\n", 0, LIMIT)] + "\n\nThe rest did not fit; the JSON has all.\n"


def row(result, group):
    first = (([e for e in result.members(group) if not e.internal]) or result.members(group))[0]
    more = f" (+{group['count'] - 1})" if group["count"] > 1 else ""
    place = f"{first.header}:{first.line}" if first.line else first.header
    return f"| {code(group['title'])}{more} | {code(place)} | {' '.join(first.requirements[:6])} | {plain(first.advice)} |"


def code(text):
    return "`" + re.sub(r"[`|\n\r]", "'", text) + "`"


def plain(text):
    return re.sub(r"([\\`*_{}\[\]<>#|@~])", r"\\\1", text.replace("\n", " "))
