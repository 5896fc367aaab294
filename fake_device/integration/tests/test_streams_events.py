# SPDX-License-Identifier: BSD-3-Clause
"""Streams and events: truly asynchronous, held by gates, never by sleeping."""

import threading
import unittest

import torch
from torch_fakedev.testing import Gate

accelerator = torch.accelerator


def timed_event():
    return torch.Event("fakedev", enable_timing=True)


class Streams(unittest.TestCase):
    def setUp(self):
        accelerator.set_device_index(0)

    def tearDown(self):
        for index in range(accelerator.device_count()):
            accelerator.synchronize(index)

    def test_default_stream_has_id_zero(self):
        for index in range(accelerator.device_count()):
            self.assertEqual(0, accelerator.current_stream(index).stream_id)
            self.assertEqual(index, accelerator.current_stream(index).device_index)
            self.assertEqual(torch.fakedev.default_stream(index), accelerator.current_stream(index))

    def test_new_stream_is_on_the_device_asked_and_switches_nothing(self):
        first, second = torch.Stream("fakedev:1"), torch.Stream("fakedev:1")
        self.assertEqual((1, 1), (first.device_index, second.device_index))
        self.assertNotEqual(first, second)
        self.assertEqual(0, accelerator.current_device_index())
        self.assertEqual(0, torch.Stream("fakedev").device_index)

    def test_stream_is_found_again_by_its_three_numbers(self):
        stream = torch.Stream("fakedev:1", priority=-1)
        again = torch.Stream(stream_id=stream.stream_id, device_index=stream.device_index,
                             device_type=stream.device_type)
        self.assertEqual(stream, again)
        self.assertEqual(stream.native_handle, again.native_handle)
        self.assertTrue(again.query())

    def test_stream_nobody_made_is_refused(self):
        ghost = torch.Stream(stream_id=12345, device_index=0, device_type=20)
        with self.assertRaisesRegex(RuntimeError, "12345"):
            ghost.query()

    def test_with_stream_switches_both_and_restores_both(self):
        stream = torch.Stream("fakedev:1")
        before = accelerator.current_stream(1)
        with self.assertRaises(KeyError), stream:
            self.assertEqual(1, accelerator.current_device_index())
            self.assertEqual(stream, accelerator.current_stream())
            raise KeyError
        self.assertEqual(0, accelerator.current_device_index())
        self.assertEqual(before, accelerator.current_stream(1))

    def test_current_stream_is_per_thread(self):
        seen = []
        with torch.Stream("fakedev:0"):
            thread = threading.Thread(
                target=lambda: seen.append(accelerator.current_stream(0).stream_id))
            thread.start()
            thread.join()
        self.assertEqual([0], seen)

    def test_many_streams_start_a_bounded_number(self):
        ids = {torch.Stream("fakedev:0").stream_id for _ in range(1000)}
        self.assertLessEqual(len(ids), 64)
        self.assertGreater(len(ids), 1)

    def test_closed_gate_holds_one_stream_only(self):
        held, free = torch.Stream("fakedev:0"), torch.Stream("fakedev:0")
        with Gate(held):
            self.assertFalse(held.query())
            free.synchronize()
            self.assertTrue(free.query())
        held.synchronize()
        self.assertTrue(held.query())

    def test_synchronize_waits_without_the_interpreter_lock(self):
        stream = torch.Stream("fakedev:0")
        gate = Gate(stream)
        opener = threading.Thread(target=gate.open)
        opener.start()  # deadlock if synchronize kept the lock
        stream.synchronize()
        opener.join()
        gate.destroy()
        self.assertTrue(stream.query())

    def test_device_synchronize_honours_its_index(self):
        stream = torch.Stream("fakedev:1")
        with Gate(stream):
            accelerator.synchronize(0)
            self.assertFalse(stream.query())
            self.assertEqual(0, accelerator.current_device_index())
        accelerator.synchronize(1)
        self.assertTrue(stream.query())
        self.assertEqual(0, accelerator.current_device_index())


class Events(unittest.TestCase):
    def setUp(self):
        accelerator.set_device_index(0)

    def test_event_follows_the_gate_and_keeps_its_handle(self):
        stream, event = torch.Stream("fakedev:1"), torch.Event("fakedev")
        self.assertTrue(event.query())
        event.record(stream)
        handle = event.event_id
        event.synchronize()
        with Gate(stream):
            event.record(stream)
            self.assertFalse(event.query())
            self.assertEqual(handle, event.event_id)
        event.synchronize()
        self.assertTrue(event.query())

    def test_wait_across_devices(self):
        producer, consumer = torch.Stream("fakedev:0"), torch.Stream("fakedev:1")
        with Gate(producer):
            consumer.wait_stream(producer)
            self.assertFalse(consumer.query())
        consumer.synchronize()
        self.assertTrue(producer.query())

    def test_waiter_keeps_the_version_it_waited_for(self):
        producer, waiter = torch.Stream("fakedev:0"), torch.Stream("fakedev:0")
        event = producer.record_event()
        event.synchronize()
        waiter.wait_event(event)
        with Gate(producer):
            event.record(producer)
            waiter.synchronize()
            self.assertTrue(waiter.query())
        event.synchronize()

    def test_other_device_is_refused_and_the_event_stays_usable(self):
        near, far = torch.Stream("fakedev:0"), torch.Stream("fakedev:1")
        event = near.record_event()
        handle = event.event_id
        with self.assertRaisesRegex(RuntimeError, "does not match"):
            event.record(far)
        event.record(near)
        self.assertEqual((handle, 0), (event.event_id, event.device.index))

    def test_elapsed_time_is_milliseconds(self):
        stream, start, end = torch.Stream("fakedev:1"), timed_event(), timed_event()
        start.record(stream)
        gate = Gate(stream)
        end.record(stream)
        with self.assertRaisesRegex(RuntimeError, "completed"):
            start.elapsed_time(end)
        gate.destroy()
        end.synchronize()
        self.assertGreaterEqual(start.elapsed_time(end), 0)
        self.assertEqual(0, accelerator.current_device_index())

    def test_event_dies_in_another_thread_with_work_pending(self):
        stream = torch.Stream("fakedev:1")
        with Gate(stream):
            events = [stream.record_event() for _ in range(10)]
            thread = threading.Thread(target=events.clear)
            thread.start()
            thread.join()
        stream.synchronize()
        self.assertEqual([], events)


class GateRepetition(unittest.TestCase):
    def test_order_holds_a_thousand_times(self):
        held, free = torch.Stream("fakedev:0"), torch.Stream("fakedev:0")
        for _ in range(1000):
            with Gate(held):
                event = held.record_event()
                self.assertFalse(held.query() or event.query())
                free.record_event().synchronize()
            event.synchronize()


if __name__ == "__main__":
    unittest.main()
