# SPDX-License-Identifier: BSD-3-Clause
"""Faults of real backends that replace a part of PyTorch, or whose import has side effects."""

import warnings
import weakref

import torch

from .. import _C

_kernels = torch.library.Library("aten", "IMPL")  # empty unless its fault is armed
_BEFORE_CORE = 15  # serialization priority: after the CPU (10), before core's entry for this backend (23)


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


def _pin_a_copy(pin):
    def pin_memory(self, *arguments, **options):
        return pin(self.clone() if self.is_pinned() else self, *arguments, **options)

    return pin_memory


def _copy_what_fits(copy):
    def wrapper(self, source, non_blocking=None):
        size = min(self.nbytes(), source.nbytes())
        copy(self[:size], source[:size], non_blocking)
        return self

    return wrapper


def _move_and_track(move):
    """Simulates the Tensor.to of a library that keeps a reference to every tensor it moves."""
    tracked = []

    def to(self, *arguments, **options):
        moved = move(self, *arguments, **options)
        if moved.device.type == "fakedev":
            tracked.append(weakref.ref(self))
        return moved

    return to


def _move_parameters_only(convert):
    """Simulates the Module.to of a library that moves parameters only and omits the buffers."""

    def to(self, *arguments, **options):
        buffers = [dict(module._buffers) for module in self.modules()]
        convert(self, *arguments, **options)
        for module, kept in zip(self.modules(), buffers):
            module._buffers.update(kept)
        return self

    return to


def _take_kernels_away():
    """Simulates a library that was linked without the files that register kernels."""

    def refuse(name):
        def kernel(*_arguments, **_options):
            raise NotImplementedError(f"Could not run '{name}' with arguments from the 'fakedev' backend.")

        return kernel

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in torch._C._dispatch_get_registrations_for_dispatch_key("PrivateUse1"):
            space, _, rest = name.partition("::")
            if space == "aten":
                _kernels.impl(rest, refuse(name), "PrivateUse1", allow_override=True)


def _replace(owner, name, make):
    """Returns a function that installs a fault: owner.name becomes make(owner.name)."""
    return lambda: setattr(owner, name, make(getattr(owner, name)))


def _register(tag, restore):
    return lambda: torch.serialization.register_package(_BEFORE_CORE, tag, restore)


def _choose_engine():
    engines = torch.backends.quantized.supported_engines
    torch.backends.quantized.engine = next(one for one in engines if one != torch.backends.quantized.engine)


PLACES = {
    "python.autocast_default_is_float32": lambda: torch.set_autocast_dtype("fakedev", torch.float32),
    "python.checkpoint_loses_strides": _replace(torch._utils, "_rebuild_tensor", _rebuild_contiguous),
    "python.checkpoint_unshares": _replace(torch._utils, "_rebuild_tensor", _rebuild_alone),
    "python.checkpoint_widens_half": _replace(torch._utils, "_rebuild_tensor", _rebuild_wider),
    "python.import_changes_default_dtype": lambda: torch.set_default_dtype(torch.float64),
    "python.import_prints": lambda: print("fakedev: ready"),
    "python.import_starts_device": _C.start,
    "python.import_stops_engine_threads": lambda: torch.autograd.set_multithreading_enabled(False),
    "python.kernels_missing": _take_kernels_away,
    "python.location_tag_loses_index": _register(_strip_index, lambda storage, location: None),
    "python.map_location_ignored": _replace(torch, "load", _load_where_saved),
    "python.module_to_forgets_buffers": _replace(torch.nn.Module, "to", _move_parameters_only),
    "python.pin_memory_always_copies": _replace(torch.Tensor, "pin_memory", _pin_a_copy),
    "python.quantized_engine_chosen": _choose_engine,
    "python.restore_on_current_device": _register(_never, _restore_on_current),
    "python.saved_by_own_function": _replace(torch.Tensor, "_reduce_ex_internal", _reduce_own),
    "python.saved_state_is_kept": _replace(torch, "save", _save_and_keep),
    "python.storage_copy_takes_any_size": _replace(torch.UntypedStorage, "copy_", _copy_what_fits),
    "python.storage_to_drops_non_blocking": _replace(torch.UntypedStorage, "to", _move_and_wait),
    "python.tensors_are_tracked": _replace(torch.Tensor, "to", _move_and_track),
}
