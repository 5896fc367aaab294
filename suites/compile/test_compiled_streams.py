# SPDX-License-Identifier: BSD-3-Clause
"""Streams, events and default devices around and inside compiled functions."""

import torch
from suites.compile.compiled import BACKENDS, PRELOAD, CompileCase



class CompiledStreams(CompileCase):
    def eager(self, function, make):
        """These functions use streams of the device, so they cannot run on the CPU for comparison."""
        arguments = make()
        return function(*arguments), arguments

    def stream(self):
        try:
            return torch.Stream(self.device)
        except (RuntimeError, NotImplementedError) as error:
            self.lacks("streams", error)

    def on_stream(self):
        """A function that works on a stream and waits for it."""
        stream = self.stream()

        def work(x):
            with stream:
                y = x * 2
            stream.synchronize()
            return y + 1

        return work

    def test_stream(self):
        """compile.stream_inside_gives_the_result_of_eager_mode"""
        before = torch.accelerator.current_stream(self.device)
        x = self.matrix()
        torch.accelerator.synchronize()
        self.expect_equals_eager(self.on_stream(), lambda: (x,), "a function that enters a stream")
        after = torch.accelerator.current_stream(self.device)
        self.expect_equal(after, before, "after the compiled function, the current stream is the stream before it")

    def test_event(self):
        """compile.event_inside_gives_the_result_of_eager_mode"""
        stream = self.stream()

        def work(x):
            y = x * 2
            event = torch.Event(x.device)
            event.record()
            stream.wait_event(event)
            with stream:
                z = y + 1
            stream.synchronize()
            event.synchronize()
            return z, event.query()

        x = self.matrix()
        torch.accelerator.synchronize()
        try:
            work(x)
        except Exception as error:
            self.lacks("events", error)
        self.expect_equals_eager(work, lambda: (x,), "a function that records an event")

    def test_default_device(self):
        """compile.default_device_around_a_compiled_function_is_used"""

        def make(x):
            return torch.ones(3), x.sum()

        def make_inside(x):
            with torch.device(x.device):
                y = torch.ones(3)
            return y + x.sum()

        x = self.matrix()
        with torch.device(self.device):
            wanted = make(x)
        self.expect_device(wanted[0], self.device, "a factory under `with torch.device` in eager mode: device")
        for backend in BACKENDS:
            with self.asks_a_special_case():
                compiled, _ = self.compile(make, backend)
                with torch.device(self.device):
                    self.expect_same(compiled(x), wanted, f"a function under `with torch.device`, backend {backend}")
        self.expect_equals_eager(make_inside, lambda: (x,), "a function with `with torch.device` inside")
