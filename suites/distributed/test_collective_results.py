# SPDX-License-Identifier: BSD-3-Clause
"""The collectives of two, three and four ranks, with their results computed on the CPU (collective_tables.py)."""

import unittest

from suites.distributed.collective_tables import FRACTIONS, Expected
from suites.distributed.group_case import GroupCase

REFUSED = ["RuntimeError", "ValueError", "TypeError", "NotImplementedError"]
# Of any number of ranks. Their algorithms differ between two ranks, a power of two and other numbers.
GENERAL = ("ops", "rooted", "gathered", "scattered", "one_to_many", "all_to_all", "uneven", "ring", "barriers")


class Collectives(GroupCase):
    MODULE = "rank_collectives"

    def check(self, *functions, size=2):
        done = self.ask("in_one_group", functions, size=size)
        self.judge(done, Expected(size).table(functions))
        return done

    def test_ops(self):
        """distributed.all_reduce_computes_each_operator"""
        done = self.check("ops")
        for op, dtype in sorted(FRACTIONS):
            if op != "AVG":
                self.expect_all_raised(done, f"{op} of {dtype}", REFUSED[:3])

    def test_dtypes(self):
        """distributed.collectives_keep_the_values_of_each_dtype"""
        self.check("dtypes")

    def test_sizes(self):
        """distributed.collectives_accept_odd_and_empty_sizes"""
        self.check("sizes")

    def test_strided(self):
        """distributed.collectives_write_through_strides"""
        self.check("strided")

    def test_rooted(self):
        """distributed.broadcast_and_reduce_work_for_every_root"""
        self.check("rooted")

    def test_gathered(self):
        """distributed.all_gather_orders_chunks_by_rank"""
        self.check("gathered")

    def test_scattered(self):
        """distributed.reduce_scatter_gives_each_rank_its_chunk"""
        self.check("scattered")

    def test_one_to_many(self):
        """distributed.gather_and_scatter_give_the_right_data_or_raise"""
        self.check("one_to_many")

    def test_all_to_all(self):
        """distributed.all_to_all_gives_the_right_data_or_raises"""
        self.check("all_to_all")

    def test_sent(self):
        """distributed.messages_arrive_by_tag_and_source"""
        self.check("sent")

    def test_barrier(self):
        """distributed.barrier_holds_every_rank_until_the_last_one_enters"""
        self.check("barriers")

    def test_coalesced(self):
        """distributed.coalesced_collectives_give_the_right_data_or_raise"""
        self.check("coalesced")

    def test_three(self):
        """distributed.collectives_are_right_with_three_ranks"""
        self.check_many(3)

    def test_four(self):
        """distributed.collectives_are_right_with_four_ranks"""
        self.check_many(4)

    def check_many(self, size):
        done, expected = self.ask("in_one_group", (*GENERAL, "uneven_sums"), size=size), Expected(size)
        self.judge(done, expected.table(GENERAL))
        self.judge_or_raised(done, "reduce_scatter of uneven parts", expected.uneven_sums(), REFUSED)


if __name__ == "__main__":
    unittest.main()
