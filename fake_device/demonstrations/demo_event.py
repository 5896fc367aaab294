# SPDX-License-Identifier: BSD-3-Clause
"""Events of the driver: what they mark, who waits for them, what time they tell."""

import time

import torch

from demonstrate import ERROR, demonstrates
from instruments import gate, held_until_we_wait


def streams(*devices):
    return [torch.Stream(f"fakedev:{device}") for device in devices]


@demonstrates("event.is_a_time_stamp")
def event_does_not_mark_the_queue():
    (stream,) = streams(0)
    with gate(stream):
        assert not stream.record_event().query()


@demonstrates("event.query_blocks")
def question_waits_for_the_event():
    (stream,) = streams(0)
    with held_until_we_wait(stream):
        assert not stream.record_event().query()


@demonstrates("event.synchronize_returns_early")
def event_is_not_waited_for():
    (stream,) = streams(0)
    with held_until_we_wait(stream):
        event = stream.record_event()
        event.synchronize()
        assert event.query()


@demonstrates("event.rerecord_ignored")
def event_stays_at_its_first_version():
    (stream,) = streams(0)
    event = stream.record_event()
    event.synchronize()
    with gate(stream):
        event.record(stream)
        assert not event.query()


def consumer_reads_what_producer_wrote(producer, consumer):
    source = torch.full((8,), 7.0, device=producer.device)
    target = torch.zeros(8, device=consumer.device)
    torch.accelerator.synchronize(producer.device)
    torch.accelerator.synchronize(consumer.device)
    with gate(producer):
        with producer:
            source.add_(1)
            ready = producer.record_event()
        consumer.wait_event(ready)
        assert not consumer.query()
    with consumer:
        target.copy_(source)
    consumer.synchronize()
    assert target.tolist() == [8] * 8


@demonstrates("event.wait_ignored")
def stream_does_not_wait():
    consumer_reads_what_producer_wrote(*streams(0, 0))


@demonstrates("event.wait_across_devices_ignored")
def stream_of_another_device_does_not_wait():
    consumer_reads_what_producer_wrote(*streams(0, 1))


@demonstrates("event.wait_takes_latest_version")
def waiting_stream_is_held_again():
    producer, waiter = streams(0, 0)
    first = gate(producer)
    event = producer.record_event()
    waiter.wait_event(event)
    with gate(producer):
        event.record(producer)
        first.open()
        assert waiter.query()


@demonstrates("event.record_switches_device")
def recording_switches():
    (stream,) = streams(1)
    stream.record_event()
    assert torch.fakedev.current_device() == 0


@demonstrates("event.leaked")
def events_pile_up():
    from torch_fakedev.testing import counters

    (stream,) = streams(0)
    for _ in range(10):
        stream.record_event().synchronize()
    assert counters()["events_destroyed"] == counters()["events_created"]


def elapsed_time_is_what_the_clock_says():
    """One span of the clock lies inside the events' span, another around it."""
    (stream,) = streams(0)
    start = torch.Event("fakedev", enable_timing=True)
    end = torch.Event("fakedev", enable_timing=True)
    outside, inside = 1, 0
    while outside >= 500 * inside:  # so that a thousand times less cannot lie between
        before = time.monotonic_ns()
        start.record(stream)
        start.synchronize()
        begin = time.monotonic_ns()
        while (inside := time.monotonic_ns() - begin) < 50_000:
            pass
        end.record(stream)
        end.synchronize()
        outside = time.monotonic_ns() - before
    assert inside * 0.999 <= start.elapsed_time(end) * 1e6 <= outside * 1.001


@demonstrates("event.elapsed_in_seconds")
def time_is_a_thousand_times_too_short():
    elapsed_time_is_what_the_clock_says()


@demonstrates("event.elapsed_negative")
def time_goes_backwards():
    elapsed_time_is_what_the_clock_says()


@demonstrates("event.destroy_releases_waiters")
def stream_goes_on_when_the_event_is_dropped():
    producer, consumer = streams(0, 0)
    with gate(producer):
        event = producer.record_event()
        consumer.wait_event(event)
        del event
        assert not consumer.query()


@demonstrates("event.destroy_switches_device")
def dropping_an_event_switches():
    (stream,) = streams(1)
    event = stream.record_event()
    del event
    assert torch.fakedev.current_device() == 0


@demonstrates("event.elapsed_switches_device")
def asking_for_the_time_switches():
    (stream,) = streams(1)
    start = torch.Event("fakedev", enable_timing=True)
    start.record(stream)
    start.synchronize()
    start.elapsed_time(start)
    assert torch.fakedev.current_device() == 0


@demonstrates("event.failed_record_loses_handle")
def event_is_lost_by_a_wrong_stream():
    here, there = streams(0, 1)
    event = here.record_event()
    handle = event.event_id
    try:
        event.record(there)
    except RuntimeError:
        pass
    assert event.event_id == handle


@demonstrates("event.first_index_is_zero", shows=ERROR)
def second_device_records_nothing():
    (stream,) = streams(1)
    stream.record_event()


@demonstrates("event.half_missing")
def one_half_says_yes_the_other_no():
    event = torch.Event("fakedev")
    try:
        event.record()
    except RuntimeError:
        assert False, "no event can be recorded"


@demonstrates("event.needs_an_index", shows=ERROR)
def nothing_is_ever_recorded():
    torch.Event("fakedev").record()


@demonstrates("event.new_handle_each_record")
def second_record_is_another_event():
    (stream,) = streams(0)
    event = stream.record_event()
    handle = event.event_id
    event.record(stream)
    assert event.event_id == handle


@demonstrates("event.newest_is_complete")
def last_event_comes_first():
    (stream,) = streams(0)
    with gate(stream):
        first, last = stream.record_event(), stream.record_event()
        assert first.query() or not last.query()


@demonstrates("event.query_never_true")
def finished_event_says_no():
    (stream,) = streams(0)
    event = stream.record_event()
    stream.synchronize()
    assert event.query()


@demonstrates("event.remembers_completion")
def second_use_is_complete_at_once():
    (stream,) = streams(0)
    event = stream.record_event()
    stream.synchronize()
    assert event.query()
    with gate(stream):
        event.record(stream)
        assert not event.query()


@demonstrates("event.synchronize_missing", shows=ERROR)
def host_cannot_wait():
    (stream,) = streams(0)
    stream.record_event().synchronize()
