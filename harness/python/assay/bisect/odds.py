# SPDX-License-Identifier: BSD-3-Clause
"""An answer that may be flaky: how often to run until it is wrong less than once in a thousand bisections.

Both ends are run until chance alone would part them so far less than once in a thousand times (Fisher's exact test). Each
run of a point then weighs as much as it is more likely at one end than at the other (Wald's sequential test)."""

import math

TRIALS = (5, 8, 16, 32, 64)  # at each end, until it can be told from the other one
BY_CHANCE = 0.001 / len(TRIALS)
ENOUGH = math.log(9999)  # of one point; about ten are asked
RUNS_MOST = 200  # of one point
APART = 0.3  # closer ends cannot be told from each other in a sensible number of runs


def rate(failures, runs):
    """Never 0 or 1: five runs prove neither."""
    return (failures + 0.5) / (runs + 1)


def by_chance(good_failures, good_runs, bad_failures, bad_runs):
    """How often ends that fail alike would give the bad one as many of these failures, or more."""
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
        """None: the ends seem to differ, and more runs must show it."""
        if self.bad - self.good < APART:
            return False
        return True if by_chance(*self.counts) < BY_CHANCE else None

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
