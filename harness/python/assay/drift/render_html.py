# SPDX-License-Identifier: BSD-3-Clause
"""Writes a result as one self-contained HTML page without scripts, fonts or network requests."""

from itertools import groupby
from pathlib import Path

from assay.pages import Html, Templates, join, style

from .render_text import HEADINGS, closing, counts, name

fill = Templates(Path(__file__).parent / "page.html")
SHOWN = 50  # members shown per group


def render_html(result, rank):
    body = [backend_html(backend) for backend in result.backends]
    for worst, groups in groupby(result.worst_groups(rank), lambda group: group["rank"]):
        body.append(fill("section", title=HEADINGS[worst].capitalize(), body=join(group_html(result, group) for group in groups)))
    sentences = join(fill("sentence", text=sentence) for sentence in closing(result, rank))
    title = f"PyTorch {name(result.old)} to {name(result.new)}"
    return fill("page", title=title, style=Html(style()), sentences=sentences, body=join(body)) + "\n"


def items(texts):
    return fill("list", items=join(fill("item", text=text) for text in texts)) if texts else ""


def backend_html(backend):
    head = fill("backend", name=backend["name"], counts=counts(backend))
    rows = [fill("breaks", text=e["reason"]) if e["verdict"] == "breaks" else e["reason"] for e in backend["entries"]]
    return fill("folded", id=f"backend-{backend['name']}", head=head, body=items(rows)) if rows else fill("sentence", text=head)


def group_html(result, group):
    members = [e for e in result.members(group) if not e.internal] or result.members(group)
    first = members[0]
    rows = [("was", code(first.before)), ("is", code(first.after)), ("do", first.advice), ("touches", " ".join(first.requirements)),
            ("seen", first.confirmed)]  # fmt: skip
    facts = fill("facts", rows=join(fill("fact", name=key, value=value) for key, value in rows if value))
    others = [fill("change", name=e.name, change=e.change.replace("_", " ")) for e in members[1:SHOWN]]
    more = [f"and {len(members) - SHOWN} more"] if len(members) > SHOWN else []
    count = f"{group['count']} members" if group["count"] > 1 else ""
    place = f"{first.header}:{first.line}" if first.line else first.header
    head = fill("group", title=group["title"], members=count, place=place)
    return fill("folded", id=group["id"], head=head, body=join([facts, items([*others, *more])]))


def code(text):
    return fill("code", text=text) if text else ""
