# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of few_operators. See ../fleet_defects.py."""

import threading

import torch
from fleet_defects import core, raises, shows


def on_device(*values, index=0):
    return torch.tensor(values).to(f"few_operators:{index}")


@shows("fresh-thread-has-no-device")
def a_thread_has_device_minus_one():
    seen = []
    thread = threading.Thread(target=lambda: seen.append(torch.accelerator.current_device_index()))
    thread.start()
    thread.join()
    assert seen == [-1]


@shows("negative-is-zero")
def exchanging_to_minus_three_switches_to_device_0():
    torch.accelerator.set_device_index(1)
    assert core().fleet_exchange_device(-3) == 1
    assert torch.accelerator.current_device_index() == 0


@shows("hooks-count-zero")
def the_hooks_count_no_devices():
    assert core().fleet_hooks_device_count() == 0 < torch.accelerator.device_count()


@shows("mm-leaves-device")
def a_failed_mm_leaves_device_1_current():
    x = torch.ones(2, 3).to("few_operators:1")
    assert raises(RuntimeError, lambda: torch.mm(x, x))
    assert torch.accelerator.current_device_index() == 1


@shows("strided-without-index")
def a_tensor_has_no_index():
    assert torch.empty_strided((2,), (1,), device="few_operators").device.index is None


@shows("copy-loses-tail")
def the_last_byte_is_not_copied():
    x = torch.arange(1, 8, dtype=torch.uint8).to("few_operators")
    assert core().fleet_clone_is_equal(x.data_ptr(), 4) == 1
    assert core().fleet_clone_is_equal(x.data_ptr(), 7) == 0


@shows("failed-allocation-leaks")
def after_a_failure_nothing_fits():
    assert raises(torch.OutOfMemoryError, lambda: torch.empty(2**40, device="few_operators"))
    assert raises(torch.OutOfMemoryError, lambda: torch.empty(1, device="few_operators"))


@shows("as-strided-unbounded")
def a_view_past_the_end_is_made():
    assert torch.empty(2, device="few_operators").as_strided((100,), (1,)).numel() == 100


@shows("as-strided-offset")
def a_view_of_a_view_begins_at_the_storage():
    x = on_device(1.0, 2.0, 3.0, 4.0).as_strided((2,), (1,), 2)
    assert x.cpu().tolist() == [3, 4]
    assert x.as_strided((2,), (1,)).cpu().tolist() == [1, 2]


@shows("alpha-ignored")
def a_difference_is_a_sum():
    x, y = on_device(5.0), on_device(2.0)
    assert torch.add(x, y, alpha=3).cpu().item() == 7


@shows("relu-loses-nan")
def nan_becomes_zero():
    assert torch.relu(on_device(float("nan"))).cpu().item() == 0


@shows("shapes-uncompared")
def two_by_three_is_added_to_three_by_two():
    x, y = torch.zeros(2, 3).to("few_operators"), torch.ones(3, 2).to("few_operators")
    assert torch.add(x, y).shape == (2, 3)


@shows("minimal-operators")
def a_tensor_cannot_be_resized_or_read_as_a_number():
    x = on_device(1.0)
    for use in (lambda: x.resize_(4), x.item, lambda: x.set_(x)):
        assert raises(NotImplementedError, use)


@shows("no-repr")
def a_tensor_cannot_be_printed():
    assert raises(NotImplementedError, lambda: repr(on_device(1.0)))


@shows("context-never-made")
def a_used_device_has_no_context():
    kept = on_device(1.0)
    assert core().fleet_has_primary_context(0) == 0
    del kept


@shows("new-memory-unfilled")
def memory_is_not_filled():
    torch.use_deterministic_algorithms(True)
    assert not torch.empty(4, device="few_operators").cpu().isnan().all()
