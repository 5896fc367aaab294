# SPDX-License-Identifier: BSD-3-Clause
"""The search along one axis: which point to ask next, and when it is over. Knows nothing of builds and runs.

Points are 0 (good) to `last` (bad). A point that cannot be asked (it does not build) parts what is not asked yet
into gaps. Gaps that touch the good or the bad end are halved; what lies between two points that do not build is
taken for one stretch and asked last, when the change must lie there. So, with n points between the ends and s
stretches that do not build, holding u points, no more than bound(n, s, u) points are asked."""

GOOD, BAD, NONE = "good", "bad", "none"


def bound(between, stretches, unbuildable):
    """The most points that are asked, both ends included."""
    halvings = between.bit_length()
    if not stretches:
        return 2 + halvings
    return 2 + 2 * stretches * (halvings + 1) + (stretches - 1) + unbuildable


class Search:
    def __init__(self, last):
        self.low, self.high = 0, last
        self.dead = set()  # asked, and there is no answer

    def next(self):
        """The point to ask; None: it is over."""
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
    """The Search at its end; `ask(point)` says GOOD, BAD or NONE."""
    state = Search(last)
    while (point := state.next()) is not None:
        state.tell(point, ask(point))
    return state
