# SPDX-License-Identifier: BSD-3-Clause
"""Timers for work that goes on after the call has returned: events of the device, or the clock around a wait.

A sample is the mean of enough calls that the timer's own cost does not count. Called by bench.py.
"""

import time

import torch

SHORTEST = 1e-3  # seconds that the calls of one sample take at least
MOST_CALLS = 1 << 14
ENOUGH, MOST = 10, 200  # samples
FEWEST, LONGEST = 3, 10  # samples of a call so slow that it takes this many times its budget
AGREES = 1.05  # of the time between two waits, as much as events may tell


class Clock:
    """Calls and all that they began, between two waits."""

    name = "clock"

    def __init__(self, device):
        self.device = device

    def wait(self):
        torch.accelerator.synchronize(self.device)

    def seconds(self, call, calls):
        self.wait()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        self.wait()
        return time.perf_counter() - begin


class HostClock(Clock):
    """The calls alone, as long as they keep the program: their work is waited for outside."""

    name = "host clock"

    def seconds(self, call, calls):
        self.wait()
        begin = time.perf_counter()
        for _ in range(calls):
            call()
        taken = time.perf_counter() - begin
        self.wait()
        return taken


class Events(Clock):
    """The device's own times, before the first call and behind the last."""

    name = "events"

    def seconds(self, call, calls):
        first, last = (torch.Event(self.device, enable_timing=True) for _ in range(2))
        self.wait()
        first.record()
        for _ in range(calls):
            call()
        last.record()
        last.synchronize()
        return first.elapsed_time(last) / 1e3


def choose(device, call):
    """Events where the backend times them and they tell no more than the clock saw; else the clock. And why."""
    clock, events = Clock(device), Events(device)
    try:
        told = events.seconds(call, 100)
        begin = time.perf_counter()
        told = events.seconds(call, 100)
        seen = time.perf_counter() - begin
    except Exception as error:  # a backend may raise anything here
        return clock, f"events cannot be timed: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    if not 0 < told <= seen * AGREES:
        return clock, f"events tell {told:.3g} s of a time in which the clock saw {seen:.3g} s"
    return events, ""


def enough_calls(timer, call):
    calls = 1
    while calls < MOST_CALLS and timer.seconds(call, calls) < SHORTEST:
        calls *= 2
    return calls


def is_short(count, budgets):
    """Whether so many samples, which have taken so many budgets of time, are too few."""
    return count < FEWEST or (count < ENOUGH and budgets < LONGEST) or (count < MOST and budgets < 1)


def sample(timer, call, budget):
    """Seconds for one call, once for each sample, and how many calls each is the mean of."""
    timer.seconds(call, 1)  # what only happens once
    calls = enough_calls(timer, call)
    samples, begin = [], time.perf_counter()
    while is_short(len(samples), (time.perf_counter() - begin) / budget):
        samples.append(timer.seconds(call, calls) / calls)
    return samples, calls
