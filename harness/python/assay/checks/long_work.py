# SPDX-License-Identifier: BSD-3-Clause
"""Work that goes on after the call that gave it to a stream has returned: what decides without a gate.

Whether it goes on is asked of the data alone: its last part fills a flag, which another stream reads. So
whoever says "done" too early is caught by a flag that is not filled yet. Nothing here is decided by time: work
that nobody saw going on leaves the check unobservable, or skips it: see work_within_calls.py.
"""

import contextlib
import functools
import time

import torch
from assay.checks.work_within_calls import LOOKS, Look, done_within_its_calls

ELEMENTS = [1 << bits for bits in (14, 16, 18, 20, 22)]
PARTS = 16
FLAGS = 64
LOOKING_S = 1  # for a size at which the work is seen to go on
ROUNDS = 12
ENOUGH = 3  # rounds in which the work was seen to go on
PAIRS = 2  # of what is compared, at each size
SIZES = 3  # of the work, at each of which a difference is the device's and not the machine's
SHARE = 4  # no round begins when this part of the check's time is over
INSTRUMENT = "work that goes on after the call"


def copy_on_device(work, elements):
    x, y = (work.tensor(torch.zeros, elements) for _ in range(2))
    return functools.partial(y.copy_, x), lambda flag: flag.copy_(work.ones)


def kernel(work, elements):
    x, y = (work.tensor(torch.zeros, elements) for _ in range(2))
    return functools.partial(torch.mul, x, y), lambda flag: flag.copy_(work.ones)


def copy_from_host(work, elements):
    """Its flag is filled the same way: a kernel that is done within its call would wait for all of it."""
    x, y, ones = torch.zeros(elements), work.tensor(torch.zeros, elements), torch.ones(FLAGS)
    return functools.partial(y.copy_, x, non_blocking=True), lambda flag: flag.copy_(ones, non_blocking=True)


KINDS = (copy_on_device, kernel, copy_from_host)  # each makes a part, and what fills a flag behind it


class LongWork:
    def __init__(self, case, number=0, needed=True):
        """Where none is seen to go on that ends the check, or stands in `none` as what would end it."""
        self.case, self.number = case, number
        case.start_device()
        self.stream, self.reader = self.new_stream(), self.new_stream()
        self.ones = self.tensor(torch.ones)  # alive for as long as somebody may copy it
        self.seen, self.flag = 0, None
        self.until = time.monotonic() + case.seconds_left / SHARE
        self.none = self.find_part()
        if self.none and needed:
            self.none()

    def new_stream(self):
        try:
            return torch.Stream(self.case.devices[self.number])
        except (RuntimeError, NotImplementedError) as error:
            if self.case.refused_means(error):
                self.case.lacks("streams", error)
            raise

    def tensor(self, make, elements=FLAGS, stream=None):
        """On the stream that uses it first: a copy from the host may arrive after the call has returned."""
        with stream or self.stream:
            return self.case.on_device(make(elements), self.number)

    # ---- one piece of work

    def start(self, between=lambda: None):
        self.give(self.tensor(torch.zeros), between)

    def give(self, flag, between=lambda: None):
        """Gives the work to the stream; `between` is called after each part."""
        self.flag = flag
        with self.stream:
            for _ in range(PARTS):
                self.part()
                between()
            self.fill(flag)

    def filled(self, flag):
        """Read on a stream that waits for nobody."""
        with self.reader:
            return bool(self.case.on_cpu(flag).all())

    def goes_on(self):
        return not self.filled(self.flag)

    def drain(self):
        until = time.monotonic() + self.case.seconds_left / 2
        while self.goes_on():
            if time.monotonic() > until:
                self.case.cannot_observe(INSTRUMENT, "the end of the work never came")

    # ---- how much of it

    def find_part(self):
        """The first that is seen to go on; else what ends the check is returned."""
        until = time.monotonic() + LOOKING_S
        done = {}  # kind -> the most of it that the device could do
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
        """At the least and at the most of each kind: is the work done within its calls? A stream that does that with kernels
        may all the same do copies later."""
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
        return lambda: self.case.cannot_observe(INSTRUMENT, "all that was tried was done when the call returned")

    def look(self, kind, size):
        """The measurement of a piece of work, or None where the device cannot do it."""
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
        """One in any case. A machine that is slow for now makes the check weaker, never late."""
        yield
        for _ in range(ROUNDS - 1):
            if time.monotonic() > self.until:
                return
            yield

    def rounds(self):
        """Starts the work for each round until it was seen to go on often enough; more of it if it was not."""
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
            self.case.cannot_observe(INSTRUMENT, "it was always done by the time of the question")

    def expect_done_if(self, said, what):
        """Somebody was asked whether the work is done, and this is what he said."""
        goes_on = self.goes_on()
        self.seen += goes_on
        words = "the last part of that work was not there yet"
        self.case.require(self.case.expect_true(not (said and goes_on), what, words))

    def expect_waits(self, wait, what):
        """`wait` returns when the work is done. Only work that outlasts two looks would be seen to go on by a third one, after a
        wait that returned too early."""
        self.seen += self.goes_on() and self.goes_on()
        wait()
        words = "the last part of that work was not there yet"
        self.case.require(self.case.expect_true(self.filled(self.flag), what, words))

    def expect_as_without(self, without, subject, what, seen):
        """Both give whether the work goes on after what they do, or None. It is a violation only if it always
        does in the one and never in the other, at several sizes of the work: while there is little of it, a
        busy machine makes the difference alone."""
        sizes = 0
        for _ in self.tries():
            answers = [(without(), subject()) for _ in range(PAIRS)]
            if any(goes_on for _, goes_on in answers):
                return
            sizes = sizes + 1 if all(answer == (True, False) for answer in answers) else 0
            if sizes == SIZES:
                self.case.require(self.case.expect(False, what, seen))
            self.grow()
        self.case.cannot_observe(INSTRUMENT, "it was always done by the time of the question")
