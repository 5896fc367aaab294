# SPDX-License-Identifier: BSD-3-Clause
"""A gate for targets whose adapter has none: the held stream waits for an event behind long work on another stream.

The gate opens when that work is done, so two facts must be verified. Before the check, a stream behind the gate must
not continue while the work runs. At the end of the check, the work must still be running. If the gate opened earlier,
the check is unobservable. Called by held_streams.py.
"""

import contextlib
import math
import time

import torch
from assay.checks.event_chain import EventChain
from assay.checks.long_work import ELEMENTS, PARTS, LongWork

HELD_S = 1  # on an idle machine, the calls of a check behind the gate take milliseconds
SLOWEST = 5  # largest value of slowness(); a larger ratio counts as this value
TRIAL_S = 0.01  # processor time of this thread, used to measure how busy the machine is
MORE = 4
SHARE = 8  # one piece of work may use 1/SHARE of the check's time
LEFT = 3  # after the gate opens, 1/LEFT of the check's time must remain
INSTRUMENT = "assay.gate/1"


def slowness():
    """The ratio of the time that this thread needs now to the time on an idle machine."""
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
            self.work.grow()  # enlarges each part, so that the work consists of few long calls
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
        """True if the held stream waits while the work runs. Also sets the amount of work that the gate needs."""
        limit = self.case.seconds_left / SHARE
        while True:
            begun = time.monotonic()
            self.close()
            with self.stream:
                self.mark.copy_(self.work.ones)
            went_on = self.work.filled(self.mark)
            closed = self.is_closed()
            self.wait()
            is_shown = self.work.arrives(self.mark)  # otherwise a missing mark does not show that the gate holds
            took = time.monotonic() - begun
            if closed or took * MORE > limit:
                self.parts *= max(1, math.ceil(min(wanted, limit) / took))
                return closed and not went_on and is_shown
            self.parts *= MORE
            self.mark = self.work.tensor(torch.zeros, stream=self.stream)


def made(case, stream, events_will_do):
    """Returns a gate that was verified to hold the stream. Ends the check if there is none."""
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
    """Holds the stream during the block. Ends the check as unobservable if the hold cannot be verified."""
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
        case.cannot_observe(INSTRUMENT, "no adapter offers a gate, and the work that held the stream ended too early")
    if case.seconds_left < enough:
        case.cannot_observe(INSTRUMENT, "no adapter offers a gate, and the work that held the stream ended too late")


@contextlib.contextmanager
def _no_gate_without_events(case):
    try:
        yield
    except (RuntimeError, NotImplementedError) as error:
        if not case.refused_means(error):
            raise
        case.cannot_observe(INSTRUMENT, f"no adapter offers a gate, and none can be made: {str(error).splitlines()[0]}")
