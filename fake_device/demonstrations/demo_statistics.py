# SPDX-License-Identifier: BSD-3-Clause
"""Memory statistics as a program that watches its memory reads them."""

import threading

import torch

from demonstrate import CRASH, demonstrates

accelerator = torch.accelerator


def tensor(device=0):
    return torch.ones(1 << 10, device=f"fakedev:{device}")


def raises(kind, function, *arguments):
    try:
        function(*arguments)
    except kind:
        return True
    return False


@demonstrates("stats.accumulated_reset_does_nothing")
def sums_grow_for_ever():
    tensor()
    accelerator.reset_accumulated_memory_stats()
    assert accelerator.memory_stats()["allocated_bytes.all.freed"] == 0


@demonstrates("stats.any_index")
def missing_device_has_memory():
    tensor()
    assert raises(RuntimeError, accelerator.memory_stats, accelerator.device_count())


@demonstrates("stats.blocks_uncounted")
def nothing_is_alive():
    kept = tensor()
    assert accelerator.memory_stats()["allocation.all.current"] == 1
    del kept


@demonstrates("stats.frees_of_other_threads_uncounted")
def memory_leaks_where_threads_free():
    tensors = [tensor()]
    accelerator.synchronize()
    thread = threading.Thread(target=tensors.clear)
    thread.start()
    thread.join()
    assert accelerator.memory_allocated() == 0


@demonstrates("stats.frees_uncounted")
def nothing_was_ever_freed():
    tensor()
    seen = accelerator.memory_stats()
    current, freed = (seen[f"allocated_bytes.all.{name}"] for name in ("current", "freed"))
    assert current == seen["allocated_bytes.all.allocated"] - freed


@demonstrates("stats.info_needs_a_block", shows=CRASH)
def free_memory_is_asked_first():
    accelerator.get_memory_info()


@demonstrates("stats.peak_is_current")
def peak_is_forgotten():
    tensor()
    assert accelerator.max_memory_allocated() >= 4 << 10


@demonstrates("stats.peak_reset_clears_sums")
def sums_are_gone():
    tensor()
    accelerator.reset_peak_memory_stats()
    assert accelerator.memory_stats()["allocated_bytes.all.allocated"] > 0


@demonstrates("stats.requested_never_shrinks")
def more_is_requested_than_there_is():
    for _ in range(3):
        tensor()
    stats = accelerator.memory_stats()
    assert stats["requested_bytes.all.current"] <= stats["allocated_bytes.all.current"]


@demonstrates("stats.reset_takes_the_current_device")
def peak_of_another_device_stays():
    tensor(1)
    accelerator.reset_peak_memory_stats(1)
    assert accelerator.max_memory_allocated(1) == accelerator.memory_allocated(1)


@demonstrates("stats.unknown_is_minus_one")
def count_is_negative():
    tensor()
    assert min(accelerator.memory_stats().values()) >= 0


@demonstrates("core.reserved_is_allocated")
def reserved_memory_is_hidden():
    kept = tensor()
    assert accelerator.memory_reserved() == accelerator.memory_stats()["reserved_bytes.all.current"]
    del kept


@demonstrates("core.statistics_lose_requested")
def requested_bytes_are_not_told():
    kept = tensor()
    assert accelerator.memory_stats().get("requested_bytes.all.current") == kept.nbytes


@demonstrates("core.statistics_of_any_type")
def memory_of_the_cpu_is_the_devices():
    tensor()
    assert raises(ValueError, accelerator.memory_allocated, "cpu")


@demonstrates("stats.active_blocks_uncounted")
def active_bytes_are_in_no_block():
    kept = tensor()
    seen = accelerator.memory_stats()
    assert seen["active_bytes.all.current"] and seen["active.all.current"], kept


@demonstrates("stats.reserved_bytes_uncounted")
def nothing_is_reserved():
    kept = tensor()
    assert accelerator.memory_reserved() >= kept.nbytes
