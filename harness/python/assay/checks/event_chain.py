# SPDX-License-Identifier: BSD-3-Clause
"""A gate of events alone: two streams hand on to each other, many times, and the held stream waits for the last of it.

It holds wherever streams are queues, also where every kernel is done within its call. Whether it is closed is asked of its
events, so it serves only checks that compare with events, or that see work where none may be yet. Called by own_gate.py.
"""

import time

import torch

FEW_LINKS, MOST_LINKS = 64, 1 << 16
MORE = 4
SHARE = 8  # of the check's time, for one piece of work


class EventChain:
    def __init__(self, case, stream):
        self.case, self.stream = case, stream
        self.there, self.back = (torch.Stream(stream.device) for _ in range(2))
        self.links, self.events = FEW_LINKS, []

    def close(self):
        self.events = [event for _ in range(self.links) for event in self.hand_on()]
        self.stream.wait_event(self.events[-1])

    def hand_on(self):
        for one, other in ((self.there, self.back), (self.back, self.there)):
            event = one.record_event()
            other.wait_event(event)
            yield event

    def is_closed(self):
        """Not the last event but one before the last quarter: an answer that is a little late makes no difference."""
        return not self.events[len(self.events) * 3 // 4].query()

    def wait(self):
        until = time.monotonic() + self.case.seconds_left / 2
        while not self.events[-1].query() and time.monotonic() < until:
            pass

    def holds(self, wanted):
        """Whether a mark behind it is seen to wait, and is complete at once after a wait for it."""
        limit = self.case.seconds_left / SHARE
        while True:
            begun = time.monotonic()
            self.close()
            mark = self.stream.record_event()
            went_on = mark.query()
            closed = self.is_closed()
            mark.synchronize()
            late = self.is_closed() or not mark.query()
            self.wait()
            took = time.monotonic() - begun
            if closed or took * MORE > limit or self.links >= MOST_LINKS:
                self.links *= max(1, int(min(wanted, limit) / took) + 1)
                return closed and not went_on and not late
            self.links *= MORE
