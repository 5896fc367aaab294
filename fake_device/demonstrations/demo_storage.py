# SPDX-License-Identifier: BSD-3-Clause
"""Storages as a user meets them: resized, shared, copied, asked where they are."""

import contextlib

import torch

from demonstrate import demonstrates
from instruments import raises


def refused(call, *arguments):
    return raises(RuntimeError, call, *arguments)


def six():
    return torch.arange(6.0, device="fakedev")


@demonstrates("ops.resize_always_allocates")
def shrunk_tensor_moves():
    x = six()
    address = x.data_ptr()
    assert x.resize_(3).data_ptr() == address


@demonstrates("ops.resize_loses_elements")
def grown_tensor_has_lost_its_elements():
    assert six().resize_(100)[:6].tolist() == [0, 1, 2, 3, 4, 5]


@demonstrates("ops.resize_moves_foreign_memory")
def imported_tensor_leaves_its_memory():
    x = six()
    y = torch.utils.dlpack.from_dlpack(torch.utils.dlpack.to_dlpack(x))
    assert refused(y.resize_, 100)


@demonstrates("storage.clone_is_alias")
def clone_is_overwritten_with_its_source():
    x = six()
    clone = x.clone()
    x.zero_()
    assert clone.tolist() == [0, 1, 2, 3, 4, 5]


@demonstrates("storage.emptied_keeps_memory")
def emptied_storage_keeps_its_memory():
    assert six().untyped_storage().resize_(0).data_ptr() == 0


@demonstrates("storage.huge_size_wraps")
def storage_takes_any_size():
    assert refused(six().untyped_storage().resize_, -1)


@demonstrates("storage.refused_resize_shrinks")
def storage_is_gone_after_a_refusal():
    storage = six().untyped_storage()
    try:
        storage.resize_(48)
    except NotImplementedError:
        pass
    assert storage.nbytes() >= 24


@demonstrates("ops.resize_does_nothing")
def resized_tensor_has_its_old_shape():
    assert six().resize_(100).numel() == 100


@demonstrates("storage.set_does_nothing")
def set_tensor_has_its_old_shape():
    assert torch.empty(0, device="fakedev").set_(six().untyped_storage()).numel() == 6


@demonstrates("ops.refused_resize_empties")
def tensor_is_empty_after_a_refused_resize():
    x = torch.arange(6.0).to("fakedev")  # the kernel of arange resizes
    with contextlib.suppress(NotImplementedError):
        x.resize_(100)
    assert x.numel() >= 6


@demonstrates("storage.refused_set_empties")
def tensor_is_empty_after_a_refused_set():
    x = six()
    with contextlib.suppress(NotImplementedError):
        x.set_(six().untyped_storage())
    assert x.numel() == 6


@demonstrates("storage.set_copies")
def tensors_over_one_storage_do_not_share():
    x = six()
    y = torch.empty(0, device="fakedev").set_(x.untyped_storage(), 0, (6,), (1,))
    y.zero_()
    assert x.tolist() == [0] * 6


@demonstrates("storage.set_takes_host_storage")
def device_tensor_lies_over_host_memory():
    assert refused(torch.empty(0, device="fakedev").set_, torch.UntypedStorage(8), 0, (2,), (1,))


@demonstrates("python.storage_mark_is_wrong")
def storage_denies_its_device():
    assert six().untyped_storage().is_fakedev


@demonstrates("core.swap_copies_values")
def swapped_tensor_leaves_its_memory():
    x, y = six(), six()
    address = x.data_ptr()
    torch.utils.swap_tensors(x, y)
    assert y.data_ptr() == address


@demonstrates("python.storage_copy_takes_any_size")
def half_a_storage_is_copied():
    assert refused(torch.UntypedStorage(8, device="fakedev").copy_, torch.UntypedStorage(9))
