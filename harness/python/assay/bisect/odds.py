# SPDX-License-Identifier: BSD-3-Clause
"""Decides flaky results: how many runs of a point are needed until the odds are 99 to 1.

The failure rates of the good end and the bad end are measured first. Each run of a point then adds the likelihood
ratio of the two rates (Wald's sequential test)."""

import math

TRIALS = 5  # runs at each end
ENOUGH = math.log(99)
RUNS_MOST = 200  # runs of one point
APART = 0.3  # ends whose rates differ by less cannot be told apart in a reasonable number of runs


def rate(failures, runs):
    """Estimated failure rate. It is never 0 or 1, because five runs prove neither."""
    return (failures + 0.5) / (runs + 1)


class Odds:
    def __init__(self, good_failures, good_runs, bad_failures, bad_runs):
        self.good, self.bad = rate(good_failures, good_runs), rate(bad_failures, bad_runs)

    @property
    def can_tell(self):
        return self.bad - self.good >= APART

    def weight(self, failed):
        if failed:
            return math.log(self.bad / self.good)
        return math.log((1 - self.bad) / (1 - self.good))

    def decide(self, results):
        """True if the point is bad, False if it is good, None if more runs are needed."""
        sum_of_weights = sum(self.weight(failed) for failed in results)
        if abs(sum_of_weights) < ENOUGH:
            return None
        return sum_of_weights > 0
