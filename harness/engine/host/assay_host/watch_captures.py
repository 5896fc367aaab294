# SPDX-License-Identifier: BSD-3-Clause
"""Graphs that a watched program captures: until one is whole nothing has been computed, and whoever copies or waits breaks it.

Called by watch_mode.py.
"""

import functools

import torch

CAPTURED = "it is captured, and computes when the graph is replayed"


class Captures:
    under_way = 0  # in any thread: some devices let nobody copy meanwhile

    def hook(self):
        """Returns a function that takes it back."""
        graph = getattr(torch.accelerator, "Graph", None)
        if graph is None:
            return lambda: None
        begin, end = graph.capture_begin, graph.capture_end

        @functools.wraps(begin)
        def capture_begin(*arguments, **named):
            begin(*arguments, **named)
            self.under_way += 1

        @functools.wraps(end)
        def capture_end(*arguments, **named):
            self.under_way = max(0, self.under_way - 1)
            return end(*arguments, **named)

        graph.capture_begin, graph.capture_end = capture_begin, capture_end

        def undo():
            graph.capture_begin, graph.capture_end = begin, end

        return undo
