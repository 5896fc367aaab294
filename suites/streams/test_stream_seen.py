# SPDX-License-Identifier: BSD-3-Clause
"""Compares streams with the data that their work has written. These checks are for targets without a gate: see
long_work.py."""

import unittest

import torch
from assay.checks import Case
from assay.checks.long_work import LongWork


class StreamsSeen(Case):
    def setUp(self):
        super().setUp()
        torch.accelerator.set_device_index(self.device.index)

    def test_query(self):
        """streams.query_is_true_only_after_the_work_is_done"""
        work = LongWork(self)
        for _ in work.rounds():
            what = "query() says that a stream is idle only when its work is done"
            work.expect_done_if(work.stream.query(), what)

    def test_synchronize(self):
        """streams.synchronize_returns_after_the_work_is_done"""
        work = LongWork(self)
        for _ in work.rounds():
            what = "synchronize() returns when the stream's work is done"
            work.expect_waits(work.stream.synchronize, what)

    def test_wait_event(self):
        """streams.waiting_stream_continues_after_the_work_is_done"""
        work = LongWork(self)
        waiting = work.new_stream()
        for _ in work.rounds():
            waiting.wait_event(self.supported("events", work.stream.record_event))
            with waiting:
                copy = work.flag.clone()
            work.seen += work.goes_on()
            waiting.synchronize()
            what = "work after wait_event() starts after the work before the event is done"
            words = "the work read the data from before the event"
            self.require(self.expect_true(work.filled(copy), what, words))


if __name__ == "__main__":
    unittest.main()
