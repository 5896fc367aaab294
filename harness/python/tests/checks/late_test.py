# SPDX-License-Identifier: BSD-3-Clause
"""Tests errors of an asynchronous device, whose calls return before their work is done, and of a device that cannot
be synchronized."""

import unittest
from unittest import mock

import torch
from assay.checks import late

CPU = torch.device("cpu")


class Queue:
    """A device that reports an error once, at the next synchronization."""

    def __init__(self):
        self.wrong = []

    def order(self, error=None):
        self.wrong += [error] if error else []

    def wait(self, *_):
        if self.wrong:
            raise self.wrong.pop(0)


def cannot_be_waited_for(*_):
    raise RuntimeError("Backend doesn't support synchronizing all streams on device")


class Late(unittest.TestCase):
    def of(self, call, *ways):
        names = ("_by_core", "_by_module", "_by_a_copy")
        with mock.patch.multiple(late, **dict(zip(names, ways))):
            return late.raised(CPU, call)

    def test_an_error_of_the_call_is_its_own(self):
        queue = Queue()

        def call():
            raise ValueError("at once")

        self.assertIsInstance(self.of(call, queue.wait, queue.wait, queue.wait), ValueError)

    def test_an_error_that_comes_late_is_of_the_call(self):
        queue = Queue()
        seen = self.of(lambda: queue.order(IndexError("late")), queue.wait, queue.wait, queue.wait)
        self.assertEqual(str(seen), "late")

    def test_a_call_that_is_taken_raises_nothing(self):
        queue = Queue()
        self.assertIsNone(self.of(queue.order, queue.wait, queue.wait, queue.wait))

    def test_a_device_that_stays_where_it_waited_is_put_back(self):
        current = [0]

        def waits_and_stays(_device):
            current[0] = 1

        with mock.patch.multiple(torch.accelerator, current_device_index=lambda: current[0],
                                 set_device_index=lambda index: current.__setitem__(0, index)):
            self.of(lambda: None, *[waits_and_stays] * 3)
        self.assertEqual(current, [0])

    def test_a_device_that_cannot_be_waited_for_has_not_refused(self):
        self.assertIsNone(self.of(lambda: None, *[cannot_be_waited_for] * 3))

    def test_it_is_read_instead(self):
        queue = Queue()
        refuses = cannot_be_waited_for
        seen = self.of(lambda: queue.order(IndexError("late")), refuses, refuses, queue.wait)
        self.assertEqual(str(seen), "late")

    def test_a_module_that_waits_for_nothing_hides_no_error(self):
        queue = Queue()
        seen = self.of(lambda: queue.order(IndexError("late")), cannot_be_waited_for, lambda _: None, queue.wait)
        self.assertEqual(str(seen), "late")

    def test_a_core_that_waits_for_nothing_hides_no_error(self):
        """Before torch 2.12, torch makes no query if the device module has no _lazy_init. torch.cpu has none."""
        queue = Queue()
        seen = self.of(lambda: queue.order(IndexError("late")), lambda _: None, lambda _: None, queue.wait)
        self.assertEqual(str(seen), "late")

    def test_an_error_of_earlier_work_is_not_of_the_call(self):
        queue = Queue()
        queue.order(IndexError("earlier"))
        with self.assertRaisesRegex(IndexError, "earlier"):
            self.of(queue.order, queue.wait, queue.wait, queue.wait)

    def test_a_device_that_fails_over_the_call_has_not_refused_it(self):
        queue = Queue()

        def lost(*_):
            raise RuntimeError("the device is lost")

        def broken():
            queue.order(RuntimeError("a kernel failed"))
            queue.then = lost

        queue.then = lambda *_: None
        self.assertIsNone(self.of(broken, queue.wait, queue.wait, lambda device: queue.then(device)))

    def test_trouble_is_no_refusal(self):
        for trouble in (torch.OutOfMemoryError("none left"), RuntimeError("x INTERNAL ASSERT FAILED")):
            queue = Queue()
            self.assertIsNone(self.of(lambda queue=queue, trouble=trouble: queue.order(trouble), *[queue.wait] * 3))


if __name__ == "__main__":
    unittest.main()
