# SPDX-License-Identifier: BSD-3-Clause
"""Device tensors for other processes: the functions that torch.multiprocessing calls when a tensor is put into a queue.

PyTorch 2.13 can send storages of the CPU and of CUDA. PyTorch passes all other storages to the CPU's function, which
refuses them. So a backend registers its own function with ForkingPickler. This function passes storages of other
devices on to PyTorch.

Traps: pending work on the memory must be done before another process reads it. If a storage is sent back to its owner,
the owner must get the original storage, or its tensors no longer share memory. The sender must keep the memory while a
receiver uses it. PyTorch does not report the end of this use, so each storage is sent with a flag in the CPU's shared
memory. The receiver sets the flag when it releases the storage. Serves: IPC-001, DL-006.
"""

import weakref
from multiprocessing.reduction import ForkingPickler

import torch
import torch.multiprocessing
from torch.multiprocessing import reductions

from . import _C, _lifecycle, _streams

_lent = []  # sent storages, with the flag of each receiver


def _forget_what_came_back():
    _lent[:] = [(storage, flag) for storage, flag in _lent if not flag.item()]


def _reduce_storage(storage):
    if storage.device.type != "fakedev":
        return reductions.reduce_storage(storage)
    if storage.nbytes() == 0:
        return _rebuild_empty, (str(storage.device),)
    _streams.synchronize(storage.device)
    handle = _C.export_memory(storage.data_ptr())
    flag = torch.zeros((), dtype=torch.bool, device="cpu").share_memory_()
    _forget_what_came_back()
    _lent.append((storage, flag))
    reductions.shared_cache[handle] = reductions.StorageWeakRef(storage)
    return _rebuild_storage, (handle, storage.nbytes(), flag)


def _rebuild_empty(device):
    return torch.UntypedStorage(0, device=device)


def _rebuild_storage(handle, size, flag):
    _lifecycle.init()
    storage = reductions.storage_from_cache(torch.UntypedStorage, handle)
    if storage is not None and any(storage._cdata == own._cdata for own, _ in _lent):
        flag.fill_(True)  # the storage came back to its owner
        return storage
    if storage is None:
        storage = _C.open_memory(handle, size).untyped_storage()
        reductions.shared_cache[handle] = reductions.StorageWeakRef(storage)
    weakref.finalize(storage, flag.fill_, True)
    return storage


def register():
    ForkingPickler.register(torch.UntypedStorage, _reduce_storage)
