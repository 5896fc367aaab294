# SPDX-License-Identifier: BSD-3-Clause
"""Tensors that go to other libraries, and come from them."""

import gc

import torch
import torch.utils.dlpack

from demonstrate import ERROR, demonstrates


def there(*values):
    return torch.tensor(values).to("fakedev")


def back(capsule):
    return torch.utils.dlpack.from_dlpack(capsule)


@demonstrates("core.capsule_is_taken_twice")
def second_taker_gets_nothing():
    capsule = there(1.0, 2.0).__dlpack__()
    back(capsule)
    try:
        assert back(capsule).tolist() == [1, 2]
    except RuntimeError:
        pass


@demonstrates("core.capsules_have_no_version")
def version_is_not_there():
    assert "versioned" in repr(there(1.0).__dlpack__(max_version=(1, 0)))


@demonstrates("core.capsules_keep_their_tensor")
def memory_is_gone():
    before = torch.accelerator.memory_allocated()
    torch.utils.dlpack.to_dlpack(torch.ones(1000).to("fakedev"))
    gc.collect()
    assert torch.accelerator.memory_allocated() == before


@demonstrates("core.device_memory_is_cudas")
def cuda_is_claimed():
    assert not hasattr(there(1.0), "__cuda_array_interface__")


@demonstrates("core.exported_device_is_zero")
def second_device_is_the_first():
    try:
        kind, index = torch.ones(1, device="fakedev:1").__dlpack_device__()
    except ValueError:
        return
    assert index == 1


@demonstrates("core.exported_streams_are_refused", shows=ERROR)
def stream_of_the_array_api():
    back(there(1.0).__dlpack__(stream=1))


@demonstrates("core.exported_without_asking")
def gradient_is_lost():
    try:
        there(1.0).requires_grad_().__dlpack__()
    except BufferError:
        return
    raise AssertionError("exported")


@demonstrates("core.import_stays_on_cpu")
def batch_stays_here():
    assert torch.from_dlpack(torch.ones(2), device="fakedev").device.type == "fakedev"


@demonstrates("core.narrow_floats_become_bytes")
def float8_is_a_byte():
    x = torch.zeros(4, dtype=torch.float8_e5m2).to("fakedev")
    assert back(torch.utils.dlpack.to_dlpack(x)).dtype == torch.float8_e5m2


@demonstrates("core.numpy_takes_device_tensors")
def array_is_a_copy():
    x = there(1.0)
    try:
        x.numpy()[0] = 5
    except TypeError:
        return
    assert x.item() == 5


@demonstrates("copy.borrowed_memory_arrives_as_zeros")
def lent_numbers_are_zeros():
    x = there(1.0, 2.0)
    assert back(torch.utils.dlpack.to_dlpack(x)).tolist() == [1, 2]
