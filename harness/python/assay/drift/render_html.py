# SPDX-License-Identifier: BSD-3-Clause
"""Writes a result as one self-contained HTML page without scripts, fonts or network requests."""

from itertools import groupby
from pathlib import Path

from assay.pages import Html, Templates, join, style

from .concerns import HEADINGS as VERDICTS
from .concerns import causes_of, counts
from .render_text import HEADINGS, closing, name, place_of

fill = Templates(Path(__file__).parent / "page.html")
SHOWN = 50  # members shown per group


def render_html(result, rank, all_groups):
    body = [backend_html(result, backend) for backend in result.backends]
    for worst, groups in groupby(result.other_groups(rank) if all_groups or not result.backends else (), lambda group: group["rank"]):
        body.append(fill("section", title=HEADINGS[worst].capitalize(), body=join(group_html(result, group) for group in groups)))
    sentences = join(fill("sentence", text=sentence) for sentence in closing(result, rank, all_groups))
    title = f"PyTorch {name(result.old)} to {name(result.new)}"
    return fill("page", title=title, style=Html(style()), sentences=sentences, body=join(body)) + "\n"


def items(texts):
    return fill("list", items=join(fill("item", text=text) for text in texts)) if texts else ""


def backend_html(result, backend):
    causes = causes_of(result, backend)
    body = [fill("sentence", text=counts(backend, causes))]
    for verdict, found in causes.items():
        body += [fill("heading", text=VERDICTS[verdict].capitalize())] if found else []
        for cause in found:
            reason, *more = (hit["reason"] for hit in cause.hits)
            body.append(folded(f"{backend['name']}-{cause.hits[0]['group']}-{verdict}", cause.title, cause.uses, "uses", cause.entries[0], [("use", reason), *sides(cause.entries[0])], more))
    return fill("section", title=backend["name"], body=join(body))


def group_html(result, group):
    first, *more = [e for e in result.members(group) if not e.internal] or result.members(group)
    others = [fill("change", name=e.name, change=e.change.replace("_", " ")) for e in more]
    return folded(group["id"], group["title"], group["count"], "members", first, [*sides(first), ("do", first.advice)], others)


def sides(entry):
    return [("was", code(entry.before)), ("is", code(entry.after))]


def folded(id, title, count, unit, first, rows, others):
    more = [("touches", " ".join(first.requirements)), ("seen", first.confirmed)]
    facts = fill("facts", rows=join(fill("fact", name=key, value=value) for key, value in [*rows, *more] if value))
    more = [f"and {len(others) + 1 - SHOWN} more"] if len(others) >= SHOWN else []
    head = fill("group", title=title, members=f"{count} {unit}" if count > 1 else "", place=place_of(first))
    return fill("folded", id=id, head=head, body=join([facts, items([*others[: SHOWN - 1], *more])]))


def code(text):
    return fill("code", text=text) if text else ""
