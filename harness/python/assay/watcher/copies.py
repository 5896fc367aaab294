# SPDX-License-Identifier: BSD-3-Clause
"""Copies tensors to the CPU. Also verifies once per dtype that the device's copies return the right elements.

A result may only be judged through verified copies. If a backend ignores storage offsets, its operators and its copies
of views read the same wrong elements, so a wrong result looks right. Called by mode.py and comparison.py.
"""

import contextlib

from assay.values.own_torch import torch

VIEWS, STORAGES, NOTHING = "views", "storages", "nothing"  # which copies of the device are reliable
UNRELIABLE = "a tensor that is copied to the device and back has other values"
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
    """Returns VIEWS if copies of views are right, STORAGES if only copies of whole storages are right, or NOTHING if
    both are wrong. Raises the device's exceptions for a whole tensor. A refused copy of a view decides nothing, because
    the call that needs such a copy reports it."""
    row = _row(dtype)
    if row is None:
        return VIEWS
    there = row.to(device)
    if not _same(there.cpu(), row):
        return NOTHING
    pairs = list(_views(there, row))
    if all(_is_right(_read, *pair) for pair in pairs):
        return VIEWS
    return STORAGES if all(_is_right(Storages().copy, *pair) for pair in pairs) else NOTHING


def _row(dtype):
    """Twelve numbers on the CPU, or None if the CPU cannot make them, as for quantized dtypes."""
    try:
        return torch.arange(1, 13).remainder(2 if dtype is torch.bool else 13).to(dtype)
    except RuntimeError:
        return None


def _views(there, row):
    """Pairs of a view on the device and the same view on the CPU. A view that the device refuses or makes in another
    form is left out: then the operator is wrong, not the copy."""
    for make in VIEWS_OF_A_ROW:
        wanted = make(row)
        with contextlib.suppress(RuntimeError):
            view = make(there)
            if _form(view) == _form(wanted):
                yield view, wanted


def _form(view):
    return view.shape, view.stride(), view.storage_offset()


def _is_right(read, view, wanted):
    try:
        seen = read(view)
    except RuntimeError:  # refused
        return True
    return _same(seen, wanted)


def _read(view):
    """Copies a tensor in the same way as the watch."""
    return view.cpu() if view.is_contiguous() else view.contiguous().cpu()


def _same(one, other):
    return one.shape == other.shape and torch.equal(_bytes(one), _bytes(other))


def _bytes(tensor):
    """The elements as bytes, because the CPU cannot compare the numbers of some dtypes."""
    return tensor.resolve_conj().resolve_neg().contiguous().reshape(-1).view(torch.uint8)
