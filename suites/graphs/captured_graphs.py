# SPDX-License-Identifier: BSD-3-Clause
"""Graphs of the target, for checks that need them, and work to capture in them."""

import torch
from assay.checks import Case

accelerator = torch.accelerator
SIZE = 64


class GraphCase(Case):
    """Captures on a new stream if the backend has streams. Not every backend can capture on its default stream."""

    def setUp(self):
        super().setUp()
        accelerator.set_device_index(self.device.index)
        try:
            self.stream = torch.Stream(self.device)
        except (RuntimeError, NotImplementedError):
            self.stream = accelerator.current_stream(self.device)

    def graph(self, **options):
        """If the backend creates one graph, it supports graphs, so any later exception is a failure."""
        try:
            graph = accelerator.Graph(**options)
        except (RuntimeError, NotImplementedError) as error:
            if self._is_special:
                raise
            self.lacks("graphs", error)
        self.ask_special_cases()
        return graph

    def tensor(self, value):
        """Runs an addition on the capturing stream before the capture, so that lazy initialization is not captured."""
        with self.stream:
            x = self.on_device(torch.full((SIZE,), float(value)))
            self.op("aten::add.Tensor", torch.add, x, x)
        self.stream.synchronize()
        return x

    def captured(self, graph, work):
        """Returns the result of `work`, which runs while the graph captures."""
        with self.stream, graph:
            return work()

    def replay(self, graph):
        with self.stream:
            graph.replay()
        self.stream.synchronize()

    def set(self, x, value):
        with self.stream:
            self.op("aten::copy_", x.copy_, self.on_device(torch.full((SIZE,), float(value))))
        self.stream.synchronize()

    def expect_filled(self, x, value, what):
        with self.stream:
            self.expect_tensor(x, torch.full((SIZE,), float(value)), what)
