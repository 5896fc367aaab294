# SPDX-License-Identifier: BSD-3-Clause
"""Work that continues on a stream after the enqueuing call has returned. With such work, a check needs no gate.

Only data shows whether the work continues: its last part fills a flag, and another stream reads the flag. If a backend
reports "done" too early, the flag is not filled yet. Time decides nothing here. If the work never continues after the
call, the check is unobservable or skipped: see work_within_calls.py.
"""

import contextlib
import functools
import time

import torch
from assay.checks.work_within_calls import LOOKS, Look, done_within_its_calls

ELEMENTS = [1 << bits for bits in (14, 16, 18, 20, 22)]
PARTS = 16
FLAGS = 64
LOOKING_S = 1  # seconds to search for a size at which the work continues after the call
ROUNDS = 12
ENOUGH = 3  # number of rounds in which the work must continue after the call
PAIRS = 2  # comparisons at each size
SIZES = 3  # a difference at this number of sizes comes from the device and not from a busy machine
SHARE = 4  # no round begins after 1/SHARE of the check's time
INSTRUMENT = "work that goes on after the call"


def copy_on_device(work, elements):
    x, y = (work.tensor(torch.zeros, elements) for _ in range(2))
    return functools.partial(y.copy_, x), lambda flag: flag.copy_(work.ones)


def kernel(work, elements):
    x, y = (work.tensor(torch.zeros, elements) for _ in range(2))
    return functools.partial(torch.mul, x, y), lambda flag: flag.copy_(work.ones)


def copy_from_host(work, elements):
    """The same kind of copy fills the flag. A kernel that finishes within its call would wait for all copies."""
    x, y, ones = torch.zeros(elements), work.tensor(torch.zeros, elements), torch.ones(FLAGS)
    return functools.partial(y.copy_, x, non_blocking=True), lambda flag: flag.copy_(ones, non_blocking=True)


# each entry returns two functions: one runs a part of the work, the other fills the flag after this part
KINDS = (copy_on_device, kernel, copy_from_host)


