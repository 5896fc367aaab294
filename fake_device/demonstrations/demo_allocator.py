# SPDX-License-Identifier: BSD-3-Clause
"""Memory, statistics, storage and pinned memory as a user meets them."""

import threading

import torch

from demonstrate import CRASH, ERROR, demonstrates

accelerator = torch.accelerator


@demonstrates("allocator.always_device_zero")
def tensor_lands_on_another_device():
    x = torch.ones(1 << 20, device="fakedev:1")
    assert accelerator.memory_allocated(1) >= x.nbytes


@demonstrates("allocator.block_says_device_zero")
def tensor_says_another_device():
    assert torch.empty(4, device="fakedev:1").device.index == 1


@demonstrates("allocator.free_only_on_current")
def memory_of_the_other_device_stays():
    before = accelerator.memory_allocated(1)
    x = torch.ones(1 << 20, device="fakedev:1")
    accelerator.synchronize(1)
    del x
    assert accelerator.memory_allocated(1) == before


@demonstrates("allocator.free_switches_device")
def dropping_a_tensor_switches():
    x = torch.empty(4, device="fakedev:1")
    del x
    assert accelerator.current_device_index() == 0


@demonstrates("allocator.not_a_device_allocator", shows=ERROR)
def statistics_hit_an_assert():
    torch.ones(1, device="fakedev")
    accelerator.memory_stats()


@demonstrates("allocator.returns_null")
def exhaustion_is_silent():
    try:
        torch.UntypedStorage(1 << 50, device="fakedev")
    except torch.OutOfMemoryError:
        return
    raise AssertionError("a petabyte was given")


@demonstrates("allocator.exhaustion_is_a_plain_error")
def exhaustion_has_no_type():
    try:
        torch.UntypedStorage(1 << 50, device="fakedev")
    except torch.OutOfMemoryError:
        return
    except RuntimeError as error:
        raise AssertionError("lack of memory is a plain RuntimeError") from error


@demonstrates("allocator.zero_bytes_take_a_block")
def empty_tensor_has_a_pointer():
    assert torch.UntypedStorage(0, device="fakedev").data_ptr() == 0


@demonstrates("allocator.record_stream_ignored")
def recorded_block_is_reused():
    from torch_fakedev.testing import Gate

    side = torch.Stream("fakedev:0")
    x = torch.empty(1 << 18, device="fakedev:0")
    address = x.data_ptr()
    with Gate(side):
        x.record_stream(side)
        del x
        again = torch.empty(1 << 18, device="fakedev:0")
        assert again.data_ptr() != address


@demonstrates("stats.aggregate_stays_empty")
def nothing_seems_allocated():
    x = torch.ones(1 << 10, device="fakedev")
    assert accelerator.memory_allocated() >= x.nbytes


@demonstrates("stats.always_device_zero")
def statistics_of_another_device():
    x = torch.ones(1 << 20, device="fakedev:1")
    assert accelerator.memory_allocated(1) >= x.nbytes
    assert accelerator.memory_allocated(0) == 0


@demonstrates("stats.reset_peak_does_nothing")
def peak_stays():
    torch.empty(1 << 20, device="fakedev")
    accelerator.reset_peak_memory_stats()
    assert accelerator.max_memory_allocated() == accelerator.memory_allocated()


@demonstrates("storage.resize_forgets_data")
def grown_storage_is_blank():
    x = torch.arange(4.0, device="fakedev")
    x.untyped_storage().resize_(1 << 12)
    assert x.tolist() == [0, 1, 2, 3]


@demonstrates("storage.resize_on_current_device")
def grown_storage_moves():
    block = torch.UntypedStorage(16, device="fakedev:1")
    block.resize_(1 << 20)
    assert block.device.index == 1


@demonstrates("host.not_registered", shows=CRASH)
def empty_host_cache_dies():
    torch.fakedev.init()
    accelerator.empty_host_cache()


@demonstrates("host.pinned_only_at_base")
def slice_is_not_pinned():
    buffer = torch.ones(8).pin_memory().numpy()
    assert torch.from_numpy(buffer[3:]).is_pinned()


@demonstrates("host.record_event_ignored")
def pinned_buffer_is_overwritten():
    from torch_fakedev.testing import Gate

    stream = torch.Stream("fakedev:0")
    with Gate(stream), stream:
        moved = torch.full((100,), 7.0).pin_memory().to("fakedev:0", non_blocking=True)
        torch.zeros(100, pin_memory=True).fill_(1)
    stream.synchronize()
    assert moved.cpu().tolist() == [7.0] * 100


@demonstrates("allocator.profiler_not_told")
def memory_profile_is_empty():
    with torch.autograd.profiler.profile(
            use_device="fakedev", use_kineto=False, profile_memory=True) as session:
        x = torch.ones(1 << 10, device="fakedev")
    assert max(e.device_memory_usage for e in session.key_averages()) >= x.nbytes


@demonstrates("allocator.size_truncated")
def four_gigabytes_fit():
    try:
        torch.UntypedStorage((4 << 30) + 64, device="fakedev")
    except torch.OutOfMemoryError:
        return
    raise AssertionError("more than the device has was given")


@demonstrates("hooks.no_pinned_allocator", shows=ERROR)
def copy_to_the_host_without_waiting_raises():
    torch.ones(4, device="fakedev").to("cpu", non_blocking=True)


@demonstrates("storage.resizable_unchecked", shows=CRASH)
def resizing_foreign_memory_dies():
    import torch.utils.dlpack as dlpack

    x = torch.ones(4, device="fakedev")
    twin = dlpack.from_dlpack(dlpack.to_dlpack(x))
    try:
        twin.untyped_storage().resize_(1 << 12)
    except RuntimeError:
        pass


@demonstrates("storage.factory_allocates_nothing", shows=ERROR)
def storage_is_empty():
    assert torch.UntypedStorage(64, device="fakedev").data_ptr() != 0


@demonstrates("allocator.block_says_minus_one")
def tensor_has_no_index():
    assert torch.empty(4, device="fakedev").device.index == 0


@demonstrates("allocator.initialized_crashes_before_start", shows=CRASH)
def statistics_come_first():
    accelerator.memory_stats()


@demonstrates("allocator.initialized_stays_false")
def a_device_in_use_has_statistics():
    tensor = torch.empty(4, device="fakedev")
    assert accelerator.memory_stats(), tensor.device


@demonstrates("allocator.not_registered", shows=CRASH)
def nothing_can_be_allocated():
    torch.empty(4, device="fakedev")


@demonstrates("ops.pin_memory_ignored")
def device_tensor_cannot_be_pinned():
    try:
        torch.empty(4, device="fakedev", pin_memory=True)
    except RuntimeError:
        return
    raise AssertionError("pin_memory was ignored")


@demonstrates("ops.view_leaks_storage")
def viewed_memory_stays():
    before = accelerator.memory_allocated(0)
    x = torch.empty(1 << 20, device="fakedev")
    x.view(1024, 1024)
    del x
    assert accelerator.memory_allocated(0) == before


@demonstrates("ops.view_loses_offset")
def view_begins_elsewhere():
    x = torch.arange(12.0).to("fakedev")
    assert x[6:].view(2, 3).cpu()[0, 0] == 6
