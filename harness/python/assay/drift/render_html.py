# SPDX-License-Identifier: BSD-3-Clause
"""A result as one HTML page that needs nothing else: no script, no font, no request."""

from html import escape

from assay.drift.render_text import HEADINGS, closing, counts, name

STYLE = """
:root { color-scheme: light dark; --line: #8884; --quiet: #888; --bad: #b3261e; }
body { font: 15px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem; }
h1 { font-size: 1.4rem; } h2 { font-size: 1.1rem; margin-top: 2rem; }
code { font: 13px/1.4 ui-monospace, monospace; overflow-wrap: anywhere; }
details { border-top: 1px solid var(--line); padding: .4rem 0; }
summary { cursor: pointer; } .where, .quiet { color: var(--quiet); } .break summary code { color: var(--bad); }
dt { color: var(--quiet); } dl { display: grid; grid-template-columns: 6rem 1fr; margin: .4rem 0 .4rem 1rem; } dd { margin: 0; }
"""
SHOWN = 50  # members of a group


def render_html(result, rank):
    title = f"PyTorch {name(result.old)} to {name(result.new)}"
    parts = [f"<!doctype html><html lang=en><meta charset=utf-8><meta name=viewport content='width=device-width'><title>{escape(title)}</title>"
             f"<style>{STYLE}</style><h1>{escape(title)}</h1>"]  # fmt: skip
    parts += [f"<p>{escape(sentence)}</p>" for sentence in closing(result, rank)]
    parts += [backend_html(backend) for backend in result.backends]
    current = None
    for group in result.worst_groups(rank):
        if group["rank"] != current:
            current = group["rank"]
            parts.append(f"<h2>{escape(HEADINGS[current].capitalize())}</h2>")
        parts.append(group_html(result, group))
    return "\n".join(parts) + "</html>\n"


def backend_html(backend):
    rows = "".join(f"<li>{'<b>breaks</b> ' if e['verdict'] == 'breaks' else ''}{escape(e['reason'])}" for e in backend["entries"])
    head = f"<b>{escape(backend['name'])}</b>: {counts(backend)}"
    return f"<details><summary>{head}</summary><ul>{rows}</ul></details>" if rows else f"<p>{head}</p>"


def group_html(result, group):
    members = [e for e in result.members(group) if not e.internal] or result.members(group)
    first = members[0]
    place = f"{first.header}:{first.line}" if first.line else first.header
    rows = [("was", code(first.before)), ("is", code(first.after)), ("do", escape(first.advice)), ("touches", escape(" ".join(first.requirements))),
            ("seen", escape(first.confirmed))]  # fmt: skip
    facts = "".join(f"<dt>{key}</dt><dd>{value}</dd>" for key, value in rows if value)
    others = "".join(f"<li>{code(e.name)} {escape(e.change.replace('_', ' '))}" for e in members[1:SHOWN])
    more = f"<li>and {len(members) - SHOWN} more" if len(members) > SHOWN else ""
    count = f" <span class=quiet>{group['count']} members</span>" if group["count"] > 1 else ""
    return (f"<details class={group['rank']} id={group['id']}><summary>{code(group['title'])}{count} <span class=where>{escape(place)}</span></summary>"
            f"<dl>{facts}</dl>{f'<ul>{others}{more}</ul>' if others else ''}</details>")  # fmt: skip


def code(text):
    return f"<code>{escape(text)}</code>" if text else ""