class LongWork:
    def __init__(self, case, number=0, needed=True):
        """If no work continues after its call, the constructor ends the check. With needed=False, `none` becomes a
        function that ends the check."""
        self.case, self.number = case, number
        case.start_device()
        self.stream, self.reader = self.new_stream(), self.new_stream()
        self.ones = self.tensor(torch.ones)  # must live as long as a copy may read it
        self.seen, self.flag = 0, None
        self.until = time.monotonic() + case.seconds_left / SHARE
        self.none = self.find_part()
        if self.none and needed:
            self.none()

    def new_stream(self):
        return self.case.supported("streams", torch.Stream, self.case.devices[self.number])

    def tensor(self, make, elements=FLAGS, stream=None):
        """Allocates on the stream of the first use, because a copy from the host may finish after the call returned."""
        with stream or self.stream:
            return self.case.on_device(make(elements), self.number)

    # ---- one piece of work

    def start(self, between=lambda: None):
        self.give(self.tensor(torch.zeros), between)

    def give(self, flag, between=lambda: None):
        """Enqueues the work on the stream. `between` is called after each part."""
        self.flag = flag
        with self.stream:
            for _ in range(PARTS):
                self.part()
                between()
            self.fill(flag)

    def filled(self, flag):
        """True if the flag is filled. Reads the flag on a stream that waits for no other work."""
        with self.reader:
            return bool(self.case.on_cpu(flag).all())

    def goes_on(self):
        return not self.filled(self.flag)

    def arrives(self, flag):
        """True when the flag is filled, False after half of the check's time."""
        until = time.monotonic() + self.case.seconds_left / 2
        while not self.filled(flag):
            if time.monotonic() > until:
                return False
        return True

    def drain(self):
        if not self.arrives(self.flag):
            self.case.cannot_observe(INSTRUMENT, "the last part of the work never finished")

    # ---- how much of it

    def find_part(self):
        """Chooses work that continues after the call. If there is none, returns a function that ends the check."""
        until = time.monotonic() + LOOKING_S
        done = {}  # kind -> the largest size that the device could run
        for size in range(len(ELEMENTS)):
            for kind in KINDS:
                look = self.look(kind, size)
                if look and look.goes_on:
                    return None
                if look:
                    done[kind] = size
            if time.monotonic() > until:
                break
        return self.look_again(done)

    def look_again(self, done):
        """Measures the smallest and the largest size of each kind, to find out whether the device finishes the work
        within its calls. A stream that finishes kernels within their calls may still run copies later."""
        reasons = []
        for kind, most in done.items():
            looks = []
            for size in LOOKS * (0, most):
                look = self.look(kind, size)
                if look and look.goes_on:
                    return None
                looks += [look] if look else []
            reasons.append(done_within_its_calls(looks, PARTS))
        if reasons and all(reasons):
            return lambda: self.case.lacks("async", reasons[0])
        return lambda: self.case.cannot_observe(INSTRUMENT, "all work that was tried was done when its call returned")

    def look(self, kind, size):
        """Measures one piece of work. Returns None if the device cannot run it."""
        with contextlib.suppress(NotImplementedError, torch.OutOfMemoryError):
            self.make_part(kind, size)
            begun = time.monotonic()
            self.start()
            returned = time.monotonic()
            goes_on = self.goes_on()
            look = Look(ELEMENTS[size], returned - begun, time.monotonic() - returned, goes_on)
            self.drain()
            return look
        return None

    def make_part(self, kind, size):
        self.part, self.fill = kind(self, ELEMENTS[size])
        self.kind, self.size = kind, size

    def grow(self):
        with contextlib.suppress(torch.OutOfMemoryError):
            self.make_part(self.kind, min(self.size + 1, len(ELEMENTS) - 1))

    # ---- many rounds

    def tries(self):
        """Yields at least once. A slow machine runs fewer rounds: the check detects less but keeps its deadline."""
        yield
        for _ in range(ROUNDS - 1):
            if time.monotonic() > self.until:
                return
            yield

    def rounds(self):
        """Starts the work once per round, until the work has continued after the call in enough rounds. If the work
        did not continue in a round, enlarges the work."""
        for _ in self.tries():
            seen = self.seen
            self.start()
            yield
            self.drain()
            if self.seen >= ENOUGH:
                return
            if self.seen == seen:
                self.grow()
        if not self.seen:
            self.case.cannot_observe(INSTRUMENT, "the work was always done before it was queried")

    def expect_done_if(self, said, what):
        """`said` is True if the backend reports that the work is done. Then the flag must be filled."""
        goes_on = self.goes_on()
        self.seen += goes_on
        words = "the last part of the work had not arrived yet"
        self.case.require(self.case.expect_true(not (said and goes_on), what, words))

    def expect_waits(self, wait, what):
        """Expects that the work is done when `wait` returns. The work must still run at two reads in a row. Shorter
        work could end before a third read detects a wait that returned too early."""
        self.seen += self.goes_on() and self.goes_on()
        wait()
        words = "the last part of the work had not arrived yet"
        self.case.require(self.case.expect_true(self.filled(self.flag), what, words))

    def expect_as_without(self, without, subject, what, seen):
        """Compares two actions. Each action returns True if the work continues after the action, False if it does not,
        or None. A violation is reported only if the work always continues after `without` and never after `subject`, at
        several sizes of the work. At a small size, a busy machine alone can cause this difference."""
        sizes = 0
        for _ in self.tries():
            answers = [(without(), subject()) for _ in range(PAIRS)]
            if any(goes_on for _, goes_on in answers):
                return
            sizes = sizes + 1 if all(answer == (True, False) for answer in answers) else 0
            if sizes == SIZES:
                self.case.require(self.case.expect(False, what, seen))
            self.grow()
        self.case.cannot_observe(INSTRUMENT, "the work was always done before it was queried")
