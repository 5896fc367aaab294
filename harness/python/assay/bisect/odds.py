# SPDX-License-Identifier: BSD-3-Clause
"""Bisects flaky failures: decides how many runs are needed so that at most one of a thousand bisections is wrong.

Both ends are run until the probability that their difference is due to chance is below 1/1000 (Fisher's exact test).
Each run of a point then adds the likelihood ratio of the two rates (Wald's sequential test)."""

import math

TRIALS = (5, 8, 16, 32, 64)  # numbers of runs at each end; the next number is tried until the ends differ clearly
BY_CHANCE = 0.001 / len(TRIALS)
ENOUGH = math.log(9999)  # for one point; a bisection tests about ten points
RUNS_MOST = 200  # runs of one point
APART = 0.3  # if the rates of the ends differ by less, too many runs would be needed


def rate(failures, runs):
    """Estimated failure rate. The estimate is never 0 or 1, because five runs cannot prove such a rate."""
    return (failures + 0.5) / (runs + 1)


def by_chance(good_failures, good_runs, bad_failures, bad_runs):
    """Probability that the bad end has at least `bad_failures` of all failures if both ends fail equally often."""
    failures, runs = good_failures + bad_failures, good_runs + bad_runs
    ways = sum(math.comb(bad_runs, at_bad) * math.comb(good_runs, failures - at_bad)
               for at_bad in range(bad_failures, min(failures, bad_runs) + 1))
    return ways / math.comb(runs, failures)


class Odds:
    def __init__(self, good_failures, good_runs, bad_failures, bad_runs):
        self.counts = good_failures, good_runs, bad_failures, bad_runs
        self.good, self.bad = rate(good_failures, good_runs), rate(bad_failures, bad_runs)

    @property
    def can_tell(self):
        """True if the ends differ, False if they do not, None if more runs are needed to decide."""
        if self.bad - self.good < APART:
            return False
        return True if by_chance(*self.counts) < BY_CHANCE else None

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
