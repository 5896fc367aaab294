# SPDX-License-Identifier: BSD-3-Clause
"""Timers for asynchronous work: events of the device, or the host's clock around a synchronization.

A sample is the mean of many calls, so that the cost of the timer is negligible. Called by __main__.py.
"""

import time

import torch

SHORTEST = 1e-3  # least duration of one sample, in seconds
MOST_CALLS = 1 << 14
ENOUGH, MOST = 10, 200  # number of samples
FEWEST, LONGEST = 3, 10  # if a call takes LONGEST times its budget, only FEWEST samples are made
AGREES = 1.05  # events are not used if they report more than this multiple of the clock's time


class Clock:
    """The time of the calls and their device work, from one synchronization to the next."""

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
    """Time of the calls on the host only. The timer waits for the device work of these calls after the measurement."""

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
    """Time on the device, from an event before the first call to an event after the last."""

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
    """Returns events if the backend can time events and the measured time does not exceed the time on the clock.
    Otherwise returns the clock and the reason."""
    clock, events = Clock(device), Events(device)
    try:
        told = events.seconds(call, 100)
        begin = time.perf_counter()
        told = events.seconds(call, 100)
        seen = time.perf_counter() - begin
    except Exception as error:  # a backend may raise anything here
        return clock, f"events cannot be timed: {str(error).splitlines()[0] if str(error) else type(error).__name__}"
    if not 0 < told <= seen * AGREES:
        return clock, f"events report {told:.3g} s where the clock measured {seen:.3g} s"
    return events, ""


def enough_calls(timer, call):
    calls = 1
    while calls < MOST_CALLS and timer.seconds(call, calls) < SHORTEST:
        calls *= 2
    return calls


def is_short(count, budgets):
    """True if `count` samples are too few. `budgets` is the time that they took, in multiples of the budget."""
    return count < FEWEST or (count < ENOUGH and budgets < LONGEST) or (count < MOST and budgets < 1)


def sample(timer, call, budget):
    """Returns one time per call in seconds for each sample, and the number of calls per sample."""
    timer.seconds(call, 1)  # one-time work, such as compilation
    calls = enough_calls(timer, call)
    samples, begin = [], time.perf_counter()
    while is_short(len(samples), (time.perf_counter() - begin) / budget):
        samples.append(timer.seconds(call, calls) / calls)
    return samples, calls
