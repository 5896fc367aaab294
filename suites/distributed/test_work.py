# SPDX-License-Identifier: BSD-3-Clause
"""Work objects and their futures, the order with streams, and collectives that raise."""

import unittest

from suites.distributed.group_case import GroupCase
from suites.distributed.rank_work import GROUPS, STREAMS

SIZE = 2
MANY = [3.0 + 2 * one for one in range(10)]
TIMES = 3
ERRORS = {"RuntimeError", "NotImplementedError", "ValueError"}


class Works(GroupCase):
    MODULE = "rank_work"

    def test_finished(self):
        """distributed.work_is_complete_after_wait"""
        self.judge(self.ask("finished"), {
            "the value after wait()": [[3.0] * 4] * SIZE,
            "is_completed() after wait()": [True] * SIZE,
            "the value after a second wait()": [[3.0] * 4] * SIZE,
            "many works, waited for in the order of their start": [MANY] * SIZE,
            "many works, waited for in reverse": [MANY] * SIZE,
        })

    def test_futures(self):
        """distributed.future_completes_with_the_result"""
        table = {f"the future of {name}": [[[[one] * 3], [one] * 3, True]] * SIZE for name, one in (("all_reduce", 3.0), ("broadcast", 1.0))}
        self.judge(self.ask("futures"), {**table, "a callback of the future": [[1.5] * 3] * SIZE})

    def test_not_early(self):
        """distributed.work_is_not_complete_before_every_rank_entered"""
        table = {f"is_completed() before the other rank enters, time {one + 1}": [[False, 2.0]] * SIZE for one in range(TIMES)}
        self.judge(self.ask("not_early"), table)

    def test_streams(self):
        """distributed.collective_is_ordered_with_the_current_stream"""
        table = {
            f"a tensor that {kind} computes, in group {number + 1}": [[1.0, 1.0]] * SIZE
            for number in range(GROUPS) for kind in STREAMS
        }
        done = self.ask("streams")
        self.judge(done, table)
        seen = sum(rank.said.get("unfinished", 0) for rank in done)
        self.note("unfinished work", f"the stream had unfinished work at {seen} of {len(table) * SIZE} collectives")

    def test_new_timeout(self):
        """distributed.timeout_of_a_backend_can_be_set"""
        done = self.ask("new_timeout")
        for rank in done:
            one = rank.cases.get("a new timeout of the Backend", {})
            self.expect("error" not in one, "setting a timeout warns if the backend does not support it, and does not raise", one.get("text"))
        self.judge(done, {"all_reduce with the new timeout": [[3.0]] * SIZE})

    def test_unsupported(self):
        """distributed.unsupported_collective_raises"""
        expected = {"all_to_all": [1.0, 2.0], "all_gather_coalesced": [1.0, 2.0], "all_reduce_coalesced": [3.0, 4.0],
                    "all_reduce of a sparse tensor": [1.0, 1.0]}
        done = self.ask("unsupported")
        for name, value in expected.items():
            self.judge_or_raised(done, name, [value] * SIZE, ERRORS)
        self.expect_ended(done)


if __name__ == "__main__":
    unittest.main()
