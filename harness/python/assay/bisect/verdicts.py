# SPDX-License-Identifier: BSD-3-Clause
"""The bisection of one or two axes: finds the axis that causes the failure, and the place on this axis."""

from assay.bisect import search as steps
from assay.bisect.odds import TRIALS, Odds

REPAIRED = "repaired by"


class Bisection:
    """A point is a pair of names, or one name if there is one axis."""

    def __init__(self, answers, axes):
        self.answers, self.axes = answers, axes
        self.odds = None

    def key(self, places):
        return tuple(axis.points[place] for axis, place in zip(self.axes, places, strict=True))

    def measure_ends(self):
        """Tests both ends. Returns a sentence if a bisection is not possible."""
        good, bad = ([0] * len(self.axes), [len(axis.points) - 1 for axis in self.axes])
        for trials in TRIALS:
            counts = []
            for word, places in (("good", good), ("bad", bad)):
                counted = self.answers.failures(self.key(places), trials)
                if counted is None:
                    return f"the {word} end ({' '.join(self.key(places))}) does not build, or its runs decide nothing"
                counts += counted
            self.odds = Odds(*counts)
            if self.odds.can_tell is not None:
                break
        if self.odds.can_tell:
            return None
        word = "not reproducible" if self.odds.can_tell is False else "unstable, so no revision can be named"
        return (f"{word}: the good end failed {counts[0]} of {counts[1]} times, "
                f"the bad end {counts[2]} of {counts[3]}")

    def bad_at(self, places):
        return self.answers.decide(self.key(places), self.odds)

    def along(self, which, others):
        """Searches one axis with the others fixed. The first point of the axis is good and the last point is bad."""
        axis = self.axes[which]

        def ask(point):
            places = list(others)
            places[which] = point
            bad = self.bad_at(places)
            return steps.NONE if bad is None else steps.BAD if bad else steps.GOOD

        found = steps.search(len(axis.points) - 1, ask)
        fixed = {other.what: other.points[others[place]] for place, other in enumerate(self.axes) if place != which}
        culprit = {"axis": axis.what, "found": found.is_found, "last_good": axis.points[found.low],
                   "first_bad": axis.points[found.high], "with": fixed,
                   "unanswered": [axis.points[point] for point in range(found.low + 1, found.high)]}
        # If the axis goes back in time, the newer of the two commits repaired the failure.
        culprit |= axis.story(found.low if axis.backwards else found.high) if found.is_found else {}
        culprit["way"] = REPAIRED if axis.backwards else "broken by"
        return culprit

    def find(self):
        """Returns {"why": sentence} or {"needs": words, "culprits": [...]}."""
        why = self.measure_ends()
        if why:
            return {"why": why, "culprits": []}
        ends = [len(axis.points) - 1 for axis in self.axes]
        moving = [place for place, end in enumerate(ends) if end]
        if len(moving) == 1:
            return {"needs": self.axes[moving[0]].what, "culprits": [self.along(moving[0], ends)]}
        return self.find_both(ends)

    def find_both(self, ends):
        """First moves each axis alone. If an axis alone makes the result bad, this axis causes the failure."""
        alone = []
        for which in (0, 1):
            places = [0, 0]
            places[which] = ends[which]
            bad = self.bad_at(places)
            if bad is None:
                return {"why": f"{' '.join(self.key(places))} does not build, or its runs decide nothing: bisect one axis "
                        "with the other fixed", "culprits": []}
            alone.append(bad)
        if any(alone):
            return {"needs": " or ".join(axis.what for axis, bad in zip(self.axes, alone, strict=True) if bad),
                    "culprits": [self.along(which, [0, 0]) for which in (0, 1) if alone[which]]}
        return {"needs": " and ".join(axis.what for axis in self.axes),
                "culprits": [self.along(which, ends) for which in (0, 1)]}
