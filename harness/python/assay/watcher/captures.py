# SPDX-License-Identifier: BSD-3-Clause
"""Graphs that a watched program captures: until one is whole nothing has been computed, and a copy or a wait breaks it.

Called by assay/watcher/mode.py.
"""

import functools

import torch

CAPTURED = "it is captured, and computes when the graph is replayed"


class Captures:
    def __init__(self):
        self.under_way = set()  # graphs, of any thread: some devices let nobody copy meanwhile

    def hook(self):
        """Returns a function that takes it back."""
        graph = getattr(torch.accelerator, "Graph", None)
        if graph is None:
            return lambda: None
        begin, ends = graph.capture_begin, {name: getattr(graph, name) for name in ("capture_end", "reset")}

        @functools.wraps(begin)
        def capture_begin(one, *arguments, **named):
            begin(one, *arguments, **named)
            self.under_way.add(id(one))

        graph.capture_begin = capture_begin
        for name, end in ends.items():
            setattr(graph, name, self.ended_by(end))

        def undo():
            graph.capture_begin = begin
            for name, end in ends.items():
                setattr(graph, name, end)

        return undo

    def ended_by(self, end):
        @functools.wraps(end)
        def ended(one, *arguments, **named):
            self.under_way.discard(id(one))
            return end(one, *arguments, **named)

        return ended
