# SPDX-License-Identifier: BSD-3-Clause
"""Graphs as a user captures and replays them."""

import os
import tempfile

import torch

from demonstrate import CRASH, ERROR, demonstrates

accelerator = torch.accelerator


class Captured:
    """x + x on a stream of its own, in a graph."""

    def __init__(self, **options):
        self.stream, self.graph = torch.Stream("fakedev:0"), accelerator.Graph(**options)
        self.x = torch.ones(8, device="fakedev:0")
        accelerator.synchronize()
        self.capture()

    def capture(self):
        with self.stream, self.graph:
            self.y = self.x + self.x

    def replayed(self):
        with self.stream:
            self.graph.replay()
        self.stream.synchronize()
        return self.y.tolist()

    def expect_replays(self):
        assert self.replayed() == [2] * 8


@demonstrates("graph.captured_work_runs")
def step_is_done_twice():
    stream, graph = torch.Stream("fakedev:0"), accelerator.Graph()
    x = torch.ones(8, device="fakedev:0")
    accelerator.synchronize()
    with stream, graph:
        x += 1
    stream.synchronize()
    assert x.tolist() == [1] * 8


@demonstrates("graph.memory_is_reused")
def replay_writes_to_other_tensors():
    stream, graph = torch.Stream("fakedev:0"), accelerator.Graph()
    x = torch.ones(8, device="fakedev:0")
    accelerator.synchronize()
    with stream:
        with graph:
            x.copy_((x + 1) * 2)
        others = [torch.full((8,), 7.0, device="fakedev:0") for _ in range(8)]
        graph.replay()
    stream.synchronize()
    assert all(other.tolist() == [7] * 8 for other in others)


@demonstrates("graph.replays_once")
def second_step_has_old_results():
    captured = Captured()
    captured.expect_replays()
    captured.x.fill_(2)
    accelerator.synchronize()
    assert captured.replayed() == [4] * 8


@demonstrates("graph.capture_is_not_said")
def capture_is_hidden():
    stream = torch.Stream("fakedev:0")
    with stream, accelerator.Graph():
        capturing = stream.is_capturing()
    assert capturing


@demonstrates("graph.capture_never_ends", ERROR)
def rest_of_the_program_is_captured():
    captured = Captured()
    captured.stream.synchronize()


@demonstrates("graph.captures_the_default_stream")
def work_runs_instead_of_being_captured():
    captured = Captured()
    captured.stream.synchronize()
    captured.y.fill_(0)
    accelerator.synchronize()
    captured.expect_replays()


@demonstrates("graph.construction_ends_process", CRASH)
def graph_cannot_be_made():
    accelerator.Graph()


@demonstrates("graph.registered_as_privateuse1", ERROR)
def graphs_are_not_found():
    accelerator.Graph()


@demonstrates("graph.dump_is_lost")
def dump_is_nowhere():
    captured = Captured()
    captured.graph.enable_debug_mode()
    with tempfile.TemporaryDirectory() as folder:
        captured.graph.debug_dump(f"{folder}/graph")
        assert os.listdir(folder) == ["graph"]


@demonstrates("graph.first_pool_stays")
def new_pool_is_ignored():
    captured, other = Captured(), Captured()
    captured.graph.reset()
    captured.graph.graph_pool = other.graph.pool()
    captured.capture()
    assert captured.graph.pool() == other.graph.pool()


@demonstrates("graph.kept_graph_is_not_instantiated", ERROR)
def kept_graph_is_refused():
    Captured(keep_graph=True).expect_replays()


@demonstrates("graph.plain_graph_is_not_ready", ERROR)
def plain_graph_is_refused():
    Captured().expect_replays()


@demonstrates("graph.mode_ends_process", CRASH)
def mode_of_another_device():
    Captured(capture_error_mode="relaxed").expect_replays()


@demonstrates("graph.pool_is_refused", ERROR)
def pool_cannot_be_shared():
    Captured(pool=Captured().graph.pool())


@demonstrates("graph.reset_is_final", ERROR)
def reset_graph_is_useless():
    captured = Captured()
    captured.graph.reset()
    captured.capture()


@demonstrates("graph.replay_needs_its_device", ERROR)
def graph_of_another_device_is_refused():
    captured = Captured()
    torch.accelerator.set_device_index(1)
    captured.graph.replay()


@demonstrates("graph.capture_replaces_the_last")
def first_step_is_lost():
    step = Captured()
    try:
        step.capture()
    except RuntimeError:
        return
    raise AssertionError("the first capture is gone")


@demonstrates("graph.memory_stays_for_good")
def each_graph_takes_memory():
    def reserved():
        Captured().graph.reset()
        accelerator.empty_cache()
        return accelerator.memory_reserved()

    assert reserved() == reserved()


@demonstrates("graph.products_wait_for_the_host", ERROR)
def layer_cannot_be_captured():
    stream, graph = torch.Stream("fakedev:0"), accelerator.Graph()
    x = torch.ones(2, 2, device="fakedev:0")
    accelerator.synchronize()
    with stream, graph:
        torch.mm(x, x)
