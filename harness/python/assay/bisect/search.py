# SPDX-License-Identifier: BSD-3-Clause
"""The search along one axis: chooses the next point and detects the end. Does not depend on builds and runs.

Points are numbered from 0 (good) to `last` (bad). A point that does not build splits the untested points into gaps. A
gap next to a good or bad point is halved. Neighbouring points that do not build form a stretch. A stretch is tested
last, when the change must lie in it. With n points between the ends and s stretches of together u points that do not
build, at most bound(n, s, u) points are tested."""

GOOD, BAD, NONE = "good", "bad", "none"


def bound(between, stretches, unbuildable):
    """The largest number of points that are tested, both ends included."""
    halvings = between.bit_length()
    if not stretches:
        return 2 + halvings
    return 2 + 2 * stretches * (halvings + 1) + (stretches - 1) + unbuildable


class Search:
    def __init__(self, last):
        self.low, self.high = 0, last
        self.dead = set()  # tested without a result

    def next(self):
        """The next point to test, or None at the end of the search."""
        inside = sorted(point for point in self.dead if self.low < point < self.high)
        marks = [self.low, *inside, self.high]
        gaps = [(left, right) for left, right in zip(marks, marks[1:], strict=False) if right - left > 1]
        if not gaps:
            return None
        open_gaps = [gap for gap in gaps if gap[0] == self.low or gap[1] == self.high]
        left, right = max(open_gaps or gaps, key=lambda gap: gap[1] - gap[0])
        return (left + right) // 2

    def tell(self, point, answer):
        if answer == NONE:
            self.dead.add(point)
        elif answer == GOOD:
            self.low = max(self.low, point)
        else:
            self.high = min(self.high, point)

    @property
    def is_found(self):
        return self.high - self.low == 1


def search(last, ask):
    """Runs a whole search and returns it. `ask(point)` returns GOOD, BAD or NONE."""
    state = Search(last)
    while (point := state.next()) is not None:
        state.tell(point, ask(point))
    return state
