# SPDX-License-Identifier: BSD-3-Clause
"""Tests a gate of events on a stand-in device without a clock. The queues advance at each query."""

import types
import unittest
from unittest import mock

from assay.checks import event_chain
from assay.checks.event_chain import EventChain


class Case:
    seconds_left = 30


class Device:
    """Events complete in the order in which they were recorded."""

    def __init__(self, queues=True, deaf=False, lags=False):
        self.queues, self.deaf, self.lags = queues, deaf, lags
        self.recorded = self.completed = 0


class Event:
    def __init__(self, device, number):
        self.device, self.number = device, number

    def query(self):
        complete = not self.device.queues or self.number <= self.device.completed
        self.device.completed += 1 + (self.device.recorded - self.device.completed) // 32
        return complete

    def synchronize(self):
        if not self.device.lags:
            self.device.completed = max(self.device.completed, self.number)


class Stream:
    def __init__(self, device):
        self.device, self.is_held = device, False

    def wait_event(self, event):
        pass

    def record_event(self):
        if self.is_held and self.device.deaf:
            return Event(self.device, 0)
        self.device.recorded += 1
        return Event(self.device, self.device.recorded)


class Chain(unittest.TestCase):
    def chain(self, **quirks):
        stream = Stream(Device(**quirks))
        stream.is_held = True
        for name, stand_in in (
            ("torch", types.SimpleNamespace(Stream=Stream)),
            ("MOST_LINKS", 256),
            ("time", types.SimpleNamespace(monotonic=iter(n / 1e4 for n in range(10**6)).__next__)),
        ):
            patch = mock.patch.object(event_chain, name, stand_in)
            patch.start()
            self.addCleanup(patch.stop)
        return EventChain(Case(), stream)

    def test_queues_hold(self):
        chain = self.chain()
        self.assertTrue(chain.holds(1))
        chain.close()
        self.assertTrue(chain.is_closed())
        chain.wait()
        self.assertFalse(chain.is_closed())

    def test_a_device_without_queues_does_not(self):
        self.assertFalse(self.chain(queues=False).holds(1))

    def test_a_stream_that_does_not_wait_is_not_held(self):
        self.assertFalse(self.chain(deaf=True).holds(1))

    def test_answers_that_come_late_show_nothing(self):
        self.assertFalse(self.chain(lags=True).holds(1))


if __name__ == "__main__":
    unittest.main()
