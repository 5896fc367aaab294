# SPDX-License-Identifier: BSD-3-Clause
"""Streams and events as a user meets them."""

import torch

from demonstrate import demonstrates


def closed_gate(stream):
    from torch_fakedev.testing import Gate

    return Gate(stream)


@demonstrates("stream.new_is_default")
def new_streams_are_one():
    assert torch.Stream("fakedev:0") != torch.Stream("fakedev:0")


@demonstrates("stream.of_current_device")
def stream_of_another_device():
    assert torch.accelerator.current_stream(1).device_index == 1


@demonstrates("event.any_device")
def event_of_two_devices():
    event = torch.Stream("fakedev:0").record_event()
    try:
        event.record(torch.Stream("fakedev:1"))
    except RuntimeError as error:
        assert "does not match" in str(error)
        return
    raise AssertionError("recorded on another device")


@demonstrates("event.block_does_nothing")
def waiting_stream_does_not_wait():
    producer, consumer = torch.Stream("fakedev:0"), torch.Stream("fakedev:0")
    with closed_gate(producer):
        consumer.wait_stream(producer)
        ended = consumer.record_event()
        free = torch.Stream("fakedev:0").record_event()
        free.synchronize()
        waits = not ended.query()
    assert waits


@demonstrates("event.query_always_true")
def pending_event_is_complete():
    stream = torch.Stream("fakedev:0")
    with closed_gate(stream):
        assert not stream.record_event().query()


@demonstrates("stream.of_any_index")
def stream_of_a_device_that_is_not_there():
    torch.fakedev.init()
    try:
        torch.accelerator.current_stream(torch.fakedev.device_count())
    except RuntimeError:
        return
    raise AssertionError("a stream of no device")


@demonstrates("stream.query_never_idle")
def stream_is_always_busy():
    stream = torch.Stream("fakedev:0")
    stream.synchronize()
    assert stream.query()


def fails_later():
    x, beyond = torch.ones(4).to("fakedev"), torch.tensor([9]).to("fakedev")
    return x.index_select(0, beyond)


def is_told(wait):
    fails_later()
    try:
        wait()
    except RuntimeError:
        return True
    return False


@demonstrates("stream.synchronize_hides_failures")
def failed_stream_is_fine():
    assert is_told(lambda: torch.accelerator.current_stream().synchronize())


@demonstrates("event.synchronize_hides_failures")
def failed_event_is_fine():
    assert is_told(
        lambda: torch.accelerator.current_stream().record_event().synchronize()
    )


@demonstrates("stream.recorded_of_any_type")
def stream_of_the_host_is_recorded():
    foreign = torch.Stream(stream_id=0, device_index=0, device_type=0)
    try:
        torch.ones(4).to("fakedev").record_stream(foreign)
    except RuntimeError:
        return
    raise AssertionError("a stream of the CPU was recorded")
