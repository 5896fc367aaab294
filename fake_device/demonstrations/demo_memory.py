# SPDX-License-Identifier: BSD-3-Clause
"""Memory of the driver: blocks, cache, statistics."""

import torch

from demonstrate import ERROR, demonstrates
from instruments import gate, raises

accelerator = torch.accelerator
PETABYTE = 1 << 50


def petabyte_is_refused():
    return raises(
        torch.OutOfMemoryError, torch.empty, PETABYTE, dtype=torch.uint8, device="fakedev"
    )


@demonstrates("allocator.misaligned")
def address_is_odd():
    alignment = torch.fakedev.get_device_properties(0).alignment
    blocks = [torch.empty(100, device="fakedev") for _ in range(3)]
    assert all(block.data_ptr() % alignment == 0 for block in blocks)


@demonstrates("allocator.overlaps")
def tensors_share_memory():
    first = torch.ones(1024, device="fakedev")
    second = torch.zeros(1024, device="fakedev")
    assert first.tolist() == [1] * 1024 and second.tolist() == [0] * 1024


@demonstrates("allocator.zero_bytes_behind_pointer", shows=ERROR)
def tensor_has_no_memory():
    torch.ones(1 << 12, device="fakedev").cpu()


@demonstrates("allocator.exhaustion_is_success")
def petabyte_is_given():
    assert petabyte_is_refused()


@demonstrates("allocator.huge_size_wraps")
def four_gigabytes_are_512_bytes():
    size = (1 << 32) + 512
    try:
        huge = torch.empty(size, dtype=torch.uint8, device="fakedev")
    except torch.OutOfMemoryError:
        return
    assert accelerator.memory_allocated() >= huge.nbytes


@demonstrates("allocator.oom_not_counted")
def exhaustion_is_not_counted():
    assert petabyte_is_refused()
    assert accelerator.memory_stats()["num_ooms"] == 1


@demonstrates("allocator.oom_leaks_reservation")
def refused_petabyte_counts():
    before = accelerator.memory_allocated()
    assert petabyte_is_refused()
    assert accelerator.memory_allocated() == before


@demonstrates("allocator.free_on_wrong_device_is_lost")
def memory_of_another_device_is_lost():
    x = torch.ones(1 << 10, device="fakedev:1")
    accelerator.synchronize(1)
    del x
    assert accelerator.memory_allocated(1) == 0


@demonstrates("allocator.stats_drift")
def memory_leaks_by_the_statistics():
    x = torch.ones(3, device="fakedev")
    del x
    assert accelerator.memory_allocated() == 0


@demonstrates("allocator.stats_shared_by_devices")
def devices_have_the_same_statistics():
    x = torch.ones(1 << 10, device="fakedev:1")
    assert accelerator.memory_allocated(1) >= x.nbytes


@demonstrates("allocator.peak_never_falls")
def peak_stays_for_ever():
    torch.empty(1 << 20, device="fakedev")
    accelerator.reset_peak_memory_stats()
    assert accelerator.max_memory_allocated() == accelerator.memory_allocated()


@demonstrates("allocator.accumulated_reset_clears_current")
def live_memory_is_forgotten():
    x = torch.ones(1 << 10, device="fakedev")
    accelerator.reset_accumulated_memory_stats()
    assert accelerator.memory_allocated() >= x.nbytes


@demonstrates("allocator.info_has_more_free_than_total")
def more_is_free_than_there_is():
    x = torch.ones(1 << 10, device="fakedev")
    free, total = accelerator.get_memory_info()
    assert x.nbytes <= total - free


@demonstrates("allocator.empty_cache_drops_live")
def empty_cache_wipes_tensors():
    x = torch.ones(8, device="fakedev")
    accelerator.synchronize()
    accelerator.empty_cache()
    assert x.tolist() == [1] * 8


@demonstrates("allocator.empty_cache_keeps_everything")
def cache_is_never_given_back():
    torch.ones(1 << 20, device="fakedev")
    accelerator.synchronize()
    accelerator.empty_cache()
    assert accelerator.memory_reserved() == 0


@demonstrates("allocator.ignores_record_stream")
def recorded_memory_is_overwritten():
    stream = torch.Stream("fakedev:0")
    x = torch.ones(1 << 12, device="fakedev:0")
    kept = torch.zeros(1 << 12, device="fakedev:0")
    accelerator.synchronize()
    with gate(stream):
        with stream:
            kept.copy_(x)
        x.record_stream(stream)
        del x
        torch.full((1 << 12,), 5.0, device="fakedev:0")
        accelerator.current_stream().synchronize()
    stream.synchronize()
    assert kept.sum().item() == 1 << 12


@demonstrates("allocator.reuses_before_stream_is_done")
def freed_memory_is_written_by_its_last_user():
    stream = torch.Stream("fakedev:0")
    with gate(stream):
        with stream:
            torch.ones(1 << 12, device="fakedev:0")
        zeros = torch.zeros(1 << 12, device="fakedev:0")
        accelerator.current_stream().synchronize()
    stream.synchronize()
    assert zeros.sum().item() == 0
