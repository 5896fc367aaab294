# SPDX-License-Identifier: BSD-3-Clause
"""An answer that may be flaky: how often to run until the odds are 99 to 1.

How often the good end and the bad end fail is measured at both; each run of a point then weighs as much as it is
more likely at one end than at the other (Wald's sequential test)."""

import math

TRIALS = 5  # at each end
ENOUGH = math.log(99)
RUNS_MOST = 200  # of one point
APART = 0.3  # closer ends cannot be told from each other in a sensible number of runs


def rate(failures, runs):
    """Never 0 or 1: five runs prove neither."""
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
        """True: bad, False: good, None: more runs are wanted."""
        sum_of_weights = sum(self.weight(failed) for failed in results)
        if abs(sum_of_weights) < ENOUGH:
            return None
        return sum_of_weights > 0
