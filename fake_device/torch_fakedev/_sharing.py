# SPDX-License-Identifier: BSD-3-Clause
"""Device tensors for other processes: what torch.multiprocessing calls when one is put into a queue.

PyTorch 2.13 sends storages of the CPU and of CUDA; it gives all others to the CPU's function, which refuses. So a
backend registers its own with ForkingPickler, and leaves all others to PyTorch.

Traps: work on the memory must be done before another process looks; a storage that comes back must be the one that
was sent, or tensors no longer share it; and the sender has to keep what the receiver uses. Nothing tells the sender when
that ends, so each storage travels with a flag in the CPU's shared memory, which the receiver sets when it lets go.
Serves: IPC-001, DL-006.
"""

import weakref
from multiprocessing.reduction import ForkingPickler

import torch
import torch.multiprocessing
from torch.multiprocessing import reductions

from . import _C, _lifecycle, _streams

_lent = []  # storages that were sent, with the flag of each receiver


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
        flag.fill_(True)  # it came home
        return storage
    if storage is None:
        storage = _C.open_memory(handle, size).untyped_storage()
        reductions.shared_cache[handle] = reductions.StorageWeakRef(storage)
    weakref.finalize(storage, flag.fill_, True)
    return storage


def register():
    ForkingPickler.register(torch.UntypedStorage, _reduce_storage)
