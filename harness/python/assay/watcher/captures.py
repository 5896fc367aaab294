# SPDX-License-Identifier: BSD-3-Clause
"""Tracks graph captures of a watched program. During a capture nothing is computed, and a copy or a synchronization
would break the capture.

Called by assay/watcher/mode.py.
"""

import functools

import torch

CAPTURED = "it is captured and runs only when the graph is replayed"


class Captures:
    def __init__(self):
        self.under_way = set()  # open captures; during a capture, some devices allow no copy in any thread

    def hook(self):
        """Installs the hook. Returns a function that removes it."""
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
