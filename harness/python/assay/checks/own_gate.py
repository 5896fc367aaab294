# SPDX-License-Identifier: BSD-3-Clause
"""A gate of core's own means, where no adapter offers one: the stream waits for an event behind long work on another.

It opens by itself when that work is done, so two things are shown of it: before, that a stream behind it has not gone on
while the work did; and at the end, that the work goes on even then. Where it opened earlier the check says nothing.
Called by assay.py.
"""

import contextlib
import math
import time

import torch
from assay.checks.event_chain import EventChain
from assay.checks.long_work import ELEMENTS, PARTS, LongWork

HELD_S = 1  # what is asked meanwhile takes milliseconds, on an idle machine
SLOWEST = 5  # no machine counts as slower
TRIAL_S = 0.01  # of this processor's time, to see how busy the machine is
MORE = 4
SHARE = 8  # of the check's time, for one piece of work
LEFT = 3  # this part of it is needed afterwards
INSTRUMENT = "assay.gate/1"


def slowness():
    """How many times as long as alone this thread takes here for what it does."""
    begun, spent = time.monotonic(), time.thread_time()
    while time.thread_time() < spent + TRIAL_S:
        pass
    return min(SLOWEST, max(1, (time.monotonic() - begun) / TRIAL_S))


class OwnGate:
    def __init__(self, case, stream):
        self.case, self.stream = case, stream
        self.work = LongWork(case, [one.index for one in case.devices].index(stream.device_index), needed=False)
        self.none = self.work.none
        if self.none:
            return
        for _ in ELEMENTS:
            self.work.grow()  # few calls that take long
        self.mark = self.work.tensor(torch.zeros, stream=stream)
        self.parts, self.flag = PARTS, None

    def close(self):
        self.flag = self.work.tensor(torch.zeros)
        with self.work.stream:
            for _ in range(self.parts):
                self.work.part()
            self.work.fill(self.flag)
        self.stream.wait_event(self.work.stream.record_event())

    def is_closed(self):
        return not self.work.filled(self.flag)

    def wait(self):
        self.work.flag = self.flag
        self.work.drain()

    def holds(self, wanted):
        """Whether the stream is seen not to go on while the work does; with enough work from then on."""
        limit = self.case.seconds_left / SHARE
        while True:
            begun = time.monotonic()
            self.close()
            with self.stream:
                self.mark.copy_(self.work.ones)
            went_on = self.work.filled(self.mark)
            closed = self.is_closed()
            self.wait()
            took = time.monotonic() - begun
            if closed or took * MORE > limit:
                self.parts *= max(1, math.ceil(min(wanted, limit) / took))
                return closed and not went_on
            self.parts *= MORE
            self.mark = self.work.tensor(torch.zeros, stream=self.stream)


def made(case, stream, events_will_do):
    """A gate that is seen to hold. Ends the check where there is none."""
    gate, wanted = OwnGate(case, stream), HELD_S * slowness()
    if not gate.none:
        if gate.holds(wanted):
            return gate
        case.cannot_observe(INSTRUMENT, "no adapter offers a gate, and a stream behind an event was not seen to wait")
    chain = events_will_do and EventChain(case, stream)
    if not chain or not chain.holds(wanted):
        gate.none()
    return chain


@contextlib.contextmanager
def closed(case, stream, events_will_do=False):
    """In the block the stream waits. Ends the check as unobservable where that cannot be shown."""
    case.start_device()
    enough = case.seconds_left / LEFT
    with _no_gate_without_events(case):
        gate = made(case, stream, events_will_do)
        gate.close()
    yield
    is_closed = gate.is_closed()
    gate.wait()
    case.note("the stream was held", "by a long chain of events" if isinstance(gate, EventChain) else "by an event behind long work")
    if not is_closed:
        case.cannot_observe(INSTRUMENT, "no adapter offers a gate, and the work that held the stream was done too early")
    if case.seconds_left < enough:
        case.cannot_observe(INSTRUMENT, "no adapter offers a gate, and the work that held the stream took too long")


@contextlib.contextmanager
def _no_gate_without_events(case):
    try:
        yield
    except (RuntimeError, NotImplementedError) as error:
        if not case.refused_means(error):
            raise
        case.cannot_observe(INSTRUMENT, f"no adapter offers a gate, and none can be made: {str(error).splitlines()[0]}")
