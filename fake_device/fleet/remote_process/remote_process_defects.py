# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of remote_process. See ../fleet_defects.py."""

import copy
import warnings

import torch
import torch.distributed as dist
from fleet_defects import raised, raises, saved_and_loaded, shows


@shows("quantized-is-plain")
def what_is_quantized_is_a_plain_tensor():
    made = torch.quantize_per_tensor(torch.ones(2, device="remote_process"), 0.5, 1, torch.quint8)
    assert not made.is_quantized and made.dtype == torch.float32


@shows("index-wraps")
def an_index_beyond_a_byte_is_the_first_board():
    assert raises(ValueError, lambda: torch.remote_process.set_device(1))
    assert torch.remote_process.set_device(256) is None


@shows("sparse-is-dense")
def a_sparse_tensor_arrives_dense():
    assert torch.eye(2).to_sparse().to("remote_process").layout is torch.strided


@shows("nested-on-meta")
def a_nested_tensor_ends_in_an_assert():
    x = torch.ones(2, device="remote_process")
    assert "INTERNAL ASSERT" in str(raised(lambda: torch.nested.as_nested_tensor([x, x[:1]])))


@shows("jagged-parts-parted")
def a_jagged_tensor_does_not_come_back():
    values, offsets = torch.ones(4, 2), torch.tensor([0, 3, 4])
    jagged = torch.nested.nested_tensor_from_jagged(values, offsets).to("remote_process")
    assert raises(AssertionError, jagged.cpu)


@shows("strides-are-lost")
def a_transposed_tensor_comes_back_in_a_row():
    x = torch.ones(2, 3, device="remote_process").t()
    assert x.stride() == (1, 3) and saved_and_loaded(x).stride() == (2, 1)


@shows("imaginary-part-unsaid")
def a_lost_imaginary_part_is_no_warning():
    torch.set_warn_always(True)
    real, complex_ones = torch.zeros(1, device="remote_process"), torch.ones(1, dtype=torch.complex64)
    with warnings.catch_warnings(record=True) as warned:
        warnings.simplefilter("always")
        real.copy_(complex_ones)
        real.copy_(complex_ones.to("remote_process"))
    assert not warned


@shows("indices-of-the-host")
def a_list_of_the_host_is_refused():
    x = torch.ones(3, device="remote_process")
    assert x[torch.tensor([1]).to("remote_process")].item() == 1
    assert raises(RuntimeError, lambda: x[torch.tensor([1])])


@shows("new-memory-unfilled")
def new_memory_has_no_nan():
    torch.ones(1, device="remote_process")  # starts the board before the test needs it
    torch.use_deterministic_algorithms(True)
    assert not torch.empty(64, device="remote_process").cpu().isnan().all()


@shows("indices-of-meta")
def index_errors_have_other_types_and_words():
    x = torch.ones(3, 3, device="remote_process")
    two, three = (torch.zeros(size, dtype=torch.long).to("remote_process") for size in (2, 3))
    assert raises(IndexError, lambda: torch.ones(3, 3)[two.cpu(), three.cpu()])
    assert raises(RuntimeError, lambda: x[two, three])
    assert "same device" not in raised(torch.ones(3).__getitem__, two)


@shows("dtype-of-meta")
def a_bool_to_the_power_of_a_bool_is_a_number():
    x = torch.ones(2, dtype=torch.bool)
    assert x.pow(True).dtype == torch.bool and x.to("remote_process").pow(True).dtype == torch.int64


@shows("products-of-meta")
def a_product_of_two_dtypes_has_another_dtype_than_the_cpus():
    zeros, matrix, vector = torch.zeros(3), torch.ones(3, 5, dtype=torch.long), torch.ones(5, dtype=torch.long)
    assert torch.addmv(zeros, matrix, vector, beta=0).dtype == torch.long
    assert torch.addmv(*(one.to("remote_process") for one in (zeros, matrix, vector)), beta=0).dtype == torch.float32


@shows("gradients-of-meta")
def a_gradient_in_channels_last_is_another():
    x, first, second = (torch.arange(count) % 7 - 3.0 for count in (288, 288, 288))

    def gradient(device):
        given, one, two = (part.view(shape).to(device, memory_format=torch.channels_last)
                           for part, shape in ((x, (2, 4, 6, 6)), (first, (8, 4, 3, 3)), (second, (4, 8, 3, 3))))
        given.requires_grad_()
        normed = torch.nn.functional.group_norm(torch.conv2d(given, one, padding=1), 2)
        torch.conv2d(torch.nn.functional.silu(normed), two, padding=1).square().sum().backward()
        return given.grad.cpu()

    assert (gradient("remote_process") - gradient("cpu")).abs().max() > 1


@shows("deep-copies-are-one")
def a_change_of_a_copy_changes_the_tensor():
    x = torch.zeros(1, device="remote_process")
    copy.deepcopy(x).add_(1)
    assert x.item() == 1


@shows("numbers-are-doubles")
def a_large_whole_number_is_another_one():
    assert torch.full((1,), 2**53 + 1, device="remote_process").cpu().item() == 2**53


@shows("repr-without-device")
def repr_names_no_device():
    assert "remote_process:0" not in repr(torch.ones(2, device="remote_process"))


@shows("data-keeps-its-values")
def what_is_assigned_to_data_is_not_seen_everywhere():
    x, y = torch.zeros(2, 3).to("remote_process"), torch.ones(4, 5).to("remote_process")
    x.data = y
    assert x.cpu().shape != (4, 5)


@shows("groups-are-pickled")
def a_collective_without_a_backend_speaks_of_the_group():
    dist.init_process_group("gloo", store=dist.HashStore(), rank=0, world_size=1)
    x = torch.ones(2, device="remote_process")
    assert "__getstate__" in raised(dist.all_gather_into_tensor, torch.zeros_like(x), x)
