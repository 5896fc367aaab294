# SPDX-License-Identifier: BSD-3-Clause
"""Graphs: a training step is captured and replayed; what cannot be captured is refused and harms nothing."""

import unittest

import torch

accelerator = torch.accelerator


class Graphs(unittest.TestCase):
    def setUp(self):
        accelerator.set_device_index(0)
        self.stream, self.graph = torch.Stream("fakedev:0"), accelerator.Graph()
        self.x = torch.ones(4, device="fakedev:0")
        accelerator.synchronize()

    def replayed(self, result):
        with self.stream:
            self.graph.replay()
            return result.tolist()

    def test_replay_computes_from_the_present_inputs(self):
        with self.stream, self.graph:
            y = (self.x + 1) * 2
        for value in 1, 2, 3:
            self.x.fill_(value)
            accelerator.synchronize()
            self.assertEqual([2.0 * (value + 1)] * 4, self.replayed(y))

    def test_a_step_of_training_is_captured(self):
        weight = torch.ones(4, device="fakedev:0", requires_grad=True)
        weight.grad = torch.zeros(4, device="fakedev:0")
        with self.stream:
            (weight * self.x).sum().backward()  # warm
        accelerator.synchronize()
        with self.stream, self.graph:
            weight.grad.zero_()
            (weight * self.x).sum().backward()
            with torch.no_grad():
                weight -= weight.grad
        self.assertEqual([0.0] * 4, self.replayed(weight))
        self.assertEqual([-1.0] * 4, self.replayed(weight))

    def test_refused_wait_leaves_the_capture_as_it_was(self):
        with self.stream, self.graph:
            y = self.x + 1
            with self.assertRaisesRegex(RuntimeError, "captures"):
                y.tolist()
            with self.assertRaisesRegex(RuntimeError, "captures"):
                self.stream.synchronize()
            with self.assertRaisesRegex(RuntimeError, "captures"):
                self.stream.record_event()
            y += 1
        self.assertEqual([3.0] * 4, self.replayed(y))

    def test_other_streams_and_devices_go_on(self):
        with self.stream, self.graph:
            with torch.Stream("fakedev:0") as other:
                self.assertFalse(other.is_capturing())
                self.assertEqual([2.0] * 4, (self.x + self.x).tolist())
            self.assertEqual([2.0], (torch.ones(1, device="fakedev:1") + 1).tolist())
            self.assertTrue(self.stream.is_capturing())

    def test_random_numbers_are_those_of_the_capture(self):
        with self.stream, self.graph:
            y = torch.rand(4, device="fakedev:0")
        self.assertEqual(self.replayed(y), self.replayed(y))

    def test_pinned_memory_that_a_copy_read_is_given_to_nobody_else(self):
        with self.stream, self.graph:
            self.x.copy_(torch.arange(4.0).pin_memory(), non_blocking=True)  # which is dropped in the capture
        others = [torch.full((4,), 7.0).pin_memory() for _ in range(4)]
        self.assertEqual([0.0, 1.0, 2.0, 3.0], self.replayed(self.x))
        self.assertEqual([7.0] * 4, others[0].tolist())

    def test_memory_comes_back_with_reset(self):
        before = torch.fakedev.memory_allocated(0)
        with self.stream, self.graph:
            y = self.x + 1
        self.assertEqual([2.0] * 4, self.replayed(y))
        del y
        self.graph.reset()
        self.assertEqual(before, torch.fakedev.memory_allocated(0))

    def test_empty_graph_has_nothing_to_replay(self):
        for call in self.graph.replay, self.graph.instantiate, self.graph.pool, self.graph.capture_end:
            with self.assertRaises(RuntimeError):
                call()
        with self.stream, self.graph:
            pass
        with self.stream, self.assertRaisesRegex(RuntimeError, "reset"):
            self.graph.capture_begin()


if __name__ == "__main__":
    unittest.main()
