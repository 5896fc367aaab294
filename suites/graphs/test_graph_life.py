# SPDX-License-Identifier: BSD-3-Clause
"""torch.accelerator.Graph from its settings to its reset."""

import contextlib
import gc
import os
import tempfile
import unittest

import torch
from assay.checks import memory_in_use
from suites.graphs.captured_graphs import SIZE, GraphCase

accelerator = torch.accelerator
LARGE = 24 << 20  # bytes: today every caching allocator gives such a block its own segment
MODES = ("default", "global", "thread_local", "relaxed")


class GraphLife(GraphCase):
    def test_plain(self):
        """graphs.capture_end_instantiates_the_graph"""
        graph, x = self.graph(keep_graph=False), self.tensor(1)
        self.captured(graph, lambda: x.add_(x))
        self.expect_replays(graph, x, "a graph without keep_graph can be replayed after its capture")

    def test_kept(self):
        """graphs.first_replay_instantiates_a_graph_with_keep_graph"""
        for instantiate in True, False:
            graph, x = self.graph(keep_graph=True), self.tensor(1)
            self.captured(graph, lambda: x.add_(x))
            if instantiate:
                graph.instantiate()
            how = "instantiate()" if instantiate else "its first replay()"
            self.expect_replays(graph, x, f"a graph with keep_graph is instantiated by {how}")

    def expect_replays(self, graph, x, what):
        self.set(x, 3)
        try:
            self.replay(graph)
        except RuntimeError as error:
            self.require(self.expect(False, what, f"raised {error}"))
        self.expect_filled(x, 6, what)

    def test_pool(self):
        """graphs.graphs_can_share_a_memory_pool"""
        first, x = self.graph(), self.tensor(1)
        y = self.captured(first, lambda: torch.add(x, x))
        pool = first.pool()
        what = "pool() returns two numbers"
        pair = isinstance(pool, tuple) and len(pool) == 2
        self.require(self.expect(pair, what, repr(pool)))
        second = self.graph(pool=pool)
        z = self.captured(second, lambda: torch.add(x, y))
        for graph in first, second:
            self.replay(graph)
        self.expect_filled(z, 3, "a graph can be captured into the pool of another")

    def test_reset(self):
        """graphs.graph_can_capture_again_after_reset"""
        graph, x = self.graph(), self.tensor(1)
        self.captured(graph, lambda: torch.add(x, x))
        graph.reset()
        what = "a graph can capture again after reset()"
        try:
            y = self.captured(graph, lambda: torch.add(x, torch.add(x, x)))
        except RuntimeError as error:
            self.require(self.expect(False, what, f"raised {error}"))
        self.replay(graph)
        self.expect_filled(y, 3, what)

    def test_modes(self):
        """graphs.unknown_capture_error_mode_is_rejected"""
        for mode in MODES:
            graph, x = self.graph(capture_error_mode=mode), self.tensor(1)
            try:
                self.captured(graph, lambda: x.add_(x))
            except (RuntimeError, NotImplementedError) as error:
                self.note(f"capture_error_mode={mode}", error)
                continue
            self.expect_replays(graph, x, f"work that was captured with capture_error_mode={mode!r} runs")
        graph = self.graph(capture_error_mode="no such mode")
        what = "a capture_error_mode that PyTorch does not know raises"
        self.expect_raises((RuntimeError, ValueError), what, graph.capture_begin)

    def test_settings(self):
        """graphs.changed_pool_and_mode_apply_to_the_next_capture"""
        other, graph, x = self.graph(), self.graph(), self.tensor(1)
        for one in other, graph:
            self.captured(one, lambda: torch.add(x, x))
        graph.reset()
        graph.graph_pool = other.pool()
        self.captured(graph, lambda: torch.add(x, x))
        what = "graph_pool that was set after reset() is the pool of the next capture"
        self.expect_equal(graph.pool(), other.pool(), what)

    def test_bounds(self):
        """graphs.methods_of_a_graph_without_a_capture_raise"""
        graph, x = self.graph(keep_graph=True), self.tensor(1)
        self.expect_nothing_is_held(graph, "a graph that has captured nothing")
        y = self.captured(graph, lambda: torch.add(x, x))
        with self.stream:
            raised = self.expect_raises(
                RuntimeError, "capture_begin() of a graph that holds a capture raises before reset()", graph.capture_begin
            )
        if raised is None:
            with contextlib.suppress(RuntimeError), self.stream:
                graph.capture_end()
            return
        self.set(x, 4)
        self.replay(graph)
        self.expect_filled(y, 8, "a refused second capture does not change the first one")
        graph.reset()
        self.expect_nothing_is_held(graph, "a graph that was reset")

    def expect_nothing_is_held(self, graph, which):
        """Calls on a graph without a capture must raise. A call that does not raise may have started a capture, so the
        device must still work afterwards."""
        for call in graph.replay, graph.instantiate, graph.pool, graph.capture_end:
            with self.stream:
                self.expect_raises(RuntimeError, f"{call.__name__}() of {which} raises", call)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph")
            graph.enable_debug_mode()
            with contextlib.suppress(RuntimeError, NotImplementedError):
                graph.debug_dump(path)
            what = f"debug_dump() of {which} writes no file"
            self.expect_true(not os.path.exists(path), what, "the file exists")

    def test_memory(self):
        """graphs.reset_graph_releases_its_memory"""
        for name, end in {"reset()": lambda graph: graph.reset(), "deleting the graph": lambda graph: None}.items():
            self.capture_much().reset()
            before = self.reserved()
            graph = self.capture_much()
            held = self.reserved()
            if held < before + LARGE:
                self.does_not_apply(f"a graph whose tensors were deleted holds no memory: {held} bytes reserved, {before} before")
            end(graph)
            del graph
            what = f"{name} and empty_cache() free the memory of a graph: memory_reserved() is as before"
            self.expect_equal(self.reserved(), before, what)

    def capture_much(self):
        """A graph after the deletion of its tensors; only the memory of the graph is left."""
        graph, x = self.graph(), self.tensor(1)
        self.captured(graph, lambda: torch.add(x.expand(LARGE // x.nbytes, SIZE), 1).add_(x))
        return graph

    def reserved(self):
        gc.collect()
        memory_in_use.settle(self)
        accelerator.empty_cache()
        return memory_in_use.statistics(self)["reserved_bytes.all.current"]

    def test_dump(self):
        """graphs.debug_dump_writes_a_file_or_raises"""
        graph, x = self.graph(keep_graph=True), self.tensor(1)
        graph.enable_debug_mode()
        self.captured(graph, lambda: x.add_(x))
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "graph")
            try:
                graph.debug_dump(path)
            except (RuntimeError, NotImplementedError) as error:
                self.note("debug_dump", error)
                return
            what = "debug_dump(path) writes a file or raises"
            self.expect_true(os.path.exists(path), what, "no file exists")


if __name__ == "__main__":
    unittest.main()
