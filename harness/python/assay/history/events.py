# SPDX-License-Identifier: BSD-3-Clause
"""Finds the events of a series: a fact broke, was repaired, appeared, disappeared, changed its name, or is flaky.

A verdict that decides nothing (not run, blocked, undecided, not recorded) leaves the state of a fact unchanged. A
change lies between two consecutive runs that decide. If the verdict changes three times with at most seven runs between
two changes, the check is flaky during that time, and none of these changes counts as broken or repaired."""

from dataclasses import dataclass

GOOD = frozenset(("pass", "noted", "flaky"))
BAD = frozenset(("crash", "timeout", "fail"))
SILENT = frozenset(("skip", "unobservable", "fallback"))
CLUSTER_GAP = 7  # largest number of runs between two changes of a flaky check
CLUSTER_FLIPS = 3
KINDS = ("broke", "fails at first", "lost", "repaired", "gained", "flaky", "renamed", "new", "gone")
LOSSES = ("broke", "lost")


@dataclass
class Event:
    kind: str
    check: str
    run: object  # the first run that shows the event
    before: object  # the last run with the earlier state, or None
    answer: object
    seen: str = ""
    old: str = ""  # the former name
    until: object = None  # for a flaky check: the last run in which it was flaky

    @property
    def level(self):
        return self.answer.level


def class_of(verdict):
    """The class of a verdict, or None for a verdict that decides nothing."""
    for name, verdicts in (("good", GOOD), ("bad", BAD), ("silent", SILENT), ("gone", ("gone",))):
        if verdict in verdicts:
            return name
    return None


@dataclass
class Step:
    index: int
    before: int  # index of the last run with the earlier class, or -1
    was: str  # the earlier class; "" for the first step
    now: str
    answer: object
    seen: str


def steps_of(history, last):
    """The steps from one class to another in the changes of one fact."""
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
    """Groups of steps that are close together, as (first, last) indices into `steps`."""
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
        at_first = step.index == 0 and kind == "new"  # in the first run, every fact is new
        unknown = kind == "new" and step.index and not runs[step.index - 1].whole
        if not at_first and not unknown and kind != "silent":
            yield Event(kind, name, runs[step.index], before, step.answer, step.seen)
    for first, last in clusters:
        step, end = steps[first], steps[last]
        yield Event("flaky", name, runs[step.index], runs[step.before] if step.before >= 0 else None, step.answer,
                    step.seen, until=runs[end.index])
        stayed = end.index + CLUSTER_GAP < len(runs) and last == len(steps) - 1
        if stayed and step.was != end.now:  # the final class differs from the class before the cluster
            yield Event(kind_of(end), name, runs[end.index], runs[end.before], end.answer, end.seen)


def join_renamed(events):
    """Treats a check that disappeared and a new check as one renamed check, if both events are in the same run, the
    checks have the same clauses, and no other pair matches."""
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
    """All events of a series, oldest first."""
    found = []
    for kind, name in series.facts:
        if kind == "check":
            found += events_of_check(series, name)
    found = join_renamed(found)
    return sorted(found, key=lambda event: (event.run.index, KINDS.index(event.kind), event.check))


def since_of(series):
    """The run in which the newest state began."""
    runs = series.runs
    index = len(runs) - 1
    while index and runs[index - 1].state == runs[-1].state:
        index -= 1
    return runs[index]
