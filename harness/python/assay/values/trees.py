# SPDX-License-Identifier: BSD-3-Clause
"""Trees of tensors: their leaves, and copies of them on another device.

The whole memory of a tensor is copied as a contiguous row, and the copy becomes a view of this row on the device. So
the backend needs no strided copy.
"""

import collections

import torch


def map_leaves(tree, change):
    """A copy of a tree of lists, tuples and dicts in which each leaf is changed."""
    if isinstance(tree, dict):
        return {key: map_leaves(value, change) for key, value in tree.items()}
    if isinstance(tree, tuple) and hasattr(tree, "_fields"):
        return type(tree)(*(map_leaves(value, change) for value in tree))
    if isinstance(tree, (list, tuple)):
        return (list if isinstance(tree, list) else tuple)(map_leaves(value, change) for value in tree)
    return change(tree)


def leaves(tree):
    found = []
    map_leaves(tree, found.append)
    return found


def tensors(tree):
    return [leaf for leaf in leaves(tree) if isinstance(leaf, torch.Tensor)]


def is_plain(tensor):
    return isinstance(tensor, torch.Tensor) and tensor.layout is torch.strided and not tensor.is_nested and type(
        tensor) in (torch.Tensor, torch.nn.Parameter)


def memory(tensor):
    """The memory from the first to the last element, as one row."""
    return tensor.as_strided((_extent(tensor),), (1,), tensor.storage_offset())


def _extent(tensor):
    return 1 + sum((size - 1) * stride for size, stride in zip(tensor.shape, tensor.stride()))


def _from_storage(tensor, place):
    """The same view on `place`. The result is a view of a copy of the storage up to the tensor's last element."""
    offset = tensor.storage_offset()
    row = tensor.as_strided((offset + _extent(tensor),), (1,), 0).to(place, copy=True)
    return row.as_strided(tensor.shape, tensor.stride(), offset)


def shared_rows(given, place):
    """A copy on `place` of each whole storage that several of these tensors share."""
    plain = {id(one): one for one in given if is_plain(one) and one.numel()}.values()
    users = collections.Counter(one.untyped_storage().data_ptr() for one in plain)
    rows = {}
    for one in plain:
        address = one.untyped_storage().data_ptr()
        if users[address] > 1 and address not in rows and not one.is_conj() and not one.is_neg():
            size = one.untyped_storage().nbytes() // one.element_size()
            rows[address] = one.detach().as_strided((size,), (1,), 0).to(place, copy=True)
    return rows


def _view_of_row(tensor, rows):
    """The same tensor as a view of a row that is already on the device, or None if there is no such row."""
    row = rows.get(tensor.untyped_storage().data_ptr()) if rows and tensor.numel() else None
    if row is None or row.dtype != tensor.dtype:
        return None
    return row.as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())


def copied(tensor, place, rows=None):
    """A copy of the tensor on `place` with the same strides and bits. The copy shares no memory with the original."""
    if not is_plain(tensor):
        return tensor.detach().to(place, copy=True).requires_grad_(tensor.requires_grad)
    is_conj, is_neg, plain = tensor.is_conj(), tensor.is_neg(), tensor.detach()
    plain = plain.conj() if is_conj else plain
    plain = torch._neg_view(plain) if is_neg else plain
    made = _view_of_row(plain, rows)
    if made is not None:
        pass
    elif plain.numel() == 0:
        made = torch.empty_strided(plain.shape, plain.stride(), dtype=plain.dtype, device=place)
    elif plain.is_contiguous() and plain.storage_offset() == 0:
        made = plain.to(place, copy=True)
    else:
        made = _from_storage(plain, place)
    made = made.conj() if is_conj else made
    made = torch._neg_view(made) if is_neg else made
    return made.requires_grad_(tensor.requires_grad)


def spread(tensor):
    """A tensor with these values that consists of every second element of a longer row, starting with the second."""
    if not is_plain(tensor) or tensor.numel() < 2:
        return tensor
    wide = tensor.detach().repeat_interleave(2, dim=-1)
    return wide[..., 1::2].requires_grad_(tensor.requires_grad)


def word(value):
    """The value on one line; a tensor is described by dtype and shape."""
    if isinstance(value, torch.Tensor):
        return f"{str(value.dtype)[6:]}{list(value.shape)}"
    if isinstance(value, (list, tuple)):
        return f"({', '.join(map(word, value))})"
    return repr(value)[:120 if isinstance(value, str) else 40]
