# SPDX-License-Identifier: BSD-3-Clause
"""torch.Stream and torch.accelerator: how PyTorch uses the backend's streams."""

import threading
import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator
ROUNDS, EACH = 3, 8
POOL = 64  # more streams than a backend keeps for one priority


class StreamApi(Case):
    def setUp(self):
        super().setUp()
        accelerator.set_device_index(self.device.index)

    def stream(self, number=0):
        return self.supported("streams", torch.Stream, self.devices[number])

    def test_with(self):
        """streams.with_stream_restores_device_and_stream"""
        outer, inner = self.stream(), self.stream(1)
        before = accelerator.current_stream(self.devices[0])
        there = accelerator.current_stream(self.devices[1])
        with outer:
            what = "`with stream` makes the stream current"
            self.expect_equal(accelerator.current_stream(self.devices[0]), outer, what)
            with inner:
                self.expect_equal(
                    accelerator.current_device_index(),
                    self.devices[1].index,
                    "`with stream` makes the stream's device current",
                )
                self.expect_equal(accelerator.current_stream(), inner, what)
            what = "leaving `with stream` restores"
            self.expect_equal(accelerator.current_device_index(), self.devices[0].index, f"{what} the device")
            self.expect_equal(
                accelerator.current_stream(self.devices[1]), there, f"{what} the stream of the other device"
            )
            self.expect_equal(accelerator.current_stream(), outer, f"{what} the outer stream")
        self.expect_equal(accelerator.current_stream(), before, f"{what} the stream")

    def test_with_error(self):
        """streams.with_stream_restores_after_an_exception"""
        before = accelerator.current_stream(self.device)
        try:
            with self.stream():
                raise KeyError
        except KeyError:
            pass
        self.expect_equal(
            accelerator.current_stream(self.device),
            before,
            "an exception that leaves `with stream` restores the stream",
        )

    def test_rebuilt(self):
        """streams.stream_rebuilt_from_its_id_is_equal"""
        stream = self.stream()
        self.clause("STRM-029")
        again = torch.Stream(
            stream_id=stream.stream_id,
            device_index=stream.device_index,
            device_type=stream.device_type,
        )
        fields = [(one.stream_id, one.device_index, one.device_type) for one in (again, stream)]
        if self.expect_equal(*fields, "a stream that is created from another's three fields has the same fields"):
            self.clause("STRM-030")
            self.expect_equal(again, stream, "a stream that is created from another's three fields is equal to it")
            self.expect_equal(hash(again), hash(stream), "equal streams have equal hashes")
        self.clause("STRM-029")
        again.synchronize()

    def test_wait_stream(self):
        """streams.wait_stream_waits_for_the_other_stream"""
        busy, waiting = self.stream(), self.stream()
        self.supported("events", waiting.wait_stream, busy)
        with self.held(busy):
            waiting.wait_stream(busy)
            went_on = waiting.query()
        self.expect_held_back(went_on, "a.wait_stream(b) makes a wait until b's work is done")

    def test_record_event(self):
        """streams.record_event_records_on_the_stream"""
        stream = self.stream()
        event = self.supported("events", stream.record_event)
        self.expect_equal(event.device, stream.device, "the new event is on the stream's device")
        again = stream.record_event(event)
        self.expect_true(again is event, "record_event(event) returns the event", repr(again))

    def test_gil(self):
        """streams.synchronize_releases_the_gil"""
        stream = self.stream()
        stream.synchronize()
        with self.held(stream):
            thread = threading.Thread(target=stream.synchronize, daemon=True)
            thread.start()
        thread.join(self.seconds_left)
        self.expect_true(
            not thread.is_alive(),
            "synchronize() returns when the stream is idle, and other threads can run during the call",
            "it did not return",
        )

    def test_priority(self):
        """streams.lower_priority_value_is_at_least_as_urgent"""
        orders = [(-1, 0), (0, -1)] * ROUNDS
        late = [self.plain_comes_first(order) for order in orders]
        self.expect_true(
            not all(late),
            "streams of priority -1 do not always finish after streams of priority 0 that become ready at the same time",
            f"they finished later in all {len(orders)} rounds, in both orders of enqueueing",
        )

    def plain_comes_first(self, order):
        """Streams of both priorities wait for one event. Returns whether a stream of priority 0 finished first."""
        kinds = {priority: self.streams_of(priority) for priority in order}
        begin, ends = self.timed_event(), {-1: [], 0: []}
        x = self.on_device(self.sample_of(0, 1 << 12))
        self.op("aten::mul.Tensor", torch.mul, x, x)
        accelerator.current_stream().synchronize()
        keeper = self.stream()
        with self.held(keeper):
            ready = keeper.record_event()
            for priority, streams in kinds.items():
                for stream in streams:
                    stream.wait_event(ready)
                    with stream:
                        torch.mul(x, x)
                        ends[priority].append(self.timed_event())
        for stream in kinds[-1] + kinds[0]:
            stream.synchronize()
        first = {kind: min(begin.elapsed_time(end) for end in ends[kind]) for kind in ends}
        return first[0] < first[-1]

    def test_priorities(self):
        """streams.each_priority_has_separate_streams"""
        plain, urgent = ({self.stream_id(priority) for _ in range(POOL)} for priority in (0, -1))
        if len(plain) == 1 and plain == urgent:
            self.lacks("streams.priority", "there is one stream for all priorities")
        what = "a stream of one priority is not reused for another priority"
        self.expect_equal(len(plain & urgent), 0, f"{what}: number of streams in both sets of {len(plain)} plain and {len(urgent)} urgent streams")

    def stream_id(self, priority):
        return self.supported("streams.priority", torch.Stream, self.device, priority=priority).stream_id

    def streams_of(self, priority):
        return [self.supported("streams.priority", torch.Stream, self.device, priority=priority) for _ in range(EACH)]

    def timed_event(self):
        event = torch.Event(self.bare_device, enable_timing=True)
        self.supported("events", event.record)
        return event

    def test_kernel_order(self):
        """streams.kernel_runs_in_stream_order"""
        x = self.on_device(self.sample_of(0, 64))
        self.expect_in_order(x, lambda: self.op("aten::add_.Tensor", x.add_, x.new_ones(64)))

    def test_copy_order(self):
        """streams.copy_runs_in_stream_order"""
        x, ones = self.on_device(self.sample_of(0, 64)), self.on_device(self.sample_of(1, 64))
        self.expect_in_order(x, lambda: self.op("aten::copy_", x.copy_, ones))

    def expect_in_order(self, x, write):
        """Expects that `write`, enqueued on a held stream, has not run when another stream reads `x`."""
        stream = self.stream()
        write()
        x.zero_()
        accelerator.current_stream().synchronize()
        with self.held(stream, events_will_do=True):
            with stream:
                write()
            went_on = bool(x.cpu().any())
        self.expect_held_back(went_on, "work waits for the work that was enqueued on its stream before")
        stream.synchronize()
        self.expect_tensor(x, self.sample_of(1, 64), "work is done after its stream was synchronized")


if __name__ == "__main__":
    unittest.main()
