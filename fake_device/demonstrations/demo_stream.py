# SPDX-License-Identifier: BSD-3-Clause
"""Streams of the driver: which is current, what waits for what."""

import threading

import torch

from demonstrate import demonstrates
from instruments import gate, held_until_we_wait

accelerator = torch.accelerator


@demonstrates("stream.all_equal_default")
def two_streams_are_one():
    assert torch.Stream("fakedev:0") != torch.Stream("fakedev:0")


@demonstrates("stream.create_ignores_device")
def stream_is_on_another_device():
    stream = torch.Stream("fakedev:1")
    with stream:
        x = torch.ones(4, device="fakedev:1")
    stream.synchronize()
    assert stream.device_index == 1 and x.tolist() == [1] * 4


@demonstrates("stream.create_switches_current")
def new_stream_is_current():
    before = accelerator.current_stream()
    torch.Stream("fakedev:0")
    assert accelerator.current_stream() == before


@demonstrates("stream.set_current_ignored")
def stream_does_not_become_current():
    stream = torch.Stream("fakedev:0")
    with stream:
        assert accelerator.current_stream() == stream


@demonstrates("stream.current_shared_by_devices")
def stream_of_one_device_resets_the_other():
    far = torch.Stream("fakedev:1")
    accelerator.set_stream(far)
    accelerator.set_stream(torch.Stream("fakedev:0"))
    assert accelerator.current_stream(1) == far


@demonstrates("stream.current_shared_by_threads")
def thread_changes_the_stream_of_the_others():
    stream = torch.Stream("fakedev:0")
    thread = threading.Thread(target=accelerator.set_stream, args=(stream,))
    thread.start()
    thread.join()
    assert accelerator.current_stream(0) != stream


@demonstrates("stream.launch_ignores_order")
def kernel_overtakes_a_copy():
    stream, pinned = torch.Stream("fakedev:0"), torch.ones(8).pin_memory()
    x = torch.zeros(8, device="fakedev:0")
    accelerator.synchronize()
    with gate(stream), stream:
        x.copy_(pinned, non_blocking=True)
        doubled = x + x
    stream.synchronize()
    assert doubled.tolist() == [2] * 8


@demonstrates("stream.priority_inverted")
def urgent_work_comes_last():
    kinds = {priority: [torch.Stream("fakedev:0", priority=priority) for _ in range(8)]
             for priority in (-1, 0)}
    begin = torch.Event("fakedev", enable_timing=True)
    begin.record()
    ends = {-1: [], 0: []}
    x = torch.zeros(1 << 12, device="fakedev:0")
    accelerator.synchronize()
    with gate(*kinds[0], *kinds[-1]):
        for priority in (0, -1):
            for stream in kinds[priority]:
                with stream:
                    x + x
                    end = torch.Event("fakedev", enable_timing=True)
                    end.record()
                ends[priority].append(end)
    accelerator.synchronize()
    first = {priority: min(begin.elapsed_time(end) for end in ends[priority]) for priority in ends}
    assert first[-1] < first[0]


@demonstrates("stream.query_always_done")
def busy_stream_says_that_it_is_idle():
    stream = torch.Stream("fakedev:0")
    with gate(stream):
        assert not stream.query()


@demonstrates("stream.query_blocks")
def question_waits_for_the_work():
    stream = torch.Stream("fakedev:0")
    with held_until_we_wait(stream):
        assert not stream.query()


@demonstrates("stream.synchronize_returns_early")
def stream_is_not_waited_for():
    stream = torch.Stream("fakedev:0")
    with held_until_we_wait(stream):
        stream.synchronize()
        assert stream.query()


@demonstrates("stream.priorities_share_streams")
def urgent_stream_is_a_plain_one():
    plain, urgent = ({torch.Stream("fakedev:0", priority=p).stream_id for _ in range(64)} for p in (0, -1))
    assert not plain & urgent
