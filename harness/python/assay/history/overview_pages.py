# SPDX-License-Identifier: BSD-3-Clause
"""Makes the overview, a page for each backend, and a page for each release of torch."""

from . import disputes, events
from .page_parts import Html, fill, join, link, look_of, section, slug, table, verdict
from .past_view import share_of, share_text, stage_of, trend_of

EVENTS_MOST = 400  # rows of events on a page; the JSON file of the page has all events
BREAKAGES_MOST = 20  # rows of the overview


def line_of(shares):
    if len(shares) < 2:
        return Html("")
    low, high = min(shares), max(shares)
    height = (high - low) or 1
    points = " ".join(f"{place * 60 / (len(shares) - 1):.1f},{11 - 10 * (share - low) / height:.1f}"
                      for place, share in enumerate(shares))
    return fill("line", points=points)


def state_cell(series, href):
    if series is None:
        return fill("never")
    run, (words, shares), stage = series.runs[-1], trend_of(series), stage_of(series)
    return fill("state", look=look_of(run.state), href=href, state=run.state, share=share_text(run),
                stage=f", stage {stage}" if stage else "",
                since=events.since_of(series).day, trend=words, line=line_of(shares))


def backend_href(target):
    return f"backend/{slug(target)}.html"


def series_json(series):
    run = series.runs[-1]
    kept, total = share_of(run)
    return {"target": series.target, "release": series.release, "asked": series.asked, "state": run.state,
            "stage": stage_of(series), "since": events.since_of(series).date, "newest": run.date, "torch": run.torch, "git": run.git,
            "backend": run.backend, "must_kept": kept, "must_all": total, "trend": trend_of(series)[0]}


def run_json(run):
    return None if run is None else {"date": run.date, "torch": run.torch, "git": run.git, "backend": run.backend}


def event_json(event):
    return {"kind": event.kind, "check": event.check, "level": event.level, "verdict": event.answer.verdict,
            "clauses": list(event.answer.covers), "cause": event.answer.cause, "seen": event.seen,
            "target": event.run.series.target, "release": event.run.series.release, "asked": event.run.series.asked,
            "first": run_json(event.run), "before": run_json(event.before), "until": run_json(event.until),
            "old": event.old}


def revision(run):
    if run.backend:
        return fill("revision_backend", day=run.day, git=run.git[:12], backend=run.backend[:24])
    return fill("revision", day=run.day, git=run.git[:12])


def between(event):
    if event.before is None:
        return revision(event.run)
    return fill("between", before=revision(event.before), after=revision(event.run))


def told_of(event):
    if event.kind == "renamed":
        return f"was {event.old}"
    if event.kind == "flaky":
        return f"flaky until {event.until.day}"
    return event.seen


def level_of(event, past):
    return f"{event.level}, disputed" if past.is_disputed(event.check, event.answer.covers) else event.level


def groups_of(found):
    """Groups the events of one night that have the same cause and the same words, for example an error of loading."""
    groups = {}
    for event in found:
        words = (event.answer.cause, event.seen) if event.seen else event.check
        nights = [run.index if run else None for run in (event.run, event.before, event.until)]
        groups.setdefault((event.run.series.number, *nights, event.kind, event.level, words), []).append(event)
    return list(groups.values())


def event_rows(past, groups, root, with_target):
    for group in groups:
        event, *more = group
        name, *others = (link(f"{root}check/{slug(event.check)}.html", event.check) for event in group)
        name = fill("several", name=name, count=len(more), others=join(others, "<br>")) if more else name
        where = [event.run.series.target] if with_target else []
        yield name, [*where, event.run.series.release, verdict(event.kind), level_of(event, past), between(event),
                     fill("wide", text=told_of(event))]


def events_section(past, found, root, title, note, with_target=False):
    if not found:
        return section("events", title, note, fill("nothing", text="Nothing happened."))
    groups = groups_of(found)
    left = sum(map(len, groups[EVENTS_MOST:]))
    more = f" The newest {EVENTS_MOST}; the JSON has {left} more." if left else ""
    where = ["Backend"] if with_target else []
    columns = ["Check", *where, "Torch", "Event", "Level", "Between", "Seen"]
    return section("events", title, note + more, table("events", columns, list(event_rows(past, groups[:EVENTS_MOST], root, with_target))))


