# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of no_storage. See ../fleet_defects.py."""

import copy
import pickle

import torch
import torch.utils.checkpoint
from fleet_defects import now, raised, saved_and_loaded, shows


@shows("failed-allocation-counts")
def nothing_fits_after_an_allocation_that_failed():
    assert raised(torch.empty, 2**40, device="no_storage")
    assert "bytes left" in raised(torch.empty, 2, device="no_storage")


@shows("failed-factory-switches-device")
def an_allocation_that_raises_leaves_the_other_device_current():
    assert raised(torch.empty, 2**40, device="no_storage:1")
    assert torch.accelerator.current_device_index() == 1


@shows("negative-index-counts-from-the-end")
def minus_one_is_the_last_device():
    # torch.accelerator rejects negative integers, but set_stream with a CPU stream passes its index -1 to setDevice.
    assert raised(torch.accelerator.set_stream, torch.Stream(device="cpu"))
    assert torch.accelerator.current_device_index() == 1


@shows("numbers-through-doubles")
def a_large_integer_is_read_as_another():
    assert torch.tensor([2**53 + 1]).to("no_storage")[0].item() == 2**53


@shows("state-without-spare-normal")
def a_restored_state_first_gives_a_number_from_before():
    torch.manual_seed(1)
    state = torch.no_storage.get_rng_state()
    first = torch.randn(1, device="no_storage").item()
    torch.no_storage.set_rng_state(state)
    assert torch.randn(1, device="no_storage").item() != first


@shows("cpu-generator-accepted")
def a_generator_of_the_cpu_is_taken_and_not_used():
    numbers = [torch.rand(3, device="no_storage", generator=torch.Generator().manual_seed(1)).tolist()
               for _ in range(2)]
    assert numbers[0] != numbers[1]


@shows("data-keeps-its-memory")
def a_tensor_whose_data_is_replaced_keeps_its_values():
    x = torch.zeros(2, device="no_storage")
    x.data = torch.ones(2, device="no_storage")
    assert x.tolist() == [0, 0]


@shows("offset-zero-ignored")
def as_strided_at_0_of_a_slice_begins_at_the_slice():
    x = torch.arange(6.0, device="no_storage")
    assert x[2:].as_strided((2,), (1,), 0).tolist() == [2, 3]


@shows("large-integers-as-double")
def item_loses_the_last_bit():
    assert torch.tensor(2**53 + 1).to("no_storage").item() == 2**53


@shows("unwritten-source", dies="SIGSEGV")
def cloning_a_tensor_that_nobody_has_written():
    x = torch.empty(4, device="no_storage")
    now()
    x.clone()


@shows("copy-counts-elements")
def a_source_of_another_shape_is_copied():
    target = torch.zeros(2, 3, device="no_storage").copy_(torch.arange(6.0).view(3, 2))
    assert target.tolist() == [[0, 1, 2], [3, 4, 5]]


@shows("no-sharing-in-files")
def two_tensors_that_share_memory_do_so_no_longer():
    x = torch.zeros(4, device="no_storage")
    whole, part = saved_and_loaded([x, x[2:]])
    part.fill_(1)
    assert whole.tolist() == [0, 0, 0, 0]


@shows("leaf-cannot-be-loaded")
def a_saved_parameter_raises_when_loaded():
    x = torch.ones(2, device="no_storage", requires_grad=True)
    assert "leaf" in raised(saved_and_loaded, x)


@shows("rng-state-all")
def nothing_keeps_the_state_of_all_devices():
    assert not any(hasattr(torch.no_storage, name) for name in ("get_rng_state_all", "set_rng_state_all"))


@shows("generator-cannot-be-copied")
def a_generator_cannot_be_pickled():
    try:
        pickle.dumps(torch.Generator("no_storage"))
    except SystemError:
        return
    raise AssertionError("pickled, or refused in words")


@shows("no-checkpoint")
def the_backward_of_a_checkpoint_raises():
    x = torch.ones(2, device="no_storage", requires_grad=True)
    y = torch.utils.checkpoint.checkpoint(torch.sin, x, use_reentrant=True)
    assert "AMP" in raised(y.sum().backward)


@shows("no-storage")
def there_is_no_storage():
    x = torch.ones(2, device="no_storage")
    assert "storage" in raised(x.untyped_storage) and "storage" in raised(x.data_ptr)
    assert "storage" in raised(torch.UntypedStorage(8, device="no_storage").cpu)


@shows("no-sharing-in-deepcopy")
def a_deep_copy_has_the_shared_memory_twice():
    x = torch.zeros(4, device="no_storage")
    whole, part = copy.deepcopy([x, x[2:]])
    part.fill_(1)
    assert whole.tolist() == [0, 0, 0, 0]


@shows("no-view-of-another-size")
def bytes_of_a_float_tensor_cannot_be_viewed():
    assert "size of the elements" in raised(torch.ones(2, device="no_storage").view, torch.uint8)


@shows("no-set")
def a_tensor_cannot_be_set():
    assert "storage" in raised(lambda: torch.empty(0, device="no_storage").set_(torch.ones(2).to("no_storage")))


@shows("abs-lies-in-rows")
def a_result_that_comes_from_the_cpu_lies_in_rows():
    x = torch.empty_strided((2, 3), (1, 2), device="no_storage")
    x.copy_(torch.ones(2, 3))
    assert x.abs().stride() == (3, 1)


@shows("real-drops-neg")
def a_negated_view_is_no_longer_one_as_real_numbers():
    x = torch.tensor([1 + 2j]).to("no_storage")
    assert torch.view_as_real(torch._neg_view(x)).cpu().tolist() == [[1, 2]]
