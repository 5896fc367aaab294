# SPDX-License-Identifier: BSD-3-Clause
"""Copies tensors to the CPU. Also verifies once per dtype that the device's copies return the right elements.

A result may only be judged through verified copies. If a backend ignores storage offsets, its operators and its copies
of views read the same wrong elements, so a wrong result looks right. Called by mode.py and comparison.py.
"""

from assay.values.own_torch import torch

VIEWS, STORAGES, NOTHING = "views", "storages", "nothing"  # which copies of the device are reliable
UNRELIABLE = "a tensor that is copied to the device and back has other values"
WHOLE_NUMBERS = {torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64}
VIEWS_OF_A_ROW = (
    lambda row: row[2:],
    lambda row: row[::2],
    lambda row: row[3],
    lambda row: row.view(3, 4).t(),
    lambda row: row.view(3, 4)[1:, 1:],
    lambda row: row[4:5].expand(3),
)


class Storages:
    """Copies tensors by whole storages, because a backend that ignores offsets and strides still copies whole storages
    correctly. Tensors that share a storage share the copy, with the same offsets and strides."""

    def __init__(self):
        self.rows = {}

    def copy(self, tensor):
        if tensor._is_zerotensor():
            return torch.zeros(tensor.shape, dtype=tensor.dtype)
        if tensor.layout is not torch.strided:
            return tensor.detach().clone().cpu()
        plain = torch._neg_view(tensor.detach()) if tensor.is_neg() else tensor.detach()
        plain = plain.conj() if plain.is_conj() else plain
        storage = plain.untyped_storage()
        key = storage._cdata, plain.dtype
        if key not in self.rows:
            row = plain.as_strided((storage.nbytes() // plain.element_size(),), (1,), 0)
            self.rows[key] = row.clone() if row.is_cpu else row.cpu()
        made = self.rows[key].as_strided(plain.shape, plain.stride(), plain.storage_offset())
        made = made.conj() if tensor.is_conj() else made
        return torch._neg_view(made) if tensor.is_neg() else made


def reliable(device, dtype):
    """Returns VIEWS if copies of views are right, STORAGES if only copies of whole tensors are right, or NOTHING if
    both are wrong. Raises the device's exceptions."""
    if not (dtype.is_floating_point or dtype.is_complex) and dtype not in WHOLE_NUMBERS or dtype.itemsize == 1 and dtype.is_floating_point:
        return VIEWS  # the CPU cannot compare numbers of this dtype
    row = torch.arange(1, 13).remainder(2 if dtype is torch.bool else 13).to(dtype)
    there = row.to(device)
    if not _same(there.cpu(), row):
        return NOTHING
    return VIEWS if all(_same(_read(view(there)), view(row)) for view in VIEWS_OF_A_ROW) else STORAGES


def _read(view):
    """Copies a tensor in the same way as the watch."""
    return view.cpu() if view.is_contiguous() else view.contiguous().cpu()


def _same(one, other):
    return one.shape == other.shape and torch.equal(one, other)
