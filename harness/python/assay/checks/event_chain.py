# SPDX-License-Identifier: BSD-3-Clause
"""A gate that is made of events alone. Two streams wait for each other's events many times, and the held stream waits
for the last event of this chain.

The gate works wherever streams are queues, even if every kernel finishes within its call. Whether the gate is closed is
read from its events. So the gate serves only checks that compare with events, or that detect work which must not have
run yet. Called by own_gate.py.
"""

import time

import torch

FEW_LINKS, MOST_LINKS = 64, 1 << 16
MORE = 4
SHARE = 8  # one piece of work may use this fraction of the check's time


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
        """Queries an event before the last quarter of the chain, not the last one, so that a slightly late answer does
        not matter."""
        return not self.events[len(self.events) * 3 // 4].query()

    def wait(self):
        until = time.monotonic() + self.case.seconds_left / 2
        while not self.events[-1].query() and time.monotonic() < until:
            pass

    def holds(self, wanted):
        """Whether an event recorded behind the gate is seen to wait, and is complete immediately after its
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
