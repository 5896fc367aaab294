# SPDX-License-Identifier: BSD-3-Clause
"""Makes the comparison of two nights, the tables and badges for other sites, and the feed of breakages."""

from .overview_pages import backend_href, event_json
from .page_parts import LOOKS, fill, join, script_text, section, slug
from .past_view import share_text, stage_of, works_with

NIGHTS = 60
FEED = 200
COLOURS = {"compatible": "#17663a", "incompatible": "#ad1f17"}


def nights_of(series):
    """The last nightly runs of a series, and the verdict of each fact in each of these runs."""
    first = max(0, len(series.runs) - NIGHTS)
    facts = []
    for (kind, name), history in sorted(series.facts.items()):
        said = [[max(0, index - first), answer.verdict] for index, answer, _ in history]
        begun = max((place for place, (index, *_) in enumerate(history) if index <= first), default=0)
        said = said[begun:]
        if len(said) > 1 or said[0][1] != "gone":
            facts.append([kind, name, said])
    runs = [{"date": run.date, "torch": run.torch, "git": run.git, "backend": run.backend, "state": run.state}
            for run in series.runs[first:]]
    return {"target": series.target, "release": series.release, "runs": runs, "facts": facts}


def compare_page(site, series):
    nights = nights_of(series)
    name = f"compare/{series.number}"
    site.put(f"{name}.js", "window.nights = " + script_text(nights | {"looks": LOOKS}) + ";\n")
    title = f"{series.target} on torch {series.release} {series.asked}".strip()
    body = section("differ", "What differs", "Two of the last 60 nights.", fill("compare", id="differ"))
    site.write(name, title, "Any two nights compared.", body, nights,
               head=join([fill("script", src=f"{series.number}.js"), fill("script", src="../site.js")]))


def ranges_text(past, target):
    ranges = works_with(past, target)
    return " and ".join(one if one == other else f"{one} to {other}" for one, other in ranges) or "none"


def table_to_copy(past):
    lines = ["| backend | works with torch | " + " | ".join(past.releases) + " |",
             "|---" * (len(past.releases) + 2) + "|"]
    for target in past.targets:
        states = [past.pairs[target, release].runs[-1].state if (target, release) in past.pairs else "never run"
                  for release in past.releases]
        name = target.replace("|", "\\|").replace("\n", " ")
        lines.append(f"| {name} | {ranges_text(past, target)} | " + " | ".join(states) + " |")
    return "\n".join(lines)


def badge(site, target):
    """The badge for the newest release for which this backend has runs."""
    newest = [one for one in site.past.series if one.target == target][-1]
    newest = site.past.pairs[target, newest.release]
    state, label = newest.runs[-1].state, f"assay on torch {newest.release}"
    stage = stage_of(newest)
    message = f"{state} {share_text(newest.runs[-1])}" + (f", stage {stage}" if stage else "")
    left, right = 12 + 7 * len(label), 12 + 7 * len(message)
    colour = COLOURS.get(state, "#59616e")
    site.put(f"badge/{slug(target)}.svg", fill("badge_svg", label=label, message=message, width=left + right, left=left,
                                               right=right, text_at=left + 6, colour=colour) + "\n")
    site.put_json(f"badge/{slug(target)}.json",
                  {"schemaVersion": 1, "label": label, "message": message, "color": colour})
    return fill("badge", src=f"badge/{slug(target)}.svg", alt=f"{target}: {label}: {message}")


def copy_page(site):
    text = table_to_copy(site.past)
    badges = join([badge(site, target) for target in site.past.targets])
    body = [section("table", "Which backend works with which torch", "In Markdown.",
                    fill("copy", id="works", label="Table in Markdown", text=text)),
            section("badges", "Badges", "For the newest torch on which each backend was tested; the JSON beside each badge is "
                    "for shields.io.", badges)]
    site.write("copy", "Tables to copy", "For a README.", join(body),
               {"markdown": text, "works_with": {target: works_with(site.past, target) for target in site.past.targets}},
               head=fill("script", src="site.js"))


def feed(site):
    broken = site.past.breakages()[:FEED]
    entries = [fill("entry", title=f"{event.run.series.target} on torch {event.run.series.release}: {event.check} {event.kind}",
                    id=f"urn:assay:{slug(event.run.series.target)}:{slug(event.run.series.release)}:"
                       f"{slug(event.check)}:{event.run.date}",
                    date=event.run.date, href=backend_href(event.run.series.target), summary=event.seen or event.kind)
               for event in broken]
    site.put("feed.xml", fill("feed", updated=site.past.newest or "1970-01-01T00:00:00Z", entries=join(entries)) + "\n")
    site.put_json("feed.json", {"schema": "assay/breakages/1", "breakages": [event_json(event) for event in broken]})
