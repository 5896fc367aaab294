# SPDX-License-Identifier: BSD-3-Clause
"""Streams that a user keeps, counts, enters again and comes back to."""

import ctypes
import os

import torch

import demonstrate
from demonstrate import CRASH, ERROR, demonstrates

accelerator = torch.accelerator


def again(stream, stream_id=None):
    return torch.Stream(
        stream_id=stream.stream_id if stream_id is None else stream_id,
        device_index=stream.device_index,
        device_type=stream.device_type,
    )


def helper():
    library = ctypes.CDLL(str(demonstrate.BUILD / "tests" / "libload_from_c_helper.so"))
    library.helper_default_stream.restype = ctypes.c_int64
    return library


@demonstrates("stream.default_is_current")
def default_stream_moves():
    with torch.Stream("fakedev:0") as side:
        assert helper().helper_default_stream(0) != side.stream_id


@demonstrates("stream.pool_ignores_device")
def pool_gives_a_stream_of_another_device():
    torch.ones(1, device="fakedev:0")
    assert helper().helper_pool_device(1) == 1


@demonstrates("stream.pool_on_any_index")
def pool_has_a_stream_of_no_device():
    torch.ones(1, device="fakedev:0")
    assert helper().helper_pool_device(7) == -1


@demonstrates("stream.new_fails", ERROR)
def stream_cannot_be_made():
    torch.Stream("fakedev:0")


@demonstrates("stream.zero_is_unknown", ERROR)
def first_stream_cannot_be_waited_for():
    accelerator.current_stream(0).synchronize()


@demonstrates("stream.left_for_good", ERROR)
def second_block_is_refused():
    stream, other = torch.Stream("fakedev:0"), torch.Stream("fakedev:0")
    for _ in range(2):
        accelerator.set_stream(stream)
        accelerator.set_stream(other)


@demonstrates("stream.oldest_is_destroyed", ERROR)
def stream_is_gone_although_it_was_kept():
    kept = torch.Stream("fakedev:0")
    for _ in range(8):
        torch.Stream("fakedev:0")
    kept.synchronize()


@demonstrates("stream.exchange_needs_its_device")
def stream_of_another_device_is_refused():
    stream = torch.Stream("fakedev:1")
    accelerator.set_device_index(0)
    assert helper().helper_exchanges(ctypes.c_int64(stream.stream_id), 1) == 1


@demonstrates("stream.exchange_takes_any_index")
def stream_of_no_device_is_current():
    torch.ones(1, device="fakedev:0")
    assert helper().helper_exchanges(ctypes.c_int64(0), 7) == 0


@demonstrates("stream.priority_is_an_index", CRASH)
def urgent_stream_ends_the_process():
    torch.Stream("fakedev:0", priority=-5)


@demonstrates("stream.native_handle_is_new")
def handle_is_another_each_time():
    stream = torch.Stream("fakedev:0")
    assert stream.native_handle == stream.native_handle


@demonstrates("stream.is_always_capturing")
def idle_stream_is_capturing():
    assert not torch.Stream("fakedev:0").is_capturing()


@demonstrates("stream.id_is_a_pointer", CRASH)
def unknown_id_is_followed():
    try:
        again(torch.Stream("fakedev:0"), 0x7FFFFFF0).query()
    except RuntimeError:
        pass


@demonstrates("stream.never_reused")
def streams_fill_the_machine():
    for _ in range(200):
        torch.Stream("fakedev:0")
    assert len(os.listdir("/proc/self/task")) < 100


@demonstrates("stream.backward_leaves_its_stream")
def backward_moves_everybody():
    before = accelerator.current_stream(0)
    with torch.Stream("fakedev:0"):
        torch.ones(2, device="fakedev:0", requires_grad=True).sum().backward()
    assert accelerator.current_stream(0) == before


@demonstrates("core.stream_entered_once")
def inner_block_is_never_left():
    stream, before = torch.Stream("fakedev:0"), accelerator.current_stream(0)
    with stream, stream:
        pass
    assert accelerator.current_stream(0) == before


@demonstrates("core.stream_stays_after_an_error")
def error_leaves_the_stream():
    before = accelerator.current_stream(0)
    try:
        with torch.Stream("fakedev:0"):
            raise KeyError
    except KeyError:
        pass
    assert accelerator.current_stream(0) == before


@demonstrates("core.streams_hash_by_object")
def equal_streams_are_twice_in_a_set():
    stream = torch.Stream("fakedev:0")
    assert len({stream, again(stream)}) == 1


@demonstrates("core.rebuilt_stream_is_another")
def stream_of_three_numbers_is_not_the_one():
    stream = torch.Stream("fakedev:0")
    assert again(stream) == stream


@demonstrates("core.events_forget_their_device")
def recorded_event_is_of_no_device():
    event = torch.Event("fakedev")
    event.record(torch.Stream("fakedev:1"))
    assert event.device == torch.device("fakedev:1")


@demonstrates("core.record_event_makes_another")
def given_event_is_not_the_one():
    event = torch.Event("fakedev")
    assert torch.Stream("fakedev:0").record_event(event) is event


@demonstrates("core.unrecorded_event_refused", ERROR)
def first_round_cannot_wait():
    torch.Stream("fakedev:0").wait_event(torch.Event("fakedev"))