def overview(site):
    past = site.past
    rows = [(link(backend_href(target), target),
             [state_cell(past.pairs.get((target, release)), backend_href(target)) for release in past.releases])
            for target in past.targets]
    columns = ["Backend", *(link(f"torch/{slug(release)}.html", release) for release in past.releases)]
    broken = [event for group in groups_of(past.breakages())[:BREAKAGES_MOST] for event in group]
    body = [section("matrix", "Who is compatible with what", "For each backend and release of torch: the newest run, since when "
                    "its state holds, and how the number of satisfied musts changed in the last 60 nights.",
                    table("matrix", columns, rows)),
            events_section(past, broken, "", "What broke last", "Newest first, with the two nights between which it happened.",
                           True),
            *disputes.views(past.disputes, sorted(past.disputes), "")]
    site.write("index", "Compatibility", "The state of every backend on every torch.", join(body),
               {"pairs": [series_json(one) for one in past.pairs.values()], "disputed": past.disputes,
                "breakages": [event_json(event) for event in broken]})


def standing_rows(series, wanted):
    for (kind, name), history in sorted(series.facts.items()):
        if kind == wanted:
            words = join([fill("two", first=verdict(answer.verdict), second=f"since {series.runs[index].day}")
                          for index, answer, _ in history[-4:]], " ")
            yield name, [series.release, words]


def backend_page(site, target):
    past = site.past
    mine = [one for one in past.series if one.target == target]
    rows = [(link(f"../compare/{one.number}.html", f"{one.release} {one.asked}".strip()),
             [state_cell(one, f"../compare/{one.number}.html"), one.runs[-1].torch, revision(one.runs[-1])])
            for one in mine]
    found = sorted((event for one in mine for event in past.events_of(one)),
                   key=lambda event: (event.run.date, event.check), reverse=True)
    capabilities = [row for one in mine for row in standing_rows(one, "capability")]
    stages = [(one.release, values[1:]) for one in mine for _, values in standing_rows(one, "stage")]
    body = [section("state", "By release of torch", "Each leads to the comparison of any two of its last 60 nights.",
                    table("state", ["Torch", "State", "Version", "Newest run"], rows)),
            events_section(past, found, "../", "What happened", "What broke, was repaired, added or removed, newest first."),
            section("capabilities", "Capabilities over time", "Claimed, probed, proven: the last four answers of each.",
                    table("capabilities", ["Capability", "Torch", "Standing"], capabilities))]
    if stages:
        body.insert(1, section("stages", "Stages over time", "The last four stages that were reached; what each requires of a backend is "
                               "in conformance.yaml.", table("stages", ["Torch", "Reached"], stages)))
    site.write(f"backend/{slug(target)}", target, "The backend on every torch on which it was tested.", join(body),
               {"target": target, "series": [series_json(one) for one in mine],
                "events": [event_json(event) for event in found]})


def lost_since(past, target, release):
    """Checks that passed on the previous release and do not pass on this release."""
    place = past.releases.index(release)
    before = past.pairs.get((target, past.releases[place - 1])) if place else None
    here = past.pairs[target, release]
    if before is None:
        return None
    lost = []
    for key in here.facts:
        if key[0] == "check":
            then, now = (one.says(key, len(one.runs) - 1) for one in (before, here))
            if then and now and then.verdict in events.GOOD and now.verdict in events.BAD and now.level == "must":
                lost.append((key[1], now.covers))
    return sorted(lost)


def lost_text(past, lost):
    if lost is None:
        return "no release before"
    names = [f"{check} (disputed)" if past.is_disputed(check, covers) else check for check, covers in lost]
    return ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "") or "nothing"


def torch_page(site, release):
    past = site.past
    rows, told = [], []
    for target in past.targets:
        series = past.pairs.get((target, release))
        if series is None:
            rows.append((link(f"../{backend_href(target)}", target), [fill("never"), "", ""]))
            continue
        lost = lost_since(past, target, release)
        rows.append((link(f"../{backend_href(target)}", target),
                     [state_cell(series, f"../{backend_href(target)}"), revision(series.runs[-1]),
                      fill("wide", text=lost_text(past, lost))]))
        names = None if lost is None else [check for check, _ in lost]
        told.append(series_json(series) | {"lost_since_the_release_before": names})
    ready = sum(1 for one in told if one["state"] == "compatible")
    body = section("ready", "Who is ready", f"{ready} of {len(past.targets)} backends are compatible with torch {release}.",
                   table("ready", ["Backend", "State", "Newest run", "Musts lost since the release before"], rows))
    site.write(f"torch/{slug(release)}", f"torch {release}", "For release managers: the backends that work with this release.", body,
               {"release": release, "ready": ready, "backends": told})
