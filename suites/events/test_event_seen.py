# SPDX-License-Identifier: BSD-3-Clause
"""Compares events with the data that the work before them has written. These checks are for targets without a gate: see
long_work.py."""

import unittest

import torch
from assay.checks import Case
from assay.checks.long_work import LongWork

WAITING = 3


class EventsSeen(Case):
    def setUp(self):
        super().setUp()
        torch.accelerator.set_device_index(self.device.index)

    def recorded(self, stream, event=None, **options):
        event = event or torch.Event(self.bare_device, **options)
        self.supported("events", event.record, stream)
        return event

    def test_query(self):
        """events.query_is_true_only_after_the_work_is_done"""
        work = LongWork(self)
        for _ in work.rounds():
            complete = self.recorded(work.stream).query()
            what = "an event is complete only when the work before it is done"
            work.expect_done_if(complete, what)

    def test_query_again(self):
        """events.second_record_completes_after_the_work_is_done"""
        work = LongWork(self)
        event = self.recorded(work.stream)
        for _ in work.rounds():
            event.query()
            complete = self.recorded(work.stream, event).query()
            what = "an event that is recorded again is complete only when the work before it is done"
            work.expect_done_if(complete, what)

    def test_synchronize(self):
        """events.synchronize_returns_after_the_work_is_done"""
        work = LongWork(self)
        for _ in work.rounds():
            event = self.recorded(work.stream)
            work.expect_waits(event.synchronize, "synchronize() returns when the work before the event is done")

    def test_elapsed(self):
        """events.elapsed_time_exists_only_after_the_work_is_done"""
        work = LongWork(self)
        begin = self.recorded(work.stream, enable_timing=True)
        begin.synchronize()
        for _ in work.rounds():
            end = self.recorded(work.stream, enable_timing=True)
            what = "elapsed_time() to an event is refused until the work before it is done"
            work.expect_done_if(self.tells_time(begin, end), what)

    def tells_time(self, begin, end):
        try:
            begin.elapsed_time(end)
        except RuntimeError as error:
            if self.refused_means(error) == "guard.elapsedTime":
                self.lacks("events.timing", error)
            return False
        return True

    def test_wait(self):
        """events.waiting_streams_continue_after_the_work_is_done"""
        work = LongWork(self)
        waiting = [work.new_stream() for _ in range(WAITING)]
        copies = [work.tensor(torch.zeros, stream=stream) for stream in waiting]
        for _ in work.rounds():
            event = self.recorded(work.stream)
            for stream, copy in zip(waiting, copies, strict=True):
                stream.wait_event(event)
                with stream:
                    copy.copy_(work.flag)
            work.seen += work.goes_on()
            for stream, copy in zip(waiting, copies, strict=True):
                stream.synchronize()
                what = "a stream that waits for an event sees the result of the work before the event"
                words = "the stream read the data from before that work"
                self.require(self.expect_true(work.filled(copy), what, words))

    def test_order(self):
        """events.complete_event_implies_earlier_ones_are_complete"""
        work = LongWork(self)
        for _ in work.rounds():
            work.drain()
            events = []
            work.start(lambda events=events: events.append(self.recorded(work.stream)))
            pending = [not event.query() for event in reversed(events)]  # the oldest event is queried last
            work.seen += any(pending)
            what = "an event is complete only when those recorded before it on its stream are"
            self.require(self.expect_equal(pending, sorted(pending, reverse=True), what))

    def test_version(self):
        """events.later_record_does_not_delay_a_waiting_stream"""
        work = LongWork(self)
        waiting = work.new_stream()
        work.expect_as_without(
            lambda: self.waits_for_first(work, waiting, again=False),
            lambda: self.waits_for_first(work, waiting, again=True),
            "a stream waits for the record that existed at wait_event(), not for a later record",
            "the stream never continued before the work of the later record was done; without that record it always did",
        )

    def waits_for_first(self, work, waiting, again):
        """Returns whether a second piece of work is still running when a stream that waited for the first piece is
        idle. Returns None if the first piece was done before the second piece was enqueued."""
        flags = [work.tensor(torch.zeros) for _ in range(2)]
        work.give(flags[0])
        event = self.recorded(work.stream)
        waiting.wait_event(event)
        work.give(flags[1])
        if again:
            event.record(work.stream)
        in_time = not work.filled(flags[0])
        waiting.synchronize()
        goes_on = work.goes_on()
        work.drain()
        return goes_on if in_time else None


if __name__ == "__main__":
    unittest.main()
