# SPDX-License-Identifier: BSD-3-Clause
"""The lifetime of streams: created, dropped, created again, and used for backward."""

import gc
import os
import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator
PAGE = os.sysconf("SC_PAGE_SIZE")
OTHERS = 40  # more streams than a pool usually has
USED, MADE = 128, 5000
# limits of additional threads and memory: far less than a thread or a page for each stream
THREADS, BYTES = 64, 32 << 20


class StreamLife(Case):
    def setUp(self):
        super().setUp()
        accelerator.set_device_index(self.device.index)

    def stream(self, number=0):
        return self.supported("streams", torch.Stream, self.devices[number])

    def again(self, stream):
        return torch.Stream(
            stream_id=stream.stream_id,
            device_index=stream.device_index,
            device_type=stream.device_type,
        )

    # ---- created

    def test_current_device(self):
        """streams.new_stream_uses_the_current_device_by_default"""
        self.put_device_back()
        first, second = (device.index for device in self.devices[:2])
        accelerator.set_device_index(second)
        self.clause("STRM-036")
        stream = self.supported("streams", torch.Stream)
        what = "torch.Stream() makes a stream of the current device"
        self.expect_equal(stream.device_index, second, what)
        self.clause("STRM-035")
        stream = self.supported("streams", torch.Stream, first)
        what = "torch.Stream(i) makes a stream of device i of the accelerator"
        self.expect_equal((stream.device.type, stream.device_index), (self.device_name, first), what)

    def test_native_handle(self):
        """streams.native_handle_is_stable"""
        stream = self.stream()
        handle = self.supported("streams.native", lambda: stream.native_handle)
        what = "equal streams have the same native_handle"
        self.expect_equal(self.again(stream).native_handle, handle, what)

    def test_capturing(self):
        """streams.idle_stream_is_not_capturing"""
        for stream in accelerator.current_stream(self.device), self.stream():
            what = "is_capturing() of a stream is False while nothing is captured"
            self.expect_equal(stream.is_capturing(), False, what)

    # ---- entered

    def test_entered_again(self):
        """streams.with_stream_can_be_nested_in_itself"""
        stream, other = self.stream(), self.stream()
        before = accelerator.current_stream()
        with stream:
            with other:
                with stream, stream:
                    self.expect_current(stream, "entering `with` of a stream a second time makes the stream current")
                self.expect_current(other, "leaving the inner `with` restores the stream of the middle one")
            self.expect_current(stream, "leaving `with` restores the outer stream")
        self.expect_current(before, "leaving the outer `with` restores the first stream")

    def expect_current(self, stream, what):
        self.expect_equal(accelerator.current_stream(self.device), stream, what)

    def test_never_recorded(self):
        """streams.waiting_for_an_unrecorded_event_is_a_no_op"""
        stream = self.stream()
        event = torch.Event(self.bare_device)
        what = "wait_event() of an event that was never recorded changes nothing"
        self.works(lambda: stream.wait_event(event), what)
        stream.synchronize()

    # ---- dropped

    def test_dropped(self):
        """streams.dropped_stream_completes_its_work"""
        stream = self.stream()
        with stream:
            ones = self.on_device(self.sample_of(1, 64))
            self.op("aten::add.Tensor", torch.add, ones, ones)
        stream.synchronize()
        kept = stream.stream_id, stream.device_index, stream.device_type
        with self.held_if_offered(self.again(stream)):
            with stream:
                result = torch.add(ones, ones)
            del stream
            gc.collect()
            for _ in range(OTHERS):
                self.stream()
        stream = torch.Stream(stream_id=kept[0], device_index=kept[1], device_type=kept[2])
        what = "a stream can be synchronized after its last torch.Stream was freed"
        self.works(stream.synchronize, what)
        what = "work is done although the last torch.Stream of its stream was freed"
        self.expect_tensor(result, self.sample_of(2, 64), what)

    def works(self, call, what):
        try:
            call()
        except RuntimeError as error:
            self.require(self.expect(False, what, f"raised {error}"))

    def test_many(self):
        """streams.many_streams_do_not_leak_threads_or_memory"""
        x = self.on_device(self.sample_of(0, 4))
        accelerator.current_stream().synchronize()
        self.use(x, USED)
        self.make(MADE)
        threads, size = self.threads(), self.bytes()
        self.use(x, 2 * USED)
        self.make(2 * MADE)
        more, larger = self.threads() - threads, self.bytes() - size
        self.note("threads after the first streams", threads)
        self.note("more threads, bytes after many", f"{more}, {larger}")
        what = "creating and dropping streams starts no thread for each stream"
        self.expect_true(more < THREADS, what, f"{more} more threads after {2 * USED} more streams")
        what = "creating and dropping streams leaks no memory for each stream"
        self.expect_true(larger < BYTES, what, f"{larger} more bytes after {2 * MADE} more streams")

    def use(self, x, count):
        for _ in range(count):
            with self.stream() as stream:
                self.op("aten::zero_", x.zero_)
            stream.synchronize()

    def make(self, count):
        for _ in range(count):
            self.stream()

    def threads(self):
        return len(os.listdir("/proc/self/task"))

    def bytes(self):
        with open("/proc/self/statm", encoding="ascii") as file:
            return int(file.read().split()[1]) * PAGE

    # ---- used

    def test_copy(self):
        """streams.blocking_copy_returns_final_data"""
        stream = self.stream()
        with stream:
            x, ones = self.on_device(self.sample_of(0, 64)), self.on_device(self.sample_of(1, 64))
            self.op("aten::add_.Tensor", ones.clone().add_, ones)
        stream.synchronize()
        with self.held_if_offered(stream), stream:
            x.add_(ones)
            seen = self.on_cpu(x)
        what = "a blocking copy to the host has the result of the current stream's work"
        self.expect_tensor(seen, self.sample_of(1, 64), what)

    def test_blocked(self):
        """streams.blocked_stream_does_not_block_others"""
        busy, free = self.stream(), self.stream()
        with free:
            x = self.on_device(self.sample_of(1, 64))
            self.op("aten::zero_", x.zero_)
        free.synchronize()
        busy.query()
        with self.held(busy):
            with free:
                x.zero_()
            free.synchronize()
            went_on = busy.query()
        what = "work of one stream is done while another stream of the device is held"
        self.expect_true(not went_on, what, "the work was done only after the other stream had continued")

    def test_backward(self):
        """streams.backward_keeps_the_current_streams"""
        before = [accelerator.current_stream(device) for device in self.devices]
        plain = self.on_device(torch.ones(3)).requires_grad_()
        self.op("aten::mul.Tensor", torch.mul, plain, plain).sum().backward()
        sides = [self.stream(number) for number in range(len(self.devices[:2]))]
        self.ask_special_cases()
        for number, side in enumerate(sides):
            with side:
                x = self.on_device(torch.tensor([1.0, 2.0, 3.0]), number).requires_grad_()
                self.op("aten::mul.Tensor", torch.mul, x, x).sum().backward()
            side.synchronize()
            what = "backward of work on a stream gives the right gradient"
            self.expect_tensor(x.grad, torch.tensor([2.0, 4.0, 6.0]), what)
        for device, stream in zip(self.devices, before):
            what = "backward does not change the current stream of any device"
            self.expect_equal(accelerator.current_stream(device), stream, what)


if __name__ == "__main__":
    unittest.main()
