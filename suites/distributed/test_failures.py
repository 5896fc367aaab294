# SPDX-License-Identifier: BSD-3-Clause
"""Ranks that are missing, die, or give up."""

import unittest

from suites.distributed import ranks, rank_work
from suites.distributed.group_case import GroupCase
from suites.distributed.rank import ALL

SIZE = 2
TIMEOUT = 5  # timeout of the group in seconds
LAST = rank_work.LAST
MISSING = "all_reduce that rank 0 does not enter"


class Failures(GroupCase):
    MODULE = "rank_work"

    def test_missing(self):
        """distributed.collective_raises_when_a_rank_is_missing"""
        done = self.ask("missing", TIMEOUT)
        self.expect_first(done)
        self.expect_over(done[1], MISSING)

    def test_dies_before(self):
        """distributed.collective_raises_after_a_rank_died"""
        self.check_death(False)

    def test_dies_pending(self):
        """distributed.pending_collective_raises_when_a_rank_dies"""
        self.check_death(True)

    def check_death(self, is_pending):
        self.need_group()
        with ranks.Ranks(self, self.MODULE, "dies", TIMEOUT, is_pending) as group:
            group.hear_until(lambda: all("ready" in rank.said or "end" in rank.said for rank in group.ranks))
            group.ranks[0].kill()
            group.store.set("killed", "yes")
            done = group.finish()
        self.expect_started(done)
        self.expect_first(done)
        self.expect_over(done[1], LAST)

    def expect_first(self, done):
        for rank, seen in enumerate(self.values_of(done, ALL)):
            self.require(self.expect_equal(seen, [2.0], f"{ALL}: the result of rank {rank}"))

    def expect_over(self, rank, name):
        """The collective raised. A backend may also end the process with words, as NCCL's watchdog does."""
        what = f"{name} raises at the latest after the group's timeout of {TIMEOUT} s"
        if name in rank.cases:
            one = rank.cases[name]
            self.expect("error" in one, what, f"it returned on rank {rank.number}: {one.get('value')!r}")
            self.expect("INTERNAL ASSERT" not in one.get("text", ""), f"{what}, with a clear message", one.get("text"))
            return
        aborted = rank.how_it_ended()
        has_words = "SIGABRT" in aborted and "wrote nothing" not in aborted
        self.note("the survivor", aborted)
        self.expect(has_words, what, aborted)

    def test_aborts(self):
        """distributed.group_can_be_aborted_and_created_again"""
        self.judge(self.ask("aborts"), {
            ALL: [[2.0]] * SIZE,
            "abort() while a collective is pending": [True] * SIZE,
            "the end of the aborted group": [False] * SIZE,
            "all_reduce of the second group": [[4.0]] * SIZE,
        })


if __name__ == "__main__":
    unittest.main()
