# SPDX-License-Identifier: BSD-3-Clause
"""torch.Event: results that come from the backend's events, and results that PyTorch computes itself."""

import threading
import unittest

import torch
from assay.checks import Case


class EventApi(Case):
    def setUp(self):
        super().setUp()
        torch.accelerator.set_device_index(self.device.index)

    def event(self, **options):
        return torch.Event(self.bare_device, **options)

    def stream(self):
        return self.supported("streams", torch.Stream, self.device)

    def recorded(self, stream=None, **options):
        """A new event, recorded on `stream` or on the current stream."""
        event = self.event(**options)
        self.supported("events", event.record, *(stream,) if stream else ())
        return event

    def test_device(self):
        """events.recorded_event_reports_the_device_of_its_stream"""
        last = self.devices[-1]
        event = torch.Event(last)
        self.expect_equal(event.device, self.bare_device, "an event has no device index before it is recorded")
        self.supported("events", lambda: event.record(torch.accelerator.current_stream(last)))
        self.expect_equal(event.device, last, "a recorded event has the device of its stream")

    def test_unrecorded(self):
        """events.unrecorded_event_does_not_block"""
        self.clause("EVT-007")
        event = self.event()
        self.expect_equal(event.query(), True, "an event that was never recorded is complete")
        self.expect_equal(event.synchronize(), None, "synchronize() of an event that was never recorded returns")
        self.clause("EVT-012")
        self.expect_equal(event.wait(), None, "no stream waits for an event that was never recorded")

    def test_record_on_current(self):
        """events.record_uses_the_current_stream"""
        stream = self.stream()
        event = self.recorded()
        event.synchronize()
        with stream, self.held(stream, events_will_do=True):
            event.record()
            complete = event.query()
        self.expect_held_back(complete, "record() without a stream records on the current stream")

    def test_record_ignores_index(self):
        """events.record_without_a_stream_ignores_the_index_of_the_event"""
        event = torch.Event(self.devices[1])
        self.supported("events", event.record)
        self.expect_equal(event.device, self.device, "record() without a stream records on the current device's stream")

    def test_wait_on_current(self):
        """events.wait_uses_the_current_stream"""
        busy, waiting = self.stream(), self.stream()
        self.recorded(waiting)
        with self.held(busy, events_will_do=True):
            event = self.recorded(busy)
            with waiting:
                event.wait()
            complete = self.recorded(waiting).query()
        self.expect_held_back(complete, "wait() without a stream makes the current stream wait")

    def test_gil(self):
        """events.synchronize_releases_the_gil"""
        stream = self.stream()
        self.recorded(stream).synchronize()
        with self.held_if_offered(stream) as is_held:
            if not is_held:  # a gate that consists of long work opens even if the call holds the GIL
                self.cannot_observe("assay.gate/1", "no adapter offers a gate")
            thread = threading.Thread(target=self.recorded(stream).synchronize, daemon=True)
            thread.start()
        thread.join(self.seconds_left)
        self.expect_true(
            not thread.is_alive(),
            "synchronize() returns when the event is complete, and other threads can run during the call",
            "it did not return",
        )

    def test_pending_elapsed(self):
        """events.elapsed_time_of_a_pending_event_is_rejected"""
        stream = self.stream()
        start = self.recorded(stream, enable_timing=True)
        start.synchronize()
        with self.held(stream, events_will_do=True):
            end = self.recorded(stream, enable_timing=True)
            refused = self.is_refused(lambda: start.elapsed_time(end))
        what = "elapsed_time() of an event that is still pending is refused"
        self.expect_held_back(not refused, what)

    def is_refused(self, call):
        try:
            call()
        except RuntimeError as error:
            self.lacks_time_if_refused(error)
            return True
        return False

    def lacks_time_if_refused(self, error):
        """A backend may have events without timing."""
        if self.refused_means(error) == "guard.elapsedTime":
            self.lacks("events.timing", error)

    def test_elapsed_arguments(self):
        """events.elapsed_time_needs_recorded_events_with_timing"""
        timed = self.event(enable_timing=True)
        self.clause("EVT-021")
        what = "elapsed_time() refuses events that were created without enable_timing=True"
        self.expect_raises(ValueError, what, self.event().elapsed_time, self.event())
        self.clause("EVT-022")
        what = "elapsed_time() refuses events that were not recorded"
        self.expect_raises(ValueError, what, timed.elapsed_time, self.event(enable_timing=True))
        self.clause("EVT-024")
        what = "elapsed_time() between events of two device types is refused"
        of_cpu = torch.Event("cpu", enable_timing=True)
        self.expect_raises(RuntimeError, what, timed.elapsed_time, of_cpu)

    def test_foreign_stream(self):
        """events.stream_of_another_device_type_is_rejected"""
        stream = torch.accelerator.current_stream(self.device)
        self.clause("EVT-005")
        what = "an event cannot be recorded on a stream of another device type"
        self.expect_raises(RuntimeError, what, torch.Event("cpu").record, stream)
        self.expect_raises(RuntimeError, what, self.event().record, torch.Stream("cpu"))
        self.clause("EVT-014")
        event = self.recorded()
        what = "a stream refuses to wait for an event of another device type"
        self.expect_raises(RuntimeError, what, event.wait, torch.Stream("cpu"))

    def test_ipc(self):
        """events.ipc_handles_raise_not_implemented"""
        what = "sharing an event between processes raises a clear error"
        self.expect_raises(NotImplementedError, what, self.event().ipc_handle)
        self.expect_raises(NotImplementedError, what, torch.Event.from_ipc_handle, self.device, b"\0" * 64)

    def test_default_device(self):
        """events.event_uses_the_accelerator_by_default"""
        self.expect_equal(torch.Event().device.type, self.device.type, "torch.Event() is an event of the accelerator")

    def test_alive_at_exit(self):
        """events.live_events_do_not_crash_at_exit"""
        kept = torch.kept_by_assay = []
        for device in self.devices[:2]:
            torch.accelerator.set_device_index(device.index)
            kept += [self.recorded(), torch.accelerator.current_stream(device)]
        local = threading.local()
        local.kept = self.recorded()
        kept += [local, kept]


if __name__ == "__main__":
    unittest.main()
