# SPDX-License-Identifier: BSD-3-Clause
"""Tests a gate of long work on a stand-in device without a clock. If the test cannot observe that the gate holds, or if
it opens too early, the check ends without a verdict."""

import contextlib
import types
import unittest
from unittest import mock

import torch
from assay.checks import own_gate

INDEX, PARTS = 0, own_gate.PARTS


class NotSeen(Exception):
    pass


class Case:
    seconds_left = 30
    devices = [torch.device("cpu", INDEX)]

    def start_device(self):
        pass

    def note(self, key, value):
        pass

    def refused_means(self, error):
        return "guard.record" if "events" in str(error) else None

    def cannot_observe(self, instrument, reason):
        raise NotSeen(reason)


class Stream:
    """Waits for events if the device supports them. Work runs while `goes_on` of the device is True."""

    device_index = INDEX

    def __init__(self, device, waits=True):
        self.device, self.waits = device, waits

    def wait_event(self, event):
        if not self.waits:
            return
        self.device.behind.add(self)

    def record_event(self):
        if not self.device.has_events:
            raise RuntimeError("Backend doesn't support events.")

    __enter__ = __exit__ = lambda *_: None


class Device:
    """If there is enough work, the work still runs during a given number of looks."""

    def __init__(self, looks, has_events=True, enough=1):
        self.looks, self.has_events, self.enough = looks, has_events, enough
        self.behind, self.given, self.left = set(), 0, 0
        self.loses_marks = False


class Work:
    """Replaces LongWork. Its flags are strings."""

    def __init__(self, device):
        self.device, self.stream, self.ones, self.flag, self.none = device, Stream(device), None, None, None

    def grow(self):
        pass

    def part(self):
        self.device.given += 1

    def fill(self, flag):
        flag.copy_(self.ones)

    def tensor(self, make, stream=None):
        self.device.given = 0
        return Flag(self.device, stream)

    def filled(self, flag):
        if flag.stream is not None:
            return flag.stream not in self.device.behind or not self.device.left
        self.device.left = max(0, self.device.left - 1)
        return self.device.left == 0

    def arrives(self, flag):
        return self.filled(flag) and not self.device.loses_marks

    def drain(self):
        self.device.left = 0
        self.device.behind.clear()


class Flag:
    def __init__(self, device, stream):
        self.device, self.stream = device, stream

    def copy_(self, _):
        if self.stream is None:
            self.device.left = self.device.looks if self.device.given >= self.device.enough else 1


class OwnGate(unittest.TestCase):
    def held(self, device, stream=None, meanwhile=lambda: None):
        stream = stream or Stream(device)
        with mock.patch.object(own_gate, "LongWork", lambda case, number, needed: Work(device)), contextlib.ExitStack() as stack:
            clock = types.SimpleNamespace(monotonic=iter(range(999)).__next__, thread_time=iter(range(999)).__next__)
            stack.enter_context(mock.patch.object(own_gate, "time", clock))
            stack.enter_context(mock.patch.object(own_gate, "TRIAL_S", 1))
            stack.enter_context(own_gate.closed(Case(), stream))
            meanwhile()
        return True

    def test_work_that_goes_on_holds(self):
        self.assertTrue(self.held(Device(looks=9)))

    def test_there_is_more_of_it_where_that_is_needed(self):
        with mock.patch.object(own_gate, "SHARE", 1):
            self.assertTrue(self.held(Device(looks=9, enough=PARTS * own_gate.MORE)))

    def test_a_stream_that_does_not_wait_is_not_held(self):
        device = Device(looks=9)
        with self.assertRaisesRegex(NotSeen, "was not seen to wait"):
            self.held(device, Stream(device, waits=False))

    def test_a_mark_that_never_arrives_shows_no_gate(self):
        device = Device(looks=9)
        device.loses_marks = True
        with self.assertRaisesRegex(NotSeen, "was not seen to wait"):
            self.held(device)

    def test_work_that_is_done_at_the_end_says_nothing(self):
        with self.assertRaisesRegex(NotSeen, "too early"):
            device = Device(looks=9)
            self.held(device, meanwhile=lambda: setattr(device, "left", 0))

    def test_without_events_there_is_none(self):
        with self.assertRaisesRegex(NotSeen, "none can be made"):
            self.held(Device(looks=9, has_events=False))


if __name__ == "__main__":
    unittest.main()
