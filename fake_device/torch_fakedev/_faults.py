# SPDX-License-Identifier: BSD-3-Clause
"""Faults that real backends have by replacing a piece of PyTorch. Nothing here runs without a fault.

The other faults of this package are one line in the function they spoil.
"""

import warnings
import weakref

import torch

from . import _C, _core_faults, _core_saving_faults
from ._driver import fault

_kernels = torch.library.Library("aten", "IMPL")  # empty without its fault
_BEFORE_CORE = 15  # serialization registry: cpu is 10, core's entry for this backend 23


def _is_ours(storage):
    return storage.device.type == "fakedev"


def _strip_index(storage):
    return "fakedev" if _is_ours(storage) else None


def _restore_on_current(storage, location):
    if location.startswith("fakedev"):
        return storage.to(device=torch.device("fakedev", _C.current_device()))
    return None


def _never(_):
    return None


def _rebuild_contiguous(rebuild):
    def wrapper(storage, offset, size, stride):
        tensor = rebuild(storage, offset, size, stride)
        return tensor.contiguous() if tensor.device.type == "fakedev" else tensor

    return wrapper


def _rebuild_alone(rebuild):
    def wrapper(*arguments):
        tensor = rebuild(*arguments)
        return tensor.clone() if tensor.device.type == "fakedev" else tensor

    return wrapper


def _rebuild_wider(rebuild):
    def wrapper(*arguments):
        tensor = rebuild(*arguments)
        half = tensor.device.type == "fakedev" and tensor.dtype in (torch.half, torch.bfloat16)
        return tensor.float() if half else tensor

    return wrapper


def _rebuild_own(values, device):
    return values.to(device)


def _reduce_own(reduce):
    def wrapper(self, protocol):
        if self.device.type == "fakedev":
            return _rebuild_own, (self.detach().cpu(), str(self.device))
        return reduce(self, protocol)

    return wrapper


def _load_where_saved(load):
    def wrapper(file, map_location=None, **options):
        return load(file, **options)

    return wrapper


def _save_and_keep(save):
    kept = []

    def wrapper(thing, *arguments, **options):
        kept.append(thing)
        save(thing, *arguments, **options)

    return wrapper


def _move_and_wait(move):
    def wrapper(self, *, device, non_blocking=False):
        return move(self, device=device)

    return wrapper


def _move_and_track(move):
    """Tensor.to of a library that remembers what it has moved."""
    tracked = []

    def to(self, *arguments, **options):
        moved = move(self, *arguments, **options)
        if moved.device.type == "fakedev":
            tracked.append(weakref.ref(self))
        return moved

    return to


def _move_parameters_only(convert):
    """Module.to of a library that moves what it knows of, and forgets the buffers."""

    def to(self, *arguments, **options):
        buffers = [dict(module._buffers) for module in self.modules()]
        convert(self, *arguments, **options)
        for module, kept in zip(self.modules(), buffers):
            module._buffers.update(kept)
        return self

    return to


def _take_kernels_away():
    """As if the library had been linked without the files that register kernels."""

    def refuse(name):
        def kernel(*_arguments, **_options):
            raise NotImplementedError(
                f"Could not run '{name}' with arguments from the 'fakedev' backend."
            )

        return kernel

    for name in torch._C._dispatch_get_registrations_for_dispatch_key("PrivateUse1"):
        space, _, rest = name.partition("::")
        if space == "aten":
            _kernels.impl(rest, refuse(name), "PrivateUse1", allow_override=True)


def install():
    _core_faults.install()
    _core_saving_faults.install()
    if fault("python.kernels_missing"):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            _take_kernels_away()
    if fault("python.module_to_forgets_buffers"):
        torch.nn.Module.to = _move_parameters_only(torch.nn.Module.to)
    if fault("python.tensors_are_tracked"):
        torch.Tensor.to = _move_and_track(torch.Tensor.to)
    if fault("python.import_stops_engine_threads"):
        torch.autograd.set_multithreading_enabled(False)
    if fault("python.autocast_default_is_float32"):
        torch.set_autocast_dtype("fakedev", torch.float32)
    register = torch.serialization.register_package
    if fault("python.location_tag_loses_index"):
        register(_BEFORE_CORE, _strip_index, lambda storage, location: None)
    if fault("python.restore_on_current_device"):
        register(_BEFORE_CORE, _never, _restore_on_current)
    if fault("python.checkpoint_loses_strides"):
        torch._utils._rebuild_tensor = _rebuild_contiguous(torch._utils._rebuild_tensor)
    if fault("python.checkpoint_unshares"):
        torch._utils._rebuild_tensor = _rebuild_alone(torch._utils._rebuild_tensor)
    if fault("python.checkpoint_widens_half"):
        torch._utils._rebuild_tensor = _rebuild_wider(torch._utils._rebuild_tensor)
    if fault("python.saved_by_own_function"):
        torch.Tensor._reduce_ex_internal = _reduce_own(torch.Tensor._reduce_ex_internal)
    if fault("python.saved_state_is_kept"):
        torch.save = _save_and_keep(torch.save)
    if fault("python.map_location_ignored"):
        torch.load = _load_where_saved(torch.load)
    if fault("python.storage_to_drops_non_blocking"):
        torch.UntypedStorage.to = _move_and_wait(torch.UntypedStorage.to)
    if fault("python.import_starts_device"):
        _C.start()
    if fault("python.import_prints"):
        print("fakedev: ready")
    if fault("python.import_changes_default_dtype"):
        torch.set_default_dtype(torch.float64)
