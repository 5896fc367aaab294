# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of bare_module. See ../fleet_defects.py."""

import threading
import warnings

import torch
import torch.utils.dlpack
from fleet_defects import core, raises, shows


def ones(*size, index=0, **options):
    return torch.ones(*size, device=f"bare_module:{index}", **options)


@shows("link-resets-device")
def a_copy_leaves_device_0_current():
    torch.accelerator.set_device_index(1)
    ones(2, index=0).to("bare_module:1")
    assert torch.accelerator.current_device_index() == 0


@shows("freed-from-current")
def a_block_of_device_1_is_never_freed():
    x = ones(100, index=1)
    del x
    assert torch.accelerator.memory_allocated(1) > 0


@shows("size-of-32-bits")
def two_tebibytes_are_given():
    assert torch.empty(2**41, dtype=torch.uint8, device="bare_module").numel() == 2**41


@shows("cannot-be-seeded")
def the_same_seed_gives_other_numbers():
    draws = []
    for _ in range(2):
        with warnings.catch_warnings(record=True):
            torch.manual_seed(7)
        draws.append(torch.rand(8, device="bare_module").cpu())
    assert not torch.equal(*draws)
    assert raises(NotImplementedError, lambda: torch.Generator("bare_module"))


@shows("engine-threads-off")
def a_backward_runs_on_the_calling_thread():
    seen = []
    x = ones(2, requires_grad=True)
    x.register_hook(lambda _: seen.append(threading.get_native_id()))
    (x * 2).sum().backward()
    assert seen == [threading.get_native_id()]


@shows("zeroes-the-first")
def the_second_gradient_is_kept():
    parameters = [ones(2, requires_grad=True) for _ in range(2)]
    for parameter in parameters:
        parameter.grad = ones(2)
    torch.optim.SGD(parameters, lr=1.0, foreach=True).zero_grad(set_to_none=False)
    assert [parameter.grad.sum().item() for parameter in parameters] == [0, 2]


@shows("norm-is-two")
def clipping_by_the_largest_clips_by_the_length():
    x = ones(4, requires_grad=True)
    x.grad = ones(4)
    norm = torch.nn.utils.clip_grad_norm_([x], 1.0, norm_type=float("inf"), foreach=True)
    assert norm.item() == 2


@shows("layer-norm-cuts-graph")
def nothing_before_a_layer_norm_is_trained():
    x = ones(2, 4, requires_grad=True)
    with warnings.catch_warnings(record=True):
        y = torch.nn.functional.layer_norm(x * 2, (4,)) * ones(2, 4)
        if y.requires_grad:
            y.sum().backward()
    assert x.grad is None


@shows("peak-resets-all")
def resetting_the_peak_forgets_what_was_allocated():
    kept = ones(10)
    torch.accelerator.reset_peak_memory_stats()
    assert torch.accelerator.memory_stats()["allocated_bytes.all.allocated"] == 0
    del kept


@shows("sums-of-bytes-only")
def resetting_the_sums_leaves_the_counts():
    kept = ones(10)
    torch.accelerator.reset_accumulated_memory_stats()
    assert torch.accelerator.memory_stats()["allocation.all.allocated"] > 0
    del kept


@shows("stream-of-any-device")
def device_9_has_a_stream():
    assert torch.accelerator.current_stream(9).device.index == 9


@shows("maybe-is-zero")
def an_exchange_that_must_do_nothing_switches():
    torch.accelerator.set_device_index(1)
    core().fleet_maybe_exchange_device(-1)
    assert torch.accelerator.current_device_index() == 0


@shows("unresizable-grows")
def memory_of_a_capsule_is_resized():
    x = ones(2)
    y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    assert y.data_ptr() == x.data_ptr() and y.untyped_storage().resizable() is False
    y.resize_(1000)
    assert y.data_ptr() != x.data_ptr()


@shows("no-synchronize")
def waiting_for_the_device_raises():
    torch.zeros(2, device="bare_module")
    assert raises(RuntimeError, torch.accelerator.synchronize)
