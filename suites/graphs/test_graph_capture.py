# SPDX-License-Identifier: BSD-3-Clause
"""torch.accelerator.Graph: which work it captures, when that work runs, and on which memory."""

import contextlib
import unittest

import torch
from suites.graphs.captured_graphs import SIZE, GraphCase

accelerator = torch.accelerator
OTHERS = 16


class GraphCapture(GraphCase):
    def test_made(self):
        """graphs.graph_can_be_created"""
        self.graph()

    def test_absence(self):
        """graphs.device_without_graphs_raises_and_changes_nothing"""
        before = accelerator.current_stream(self.device)
        try:
            accelerator.Graph()
        except (RuntimeError, NotImplementedError):
            what = "a refused torch.accelerator.Graph() does not change the current stream"
            self.expect_equal(accelerator.current_stream(self.device), before, what)
            return
        self.has_all_the_same("graphs", "torch.accelerator.Graph() returned an object")

    def test_replay(self):
        """graphs.replay_reads_the_current_inputs"""
        graph, x = self.graph(), self.tensor(1)
        y = self.captured(graph, lambda: torch.add(x, x))
        for value in 1, 5, 7:
            self.set(x, value)
            self.replay(graph)
            what = "replay() reads the current values of its inputs"
            self.expect_filled(y, 2 * value, what)

    def test_pinned(self):
        """graphs.pinned_memory_can_be_freed_during_a_capture"""
        graph, x = self.graph(), self.tensor(1)
        self.op("pin_memory", torch.full((SIZE,), 5.0).pin_memory)
        self.captured(graph, lambda: x.copy_(torch.full((SIZE,), 5.0).pin_memory(), non_blocking=True))
        others = [torch.full((SIZE,), 7.0).pin_memory() for _ in range(OTHERS)]
        self.replay(graph)
        self.expect_filled(x, 5, "replay() reads the pinned memory of a tensor that only the capture refers to")
        self.expect_tensor(others[0], torch.full((SIZE,), 7.0), "replay() does not write to other pinned memory")

    def test_memory(self):
        """graphs.replay_does_not_overwrite_other_memory"""
        graph, x = self.graph(), self.tensor(1)
        y = self.captured(graph, lambda: torch.add(torch.add(x, x), torch.add(x, x)))
        with self.stream:
            others = [self.on_device(torch.full((SIZE,), 7.0)) for _ in range(OTHERS)]
        self.replay(graph)
        self.expect_filled(y, 4, "replay() uses the memory of tensors that only the capture refers to")
        for other in others:
            what = "replay() does not write to tensors that were created after the capture"
            self.expect_filled(other, 7, what)

    def test_not_run(self):
        """graphs.captured_work_runs_only_at_replay"""
        graph, x = self.graph(), self.tensor(1)
        self.captured(graph, lambda: x.add_(x))
        self.stream.synchronize()
        self.expect_filled(x, 1, "captured work does not run before replay()")
        self.replay(graph)
        self.expect_filled(x, 2, "replay() runs the captured work once")

    def test_context(self):
        """graphs.context_captures_the_current_stream"""
        graph, x, y = self.graph(), self.tensor(1), self.tensor(1)
        with self.stream:
            with graph:
                x.add_(x)
            y.add_(y)
        self.stream.synchronize()
        self.expect_filled(y, 2, "work after `with graph` runs, because leaving the block ends the capture")
        before = self.values(x)
        self.replay(graph)
        self.expect_filled(x, 2 * before, "replay() runs the work that was enqueued on the current stream in `with graph`")
        self.expect_filled(y, 2, "replay() runs no work that was enqueued after `with graph`")

    def values(self, x):
        """The first element of x on the CPU, copied on the capturing stream."""
        with self.stream:
            return float(self.on_cpu(x)[0])

    def test_context_error(self):
        """graphs.exception_in_the_context_ends_the_capture"""
        graph, x = self.graph(), self.tensor(1)
        with contextlib.suppress(KeyError), self.stream, graph:
            raise KeyError
        with self.stream:
            x.add_(x)
        self.stream.synchronize()
        self.expect_filled(x, 2, "an exception that leaves `with graph` ends the capture")

    def test_said(self):
        """graphs.is_stream_capturing_is_true_during_capture"""
        graph, x = self.graph(), self.tensor(1)
        what = "is_capturing() of the stream is {} the capture"
        self.expect_equal(self.stream.is_capturing(), False, what.format("False before"))
        seen = self.captured(graph, lambda: (x.add_(x), self.stream.is_capturing())[1])
        self.expect_equal(seen, True, what.format("True during"))
        self.expect_equal(self.stream.is_capturing(), False, what.format("False after"))

    def test_asked(self):
        """graphs.queries_in_a_capture_run_no_captured_work"""
        self.graph()
        x = self.tensor(1)
        known, known_numbers = self.recorded(), self.tensor(2)
        questions = {
            "the stream is queried": self.stream.query,
            "an event is recorded and queried": lambda: self.stream.record_event().query(),
            "an event of earlier work is recorded again": lambda: self.stream.record_event(known),
            "the stream is synchronized": self.stream.synchronize,
            "the device is synchronized": lambda: accelerator.synchronize(self.device.index),
            "a tensor is read": lambda: known_numbers.cpu().tolist(),
            "a number is read": lambda: [known_numbers[3].item()],
        }
        for name, ask in questions.items():
            refused, answer = self.asked_in_a_capture(x, ask)
            self.note(name, refused or "answered")
            if isinstance(answer, list):
                self.expect_equal(set(answer), {2.0}, f"the value that is read when {name} in a capture is right")
            self.expect_filled(x, 1, f"captured work does not run when {name}")
            y = self.tensor(2)
            with self.stream:
                y.add_(y)
            self.expect_filled(y, 4, f"the device works after a capture in which {name}")
            if known and refused:
                self.expect_usable(known, f"an event after the refusal when {name} in a capture")

    def recorded(self):
        """Returns an event of finished work, or None if the backend has no events."""
        try:
            event = torch.Event(self.device)
            self.stream.record_event(event)
            event.synchronize()
        except (RuntimeError, NotImplementedError):
            return None
        return event

    def expect_usable(self, event, what):
        """Expects that the event still has the state from before the refusal, and can be recorded again."""
        with self.subTest(what=what):
            try:
                done = event.query()
                self.stream.record_event(event)
                event.synchronize()
            except RuntimeError as error:
                self.expect(False, f"{what} is usable", str(error).split("\n")[0])
                return
            self.expect_equal(done, True, f"{what} is still complete")

    def asked_in_a_capture(self, x, ask):
        """Runs `ask` in a capture and ends the capture. Returns (text of a refusal or None, result of `ask`)."""
        answer = None
        try:
            with self.stream, accelerator.Graph():
                x.add_(x)
                answer = ask()
        except RuntimeError as error:
            return str(error).split("\n")[0], answer
        return None, answer

    def test_device(self):
        """graphs.replay_runs_on_the_device_of_the_capture"""
        first, second = self.devices[:2]
        for captured_on, current in ((first, second), (second, first)):
            accelerator.set_device_index(captured_on.index)
            self.stream = torch.Stream(captured_on)
            with self.stream:
                x = torch.full((SIZE,), 3.0).to(captured_on)
                torch.add(x, x)
            self.stream.synchronize()
            graph = self.graph()
            y = self.captured(graph, lambda x=x: torch.add(x, x))
            accelerator.set_device_index(current.index)
            with self.stream:
                x.fill_(5)
            self.stream.synchronize()
            graph.replay()
            what = f"replay() of a graph of {captured_on} while {current} is current"
            self.expect_equal(accelerator.current_device_index(), current.index, f"{what} does not change the current device")
            accelerator.synchronize(captured_on.index)
            self.expect_tensor(y, torch.full((SIZE,), 10.0), f"{what} computes the right result")
            self.expect_device(y, captured_on, f"{what} has its result on its own device")


if __name__ == "__main__":
    unittest.main()
