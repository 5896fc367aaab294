# SPDX-License-Identifier: BSD-3-Clause
"""A gate that consists of events only. Two streams wait for each other's events many times, and the held stream waits
for the last event of this chain.

The gate works wherever streams are queues, even if every kernel finishes within its call. The events of the gate show
whether the gate is closed. Therefore only two kinds of checks can use this gate. One kind compares a stream with
events. The other kind detects work that ran too early. Called by own_gate.py.
"""

import time

import torch

FEW_LINKS, MOST_LINKS = 64, 1 << 16
MORE = 4
SHARE = 8  # one piece of work may use 1/SHARE of the check's time


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
        """Queries an event in the third quarter of the chain, so that a slightly late answer does no harm."""
        return not self.events[len(self.events) * 3 // 4].query()

    def wait(self):
        until = time.monotonic() + self.case.seconds_left / 2
        while not self.events[-1].query() and time.monotonic() < until:
            pass

    def holds(self, wanted):
        """True if an event behind the gate is incomplete while the gate is closed, and complete after its
        synchronize()."""
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
