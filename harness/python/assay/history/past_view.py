# SPDX-License-Identifier: BSD-3-Clause
"""The whole history in the form that pages need: the series of each backend and torch, the events of each series, and
the time since when each fact holds."""

from collections import defaultdict
from dataclasses import dataclass

from . import disputes, events, reading

TREND = 60  # nights


@dataclass
class Holding:
    """The state of one fact in one series, from the newest run."""

    series: object
    verdict: str
    level: str
    since: object  # the first run with this state
    ever: bool  # True if the fact held in an earlier run
    seen: str
    covers: tuple


def share_of(run):
    """The number of musts that the run satisfied, and the number of all musts in the contract. If the run covered only
    a part of the contract, or the contract's size is unknown, the second number counts the musts in the run."""
    return (run.kept, run.total if run.series.asked else max(run.promised, run.total))


def share_text(run):
    kept, total = share_of(run)
    return f"{kept}/{total}" if total else "none asked"


def stage_of(series):
    """The stage that the newest run reached, or None if the run did not determine a stage."""
    answer = series.says(("stage", "reached"), len(series.runs) - 1)
    return answer.verdict if answer and answer.verdict not in ("gone", "unrecorded") else None


class Past:
    def __init__(self, path):
        self.series = reading.read(path)
        self.disputes = disputes.now()
        self.events = {one.number: events.events_of(one) for one in self.series}
        self.targets = sorted({one.target for one in self.series})
        self.releases = sorted({one.release for one in self.series}, key=reading.release_order)
        self.pairs = {}
        for one in self.series:  # reading.read puts the series with the whole contract first
            self.pairs.setdefault((one.target, one.release), one)
        self.holdings = self.find_holdings()

    @property
    def newest(self):
        return max((one.runs[-1].date for one in self.series), default="")

    @property
    def run_count(self):
        return sum(len(one.runs) for one in self.series)

    def find_holdings(self):
        """Maps (kind, name) to the Holding of each series, for facts in the contract of the newest run."""
        found = defaultdict(list)
        for series in self.pairs.values():
            last = len(series.runs) - 1
            for key, history in series.facts.items():
                holding = holding_of(series, history, last)
                if holding:
                    found[key].append(holding)
        return found

    def is_disputed(self, check, covers):
        return bool(disputes.of_check(self.disputes, check, covers))

    def events_of(self, series):
        return self.events[series.number]

    def breakages(self):
        """Facts that were satisfied earlier and no longer are, newest first."""
        found = [event for one in self.series for event in self.events[one.number] if event.kind in events.LOSSES]
        return sorted(found, key=lambda event: (event.run.date, event.check), reverse=True)


def holding_of(series, history, last):
    _, answer, seen = history[-1]
    if answer.verdict == "gone":
        return None
    steps = events.steps_of(history, last)
    # an answer other than a verdict (for a capability, for example) holds since its last change
    since = steps[-1].index if steps else history[-1][0]
    return Holding(series, answer.verdict, answer.level, series.runs[since],
                   any(step.now == "good" for step in steps), seen, answer.covers)


def trend_of(series):
    """Words about the change of the satisfied musts in the last TREND nights, and the share of each night."""
    runs = [run for run in series.runs[-TREND:] if share_of(run)[1]]
    if len(runs) < 2:
        return "one night", []
    shares = [share_of(run)[0] / share_of(run)[1] for run in runs]
    difference = runs[-1].kept - runs[0].kept
    words = "steady" if not difference else f"{abs(difference)} {'more' if difference > 0 else 'fewer'}"
    return f"{words} in {len(runs)} nights", shares


def works_with(past, target):
    """Ranges [(from, to)] of consecutive releases on which a backend is compatible."""
    ranges, begun, until = [], None, None
    for release in past.releases:
        series = past.pairs.get((target, release))
        if series and series.runs[-1].state == "compatible":
            begun, until = begun or release, release
        elif begun:
            ranges.append((begun, until))
            begun = None
    if begun:
        ranges.append((begun, until))
    return ranges
