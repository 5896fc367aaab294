# SPDX-License-Identifier: BSD-3-Clause
"""The events of a series: what broke, was repaired, came, went, changed its name, or is flaky.

A verdict that decides nothing (not run, blocked, undecided, not recorded) says nothing: what held before holds
on, and the change is between the last run that did decide and the first that does again. A check that came in
and out of trouble three times, each within seven runs of the last, is flaky while that goes on, and none of it
is called broken or repaired."""

from dataclasses import dataclass

GOOD = frozenset(("pass", "noted", "flaky"))
BAD = frozenset(("crash", "timeout", "fail"))
SILENT = frozenset(("skip", "unobservable", "fallback"))
CLUSTER_GAP = 7  # runs
CLUSTER_FLIPS = 3
KINDS = ("broke", "fails at first", "lost", "repaired", "gained", "flaky", "renamed", "new", "gone")
LOSSES = ("broke", "lost")


@dataclass
class Event:
    kind: str
    check: str
    run: object  # the first that shows it
    before: object  # the last run that showed the other; None: there is none
    answer: object
    seen: str = ""
    old: str = ""  # the name before
    until: object = None  # of a flaky one: the last run in which it was so

    @property
    def level(self):
        return self.answer.level


def class_of(verdict):
    """None: it decides nothing."""
    for name, verdicts in (("good", GOOD), ("bad", BAD), ("silent", SILENT), ("gone", ("gone",))):
        if verdict in verdicts:
            return name
    return None


@dataclass
class Step:
    index: int
    before: int  # index of the last run that showed the class before; -1: none
    was: str  # class, "" at first
    now: str
    answer: object
    seen: str


def steps_of(history, last):
    """The changes of class in the changes of one fact."""
    steps, was, settled_until = [], "", -1
    for place, (index, answer, seen) in enumerate(history):
        now = class_of(answer.verdict)
        until = history[place + 1][0] - 1 if place + 1 < len(history) else last
        if now and now != was:
            steps.append(Step(index, settled_until, was, now, answer, seen))
            was = now
        if now:
            settled_until = until
    return steps


def clusters_of(steps):
    """Steps in and out of trouble that stand close together, as (first, last) places in `steps`."""
    flips = [place for place, step in enumerate(steps) if {step.was, step.now} == {"good", "bad"}]
    found, first = [], 0
    for place in range(1, len(flips) + 1):
        apart = place == len(flips) or steps[flips[place]].index - steps[flips[place - 1]].index > CLUSTER_GAP
        if apart and place - first >= CLUSTER_FLIPS:
            found.append((flips[first], flips[place - 1]))
        if apart:
            first = place
    return found


def kind_of(step):
    if step.now == "gone":
        return "gone"
    if step.was in ("", "gone"):
        return "fails at first" if step.now == "bad" else "new"
    return {("good", "bad"): "broke", ("silent", "bad"): "broke", ("bad", "good"): "repaired",
            ("good", "silent"): "lost", ("silent", "good"): "gained", ("bad", "silent"): "silent"}[step.was, step.now]


def events_of_check(series, name):
    runs = series.runs
    steps = steps_of(series.facts["check", name], len(runs) - 1)
    clusters = clusters_of(steps)
    flaky = {place for first, last in clusters for place in range(first, last + 1)}
    for place, step in enumerate(steps):
        if place in flaky:
            continue
        kind = kind_of(step)
        before = runs[step.before] if step.before >= 0 else None
        at_first = step.index == 0 and kind == "new"  # everything is new on the first day
        unknown = kind == "new" and step.index and not runs[step.index - 1].whole
        if not at_first and not unknown and kind != "silent":
            yield Event(kind, name, runs[step.index], before, step.answer, step.seen)
    for first, last in clusters:
        step, end = steps[first], steps[last]
        yield Event("flaky", name, runs[step.index], runs[step.before] if step.before >= 0 else None, step.answer,
                    step.seen, until=runs[end.index])
        stayed = end.index + CLUSTER_GAP < len(runs) and last == len(steps) - 1
        if stayed and step.was != end.now:  # it came to rest on the other side
            yield Event(kind_of(end), name, runs[end.index], runs[end.before], end.answer, end.seen)


def join_renamed(events):
    """One that went and one that came in the same run with the same clauses, and no other such: a new name."""
    ways = {}
    for event in events:
        if event.kind in ("gone", "new", "fails at first") and event.run.index:
            ways.setdefault(event.run.index, {}).setdefault(event.kind == "gone", []).append(event)
    dropped = []
    for both in ways.values():
        went, came = both.get(True, []), both.get(False, [])
        for old in went:
            covers = covers_before(old)
            new = [event for event in came if covers and event.answer.covers == covers]
            rivals = [event for event in went if covers_before(event) == covers]
            if len(new) == 1 and len(rivals) == 1 and new[0].kind == "new":
                new[0].kind, new[0].old = "renamed", old.check
                dropped.append(old)
    return [event for event in events if event not in dropped]


def covers_before(event):
    said = event.run.series.says(("check", event.check), event.run.index - 1)
    return said.covers if said else ()


def events_of(series):
    """All of a series, oldest first."""
    found = []
    for kind, name in series.facts:
        if kind == "check":
            found += events_of_check(series, name)
    found = join_renamed(found)
    return sorted(found, key=lambda event: (event.run.index, KINDS.index(event.kind), event.check))


def since_of(series):
    """The first run of the unbroken row of its newest state."""
    runs = series.runs
    index = len(runs) - 1
    while index and runs[index - 1].state == runs[-1].state:
        index -= 1
    return runs[index]
