# SPDX-License-Identifier: BSD-3-Clause
"""Copies of device memory on the CPU. Each copy is kept until an operator writes to the memory.

The result of one operator is often the input of the next operator, so its copy already exists. Copies from a device are
the largest cost of a watch. A kept copy may be stale, because a program can write to memory without an operator. So if
the results of a call differ, its inputs are copied again (assay/watcher/comparison.py).
"""

import sys

import torch

MOST_BYTES = 64 << 20
A_PURGE = 512  # number of copies between two searches for freed memory


class Mirror:
    """Copies of storages, by storage."""

    def __init__(self, most_bytes=MOST_BYTES):
        self.most_bytes = most_bytes
        self.clear()

    def clear(self):
        self.kept, self.bytes, self.since = {}, 0, 0

    def copy_of(self, tensor):
        """A copy of a tensor, or a view of a copy with the tensor's form, or None. The caller must not write to it."""
        storage = tensor.untyped_storage()
        entry = self.kept.get(storage._cdata)
        if entry is None or entry.copy.dtype is not tensor.dtype or tensor.is_conj() or tensor.is_neg():
            return None
        if entry.bytes != storage.nbytes():
            return None
        copy, strides, offset = entry.copy, tensor.stride(), tensor.storage_offset()
        if not offset and copy.shape == tensor.shape and copy.stride() == strides:
            return copy
        return copy.as_strided(tensor.shape, strides, offset)

    def keep(self, tensor, copy):
        """Stores a copy. `copy` has the values of the tensor but may have another layout."""
        storage = tensor.untyped_storage()
        key, size = storage._cdata, storage.nbytes()
        self.forget_storage(key)
        if not size or size > self.most_bytes // 4 or not fills(tensor, size):
            return
        if copy.stride() != tensor.stride():
            copy = torch.empty_strided(tensor.shape, tensor.stride(), dtype=tensor.dtype).copy_(copy)
        self.kept[key] = _Entry(storage, copy, size)
        self.bytes, self.since = self.bytes + size, self.since + 1
        if self.since > A_PURGE or self.bytes > self.most_bytes:
            self.purge()

    def forget(self, tensor):
        self.forget_storage(tensor.untyped_storage()._cdata)

    def forget_storage(self, key):
        entry = self.kept.pop(key, None)
        if entry is not None:
            self.bytes -= entry.bytes

    def purge(self):
        """Drops copies of freed memory, and the oldest copies until half is left."""
        self.since = 0
        for key, entry in list(self.kept.items()):
            if entry.is_gone():
                self.forget_storage(key)
        for key in list(self.kept):
            if self.bytes <= self.most_bytes // 2:
                break
            self.forget_storage(key)


class _Entry:
    """Holds the storage by a weak reference: its memory can be freed, but its id is not reused."""

    __slots__ = ("weak", "copy", "bytes")

    def __init__(self, storage, copy, size):
        self.weak, self.copy, self.bytes = storage._weak_ref(), copy, size

    def is_gone(self):
        return torch.UntypedStorage._expired(self.weak)

    def __del__(self):
        if not sys.is_finalizing():  # at shutdown, parts of torch no longer exist, and the count is no longer used
            torch.UntypedStorage._free_weak_ref(self.weak)


def fills(tensor, size):
    """True if the tensor covers its whole storage and contains each element once."""
    return (tensor.numel() * tensor.element_size() == size and not tensor.storage_offset()
            and not tensor.is_conj() and not tensor.is_neg()
            and (tensor.is_contiguous() or torch._debug_has_internal_overlap(tensor) == 0))
